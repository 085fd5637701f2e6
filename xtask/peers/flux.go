package main

import (
	"context"
	"encoding/json"

	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Expressions as Flux evaluates them.
func flux(rule json.RawMessage) (judge, error) {
	var expressions kustomize.HealthCheckExpressions
	if err := json.Unmarshal(rule, &expressions); err != nil {
		return nil, err
	}
	evaluator, err := cel.NewStatusEvaluator(&expressions)
	if err != nil {
		return nil, err
	}
	return func(object map[string]any) (string, error) {
		result, err := evaluator.Evaluate(context.Background(), &unstructured.Unstructured{Object: object})
		if err != nil {
			return "", err
		}
		return result.Status.String(), nil
	}, nil
}
