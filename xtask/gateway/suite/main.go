// Runs the official Gateway API conformance suite, sigs.k8s.io/gateway-api/conformance, with its own manifests and tests. The package testing
// prints what happens, as `go test -v` does; src/gateway reads that.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/gateway-api/apis/v1alpha2"
	"sigs.k8s.io/gateway-api/apis/v1alpha3"
	"sigs.k8s.io/gateway-api/apis/v1beta1"
	xv1alpha1 "sigs.k8s.io/gateway-api/apisx/v1alpha1"
	"sigs.k8s.io/gateway-api/conformance"
	confv1 "sigs.k8s.io/gateway-api/conformance/apis/v1"
	"sigs.k8s.io/gateway-api/conformance/tests"
	"sigs.k8s.io/gateway-api/conformance/utils/config"
	"sigs.k8s.io/gateway-api/conformance/utils/suite"
	"sigs.k8s.io/gateway-api/pkg/features"
	"sigs.k8s.io/yaml"
)

// What to run, as src/gateway/suite.rs writes it.
type settings struct {
	Kubeconfig string
	Class      string
	// The tests to run, by name; the suite counts the others as skipped.
	Tests []string
	// The features that count as supported; those of the status of the class when there are none.
	Features []features.FeatureName
	// Set where nothing serves what Gateways promise: a test ends with its first request.
	StatusOnly bool
	// The program that Pods run, and the address of this machine: without them, Pods run nothing.
	Echo    string
	Address string
	// The addresses for static addresses: one that may be asked for, and one that may not.
	Usable   string
	Unusable string
	// The suite's own report is written here.
	Report         string
	Implementation confv1.Implementation
	Profiles       []suite.ConformanceProfileName
}

func main() {
	list := flag.Bool("list", false, "print the names of the tests with their features, as JSON")
	path := flag.String("settings", "", "what to run")
	testing.Init()
	flag.Parse()
	if *list {
		printTests()
		return
	}
	var told settings
	text, err := os.ReadFile(*path)
	if err == nil {
		err = json.Unmarshal(text, &told)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	every := func(_, _ string) (bool, error) { return true, nil }
	run := testing.InternalTest{Name: "Suite", F: told.run}
	testing.Main(every, []testing.InternalTest{run}, nil, nil)
}

func printTests() {
	type test struct {
		Name     string                 `json:"name"`
		Features []features.FeatureName `json:"features"`
	}
	all := []test{}
	for _, found := range tests.ConformanceTests {
		all = append(all, test{found.ShortName, found.Features})
	}
	if err := json.NewEncoder(os.Stdout).Encode(all); err != nil {
		os.Exit(2)
	}
}

func (told *settings) run(t *testing.T) {
	log.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	restConfig, err := clientcmd.BuildConfigFromFlags("", told.Kubeconfig)
	require.NoError(t, err)
	restConfig.QPS = -1 // the server is this machine's own
	kube, err := client.New(restConfig, client.Options{})
	require.NoError(t, err)
	plain, err := clientset.NewForConfig(restConfig)
	require.NoError(t, err)
	scheme := kube.Scheme()
	for _, install := range []func() error{
		func() error { return gatewayv1.Install(scheme) },
		func() error { return v1beta1.Install(scheme) },
		func() error { return v1alpha3.Install(scheme) },
		func() error { return v1alpha2.Install(scheme) },
		func() error { return xv1alpha1.Install(scheme) },
		func() error { return apiextensionsv1.AddToScheme(scheme) },
	} {
		require.NoError(t, install())
	}

	ctx, stop := context.WithCancel(context.Background())
	pods := &pods{kube: kube, echo: told.Echo, address: told.Address}
	ended := make(chan struct{})
	go func() { pods.keep(ctx); close(ended) }()
	t.Cleanup(func() { stop(); <-ended })

	options := suite.ConformanceOptions{
		Client: kube, Clientset: plain, RestConfig: restConfig,
		ManifestFS: []fs.FS{&conformance.Manifests},
		ConfigurableOptions: suite.ConfigurableOptions{
			GatewayClassName:         told.Class,
			CleanupTestResources:     true,
			SkipTests:                told.skipped(),
			SupportedFeatures:        told.Features,
			TimeoutConfig:            told.timeouts(),
			Implementation:           told.Implementation,
			ConformanceProfiles:      told.Profiles,
			UsableNetworkAddresses:   []gatewayv1.GatewaySpecAddress{address(told.Usable)},
			UnusableNetworkAddresses: []gatewayv1.GatewaySpecAddress{address(told.Unusable)},
		},
	}
	if told.StatusOnly {
		options.RoundTripper, options.GRPCClient, options.WebSocketDialer = noHTTP{}, noGRPC{}, noWebSocket{}
	}
	conformant, err := suite.NewConformanceTestSuite(options)
	require.NoError(t, err)
	// After the tests that run at the same time.
	t.Cleanup(func() {
		report, err := conformant.Report()
		require.NoError(t, err)
		text, err := yaml.Marshal(report)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(told.Report, text, 0o644))
	})
	conformant.Setup(t, tests.ConformanceTests)
	require.NoError(t, conformant.Run(t, tests.ConformanceTests))
}

func (told *settings) skipped() []string {
	var skipped []string
	for _, test := range tests.ConformanceTests {
		if !slices.Contains(told.Tests, test.ShortName) {
			skipped = append(skipped, test.ShortName)
		}
	}
	return skipped
}

// Everything is on this machine: what has not happened soon does not happen.
func (told *settings) timeouts() config.TimeoutConfig {
	const soon = 20 * time.Second
	timeouts := config.DefaultTimeoutConfig()
	for _, timeout := range []*time.Duration{
		&timeouts.GatewayMustHaveAddress, &timeouts.GatewayMustHaveCondition, &timeouts.GatewayStatusMustHaveListeners,
		&timeouts.GatewayListenersMustHaveConditions, &timeouts.ListenerSetMustHaveCondition,
		&timeouts.ListenerSetListenersMustHaveConditions, &timeouts.GWCMustBeAccepted, &timeouts.HTTPRouteMustNotHaveParents,
		&timeouts.HTTPRouteMustHaveCondition, &timeouts.TLSRouteMustHaveCondition, &timeouts.TCPRouteMustHaveCondition,
		&timeouts.UDPRouteMustHaveCondition, &timeouts.RouteMustHaveParents, &timeouts.NamespacesMustBeReady,
		&timeouts.LatestObservedGenerationSet,
	} {
		*timeout = soon
	}
	if told.StatusOnly {
		// Requests that are sent past the clients of the suite.
		timeouts.MaxTimeToConsistency, timeouts.RequestTimeout, timeouts.DefaultTestTimeout = time.Second, time.Second, soon
	}
	return timeouts
}

func address(value string) gatewayv1.GatewaySpecAddress {
	kind := gatewayv1.IPAddressType
	return gatewayv1.GatewaySpecAddress{Type: &kind, Value: value}
}
