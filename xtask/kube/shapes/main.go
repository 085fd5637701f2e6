// Command shapes prints what the API server needs to know of the Go types behind the built-in kinds.
//
//	shapes messages   the protobuf messages: field numbers, JSON names, types
//	shapes types      the structs: JSON names, types, when a field is written
//
// One line a struct, in the order of their names, so that a change is easy to read.
package main

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A kind that is served.
type root struct {
	apiVersion string
	object     any
	// Whether it is an object of its own, and not only a body.
	served bool
}

var roots = []root{
	{"v1", corev1.Binding{}, true},
	{"v1", corev1.ConfigMap{}, true},
	{"v1", corev1.Event{}, true},
	{"v1", corev1.Namespace{}, true},
	{"v1", corev1.Node{}, true},
	{"v1", corev1.Pod{}, true},
	{"v1", corev1.Secret{}, true},
	{"v1", corev1.ServiceAccount{}, true},
	{"v1", corev1.Service{}, true},
	{"admissionregistration.k8s.io/v1", admissionregistrationv1.MutatingAdmissionPolicy{}, true},
	{"admissionregistration.k8s.io/v1", admissionregistrationv1.MutatingAdmissionPolicyBinding{}, true},
	{"admissionregistration.k8s.io/v1", admissionregistrationv1.MutatingWebhookConfiguration{}, true},
	{"admissionregistration.k8s.io/v1", admissionregistrationv1.ValidatingWebhookConfiguration{}, true},
	{"admissionregistration.k8s.io/v1", admissionregistrationv1.ValidatingAdmissionPolicy{}, true},
	{"admissionregistration.k8s.io/v1", admissionregistrationv1.ValidatingAdmissionPolicyBinding{}, true},
	{"apps/v1", appsv1.Deployment{}, true},
	{"apps/v1", appsv1.DaemonSet{}, true},
	{"apps/v1", appsv1.ReplicaSet{}, true},
	{"apps/v1", appsv1.StatefulSet{}, true},
	{"batch/v1", batchv1.Job{}, true},
	{"batch/v1", batchv1.CronJob{}, true},
	{"coordination.k8s.io/v1", coordinationv1.Lease{}, true},
	{"events.k8s.io/v1", eventsv1.Event{}, true},
	{"policy/v1", policyv1.PodDisruptionBudget{}, true},
	{"rbac.authorization.k8s.io/v1", rbacv1.Role{}, true},
	{"rbac.authorization.k8s.io/v1", rbacv1.RoleBinding{}, true},
	{"rbac.authorization.k8s.io/v1", rbacv1.ClusterRole{}, true},
	{"rbac.authorization.k8s.io/v1", rbacv1.ClusterRoleBinding{}, true},
	{"authentication.k8s.io/v1", authenticationv1.TokenRequest{}, true},
	{"authorization.k8s.io/v1", authorizationv1.LocalSubjectAccessReview{}, true},
	{"authorization.k8s.io/v1", authorizationv1.SelfSubjectAccessReview{}, true},
	{"authorization.k8s.io/v1", authorizationv1.SelfSubjectRulesReview{}, true},
	{"authorization.k8s.io/v1", authorizationv1.SubjectAccessReview{}, true},
	{"autoscaling/v1", autoscalingv1.Scale{}, true},
	{"*", metav1.DeleteOptions{}, false},
}

// Structs that are written in a way of their own.
var special = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":       "@time",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":  "@micro",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString": "@intstr",
	"k8s.io/apimachinery/pkg/api/resource.Quantity":   "@quantity",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":   "@raw",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":    "@raw",
}

func main() {
	switch {
	case len(os.Args) == 2 && os.Args[1] == "messages":
		messages()
	case len(os.Args) == 2 && os.Args[1] == "types":
		types()
	default:
		fmt.Fprintln(os.Stderr, "usage: shapes messages|types")
		os.Exit(64)
	}
}

// walk gives every struct that the roots are made of, by name, to describe, which names the structs of its fields.
func walk(all bool, describe func(reflect.Type, func(reflect.Type)) (name, line string)) {
	lines := map[string]string{}
	seen := map[reflect.Type]bool{}
	var todo []reflect.Type
	add := func(next reflect.Type) {
		if !seen[next] {
			seen[next] = true
			todo = append(todo, next)
		}
	}
	for _, root := range roots {
		if all || root.served {
			add(reflect.TypeOf(root.object))
		}
	}
	for len(todo) > 0 {
		next := todo[0]
		todo = todo[1:]
		name, line := describe(next, add)
		lines[name] = line
	}
	var names []string
	for name := range lines {
		names = append(names, name)
	}
	slices.Sort(names)
	for index, name := range names {
		comma := ","
		if index == len(names)-1 {
			comma = ""
		}
		fmt.Printf("%q:{%s}%s\n", name, lines[name], comma)
	}
}

