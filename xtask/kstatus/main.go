// Decodes the objects of a List and computes the kstatus of each, one line for each: what `allready check` is measured against.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	kubejson "sigs.k8s.io/json"
)

// What is printed of each object.
type line struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	Status     string `json:"status"`
	Message    string `json:"message"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: kstatus stream|whole FILE")
		os.Exit(64)
	}
	read := stream
	if os.Args[1] == "whole" {
		read = whole
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	encoder := json.NewEncoder(out)
	count, err := read(os.Args[2], func(object map[string]any) error {
		return judge(object, encoder)
	})
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, count, "objects")
}

func judge(object map[string]any, encoder *json.Encoder) error {
	of := &unstructured.Unstructured{Object: object}
	said := line{APIVersion: of.GetAPIVersion(), Kind: of.GetKind(), Namespace: of.GetNamespace(), Name: of.GetName()}
	result, err := status.Compute(of)
	if err != nil {
		said.Status, said.Message = "Unknown", err.Error()
	} else {
		said.Status, said.Message = result.Status.String(), result.Message
	}
	return encoder.Encode(said)
}

// One item at a time, as whoever minds the memory would read it.
func stream(path string, each func(map[string]any) error) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	decoder := json.NewDecoder(bufio.NewReaderSize(file, 1<<18))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return 0, fmt.Errorf("there are no items in %s", path)
		}
		if err != nil {
			return 0, err
		}
		if token == "items" {
			break
		}
	}
	if _, err := decoder.Token(); err != nil {
		return 0, err
	}
	count := 0
	for decoder.More() {
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return count, err
		}
		object := map[string]any{}
		// Whole numbers stay whole numbers: the rules ask for them.
		if err := kubejson.UnmarshalCaseSensitivePreserveInts(raw, &object); err != nil {
			return count, err
		}
		if err := each(object); err != nil {
			return count, err
		}
		count++
	}
	return count, nil
}

// The whole list at once, as most programs read it.
func whole(path string, each func(map[string]any) error) (int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	list := &unstructured.UnstructuredList{}
	if err := list.UnmarshalJSON(text); err != nil {
		return 0, err
	}
	for _, item := range list.Items {
		if err := each(item.Object); err != nil {
			return 0, err
		}
	}
	return len(list.Items), nil
}
