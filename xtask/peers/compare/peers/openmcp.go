package main

import (
	"allready.dev/xtask/peers/compare/wire"
	"github.com/openmcp-project/controller-utils/pkg/conditions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Updates a list: what is set and removed is gathered, and at the end there is a new list.
func openmcp(asked wire.Case) wire.Subject {
	old, marks := conditionsOf(asked.Conditions), conditionsOf(asked.Marks)
	now := metav1.NewTime(wire.Time(wire.Now))
	var conditionsNow []metav1.Condition
	var changed bool
	return wire.Subject{
		Call: func() {
			updater := conditions.ConditionUpdater(old, asked.RemoveUntouched)
			updater.Now = now
			for _, mark := range marks {
				if mark.Status == "" {
					updater.RemoveCondition(mark.Type)
				} else {
					updater.UpdateCondition(mark.Type, mark.Status, mark.ObservedGeneration, mark.Reason, mark.Message)
				}
			}
			conditionsNow, changed = updater.Conditions()
		},
		Answer: func() wire.Answer { return wire.Answer{Conditions: toldAll(conditionsNow), Changed: changed} },
	}
}
