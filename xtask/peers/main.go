// Asks the peers' own engines what they make of objects by exported rules: one kind in a line of JSON, the answers in another.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"

	kubejson "sigs.k8s.io/json"
)

// The rules for a kind, those that it was exported to, and objects of it.
type question struct {
	Lua     string            `json:"lua"`
	Flux    json.RawMessage   `json:"flux"`
	Kapp    json.RawMessage   `json:"kapp"`
	Objects []json.RawMessage `json:"objects"`
}

// What each peer says of each object, in its own words; "error: …" where its engine fails.
type answer struct {
	Lua  []string `json:"lua,omitempty"`
	Flux []string `json:"flux,omitempty"`
	Kapp []string `json:"kapp,omitempty"`
}

// One object by one rule.
type judge func(object map[string]any) (string, error)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Questions are answered side by side, and told in the order in which they were asked.
func run() error {
	waiting := make(chan chan result, runtime.NumCPU())
	asking := make(chan error, 1)
	go func() {
		defer close(waiting)
		decoder := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<18))
		for decoder.More() {
			var asked question
			if err := decoder.Decode(&asked); err != nil {
				asking <- err
				return
			}
			promise := make(chan result, 1)
			waiting <- promise
			go func() {
				told, err := asked.answer()
				promise <- result{told, err}
			}()
		}
		asking <- nil
	}()
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	encoder := json.NewEncoder(out)
	for promise := range waiting {
		made := <-promise
		if made.err != nil {
			return made.err
		}
		if err := encoder.Encode(made.told); err != nil {
			return err
		}
	}
	if err := <-asking; err != nil {
		return err
	}
	return out.Flush()
}

type result struct {
	told answer
	err  error
}

func (asked question) answer() (answer, error) {
	objects := make([]map[string]any, len(asked.Objects))
	for index, raw := range asked.Objects {
		// Whole numbers stay whole numbers, as they are in the peers.
		if err := kubejson.UnmarshalCaseSensitivePreserveInts(raw, &objects[index]); err != nil {
			return answer{}, err
		}
	}
	var told answer
	if asked.Lua != "" {
		told.Lua = each(objects, func() (judge, error) { return argo(asked.Lua) })
	}
	if asked.Flux != nil {
		told.Flux = each(objects, func() (judge, error) { return flux(asked.Flux) })
	}
	if asked.Kapp != nil {
		told.Kapp = each(objects, func() (judge, error) { return kapp(asked.Kapp) })
	}
	return told, nil
}

func each(objects []map[string]any, compile func() (judge, error)) []string {
	said := make([]string, len(objects))
	by, err := compile()
	for index, object := range objects {
		word := ""
		if err == nil {
			var failed error
			if word, failed = by(object); failed != nil {
				word = "error: " + failed.Error()
			}
		} else {
			word = "error: " + err.Error()
		}
		said[index] = word
	}
	return said
}
