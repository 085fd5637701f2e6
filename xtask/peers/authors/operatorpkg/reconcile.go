// Package operatorpkg is the controller of pools as an author writes it with operatorpkg's status package.
//
// +kubebuilder:object:generate=true
// +groupName=example.dev
// +versionName=v1
package operatorpkg

import (
	"context"
	"errors"

	"github.com/awslabs/operatorpkg/status"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

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
	Conditions []status.Condition `json:"conditions,omitempty"`
}

const (
	AddressesValid = "AddressesValid"
	Announced      = "Announced"
)

// StatusConditions implements status.Object.
func (p *Pool) StatusConditions(opts ...status.ForOption) status.ConditionSet {
	return status.NewReadyConditions(AddressesValid, Announced).For(p, opts...)
}

// GetConditions implements status.Object.
func (p *Pool) GetConditions() []status.Condition { return p.Status.Conditions }

// SetConditions implements status.Object.
func (p *Pool) SetConditions(conditions []status.Condition) { p.Status.Conditions = conditions }

// status: end

// Reconciler announces the addresses of pools.
//
// +kubebuilder:object:generate=false
type Reconciler struct {
	Client   client.Client
	Announce work.Announce
}

// status: begin

// Reconcile implements reconcile.ObjectReconciler.
func (r *Reconciler) Reconcile(ctx context.Context, pool *Pool) (reconcile.Result, error) {
	stored := pool.DeepCopy()
	err := r.reconcile(ctx, pool)
	if !equality.Semantic.DeepEqual(stored.Status, pool.Status) {
		// A merge patch replaces the whole list: the lock keeps conditions of other writers.
		lock := client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{})
		if patchErr := r.Client.Status().Patch(ctx, pool, lock); client.IgnoreNotFound(patchErr) != nil {
			if apierrors.IsConflict(patchErr) {
				return reconcile.Result{Requeue: true}, nil
			}
			return reconcile.Result{}, errors.Join(err, patchErr)
		}
	}
	return reconcile.Result{}, err
}

func (r *Reconciler) reconcile(ctx context.Context, pool *Pool) error {
	conditions := pool.StatusConditions()
	addresses, err := work.Parse(pool.Spec.Addresses)
	if err != nil {
		conditions.SetFalse(AddressesValid, "BadAddress", err.Error())
		return err
	}
	conditions.SetTrue(AddressesValid)
	if err := r.Announce(ctx, addresses); err != nil {
		conditions.SetFalse(Announced, "AnnounceFailed", err.Error())
		return err
	}
	conditions.SetTrue(Announced)
	return nil
}

// StatusController records an event for each condition that it sees changed, as a controller of its own.
func StatusController(c client.Client, recorder record.EventRecorder) *status.Controller[*Pool] {
	return status.NewController[*Pool](c, recorder)
}

// status: end
