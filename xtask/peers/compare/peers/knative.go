package main

import (
	"allready.dev/xtask/peers/compare/wire"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"knative.dev/pkg/apis"
)

type accessor struct{ conditions apis.Conditions }

func (a *accessor) GetConditions() apis.Conditions           { return a.conditions }
func (a *accessor) SetConditions(conditions apis.Conditions) { a.conditions = conditions }

// Marks conditions of a living set. The last mark computes the top condition from what is stored.
func knativeSet(asked wire.Case) wire.Subject {
	types := make([]apis.ConditionType, len(asked.Dependents))
	for i, name := range asked.Dependents {
		types[i] = apis.ConditionType(name)
	}
	set, status := apis.NewLivingConditionSet(types...), &accessor{}
	for _, of := range asked.Conditions {
		status.conditions = append(status.conditions, apis.Condition{
			Type: apis.ConditionType(of.Type), Status: corev1.ConditionStatus(of.Status), Reason: of.Reason, Message: of.Message,
			LastTransitionTime: apis.VolatileTime{Inner: metav1.NewTime(wire.Time(of.Time))},
		})
	}
	next := turns(asked.Marks)
	return wire.Subject{
		Call: func() {
			manager := set.Manage(status)
			for _, mark := range next() {
				of := apis.ConditionType(mark.Type)
				switch mark.Status {
				case "True":
					manager.MarkTrueWithReason(of, mark.Reason, "%s", mark.Message)
				case "False":
					manager.MarkFalse(of, mark.Reason, "%s", mark.Message)
				default:
					manager.MarkUnknown(of, mark.Reason, "%s", mark.Message)
				}
			}
		},
		Answer: func() wire.Answer {
			top := set.Manage(status).GetTopLevelCondition()
			if top == nil {
				return wire.Answer{}
			}
			return wire.Answer{Conditions: []wire.Condition{{
				Type: string(top.Type), Status: string(top.Status), Reason: top.Reason, Message: top.Message,
				Time: wire.Second(top.LastTransitionTime.Inner.Time),
			}}}
		},
	}
}
