package main

import (
	"allready.dev/xtask/peers/compare/wire"
	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/apis"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type kroObject struct {
	object
	conditions []v1alpha1.Condition
}

func (o *kroObject) GetConditions() []v1alpha1.Condition           { return o.conditions }
func (o *kroObject) SetConditions(conditions []v1alpha1.Condition) { o.conditions = conditions }

// Marks conditions of a ready set; every mark computes the top condition.
func kro(asked wire.Case) wire.Subject {
	types, of := apis.NewReadyConditions(asked.Dependents...), &kroObject{object: objectOf(asked)}
	for _, condition := range of.object.conditions {
		of.conditions = append(of.conditions, v1alpha1.Condition{
			Type: v1alpha1.ConditionType(condition.Type), Status: condition.Status, Reason: &condition.Reason, Message: &condition.Message,
			LastTransitionTime: &condition.LastTransitionTime, ObservedGeneration: condition.ObservedGeneration,
		})
	}
	next := turns(asked.Marks)
	return wire.Subject{
		Call: func() {
			set := types.For(of)
			for _, mark := range next() {
				set.Set(v1alpha1.Condition{
					Type: v1alpha1.ConditionType(mark.Type), Status: metav1.ConditionStatus(mark.Status), Reason: &mark.Reason, Message: &mark.Message,
				})
			}
		},
		Answer: func() wire.Answer {
			top := types.For(of).Root()
			said := wire.Condition{Type: string(top.Type), Status: string(top.Status), Generation: top.ObservedGeneration}
			if top.LastTransitionTime != nil {
				said.Time = wire.Second(top.LastTransitionTime.Time)
			}
			if top.Reason != nil {
				said.Reason = *top.Reason
			}
			if top.Message != nil {
				said.Message = *top.Message
			}
			return wire.Answer{Conditions: []wire.Condition{said}}
		},
	}
}
