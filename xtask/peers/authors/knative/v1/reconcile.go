// Package v1 is the controller of pools as an author writes it with Knative's genreconciler, which generates the reconciler that
// calls ReconcileKind: it fetches the pool, initialises conditions, writes the status and records the returned event.
//
// +kubebuilder:object:generate=true
// +groupName=example.dev
package v1

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"knative.dev/pkg/apis"
	duckv1 "knative.dev/pkg/apis/duck/v1"
	"knative.dev/pkg/reconciler"

	"allready.dev/xtask/peers/authors/work"
)

// Pool is a set of addresses to announce.
//
// +genclient
// +genreconciler
// +kubebuilder:object:root=true
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
	duckv1.Status `json:",inline"`
}

const (
	AddressesValid apis.ConditionType = "AddressesValid"
	Announced      apis.ConditionType = "Announced"
)

var poolConditions = apis.NewLivingConditionSet(AddressesValid, Announced)

var _ duckv1.KRShaped = (*Pool)(nil)

// GetConditionSet implements duckv1.KRShaped.
func (*Pool) GetConditionSet() apis.ConditionSet { return poolConditions }

// GetStatus implements duckv1.KRShaped.
func (p *Pool) GetStatus() *duckv1.Status { return &p.Status.Status }

// status: end

// Reconciler announces the addresses of pools.
//
// +kubebuilder:object:generate=false
type Reconciler struct {
	Announce work.Announce
}

// status: begin

// ReconcileKind implements the generated Interface.
func (r *Reconciler) ReconcileKind(ctx context.Context, pool *Pool) reconciler.Event {
	conditions := pool.GetConditionSet().Manage(pool.GetStatus())
	addresses, err := work.Parse(pool.Spec.Addresses)
	if err != nil {
		conditions.MarkFalse(AddressesValid, "BadAddress", "%s", err)
		// An event that is returned bare ends the reconcile without an error; one that is wrapped goes back to the queue.
		return fmt.Errorf("%w", reconciler.NewEvent(corev1.EventTypeWarning, "BadAddress", "%s", err))
	}
	conditions.MarkTrue(AddressesValid)
	if err := r.Announce(ctx, addresses); err != nil {
		conditions.MarkFalse(Announced, "AnnounceFailed", "%s", err)
		return fmt.Errorf("%w", reconciler.NewEvent(corev1.EventTypeWarning, "AnnounceFailed", "%s", err))
	}
	conditions.MarkTrue(Announced)
	return nil
}

// status: end
