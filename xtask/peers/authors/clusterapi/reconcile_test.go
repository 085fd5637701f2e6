package clusterapi

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"

	"allready.dev/xtask/peers/authors/scenario"
)

func TestPool(t *testing.T) {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(scenario.GroupVersion, &Pool{}, &PoolList{})
	world := &scenario.World{}
	client, peer := scenario.Server(world, scheme, &Pool{})
	recorder := record.NewFakeRecorder(100)
	controller := &Reconciler{Client: client, Announce: world.Announce, Recorder: recorder}
	peer.Events = scenario.Drain(recorder.Events)
	peer.Reconcile = func(ctx context.Context) error {
		_, err := controller.Reconcile(ctx, scenario.Request)
		return err
	}
	scenario.Expect(t, scenario.Play(t, world, peer))
}
