package main

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

var schemes = &scheme.Builder{GroupVersion: schema.GroupVersion{Group: "allready.dev", Version: "v1alpha1"}}

func init() {
	schemes.Register(&ConfigurationStatus{}, &ConfigurationStatusList{}, &StatusReport{}, &StatusReportList{})
}

// Status is the part that both kinds have in common.
type Status struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ConfigurationStatus has the one Ready that users wait for.
type ConfigurationStatus struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Status            Status `json:"status,omitzero"`
}

// StatusReport is what the reconcilers of a node report.
type StatusReport struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec              StatusReportSpec `json:"spec,omitzero"`
	Status            Status           `json:"status,omitzero"`
}

// StatusReportSpec says who reports.
type StatusReportSpec struct {
	Instance string `json:"instance,omitempty"`
}

// ConfigurationStatusList is a list of ConfigurationStatuses.
type ConfigurationStatusList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []ConfigurationStatus `json:"items"`
}

// StatusReportList is a list of StatusReports.
type StatusReportList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []StatusReport `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (in *ConfigurationStatus) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = slices.Clone(in.Status.Conditions)
	return &out
}

// DeepCopyObject implements runtime.Object.
func (in *StatusReport) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = slices.Clone(in.Status.Conditions)
	return &out
}

// DeepCopyObject implements runtime.Object.
func (in *ConfigurationStatusList) DeepCopyObject() runtime.Object {
	out := *in
	out.Items = slices.Clone(in.Items)
	for i := range out.Items {
		out.Items[i] = *in.Items[i].DeepCopyObject().(*ConfigurationStatus)
	}
	return &out
}

// DeepCopyObject implements runtime.Object.
func (in *StatusReportList) DeepCopyObject() runtime.Object {
	out := *in
	out.Items = slices.Clone(in.Items)
	for i := range out.Items {
		out.Items[i] = *in.Items[i].DeepCopyObject().(*StatusReport)
	}
	return &out
}
