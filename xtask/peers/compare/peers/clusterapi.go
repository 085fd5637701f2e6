package main

import (
	"allready.dev/xtask/peers/compare/wire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cluster-api/util/conditions"
)

// Summarizes the conditions of an object.
func clusterAPISummary(asked wire.Case) wire.Subject {
	of := objectOf(asked)
	options := []conditions.SummaryOption{
		conditions.ForConditionTypes(asked.Dependents),
		conditions.NegativePolarityConditionTypes(asked.Negative),
		conditions.IgnoreTypesIfMissing(asked.Optional),
	}
	return merged(func() (*metav1.Condition, error) {
		return conditions.NewSummaryCondition(&of, asked.Target, options...)
	})
}

// Aggregates one condition of many objects.
func clusterAPIAggregate(asked wire.Case) wire.Subject {
	members := make([]conditions.Getter, len(asked.Members))
	for i, member := range asked.Members {
		members[i] = &object{
			TypeMeta:   metav1.TypeMeta{Kind: member.Kind},
			ObjectMeta: metav1.ObjectMeta{Name: member.Name},
			conditions: conditionsOf(member.Conditions),
		}
	}
	options := []conditions.AggregateOption{}
	if len(asked.Negative) > 0 {
		options = append(options, conditions.NegativePolarityConditionTypes(asked.Negative))
	}
	return merged(func() (*metav1.Condition, error) {
		return conditions.NewAggregateCondition(members, asked.Target, options...)
	})
}

func merged(merge func() (*metav1.Condition, error)) wire.Subject {
	var top *metav1.Condition
	var err error
	return wire.Subject{
		Call: func() { top, err = merge() },
		Answer: func() wire.Answer {
			if err != nil {
				return wire.Answer{Error: err.Error()}
			}
			return wire.Answer{Conditions: []wire.Condition{told(*top)}}
		},
	}
}
