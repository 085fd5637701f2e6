// Program aggregation computes one Ready from what many reconcilers report, as authors write it with controller-runtime:
//
//	singleton   each reconciler applies its condition into one object
//	naive       each node has an object of its own, and all are listed after each event
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.uber.org/zap/zapcore"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

var (
	target = client.ObjectKey{Namespace: "bench", Name: "config-status"}
	// The conditions that are expected of each node.
	expected = []string{"r0Valid", "r1Valid", "r2Valid", "r3Valid"}
)

// The most failures that Ready names.
const named = 10

func main() {
	ctrl.SetLogger(zap.New(zap.Level(zapcore.WarnLevel)))
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: aggregation singleton|naive")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(layout string) error {
	types := runtime.NewScheme()
	if err := schemes.AddToScheme(types); err != nil {
		return err
	}
	if err := corev1.AddToScheme(types); err != nil {
		return err
	}
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:  types,
		Metrics: metricsserver.Options{BindAddress: "0"},
		Cache: cache.Options{
			DefaultNamespaces: map[string]cache.Config{target.Namespace: {}},
			DefaultTransform:  cache.TransformStripManagedFields(),
		},
	})
	if err != nil {
		return err
	}
	toTarget := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []ctrl.Request {
		return []ctrl.Request{{NamespacedName: target}}
	})
	// Of a node, no more than its name is of interest.
	controller := ctrl.NewControllerManagedBy(manager).
		WatchesMetadata(&corev1.Node{}, toTarget, builder.WithPredicates(predicate.GenerationChangedPredicate{}))
	reconciler := &Reconciler{Client: manager.GetClient()}
	switch layout {
	case "singleton":
		controller.For(&ConfigurationStatus{})
		reconciler.conditions = singleton
	case "naive":
		controller.For(&ConfigurationStatus{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
			Watches(&StatusReport{}, toTarget)
		reconciler.conditions = reconciler.naive
	default:
		return fmt.Errorf("there is no layout %q", layout)
	}
	if err := controller.Complete(reconciler); err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

// Reconciler computes Ready.
type Reconciler struct {
	client.Client
	// conditions returns a function that finds the condition of this type that a node reports.
	conditions func(context.Context, *ConfigurationStatus) (find, error)
}

type find func(node, conditionType string) *metav1.Condition

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &ConfigurationStatus{}
	if err := r.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	nodes := &metav1.PartialObjectMetadataList{}
	nodes.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NodeList"))
	if err := r.List(ctx, nodes); err != nil {
		return ctrl.Result{}, err
	}
	reported, err := r.conditions(ctx, object)
	if err != nil {
		return ctrl.Result{}, err
	}
	before := meta.FindStatusCondition(object.Status.Conditions, "Ready")
	conditions := []metav1.Condition{}
	if before != nil {
		conditions = append(conditions, *before)
	}
	if !meta.SetStatusCondition(&conditions, ready(nodes, reported)) {
		return ctrl.Result{}, nil
	}
	apply := &ConfigurationStatus{
		TypeMeta:   metav1.TypeMeta{APIVersion: schemes.GroupVersion.String(), Kind: "ConfigurationStatus"},
		ObjectMeta: metav1.ObjectMeta{Namespace: object.Namespace, Name: object.Name},
		Status:     Status{Conditions: conditions},
	}
	return ctrl.Result{}, r.Status().Patch(ctx, apply, client.Apply, client.FieldOwner("configuration-status"), client.ForceOwnership)
}

// singleton finds conditions in the object itself.
func singleton(_ context.Context, object *ConfigurationStatus) (find, error) {
	reported := make(map[string]*metav1.Condition, len(object.Status.Conditions))
	for i := range object.Status.Conditions {
		reported[object.Status.Conditions[i].Type] = &object.Status.Conditions[i]
	}
	return func(node, conditionType string) *metav1.Condition {
		return reported["speaker-"+node+"/"+conditionType]
	}, nil
}

// naive finds conditions in the objects of all nodes.
func (r *Reconciler) naive(ctx context.Context, object *ConfigurationStatus) (find, error) {
	reports := &StatusReportList{}
	if err := r.List(ctx, reports, client.InNamespace(object.Namespace)); err != nil {
		return nil, err
	}
	reported := make(map[string][]metav1.Condition, len(reports.Items))
	for i := range reports.Items {
		reported[reports.Items[i].Spec.Instance] = reports.Items[i].Status.Conditions
	}
	return func(node, conditionType string) *metav1.Condition {
		return meta.FindStatusCondition(reported[node], conditionType)
	}, nil
}

// ready is False when a reconciler failed, Unknown when one has not reported, and True otherwise.
func ready(nodes *metav1.PartialObjectMetadataList, reported find) metav1.Condition {
	var failed []string
	isComplete := len(nodes.Items) > 0
	for i := range nodes.Items {
		node := nodes.Items[i].Name
		for _, conditionType := range expected {
			switch condition := reported(node, conditionType); {
			case condition == nil || condition.Status == metav1.ConditionUnknown:
				isComplete = false
			case condition.Status == metav1.ConditionFalse:
				failed = append(failed, fmt.Sprintf("%s/%s: %s", node, conditionType, condition.Reason))
			}
		}
	}
	switch {
	case len(failed) > 0:
		slices.Sort(failed)
		message := strings.Join(failed[:min(named, len(failed))], ", ")
		return metav1.Condition{Type: "Ready", Status: metav1.ConditionFalse, Reason: "ComponentFailing", Message: message}
	case !isComplete:
		return metav1.Condition{Type: "Ready", Status: metav1.ConditionUnknown, Reason: "AwaitingReports"}
	default:
		return metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "AllComponentsReady"}
	}
}
