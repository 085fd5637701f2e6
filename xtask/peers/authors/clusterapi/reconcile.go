// Package clusterapi is the controller of pools as an author writes it with Cluster API's util/conditions and util/patch.
//
// +kubebuilder:object:generate=true
// +groupName=example.dev
// +versionName=v1
package clusterapi

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/cluster-api/util/conditions"
	"sigs.k8s.io/cluster-api/util/patch"
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
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

const (
	Ready          = "Ready"
	AddressesValid = "AddressesValid"
	Announced      = "Announced"
)

// GetConditions implements conditions.Getter.
func (p *Pool) GetConditions() []metav1.Condition { return p.Status.Conditions }

// SetConditions implements conditions.Setter.
func (p *Pool) SetConditions(conditions []metav1.Condition) { p.Status.Conditions = conditions }

// status: end

// Reconciler announces the addresses of pools.
//
// +kubebuilder:object:generate=false
type Reconciler struct {
	Client   client.Client
	Announce work.Announce
	// status: begin
	Recorder record.EventRecorder
	// status: end
}

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (_ ctrl.Result, reterr error) {
	pool := &Pool{}
	if err := r.Client.Get(ctx, req.NamespacedName, pool); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	// status: begin
	before := pool.DeepCopy()
	patchHelper, err := patch.NewHelper(pool, r.Client)
	if err != nil {
		return ctrl.Result{}, err
	}
	defer func() {
		if err := conditions.SetSummaryCondition(pool, pool, Ready, conditions.ForConditionTypes{AddressesValid, Announced}); err != nil {
			reterr = kerrors.NewAggregate([]error{reterr, err})
		}
		owned := patch.WithOwnedConditions{Conditions: []string{Ready, AddressesValid, Announced}}
		if err := patchHelper.Patch(ctx, pool, owned); err != nil {
			reterr = kerrors.NewAggregate([]error{reterr, err})
			return
		}
		r.recordTransitions(before, pool)
	}()
	return ctrl.Result{}, r.reconcile(ctx, pool)
	// status: end
}

// status: begin
func (r *Reconciler) reconcile(ctx context.Context, pool *Pool) error {
	addresses, err := work.Parse(pool.Spec.Addresses)
	if err != nil {
		set(pool, AddressesValid, metav1.ConditionFalse, "BadAddress", err.Error())
		return err
	}
	set(pool, AddressesValid, metav1.ConditionTrue, "Valid", "")
	if err := r.Announce(ctx, addresses); err != nil {
		set(pool, Announced, metav1.ConditionFalse, "AnnounceFailed", err.Error())
		return err
	}
	set(pool, Announced, metav1.ConditionTrue, "Announced", "")
	return nil
}

func set(pool *Pool, kind string, status metav1.ConditionStatus, reason, message string) {
	conditions.Set(pool, metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message})
}

func (r *Reconciler) recordTransitions(before, after *Pool) {
	for _, kind := range []string{Ready, AddressesValid, Announced} {
		is, was := conditions.Get(after, kind), conditions.Get(before, kind)
		if is == nil || was != nil && was.Status == is.Status {
			continue
		}
		severity := corev1.EventTypeNormal
		if is.Status == metav1.ConditionFalse {
			severity = corev1.EventTypeWarning
		}
		r.Recorder.Eventf(after, severity, is.Reason, "%s is %s: %s", kind, is.Status, is.Message)
	}
}

// status: end
