package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A variant of an author's file with one mistake in it.
type variant struct {
	mistake string
	// The directory of the peer.
	peer string
	// Text of reconcile.go and what stands there instead, in turn.
	swaps []string
}

func with(mistake, peer string, swaps ...string) variant { return variant{mistake, peer, swaps} }

const (
	knative     = "knative/v1"
	operatorpkg = "operatorpkg"
	clusterapi  = "clusterapi"
	openmcp     = "openmcp"
)

var variants = []variant{
	with("misspelt condition type", knative, `conditions.MarkTrue(Announced)`, `conditions.MarkTrue("Anounced")`),
	with("misspelt condition type", operatorpkg, `conditions.SetTrue(Announced)`, `conditions.SetTrue("Anounced")`),
	with("misspelt condition type", clusterapi, `set(pool, Announced, metav1.ConditionTrue`, `set(pool, "Anounced", metav1.ConditionTrue`),
	with("misspelt condition type", openmcp, `condition(Announced, metav1.ConditionTrue`, `condition("Anounced", metav1.ConditionTrue`),

	with("reason with a space", knative, `MarkFalse(AddressesValid, "BadAddress"`, `MarkFalse(AddressesValid, "bad address!"`),
	with("reason with a space", operatorpkg, `SetFalse(AddressesValid, "BadAddress"`, `SetFalse(AddressesValid, "bad address!"`),
	with("reason with a space", clusterapi, `metav1.ConditionFalse, "BadAddress"`, `metav1.ConditionFalse, "bad address!"`),
	with("reason with a space", openmcp, `metav1.ConditionFalse, "BadAddress"`, `metav1.ConditionFalse, "bad address!"`),

	with("Ready set by hand", knative, `conditions.MarkFalse(Announced, "AnnounceFailed", "%s", err)`,
		`conditions.MarkFalse(Announced, "AnnounceFailed", "%s", err); conditions.MarkTrue(apis.ConditionReady)`),
	with("Ready set by hand", operatorpkg, `conditions.SetFalse(Announced, "AnnounceFailed", err.Error())`,
		`conditions.SetFalse(Announced, "AnnounceFailed", err.Error()); conditions.SetTrue(status.ConditionReady)`),
	with("Ready set by hand", clusterapi, `set(pool, Announced, metav1.ConditionFalse, "AnnounceFailed", err.Error())`,
		`set(pool, Announced, metav1.ConditionFalse, "AnnounceFailed", err.Error()); set(pool, Ready, metav1.ConditionTrue, "Ready", "")`),
	with("Ready set by hand", openmcp, `condition(Announced, metav1.ConditionFalse, "AnnounceFailed", err.Error())`,
		`condition(Announced, metav1.ConditionFalse, "AnnounceFailed", err.Error()); condition(Ready, metav1.ConditionTrue, "Ready", "")`),

	with("dependent forgotten", knative, `NewLivingConditionSet(AddressesValid, Announced)`, `NewLivingConditionSet(AddressesValid)`),
	with("dependent forgotten", operatorpkg, `NewReadyConditions(AddressesValid, Announced)`, `NewReadyConditions(AddressesValid)`),
	with("dependent forgotten", clusterapi, `ForConditionTypes{AddressesValid, Announced}`, `ForConditionTypes{AddressesValid}`),
	with("dependent forgotten", openmcp, `range []string{AddressesValid, Announced}`, `range []string{AddressesValid}`),

	with("observedGeneration wrong", knative, `conditions.MarkTrue(Announced)`,
		`conditions.SetCondition(apis.Condition{Type: Announced, Status: corev1.ConditionTrue, ObservedGeneration: 7})`),
	with("observedGeneration wrong", operatorpkg, `conditions.SetTrue(Announced)`,
		`conditions.Set(status.Condition{Type: Announced, Status: metav1.ConditionTrue, Reason: "Announced", ObservedGeneration: 7})`),
	with("observedGeneration wrong", clusterapi, `Reason: reason, Message: message}`, `Reason: reason, Message: message, ObservedGeneration: 7}`),
	with("observedGeneration wrong", openmcp, `condition(Announced, metav1.ConditionTrue, "Announced", "")`,
		`rr.Conditions = append(rr.Conditions, metav1.Condition{Type: Announced, Status: metav1.ConditionTrue, Reason: "Announced", ObservedGeneration: 7})`),

	with("early return past the write", knative, `conditions.MarkFalse(AddressesValid, "BadAddress", "%s", err)`, `return err`),
	with("early return past the write", operatorpkg, `err := r.reconcile(ctx, pool)`,
		`err := r.reconcile(ctx, pool); if err != nil { return reconcile.Result{}, err }`),
	with("early return past the write", clusterapi, `before := pool.DeepCopy()`,
		`before := pool.DeepCopy(); if _, err := work.Parse(pool.Spec.Addresses); err != nil { return ctrl.Result{}, err }`),
	with("early return past the write", openmcp, `condition(AddressesValid, metav1.ConditionFalse, "BadAddress", err.Error())`,
		`return ReconcileResult{ReconcileError: errutils.WithReason(err, "BadAddress")}`),

	// Knative and openmcp do so without a mistake of the author.
	with("condition of another writer lost", knative),
	with("condition of another writer lost", operatorpkg, `client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{})`, `client.MergeFrom(stored)`),
	with("condition of another writer lost", clusterapi,
		`patchHelper, err := patch.NewHelper`, `_, err := patch.NewHelper`,
		`owned := patch.WithOwnedConditions{Conditions: []string{Ready, AddressesValid, Announced}}`, ``,
		`patchHelper.Patch(ctx, pool, owned)`, `r.Client.Status().Patch(ctx, pool, client.MergeFrom(before))`),
	with("condition of another writer lost", openmcp),

	with("event although the write failed", knative, `conditions.MarkTrue(Announced)`,
		`conditions.MarkTrue(Announced); controller.GetEventRecorder(ctx).Event(pool, corev1.EventTypeNormal, "Announced", "")`,
		`"knative.dev/pkg/reconciler"`, `"knative.dev/pkg/reconciler"; "knative.dev/pkg/controller"`),
	with("event although the write failed", operatorpkg, `conditions.SetTrue(Announced)`,
		`conditions.SetTrue(Announced); r.Recorder.Event(pool, "Normal", "Announced", "")`,
		`Announce work.Announce`, `Announce work.Announce; Recorder record.EventRecorder`,
		`return status.NewController[*Pool](c, recorder)`, `authors = recorder; return status.NewController[*Pool](c, recorder)`,
		`r.Recorder.Event(`, `authors.Event(`, `// StatusController records`, "var authors record.EventRecorder\n\n// StatusController records"),
	with("event although the write failed", clusterapi, `r.recordTransitions(before, pool)`, ``,
		`owned := patch.`, `r.recordTransitions(before, pool); owned := patch.`),
	with("event although the write failed", openmcp),

	with("Normal event for what became bad", knative, `reconciler.NewEvent(corev1.EventTypeWarning, "AnnounceFailed"`, `reconciler.NewEvent(corev1.EventTypeNormal, "AnnounceFailed"`),
	with("Normal event for what became bad", operatorpkg),
	with("Normal event for what became bad", clusterapi, `is.Status == metav1.ConditionFalse`, `is.Status == metav1.ConditionTrue`),
	with("Normal event for what became bad", openmcp),

	with("list without a map by type", knative),
	with("list without a map by type", operatorpkg, `// +listType=map`, `//`, `// +listMapKey=type`, `//`),
	with("list without a map by type", clusterapi, `// +listType=map`, `//`, `// +listMapKey=type`, `//`),
	with("list without a map by type", openmcp, `// +listType=map`, `//`, `// +listMapKey=type`, `//`),

	with("lastTransitionTime every pass", knative, `conditions.MarkTrue(Announced)`,
		`conditions.MarkTrue(Announced); for i := range pool.Status.Conditions { pool.Status.Conditions[i].LastTransitionTime = apis.VolatileTime{Inner: metav1.Now()} }`),
	with("lastTransitionTime every pass", operatorpkg, `conditions.SetTrue(Announced)`,
		`conditions.SetTrue(Announced); for i := range pool.Status.Conditions { pool.Status.Conditions[i].LastTransitionTime = metav1.Now() }`),
	with("lastTransitionTime every pass", clusterapi, `set(pool, Announced, metav1.ConditionTrue, "Announced", "")`,
		`set(pool, Announced, metav1.ConditionTrue, "Announced", ""); for i := range pool.Status.Conditions { pool.Status.Conditions[i].LastTransitionTime = metav1.Now() }`),
	with("lastTransitionTime every pass", openmcp, `condition(Announced, metav1.ConditionTrue, "Announced", "")`,
		`condition(Announced, metav1.ConditionTrue, "Announced", ""); for i := range pool.Status.Conditions { pool.Status.Conditions[i].LastTransitionTime = metav1.Now() }`),

	with("new object without a condition", knative, `addresses, err := work.Parse`, `if pool.Generation == 1 { return nil }; addresses, err := work.Parse`),
	with("new object without a condition", operatorpkg, `conditions := pool.StatusConditions()`, `if pool.Generation == 1 { return nil }; conditions := pool.StatusConditions()`),
	with("new object without a condition", clusterapi, `addresses, err := work.Parse`, `if pool.Generation == 1 { return nil }; addresses, err := work.Parse`),
	with("new object without a condition", openmcp, `addresses, err := work.Parse`, `if pool.Generation == 1 { return rr }; addresses, err := work.Parse`,
		`if rr.Object != nil {`, `if len(rr.Conditions) > 0 {`),

	with("error not given to the queue", knative, `return fmt.Errorf("%w", reconciler.NewEvent(corev1.EventTypeWarning, "AnnounceFailed", "%s", err))`,
		`return reconciler.NewEvent(corev1.EventTypeWarning, "AnnounceFailed", "%s", err)`),
	with("error not given to the queue", operatorpkg, `return reconcile.Result{}, err`+"\n}\n\nfunc", `return reconcile.Result{}, nil`+"\n}\n\nfunc"),
	with("error not given to the queue", clusterapi, `return ctrl.Result{}, r.reconcile(ctx, pool)`, `_ = r.reconcile(ctx, pool); return ctrl.Result{}, nil`),
	with("error not given to the queue", openmcp, `rr.ReconcileError = errutils.WithReason(err, "AnnounceFailed")`, ``),
}