func messages() {
	var list []string
	for _, root := range roots {
		kind := reflect.TypeOf(root.object)
		list = append(list, fmt.Sprintf("%q:%q", root.apiVersion+"/"+kind.Name(), qualified(kind, "/")))
	}
	fmt.Printf("{\n\"roots\":{%s},\n\"messages\":{\n", strings.Join(list, ","))
	walk(true, func(message reflect.Type, add func(reflect.Type)) (string, string) {
		fields := map[int]string{}
		for index := range message.NumField() {
			field := message.Field(index)
			tag := strings.Split(field.Tag.Get("protobuf"), ",")
			if len(tag) < 2 {
				continue
			}
			number, err := strconv.Atoi(tag[1])
			if err != nil {
				continue
			}
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			fields[number] = fmt.Sprintf("\"%d\":[%q,%q]", number, name, wire(field.Type, add))
		}
		return qualified(message, "/"), join(fields)
	})
	fmt.Print("}}\n")
}

// wire is how a field is written in protobuf.
func wire(of reflect.Type, add func(reflect.Type)) string {
	switch of.Kind() {
	case reflect.Pointer:
		return "*" + wire(of.Elem(), add)
	case reflect.Slice:
		if of.Elem().Kind() == reflect.Uint8 {
			return "b"
		}
		list := "[" + wire(of.Elem(), add)
		if of.Name() != "" {
			// A list with a name is a message of its own, with the items in its first field.
			return "~" + list
		}
		return list
	case reflect.Map:
		return "{" + wire(of.Elem(), add)
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "t"
	case reflect.Float64:
		return "f"
	case reflect.Struct:
		if name, ok := special[of.PkgPath()+"."+of.Name()]; ok {
			return name
		}
		add(of)
		return qualified(of, "/")
	default:
		return "i"
	}
}

func types() {
	fmt.Print("{\n")
	walk(false, func(of reflect.Type, add func(reflect.Type)) (string, string) {
		var fields []string
		collect(of, "", &fields, add)
		return qualified(of, "."), strings.Join(fields, ",")
	})
	fmt.Print("}\n")
}

// collect lists the fields in the order in which Go writes them.
func collect(of reflect.Type, embedded string, fields *[]string, add func(reflect.Type)) {
	for index := range of.NumField() {
		field := of.Field(index)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == "" && field.Anonymous {
			from := "@" + field.Name + " "
			if field.Name == "TypeMeta" {
				from = embedded
			}
			collect(field.Type, from, fields, add)
			continue
		}
		presence := "!"
		if strings.Contains(options, "omitzero") {
			presence = "0"
		} else if strings.Contains(options, "omitempty") {
			presence = ""
		}
		*fields = append(*fields, fmt.Sprintf("%q:%q", name, embedded+presence+written(field.Type, add)))
	}
}

// written is how the field is declared, with what an error message calls its type.
func written(of reflect.Type, add func(reflect.Type)) string {
	switch of.Kind() {
	case reflect.Pointer:
		return "*" + written(of.Elem(), add)
	case reflect.Slice:
		if of.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + written(of.Elem(), add)
	case reflect.Map:
		bare := "map[" + of.Key().String() + "]" + written(of.Elem(), add)
		if of.Name() != "" {
			return "map:" + of.String() + ":" + bare
		}
		return bare
	case reflect.Struct:
		if _, ok := special[of.PkgPath()+"."+of.Name()]; !ok {
			add(of)
		}
		return qualified(of, ".")
	default:
		if of.PkgPath() != "" {
			return of.Kind().String() + ":" + of.String()
		}
		return of.Kind().String()
	}
}

// qualified is the name of a struct after the last parts of its package's path.
func qualified(of reflect.Type, separator string) string {
	parts := strings.Split(of.PkgPath(), "/")
	last := parts[len(parts)-1]
	if strings.HasPrefix(last, "v1") {
		last = parts[len(parts)-2] + separator + last
	}
	return last + "." + of.Name()
}

func join(fields map[int]string) string {
	var keys []int
	for key := range fields {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var texts []string
	for _, key := range keys {
		texts = append(texts, fields[key])
	}
	return strings.Join(texts, ",")
}
