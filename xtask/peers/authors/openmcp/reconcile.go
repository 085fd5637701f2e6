// Package openmcp is the controller of pools as an author writes it with the status updater of openmcp's controller-utils.
//
// +kubebuilder:object:generate=true
// +groupName=example.dev
// +versionName=v1
package openmcp

import (
	"context"

	"github.com/openmcp-project/controller-utils/pkg/conditions"
	ctrlutils "github.com/openmcp-project/controller-utils/pkg/controller"
	errutils "github.com/openmcp-project/controller-utils/pkg/errors"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"allready.dev/xtask/peers/authors/work"
)

// Pool is a set of addresses to announce.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Pool struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   PoolSpec   `json:"spec,omitempty"`
	Status PoolStatus `json:"status,omitempty"`
}

// PoolSpec is what the user asks for.
type PoolSpec struct {
	Addresses []string `json:"addresses,omitempty"`
}

// PoolList is a list of pools.
//
// +kubebuilder:object:root=true
type PoolList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []Pool `json:"items"`
}

// status: begin

// PoolStatus is the status of a pool.
type PoolStatus struct {
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

const (
	Ready          = "Ready"
	AddressesValid = "AddressesValid"
	Announced      = "Announced"
)

// ReconcileResult is what a pass over a pool found.
type ReconcileResult = ctrlutils.ReconcileResult[*Pool]

// status: end

// Reconciler announces the addresses of pools.
//
// +kubebuilder:object:generate=false
type Reconciler struct {
	Client   client.Client
	Announce work.Announce
	// status: begin
	Recorder events.EventRecorder
	// status: end
}

// status: begin

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	rr := r.reconcile(ctx, req)
	if rr.Object != nil {
		summarize(&rr)
	}
	return ctrlutils.NewStatusUpdaterBuilder[*Pool]().
		WithoutFields(ctrlutils.STATUS_FIELD_PHASE, ctrlutils.STATUS_FIELD_REASON, ctrlutils.STATUS_FIELD_MESSAGE, ctrlutils.STATUS_FIELD_LAST_RECONCILE_TIME).
		WithConditionUpdater(false).
		WithConditionEvents(r.Recorder, conditions.EventPerChange).
		Build().
		UpdateStatus(ctx, r.Client, rr)
}

// status: end

func (r *Reconciler) reconcile(ctx context.Context, req ctrl.Request) ReconcileResult {
	pool := &Pool{}
	if err := r.Client.Get(ctx, req.NamespacedName, pool); err != nil {
		if apierrors.IsNotFound(err) {
			return ReconcileResult{}
		}
		return ReconcileResult{ReconcileError: errutils.WithReason(err, "GetFailed")}
	}
	// status: begin
	rr := ReconcileResult{Object: pool, OldObject: pool.DeepCopy()}
	condition := ctrlutils.GenerateCreateConditionFunc(&rr)
	addresses, err := work.Parse(pool.Spec.Addresses)
	if err != nil {
		condition(AddressesValid, metav1.ConditionFalse, "BadAddress", err.Error())
		rr.ReconcileError = errutils.WithReason(err, "BadAddress")
		return rr
	}
	condition(AddressesValid, metav1.ConditionTrue, "Valid", "")
	if err := r.Announce(ctx, addresses); err != nil {
		condition(Announced, metav1.ConditionFalse, "AnnounceFailed", err.Error())
		rr.ReconcileError = errutils.WithReason(err, "AnnounceFailed")
		return rr
	}
	condition(Announced, metav1.ConditionTrue, "Announced", "")
	return rr
	// status: end
}

// status: begin
func summarize(rr *ReconcileResult) {
	condition := ctrlutils.GenerateCreateConditionFunc(rr)
	for _, kind := range []string{AddressesValid, Announced} {
		found := conditions.GetCondition(rr.Conditions, kind)
		if found == nil {
			condition(Ready, metav1.ConditionUnknown, "NotReported", kind+" is not reported")
			return
		}
		if found.Status != metav1.ConditionTrue {
			condition(Ready, found.Status, found.Reason, found.Message)
			return
		}
	}
	condition(Ready, metav1.ConditionTrue, "Ready", "")
}

// status: end
