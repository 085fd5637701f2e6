package main

import (
	"allready.dev/xtask/peers/compare/wire"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Sets and removes conditions of a list.
func apimachinery(asked wire.Case) wire.Subject {
	conditions, next := conditionsOf(asked.Conditions), turns(asked.Marks)
	marks := [2][]metav1.Condition{conditionsOf(next()), conditionsOf(next())}
	changed, turn := false, 0
	return wire.Subject{
		Call: func() {
			for _, mark := range marks[turn%2] {
				if mark.Status == "" {
					changed = meta.RemoveStatusCondition(&conditions, mark.Type) || changed
				} else {
					changed = meta.SetStatusCondition(&conditions, mark) || changed
				}
			}
			turn++
		},
		Answer: func() wire.Answer { return wire.Answer{Conditions: toldAll(conditions), Changed: changed} },
	}
}
