package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"
)

// A wait rule with a function, as kapp's documentation has it. kapp runs it in ytt, whose modules cannot be had by name here:
// so it runs in Starlark, of which ytt's language is a dialect with an `end` after each block.
func kapp(rule json.RawMessage) (judge, error) {
	var wait struct {
		Ytt struct {
			FuncContractV1 struct {
				Resource string `json:"resource.star"`
			} `json:"funcContractV1"`
		} `json:"ytt"`
	}
	if err := json.Unmarshal(rule, &wait); err != nil {
		return nil, err
	}
	thread := &starlark.Thread{Name: "kapp", Load: load}
	text, err := withoutEnds(wait.Ytt.FuncContractV1.Resource)
	if err != nil {
		return nil, err
	}
	globals, err := starlark.ExecFileOptions(&syntax.FileOptions{}, thread, "resource.star", text, nil)
	if err != nil {
		return nil, err
	}
	isDone, ok := globals["is_done"]
	if !ok {
		return nil, fmt.Errorf("there is no is_done")
	}
	return func(object map[string]any) (string, error) {
		// kapp waits for the end of what is being deleted, whatever the rules say.
		metadata, _ := object["metadata"].(map[string]any)
		if metadata["deletionTimestamp"] != nil {
			return "Waiting", nil
		}
		result, err := starlark.Call(thread, isDone, starlark.Tuple{toStarlark(object)}, nil)
		if err != nil {
			return "", err
		}
		said, ok := result.(*starlark.Dict)
		if !ok {
			return "", fmt.Errorf("is_done gave %s", result.Type())
		}
		done, _, _ := said.Get(starlark.String("done"))
		successful, _, _ := said.Get(starlark.String("successful"))
		switch {
		case done != starlark.True:
			return "Waiting", nil
		case successful == starlark.True:
			return "Succeeded", nil
		}
		return "Failed", nil
	}, nil
}

// In ytt, `end` closes each block, and the depth of a line means nothing: here every block has to have both.
func withoutEnds(text string) (string, error) {
	var kept []string
	var blocks []int
	for number, line := range strings.Split(text, "\n") {
		bare := strings.TrimSpace(line)
		depth := len(line) - len(strings.TrimLeft(line, " "))
		word, _, _ := strings.Cut(strings.TrimSuffix(bare, ":"), " ")
		switch {
		case bare == "end":
			if len(blocks) == 0 || blocks[len(blocks)-1] != depth {
				return "", fmt.Errorf("line %d: this end closes nothing", number+1)
			}
			blocks = blocks[:len(blocks)-1]
			continue
		case word == "elif" || word == "else":
			if len(blocks) == 0 || blocks[len(blocks)-1] != depth {
				return "", fmt.Errorf("line %d: this %s belongs to nothing", number+1, word)
			}
		case strings.HasSuffix(bare, ":") && (word == "def" || word == "for" || word == "if"):
			blocks = append(blocks, depth)
		case bare != "" && len(blocks) > 0 && depth <= blocks[len(blocks)-1]:
			return "", fmt.Errorf("line %d: an end is missing before this", number+1)
		}
		kept = append(kept, line)
	}
	if len(blocks) > 0 {
		return "", fmt.Errorf("an end is missing at the end")
	}
	return strings.Join(kept, "\n"), nil
}

// The two modules of ytt that are asked for: values become dictionaries, and texts match patterns of Go.
func load(_ *starlark.Thread, module string) (starlark.StringDict, error) {
	switch module {
	case "@ytt:regexp":
		members := starlark.StringDict{"match": starlark.NewBuiltin("match", match)}
		return starlark.StringDict{"regexp": starlarkstruct.FromStringDict(starlarkstruct.Default, members)}, nil
	case "@ytt:struct":
	default:
		return nil, fmt.Errorf("there is no %s", module)
	}
	decode := func(_ *starlark.Thread, _ *starlark.Builtin, arguments starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		var value starlark.Value
		err := starlark.UnpackPositionalArgs("decode", arguments, nil, 1, &value)
		return value, err
	}
	members := starlark.StringDict{"decode": starlark.NewBuiltin("decode", decode)}
	return starlark.StringDict{"struct": starlarkstruct.FromStringDict(starlarkstruct.Default, members)}, nil
}

var compiled = map[string]*regexp.Regexp{}

func match(_ *starlark.Thread, _ *starlark.Builtin, arguments starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	var pattern, text string
	if err := starlark.UnpackPositionalArgs("match", arguments, nil, 2, &pattern, &text); err != nil {
		return nil, err
	}
	if compiled[pattern] == nil {
		expression, err := regexp.Compile(pattern)
		if err != nil {
			return nil, err
		}
		compiled[pattern] = expression
	}
	return starlark.Bool(compiled[pattern].MatchString(text)), nil
}

func toStarlark(value any) starlark.Value {
	switch value := value.(type) {
	case bool:
		return starlark.Bool(value)
	case string:
		return starlark.String(value)
	case int64:
		return starlark.MakeInt64(value)
	case float64:
		return starlark.Float(value)
	case []any:
		items := make([]starlark.Value, len(value))
		for index, item := range value {
			items[index] = toStarlark(item)
		}
		return starlark.NewList(items)
	case map[string]any:
		dict := starlark.NewDict(len(value))
		for key, item := range value {
			// A text can always be a key.
			_ = dict.SetKey(starlark.String(key), toStarlark(item))
		}
		return dict
	}
	return starlark.None
}
