package main

import (
	"allready.dev/xtask/peers/compare/wire"
	"github.com/awslabs/operatorpkg/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type operatorObject struct {
	object
	conditions []status.Condition
}

func (o *operatorObject) GetConditions() []status.Condition           { return o.conditions }
func (o *operatorObject) SetConditions(conditions []status.Condition) { o.conditions = conditions }
func (o *operatorObject) StatusConditions(options ...status.ForOption) status.ConditionSet {
	return status.NewReadyConditions().For(o, options...)
}

// Marks conditions of a ready set; every mark computes the top condition.
func operatorpkg(asked wire.Case) wire.Subject {
	types, of := status.NewReadyConditions(asked.Dependents...), &operatorObject{object: objectOf(asked)}
	for _, condition := range of.object.conditions {
		of.conditions = append(of.conditions, status.Condition(condition))
	}
	next := turns(asked.Marks)
	return wire.Subject{
		Call: func() {
			set := types.For(of)
			for _, mark := range next() {
				set.Set(status.Condition{
					Type: mark.Type, Status: metav1.ConditionStatus(mark.Status), Reason: mark.Reason, Message: mark.Message,
				})
			}
		},
		Answer: func() wire.Answer {
			return wire.Answer{Conditions: []wire.Condition{told(metav1.Condition(*types.For(of).Root()))}}
		},
	}
}
