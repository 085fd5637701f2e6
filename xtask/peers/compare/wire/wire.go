// Package wire is what every program around a peer has in common: it answers cases, one JSON line for each, and measures
// the peer on them.
package wire

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

// Condition is a condition in a case or in an answer. A mark without a status removes.
type Condition struct {
	Type       string `json:"type"`
	Status     string `json:"status"`
	Reason     string `json:"reason"`
	Message    string `json:"message"`
	Time       int64  `json:"time"`
	Generation int64  `json:"generation"`
}

// Member is an object that an aggregate is made from.
type Member struct {
	Kind       string      `json:"kind"`
	Name       string      `json:"name"`
	Conditions []Condition `json:"conditions"`
}

// Case is an input of a peer; each reads the fields that it knows.
type Case struct {
	Target          string          `json:"target"`
	Dependents      []string        `json:"dependents"`
	Negative        []string        `json:"negative"`
	Optional        []string        `json:"optional"`
	Conditions      []Condition     `json:"conditions"`
	Members         []Member        `json:"members"`
	Marks           []Condition     `json:"marks"`
	Generation      int64           `json:"generation"`
	RemoveUntouched bool            `json:"removeUntouched"`
	LatestOnly      bool            `json:"latestOnly"`
	StepCounter     bool            `json:"stepCounter"`
	Object          json.RawMessage `json:"object"`
}

// Answer is what a peer made of a case.
type Answer struct {
	Error      string      `json:"error"`
	Conditions []Condition `json:"conditions"`
	Changed    bool        `json:"changed"`
}

// Measured is what calls of a peer took.
type Measured struct {
	Calls       uint64 `json:"calls"`
	Wall        int64  `json:"wall"`
	Processor   int64  `json:"processor"`
	Allocations uint64 `json:"allocations"`
	Bytes       uint64 `json:"bytes"`
}

// Subject is a peer with one case: Call does the work that is measured, as often as it is called.
type Subject struct {
	Call   func()
	Answer func() Answer
}

// Peers makes a subject of a case, by the name of the peer.
type Peers map[string]func(Case) Subject

type question struct {
	Peer         string `json:"peer"`
	Case         Case   `json:"case"`
	Milliseconds int64  `json:"milliseconds"`
	Versions     bool   `json:"versions"`
}

// Now stands for the instant of a call in a case: peers read the clock. A time after Recent is an offset from it.
const (
	Now    = 2_000_000_000
	recent = 1_500_000_000
)

// Time is the instant that a case means.
func Time(second int64) time.Time {
	switch {
	case second == 0:
		return time.Time{}
	case second > recent:
		return time.Now().Add(time.Duration(second-Now) * time.Second).Truncate(time.Second)
	}
	return time.Unix(second, 0)
}

// Second is the instant as an answer says it.
func Second(at time.Time) int64 {
	switch {
	case at.IsZero():
		return 0
	case at.Unix() > recent:
		return Now
	}
	return at.Unix()
}

// Serve answers questions until there are no more.
func Serve(peers Peers) {
	in, out := bufio.NewReaderSize(os.Stdin, 1<<20), bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked question
		var said any
		if err := json.Unmarshal(line, &asked); err != nil {
			said = Answer{Error: err.Error()}
		} else if asked.Versions {
			said = versions()
		} else {
			said = answer(peers, asked)
		}
		if encoder.Encode(said) != nil || out.Flush() != nil {
			os.Exit(1)
		}
	}
}

func answer(peers Peers, asked question) (said any) {
	defer func() {
		if cause := recover(); cause != nil {
			said = Answer{Error: fmt.Sprintf("panic: %v", cause)}
		}
	}()
	prepare, ok := peers[asked.Peer]
	if !ok {
		return Answer{Error: "there is no peer " + asked.Peer}
	}
	subject := prepare(asked.Case)
	if asked.Milliseconds > 0 {
		return measure(subject.Call, time.Duration(asked.Milliseconds)*time.Millisecond)
	}
	subject.Call()
	return subject.Answer()
}

func measure(call func(), atLeast time.Duration) Measured {
	call()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start, processor := time.Now(), processorTime()
	var calls, batch uint64 = 0, 1
	for time.Since(start) < atLeast {
		for range batch {
			call()
		}
		calls += batch
		if time.Since(start) < atLeast/64 {
			batch *= 2
		}
	}
	wall, processor := time.Since(start), processorTime()-processor
	runtime.ReadMemStats(&after)
	return Measured{calls, wall.Nanoseconds(), processor.Nanoseconds(), after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc}
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func versions() map[string]string {
	told := map[string]string{"go": runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			told[module.Path] = module.Version
		}
	}
	return told
}
