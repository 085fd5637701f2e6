package scenario

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// GroupVersion is that of pools.
var GroupVersion = schema.GroupVersion{Group: "example.dev", Version: "v1"}

// Request asks for the pool of the story.
var Request = ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "default", Name: "pool"}}

// Server is controller-runtime's fake with an empty pool in it, and the same without counting and refusing.
func Server(world *World, scheme *runtime.Scheme, pool client.Object) (counted client.Client, peer Peer) {
	pool.SetNamespace(Request.Namespace)
	pool.SetName(Request.Name)
	plain := fake.NewClientBuilder().WithScheme(scheme).WithObjects(pool).WithStatusSubresource(pool).Build()
	counted = interceptor.NewClient(plain, interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			if err := world.Write(); err != nil {
				return err
			}
			return c.SubResource(sub).Patch(ctx, obj, patch, opts...)
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, obj client.Object, opts ...client.SubResourceUpdateOption) error {
			if err := world.Write(); err != nil {
				return err
			}
			return c.SubResource(sub).Update(ctx, obj, opts...)
		},
	})
	ctx := context.Background()
	peer.Get = func() (*unstructured.Unstructured, error) {
		stored := &unstructured.Unstructured{}
		stored.SetGroupVersionKind(GroupVersion.WithKind("Pool"))
		return stored, plain.Get(ctx, Request.NamespacedName, stored)
	}
	peer.Put = func(pool *unstructured.Unstructured) error {
		status := pool.DeepCopy()
		if err := plain.Update(ctx, pool); err != nil {
			return err
		}
		status.SetResourceVersion(pool.GetResourceVersion())
		return plain.Status().Update(ctx, status)
	}
	return counted, peer
}

// Drain returns what is in a recorder's channel.
func Drain(events chan string) func() []string {
	return func() []string {
		var drained []string
		for {
			select {
			case event := <-events:
				drained = append(drained, event)
			default:
				return drained
			}
		}
	}
}