// mistakes builds each variant in place of the author's file and plays the story with it. It prints what differs from the story
// without the mistake.
func mistakes() error {
	directory, err := os.MkdirTemp("", "mistakes")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	right := map[string][]string{}
	for _, variant := range variants {
		if len(os.Args) > 2 && variant.mistake != os.Args[2] {
			continue
		}
		if right[variant.peer] == nil {
			_, told, err := play(directory, variant.peer, nil)
			if err != nil {
				return err
			}
			right[variant.peer] = told
		}
		if len(variant.swaps) == 0 {
			fmt.Printf("%s, %s: the program has it as it is\n", variant.mistake, variant.peer)
			continue
		}
		compiles, told, err := play(directory, variant.peer, variant.swaps)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", variant.mistake, variant.peer, err)
		}
		fmt.Printf("%s, %s: compiles: %t\n", variant.mistake, variant.peer, compiles)
		for _, line := range told {
			if !contains(right[variant.peer], line) {
				fmt.Println("   ", line)
			}
		}
	}
	return nil
}

// play runs the test of a peer with its file changed, and returns the lines that tell the story, or what the compiler says.
func play(directory, peer string, swaps []string) (compiles bool, told []string, err error) {
	path, err := filepath.Abs(filepath.Join(peer, "reconcile.go"))
	if err != nil {
		return false, nil, err
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return false, nil, err
	}
	text := string(source)
	for at := 0; at < len(swaps); at += 2 {
		if !strings.Contains(text, swaps[at]) {
			return false, nil, fmt.Errorf("there is no %q in %s", swaps[at], path)
		}
		text = strings.Replace(text, swaps[at], swaps[at+1], 1)
	}
	changed := filepath.Join(directory, "reconcile.go")
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		return false, nil, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
	if err != nil {
		return false, nil, err
	}
	if err := os.WriteFile(filepath.Join(directory, "overlay.json"), overlay, 0o600); err != nil {
		return false, nil, err
	}
	program := filepath.Join(directory, "story")
	build := exec.Command("go", "test", "-c", "-vet=off", "-tags", "generated", "-overlay", filepath.Join(directory, "overlay.json"), "-o", program, "./"+peer)
	if out, err := build.CombinedOutput(); err != nil {
		var failed *exec.ExitError
		if !errors.As(err, &failed) {
			return false, nil, err
		}
		return false, strings.Split(strings.TrimSpace(string(out)), "\n"), nil
	}
	out, err := exec.Command(program, "-test.v").CombinedOutput()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return false, nil, err
	}
	for _, line := range strings.Split(string(out), "\n") {
		if _, line, found := strings.Cut(line, "_test.go:"); found {
			_, line, _ = strings.Cut(line, ": ")
			told = append(told, line)
		} else if strings.HasPrefix(line, "panic:") {
			told = append(told, line)
		}
	}
	return true, told, nil
}

func contains(lines []string, line string) bool {
	for _, other := range lines {
		if other == line {
			return true
		}
	}
	return false
}
