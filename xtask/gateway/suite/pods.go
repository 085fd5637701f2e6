package main

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Stands for the controllers and the kubelet that a bare API server lacks: gives every Deployment its Pods and says that they are ready.
//
// With an echo program the Pods run it, as processes of this machine. All of them share its address, as Pods of the host network do: each
// has ports of its own, and so an EndpointSlice of its own in every Service that selects it.
type pods struct {
	kube          client.Client
	echo, address string
	// The processes by namespace and name of their Pod.
	running map[string]*process
	ports   int32
}

// The echo program of one Pod. Its ports are those of its container, and where they are on this machine.
type process struct {
	command *exec.Cmd
	ports   map[int32]int32
}

// Marks the Pods and EndpointSlices that are made here: tests have EndpointSlices of their own.
const label = "endpointslice.kubernetes.io/managed-by"

// HTTPRouteServiceTypes makes EndpointSlices of its own, from the addresses of the Pods of a Deployment and the port of their container. One of
// these Pods really has that port, if it is free.
const original = "infra-backend-v1-0123456789-00000"

const every = 100 * time.Millisecond

func (pods *pods) keep(ctx context.Context) {
	pods.running, pods.ports = map[string]*process{}, 31000
	for ctx.Err() == nil {
		if err := pods.once(ctx); err != nil && ctx.Err() == nil {
			// Whatever it was, a test that waits for Pods tells.
			fmt.Fprintln(os.Stderr, "pods:", err)
		}
		time.Sleep(every)
	}
	for _, process := range pods.running {
		process.stop()
	}
}

func (pods *pods) once(ctx context.Context) error {
	var deployments appsv1.DeploymentList
	var existing corev1.PodList
	if err := pods.kube.List(ctx, &deployments); err != nil {
		return err
	}
	if err := pods.kube.List(ctx, &existing, client.HasLabels{label}); err != nil {
		return err
	}
	found := map[string]*corev1.Pod{}
	for i := range existing.Items {
		found[key(&existing.Items[i])] = &existing.Items[i]
	}
	wanted := map[string]bool{}
	for _, deployment := range deployments.Items {
		for _, pod := range podsOf(&deployment) {
			wanted[key(pod)] = true
			if found[key(pod)] != nil {
				continue
			}
			if err := pods.start(ctx, pod); err != nil {
				return err
			}
		}
	}
	for name, pod := range found {
		if wanted[name] {
			continue
		}
		if err := client.IgnoreNotFound(pods.kube.Delete(ctx, pod, client.GracePeriodSeconds(0))); err != nil {
			return err
		}
		if process := pods.running[name]; process != nil {
			process.stop()
			delete(pods.running, name)
		}
	}
	if pods.echo == "" {
		return nil
	}
	return pods.endpoints(ctx, found)
}

func key(object client.Object) string { return object.GetNamespace() + "/" + object.GetName() }

// The names have the form of real ones: tests cut the last two parts off to get that of the Deployment.
func podsOf(deployment *appsv1.Deployment) []*corev1.Pod {
	replicas := int32(1)
	if deployment.Spec.Replicas != nil {
		replicas = *deployment.Spec.Replicas
	}
	var made []*corev1.Pod
	for replica := range replicas {
		pod := &corev1.Pod{Spec: *deployment.Spec.Template.Spec.DeepCopy()}
		pod.Namespace, pod.Name = deployment.Namespace, fmt.Sprintf("%s-0123456789-%05d", deployment.Name, replica)
		pod.Spec.NodeName = "xtask"
		pod.Labels = map[string]string{label: "xtask"}
		maps.Copy(pod.Labels, deployment.Spec.Template.Labels)
		made = append(made, pod)
	}
	return made
}

