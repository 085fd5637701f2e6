// Answers cases with the conditions packages of the peers whose modules fit together.
package main

import (
	"allready.dev/xtask/peers/compare/wire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func main() {
	wire.Serve(wire.Peers{
		"apimachinery":          apimachinery,
		"kstatus":               kstatus,
		"kstatus-decode":        kstatusDecode,
		"knative":               knativeSet,
		"operatorpkg":           operatorpkg,
		"kro":                   kro,
		"cluster-api":           clusterAPISummary,
		"cluster-api-aggregate": clusterAPIAggregate,
		"flux":                  flux,
		"openmcp":               openmcp,
	})
}

// What every peer that asks for an object can be given.
type object struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	conditions []metav1.Condition
}

func objectOf(asked wire.Case) object {
	return object{ObjectMeta: metav1.ObjectMeta{Generation: asked.Generation}, conditions: conditionsOf(asked.Conditions)}
}

func (o *object) DeepCopyObject() runtime.Object              { return o }
func (o *object) GetConditions() []metav1.Condition           { return o.conditions }
func (o *object) SetConditions(conditions []metav1.Condition) { o.conditions = conditions }

func conditionOf(of wire.Condition) metav1.Condition {
	return metav1.Condition{
		Type: of.Type, Status: metav1.ConditionStatus(of.Status), Reason: of.Reason, Message: of.Message,
		LastTransitionTime: metav1.NewTime(wire.Time(of.Time)), ObservedGeneration: of.Generation,
	}
}

func conditionsOf(of []wire.Condition) []metav1.Condition {
	conditions := make([]metav1.Condition, len(of))
	for i := range of {
		conditions[i] = conditionOf(of[i])
	}
	return conditions
}

func told(of metav1.Condition) wire.Condition {
	return wire.Condition{
		Type: of.Type, Status: string(of.Status), Reason: of.Reason, Message: of.Message,
		Time: wire.Second(of.LastTransitionTime.Time), Generation: of.ObservedGeneration,
	}
}

func toldAll(of []metav1.Condition) []wire.Condition {
	conditions := make([]wire.Condition, len(of))
	for i := range of {
		conditions[i] = told(of[i])
	}
	return conditions
}

// The marks of a case, and others with another reason: a call that is made again changes something again.
func turns(marks []wire.Condition) func() []wire.Condition {
	again := make([]wire.Condition, len(marks))
	for i, mark := range marks {
		again[i] = mark
		again[i].Reason += "Again"
	}
	odd := true
	return func() []wire.Condition {
		odd = !odd
		if odd {
			return again
		}
		return marks
	}
}
