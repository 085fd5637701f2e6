//go:build generated

package v1_test

import (
	"context"
	"testing"

	"go.uber.org/zap"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ktesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	pkgreconciler "knative.dev/pkg/reconciler"

	"allready.dev/xtask/peers/authors/knative/client/clientset/versioned/fake"
	poolreconciler "allready.dev/xtask/peers/authors/knative/client/injection/reconciler/knative/v1/pool"
	listers "allready.dev/xtask/peers/authors/knative/client/listers/knative/v1"
	v1 "allready.dev/xtask/peers/authors/knative/v1"
	"allready.dev/xtask/peers/authors/scenario"
)

var _ poolreconciler.Interface = (*v1.Reconciler)(nil)

func TestPool(t *testing.T) {
	world := &scenario.World{}
	recorder := record.NewFakeRecorder(100)
	stored := &v1.Pool{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pool"}}
	client := fake.NewSimpleClientset(stored)
	plain := client.Tracker()
	resource := v1.SchemeGroupVersion.WithResource("pools")
	client.PrependReactor("update", "pools", func(action ktesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "status" {
			return false, nil, nil
		}
		err := world.Write()
		return err != nil, nil, err
	})
	get := func() (*v1.Pool, error) {
		pool, err := plain.Get(resource, "default", "pool")
		if err != nil {
			return nil, err
		}
		return pool.(*v1.Pool).DeepCopy(), nil
	}
	peer := scenario.Peer{Events: scenario.Drain(recorder.Events)}
	peer.Get = func() (*unstructured.Unstructured, error) {
		pool, err := get()
		if err != nil {
			return nil, err
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pool)
		return &unstructured.Unstructured{Object: content}, err
	}
	peer.Put = func(content *unstructured.Unstructured) error {
		pool := &v1.Pool{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content.Object, pool); err != nil {
			return err
		}
		return plain.Update(resource, pool, "default")
	}
	peer.Reconcile = func(ctx context.Context) error {
		pool, err := get()
		if err != nil {
			return err
		}
		indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
		if err := indexer.Add(pool); err != nil {
			return err
		}
		controller := poolreconciler.NewReconciler(ctx, zap.NewNop().Sugar(), client, listers.NewPoolLister(indexer), recorder,
			&v1.Reconciler{Announce: world.Announce})
		leader := controller.(pkgreconciler.LeaderAware)
		if err := leader.Promote(pkgreconciler.UniversalBucket(), func(pkgreconciler.Bucket, types.NamespacedName) {}); err != nil {
			return err
		}
		return controller.Reconcile(ctx, "default/pool")
	}
	scenario.Expect(t, scenario.Play(t, world, peer))
}
