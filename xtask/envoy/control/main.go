// Runs the control plane of Envoy Gateway on an API server, without what statuses do not depend on: no xDS server, no ports, no files in
// the places where a container has them. Provider, translator and infrastructure are those of `envoy-gateway server`, started as
// internal/cmd/server.go starts them; this module's path lets it name them. KUBECONFIG names the server.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	egv1a1 "github.com/envoyproxy/gateway/api/v1alpha1"
	"github.com/envoyproxy/gateway/internal/crypto"
	"github.com/envoyproxy/gateway/internal/envoygateway"
	"github.com/envoyproxy/gateway/internal/envoygateway/config"
	gatewayapirunner "github.com/envoyproxy/gateway/internal/gatewayapi/runner"
	infrarunner "github.com/envoyproxy/gateway/internal/infrastructure/runner"
	"github.com/envoyproxy/gateway/internal/logging"
	"github.com/envoyproxy/gateway/internal/message"
	"github.com/envoyproxy/gateway/internal/provider/kubernetes"
	providerrunner "github.com/envoyproxy/gateway/internal/provider/runner"
)

// The address of every Gateway: what `allready-controller` gives them as well.
const address = "127.0.0.1"

func main() {
	if err := run(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	metricsserver.DefaultBindAddress = "0"
	told, err := settings()
	if err != nil {
		return err
	}
	restConfig, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	restConfig.QPS = -1 // the server is this machine's own
	kube, err := client.New(restConfig, client.Options{Scheme: envoygateway.GetScheme()})
	if err != nil {
		return err
	}
	if err := prepare(ctx, kube, told); err != nil {
		return err
	}
	resources, xds, infra := new(message.ProviderResources), new(message.XdsIR), new(message.InfraIR)
	failures := new(message.RunnerErrors)
	// In this order: the provider makes the client of the others.
	provider := providerrunner.New(&providerrunner.Config{Server: *told, ProviderResources: resources, RunnerErrors: failures})
	if err := provider.Start(ctx); err != nil {
		return err
	}
	translator := gatewayapirunner.New(&gatewayapirunner.Config{
		Server: *told, ProviderResources: resources, RunnerErrors: failures, XdsIR: xds, InfraIR: infra,
	})
	if err := translator.Start(ctx); err != nil {
		return err
	}
	manager := infrarunner.New(&infrarunner.Config{Server: *told, InfraIR: infra, RunnerErrors: failures})
	if err := manager.Start(ctx); err != nil {
		return err
	}
	for ctx.Err() == nil {
		for _, stand := range []func(context.Context, client.Client, string) error{serve, fill} {
			if err := stand(ctx, kube, told.ControllerNamespace); err != nil && ctx.Err() == nil {
				fmt.Fprintln(os.Stderr, "stand-in:", err)
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}

// The settings of a default installation, for one replica that needs no webhook for Pods.
func settings() (*config.Server, error) {
	told, err := config.New(os.Stderr, os.Stderr)
	if err != nil {
		return nil, err
	}
	yes := true
	gateway := told.EnvoyGateway
	gateway.Provider = &egv1a1.EnvoyGatewayProvider{
		Type: egv1a1.ProviderTypeKubernetes,
		Kubernetes: &egv1a1.EnvoyGatewayKubernetesProvider{
			EnvoyGatewayKubernetesConfiguration: egv1a1.EnvoyGatewayKubernetesConfiguration{
				LeaderElection: &egv1a1.LeaderElection{Disable: &yes},
			},
		},
	}
	gateway.Provider.Kubernetes.TopologyInjector = &egv1a1.EnvoyGatewayTopologyInjector{Disable: &yes}
	gateway.SetEnvoyGatewayDefaults()
	gateway.Logging.SetEnvoyGatewayLoggingDefaults()
	told.Logger = logging.NewLogger(os.Stderr, gateway.Logging)
	_, err = told.Validate()
	return told, err
}

// Makes the namespace, and the Secrets that `envoy-gateway certgen` makes.
func prepare(ctx context.Context, kube client.Client, told *config.Server) error {
	namespace := corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: told.ControllerNamespace}}
	if err := client.IgnoreAlreadyExists(kube.Create(ctx, &namespace)); err != nil {
		return err
	}
	certificates, err := crypto.GenerateCerts(told)
	if err != nil {
		return err
	}
	_, err = kubernetes.CreateOrUpdateSecrets(ctx, kube, kubernetes.CertsToSecret(told.ControllerNamespace, certificates), true)
	return err
}

// Stands for the controllers and the kubelet that a bare API server lacks: says that proxies are available, and gives their Services the
// address. Without that, no Gateway would ever be programmed.
func serve(ctx context.Context, kube client.Client, namespace string) error {
	var deployments appsv1.DeploymentList
	if err := kube.List(ctx, &deployments, client.InNamespace(namespace)); err != nil {
		return err
	}
	for i := range deployments.Items {
		if found := &deployments.Items[i]; found.Status.AvailableReplicas == 0 {
			found.Status = appsv1.DeploymentStatus{
				ObservedGeneration: found.Generation, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1,
			}
			if err := kube.Status().Update(ctx, found); err != nil {
				return err
			}
		}
	}
	var services corev1.ServiceList
	if err := kube.List(ctx, &services, client.InNamespace(namespace)); err != nil {
		return err
	}
	for i := range services.Items {
		found := &services.Items[i]
		if found.Spec.Type == corev1.ServiceTypeLoadBalancer && len(found.Status.LoadBalancer.Ingress) == 0 {
			found.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: address}}
			if err := kube.Status().Update(ctx, found); err != nil {
				return err
			}
		}
	}
	return nil
}

// Gives every Service an EndpointSlice with an address for documentation: without one, Envoy Gateway says that a route has no backends.
func fill(ctx context.Context, kube client.Client, own string) error {
	var services corev1.ServiceList
	if err := kube.List(ctx, &services); err != nil {
		return err
	}
	var slices discoveryv1.EndpointSliceList
	if err := kube.List(ctx, &slices); err != nil {
		return err
	}
	filled := map[client.ObjectKey]bool{}
	for _, slice := range slices.Items {
		filled[client.ObjectKey{Namespace: slice.Namespace, Name: slice.Labels[discoveryv1.LabelServiceName]}] = true
	}
	ready := true
	for _, service := range services.Items {
		if service.Namespace == own || filled[client.ObjectKeyFromObject(&service)] {
			continue
		}
		slice := discoveryv1.EndpointSlice{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: service.Namespace, Name: service.Name,
				Labels: map[string]string{discoveryv1.LabelServiceName: service.Name},
			},
			AddressType: discoveryv1.AddressTypeIPv4,
			Endpoints: []discoveryv1.Endpoint{{
				Addresses: []string{"192.0.2.1"}, Conditions: discoveryv1.EndpointConditions{Ready: &ready},
			}},
		}
		for _, port := range service.Spec.Ports {
			slice.Ports = append(slice.Ports, discoveryv1.EndpointPort{
				Name: &port.Name, Port: &port.Port, Protocol: &port.Protocol, AppProtocol: port.AppProtocol,
			})
		}
		if err := client.IgnoreAlreadyExists(kube.Create(ctx, &slice)); err != nil {
			return err
		}
	}
	return nil
}
