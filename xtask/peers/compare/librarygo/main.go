// Answers cases with library-go's union of operator conditions. Its modules need an older Kubernetes than those of the other peers.
package main

import (
	"regexp"
	"time"

	"allready.dev/xtask/peers/compare/wire"
	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/operator/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func main() {
	wire.Serve(wire.Peers{"library-go": union})
}

// What library-go's own controller has for Degraded.
var inertia = status.MustNewInertia(0, status.InertiaCondition{
	ConditionTypeMatcher: regexp.MustCompile("Degraded$"), Duration: 2 * time.Minute,
}).Inertia

func union(asked wire.Case) wire.Subject {
	good := operatorv1.ConditionTrue
	if len(asked.Negative) > 0 {
		good = operatorv1.ConditionFalse
	}
	conditions := make([]operatorv1.OperatorCondition, len(asked.Conditions))
	for i, of := range asked.Conditions {
		conditions[i] = operatorv1.OperatorCondition{
			Type: of.Type, Status: operatorv1.ConditionStatus(of.Status), Reason: of.Reason, Message: of.Message,
			LastTransitionTime: metav1.NewTime(wire.Time(of.Time)),
		}
	}
	var top operatorv1.OperatorCondition
	return wire.Subject{
		Call: func() { top = status.UnionCondition(asked.Target, good, inertia, conditions...) },
		Answer: func() wire.Answer {
			return wire.Answer{Conditions: []wire.Condition{{
				Type: top.Type, Status: string(top.Status), Reason: top.Reason, Message: top.Message,
			}}}
		},
	}
}