func (pods *pods) start(ctx context.Context, pod *corev1.Pod) error {
	if pods.echo != "" {
		process, err := pods.run(pod)
		if err != nil {
			return err
		}
		pods.running[key(pod)] = process
	}
	if err := pods.kube.Create(ctx, pod); err != nil {
		return err
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.PodIP, pod.Status.PodIPs = pods.address, nil
	if pods.address != "" {
		pod.Status.PodIPs = []corev1.PodIP{{IP: pods.address}}
	}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
	return pods.kube.Status().Update(ctx, pod)
}

// Runs the echo program with the plain variables of the container, and with ports that no other has.
func (pods *pods) run(pod *corev1.Pod) (*process, error) {
	command := exec.Command(pods.echo)
	command.Env = []string{"POD_NAME=" + pod.Name, "NAMESPACE=" + pod.Namespace}
	ports := map[int32]int32{}
	for name, port := range map[string]int32{"HTTP_PORT": 3000, "H2C_PORT": 3001, "HTTPS_PORT": 8443} {
		here := port
		if pod.Name != original || port != 3000 || !isFree(port) {
			here = pods.freePort()
		}
		ports[port] = here
		command.Env = append(command.Env, fmt.Sprintf("%s=%d", name, here))
	}
	return &process{command, ports}, command.Start()
}

// The next port that nobody else on this machine has.
func (pods *pods) freePort() int32 {
	for pods.ports++; !isFree(pods.ports); pods.ports++ {
	}
	return pods.ports
}

func isFree(port int32) bool {
	listener, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
	if err == nil {
		_ = listener.Close()
	}
	return err == nil
}

func (process *process) stop() {
	_ = process.command.Process.Kill()
	_ = process.command.Wait()
}

// Gives each Service one EndpointSlice for each Pod that it selects, and takes away those of other Pods.
func (pods *pods) endpoints(ctx context.Context, found map[string]*corev1.Pod) error {
	var services corev1.ServiceList
	var slices_ discoveryv1.EndpointSliceList
	if err := pods.kube.List(ctx, &services); err != nil {
		return err
	}
	if err := pods.kube.List(ctx, &slices_, client.HasLabels{label}); err != nil {
		return err
	}
	var wanted []string
	for _, service := range services.Items {
		if len(service.Spec.Selector) == 0 {
			continue
		}
		for name, pod := range found {
			selected := labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(pod.Labels))
			if pods.running[name] == nil || pod.Namespace != service.Namespace || !selected {
				continue
			}
			slice := pods.slice(&service, pod)
			wanted = append(wanted, key(slice))
			known := func(other discoveryv1.EndpointSlice) bool { return key(&other) == key(slice) }
			if slices.ContainsFunc(slices_.Items, known) {
				continue
			}
			if err := pods.kube.Create(ctx, slice); err != nil {
				return err
			}
		}
	}
	for _, slice := range slices_.Items {
		if slices.Contains(wanted, key(&slice)) {
			continue
		}
		if err := client.IgnoreNotFound(pods.kube.Delete(ctx, &slice)); err != nil {
			return err
		}
	}
	return nil
}

func (pods *pods) slice(service *corev1.Service, pod *corev1.Pod) *discoveryv1.EndpointSlice {
	slice := &discoveryv1.EndpointSlice{AddressType: discoveryv1.AddressTypeIPv4}
	slice.Namespace, slice.Name = service.Namespace, service.Name+"."+pod.Name
	slice.Labels = map[string]string{discoveryv1.LabelServiceName: service.Name, label: "xtask"}
	ready := true
	slice.Endpoints = []discoveryv1.Endpoint{{
		Addresses:  []string{pods.address},
		Conditions: discoveryv1.EndpointConditions{Ready: &ready},
		TargetRef:  &corev1.ObjectReference{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name},
	}}
	for _, port := range service.Spec.Ports {
		here, known := pods.running[key(pod)].ports[port.TargetPort.IntVal]
		if !known {
			continue
		}
		slice.Ports = append(slice.Ports, discoveryv1.EndpointPort{
			Name: &port.Name, Port: &here, Protocol: &port.Protocol, AppProtocol: port.AppProtocol,
		})
	}
	return slice
}
