package operatorpkg

import (
	"context"
	"testing"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"allready.dev/xtask/peers/authors/scenario"
)

func TestPool(t *testing.T) {
	// The status controller asks client-go's own scheme for the kind.
	scheme.Scheme.AddKnownTypes(scenario.GroupVersion, &Pool{}, &PoolList{})
	world := &scenario.World{}
	client, peer := scenario.Server(world, scheme.Scheme, &Pool{})
	recorder := record.NewFakeRecorder(100)
	controller := reconcile.AsReconciler(client, &Reconciler{Client: client, Announce: world.Announce})
	status := StatusController(client, recorder)
	peer.Events = scenario.Drain(recorder.Events)
	peer.Reconcile = func(ctx context.Context) error {
		// It has seen the pool as it was before the pass, and sees it after.
		if _, err := status.Reconcile(ctx, scenario.Request); err != nil {
			return err
		}
		_, err := controller.Reconcile(ctx, scenario.Request)
		if _, err := status.Reconcile(ctx, scenario.Request); err != nil {
			return err
		}
		return err
	}
	scenario.Expect(t, scenario.Play(t, world, peer))
}
