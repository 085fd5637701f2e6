package main

import (
	"allready.dev/xtask/peers/compare/wire"
	"github.com/fluxcd/pkg/runtime/conditions"
)

// Summarizes the conditions of an object into one of them.
func flux(asked wire.Case) wire.Subject {
	of := objectOf(asked)
	options := []conditions.MergeOption{conditions.WithNegativePolarityConditions(asked.Negative...)}
	if len(asked.Dependents) > 0 {
		options = append(options, conditions.WithConditions(asked.Dependents...))
	}
	if asked.LatestOnly {
		options = append(options, conditions.WithLatestGeneration())
	}
	if asked.StepCounter {
		options = append(options, conditions.WithStepCounter())
	}
	return wire.Subject{
		Call: func() { conditions.SetSummary(&of, asked.Target, options...) },
		Answer: func() wire.Answer {
			if top := conditions.Get(&of, asked.Target); top != nil {
				return wire.Answer{Conditions: []wire.Condition{told(*top)}}
			}
			return wire.Answer{}
		},
	}
}
