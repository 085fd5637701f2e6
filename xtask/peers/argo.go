package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// Scripts are stopped after this long; Argo CD has less patience, and a machine less busy.
const patience = 10 * time.Second

// What the scripts use of the standard libraries, which Argo CD opens where `useOpenLibs` is set.
var libraries = []struct {
	name string
	open lua.LGFunction
}{
	{lua.LoadLibName, lua.OpenPackage},
	{lua.BaseLibName, lua.OpenBase},
	{lua.TabLibName, lua.OpenTable},
	{lua.StringLibName, lua.OpenString},
	{lua.MathLibName, lua.OpenMath},
}

// A health script as Argo CD runs it: the object is the global `obj`, a table with `status` comes back.
func argo(script string) (judge, error) {
	chunk, err := parse.Parse(strings.NewReader(script), "health")
	if err != nil {
		return nil, err
	}
	code, err := lua.Compile(chunk, "health")
	if err != nil {
		return nil, err
	}
	return func(object map[string]any) (string, error) {
		state := lua.NewState(lua.Options{SkipOpenLibs: true})
		defer state.Close()
		for _, library := range libraries {
			open := lua.P{Fn: state.NewFunction(library.open), NRet: 0, Protect: true}
			if err := state.CallByParam(open, lua.LString(library.name)); err != nil {
				return "", err
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		state.SetContext(ctx)
		state.SetGlobal("obj", toLua(state, object))
		state.Push(state.NewFunctionFromProto(code))
		if err := state.PCall(0, lua.MultRet, nil); err != nil {
			return "", err
		}
		table, ok := state.Get(-1).(*lua.LTable)
		if !ok {
			return "", fmt.Errorf("the script gave no table")
		}
		word := table.RawGetString("status").String()
		switch word {
		case "Healthy", "Suspended", "Progressing", "Unknown", "Missing", "Degraded":
			return word, nil
		}
		return "", fmt.Errorf("the script gave %q", word)
	}, nil
}

func toLua(state *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case bool:
		return lua.LBool(value)
	case string:
		return lua.LString(value)
	case int64:
		return lua.LNumber(value)
	case float64:
		return lua.LNumber(value)
	case []any:
		table := state.CreateTable(len(value), 0)
		for _, item := range value {
			table.Append(toLua(state, item))
		}
		return table
	case map[string]any:
		table := state.CreateTable(0, len(value))
		for key, item := range value {
			table.RawSetH(lua.LString(key), toLua(state, item))
		}
		return table
	}
	return lua.LNil
}
