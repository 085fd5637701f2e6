package main

import (
	"allready.dev/xtask/peers/compare/wire"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	kubejson "sigs.k8s.io/json"
)

// Computes the status of an object that has been read.
func kstatus(asked wire.Case) wire.Subject {
	object := decoded(asked.Object)
	return subjectOf(func() *unstructured.Unstructured { return object })
}

// Reads an object and computes its status.
func kstatusDecode(asked wire.Case) wire.Subject {
	return subjectOf(func() *unstructured.Unstructured { return decoded(asked.Object) })
}

func decoded(text []byte) *unstructured.Unstructured {
	object := map[string]any{}
	if err := kubejson.UnmarshalCaseSensitivePreserveInts(text, &object); err != nil {
		panic(err)
	}
	return &unstructured.Unstructured{Object: object}
}

func subjectOf(read func() *unstructured.Unstructured) wire.Subject {
	var result *status.Result
	var err error
	return wire.Subject{
		Call: func() { result, err = status.Compute(read()) },
		Answer: func() wire.Answer {
			if err != nil {
				return wire.Answer{Error: err.Error()}
			}
			said := wire.Condition{Type: "kstatus", Status: result.Status.String(), Message: result.Message}
			if len(result.Conditions) > 0 {
				said.Reason = result.Conditions[0].Reason
			}
			return wire.Answer{Conditions: []wire.Condition{said}}
		},
	}
}
