// Package scenario plays the same story with each peer's controller and writes down what can be seen from outside: the error that
// goes back to the queue, the writes of the status, the stored conditions and the events.
package scenario

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Peer is one controller with the fake server that it talks to.
type Peer struct {
	// Reconcile is one pass over the pool default/pool.
	Reconcile func(context.Context) error
	// Get returns the stored pool.
	Get func() (*unstructured.Unstructured, error)
	// Put stores a pool as another client would: neither counted nor refused.
	Put func(*unstructured.Unstructured) error
	// Events returns the events since the last call.
	Events func() []string
}

// World is what the story changes under the controller's feet.
type World struct {
	// Announced is called in the middle of a pass; its error is that of the announcement.
	Announced func() error
	// Refuse makes the server refuse writes of the status.
	Refuse error
	// Writes counts writes of the status.
	Writes int
}

// Announce is given to the controller.
func (w *World) Announce(context.Context, []netip.Addr) error { return w.Announced() }

// Write is called by the fake server for each write of the status.
func (w *World) Write() error {
	w.Writes++
	return w.Refuse
}

// Seen is what could be seen after a pass.
type Seen struct {
	Step       string
	Err        error
	Writes     int
	Conditions map[string]string
	// Moved are the types whose lastTransitionTime is younger than before the pass.
	Moved  []string
	Events []string
}

func (s Seen) String() string {
	var conditions []string
	for kind, value := range s.Conditions {
		conditions = append(conditions, kind+"="+value)
	}
	slices.Sort(conditions)
	return fmt.Sprintf("%s: err=%v writes=%d conditions=[%s] moved=%v events=[%s]",
		s.Step, s.Err, s.Writes, strings.Join(conditions, "; "), s.Moved, strings.Join(s.Events, "; "))
}

// The steps of the story.
const (
	Bad       = "bad address"
	Failing   = "announcement fails"
	Mended    = "mended"
	Unchanged = "nothing changed"
	Foreign   = "another writer meanwhile"
	Settled   = "after another writer"
	Refused   = "write refused"
)

// Play tells the story and returns what was seen after each step.
func Play(t *testing.T, world *World, peer Peer) map[string]Seen {
	t.Helper()
	seen := map[string]Seen{}
	pass := func(step string, prepare func(*unstructured.Unstructured)) {
		t.Helper()
		pool := must(peer.Get())(t)
		prepare(pool)
		age(pool)
		check(t, peer.Put(pool))
		world.Writes = 0
		peer.Events()
		err := peer.Reconcile(context.Background())
		now := Seen{Step: step, Err: err, Writes: world.Writes, Conditions: map[string]string{}, Events: peer.Events()}
		for _, condition := range conditions(must(peer.Get())(t)) {
			kind, _ := condition["type"].(string)
			value := fmt.Sprintf("%v %v", condition["status"], condition["reason"])
			if generation, ok := condition["observedGeneration"]; ok {
				value += fmt.Sprintf(" @%v", generation)
			}
			if message, _ := condition["message"].(string); message != "" {
				value += fmt.Sprintf(" %q", message)
			}
			now.Conditions[kind] = value
			if condition["lastTransitionTime"] != long {
				now.Moved = append(now.Moved, kind)
			}
		}
		slices.Sort(now.Moved)
		slices.Sort(now.Events)
		t.Log(now)
		seen[step] = now
	}
	addresses := func(generation int64, addresses ...any) func(*unstructured.Unstructured) {
		return func(pool *unstructured.Unstructured) {
			pool.SetGeneration(generation)
			check(t, unstructured.SetNestedSlice(pool.Object, addresses, "spec", "addresses"))
		}
	}
	same := func(*unstructured.Unstructured) {}

	world.Announced = func() error { return nil }
	pass(Bad, addresses(1, "10.0.0.256"))
	world.Announced = func() error { return errors.New("router refused") }
	pass(Failing, addresses(2, "10.0.0.1"))
	world.Announced = func() error { return nil }
	pass(Mended, same)
	pass(Unchanged, same)
	world.Announced = func() error {
		pool := must(peer.Get())(t)
		others := append(conditions(pool), map[string]any{
			"type": "Scanned", "status": "True", "reason": "Clean", "message": "", "lastTransitionTime": long, "severity": "Info",
		})
		store(t, pool, others)
		check(t, peer.Put(pool))
		return errors.New("router refused")
	}
	pass(Foreign, same)
	// A controller that met a conflict has not stored anything yet.
	world.Announced = func() error { return errors.New("router refused") }
	pass(Settled, same)
	world.Announced = func() error { return nil }
	world.Refuse = errors.New("the server refuses")
	pass(Refused, same)
	return seen
}

// Expect checks what every peer must show, whatever else it does.
func Expect(t *testing.T, seen map[string]Seen) {
	t.Helper()
	for _, want := range []struct{ step, kind, begins string }{
		{Bad, "AddressesValid", "False BadAddress"},
		{Bad, "Ready", "False"},
		{Failing, "AddressesValid", "True"},
		{Failing, "Announced", "False AnnounceFailed"},
		{Failing, "Ready", "False"},
		{Mended, "AddressesValid", "True"},
		{Mended, "Announced", "True"},
		{Mended, "Ready", "True"},
	} {
		if got := seen[want.step].Conditions[want.kind]; !strings.HasPrefix(got, want.begins) {
			t.Errorf("%s: %s is %q, not %q", want.step, want.kind, got, want.begins)
		}
	}
	for step, fails := range map[string]bool{Bad: true, Failing: true, Mended: false, Unchanged: false} {
		if got := seen[step].Err; (got != nil) != fails {
			t.Errorf("%s: the error for the queue is %v", step, got)
		}
	}
	if !strings.Contains(seen[Bad].Conditions["AddressesValid"], "10.0.0.256") {
		t.Errorf("the message does not name the address: %s", seen[Bad].Conditions["AddressesValid"])
	}
	for _, step := range []string{Bad, Failing, Mended} {
		if got := seen[step].Writes; got != 1 {
			t.Errorf("%s: the status was written %d times", step, got)
		}
	}
	if got := seen[Unchanged]; len(got.Moved) > 0 || len(got.Events) > 0 {
		t.Errorf("without a change, times or events changed: %s", got)
	}
}

// All times are set to this one before a pass, so that a second is enough to see that one moved.
var long = time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)

func age(pool *unstructured.Unstructured) {
	if aged := conditions(pool); len(aged) > 0 {
		for _, condition := range aged {
			condition["lastTransitionTime"] = long
		}
		_ = unstructured.SetNestedField(pool.Object, anys(aged), "status", "conditions")
	}
}

func store(t *testing.T, pool *unstructured.Unstructured, conditions []map[string]any) {
	t.Helper()
	check(t, unstructured.SetNestedField(pool.Object, anys(conditions), "status", "conditions"))
}

func conditions(pool *unstructured.Unstructured) []map[string]any {
	found, _, _ := unstructured.NestedSlice(pool.Object, "status", "conditions")
	var conditions []map[string]any
	for _, condition := range found {
		conditions = append(conditions, condition.(map[string]any))
	}
	return conditions
}

func anys(conditions []map[string]any) []any {
	var all []any
	for _, condition := range conditions {
		all = append(all, condition)
	}
	return all
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		check(t, err)
		return value
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
