package main

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/net/websocket"
	"sigs.k8s.io/gateway-api/conformance/utils/grpc"
	"sigs.k8s.io/gateway-api/conformance/utils/roundtripper"
)

// The clients of the suite where there is no data plane: they fail a test at its first request, so that it says what came before.

// src/gateway/output.rs looks for these words.
var errNoDataPlane = errors.New("no data plane: no request is sent")

func fail(t *testing.T) error {
	if t != nil {
		t.Fatal(errNoDataPlane)
	}
	return errNoDataPlane
}

type noHTTP struct{}

func (noHTTP) CaptureRoundTrip(request roundtripper.Request) (*roundtripper.CapturedRequest, *roundtripper.CapturedResponse, error) {
	return nil, nil, fail(request.T)
}

type noGRPC struct{}

func (noGRPC) SendRPC(t *testing.T, _ string, _ grpc.ExpectedResponse, _ time.Duration) (*grpc.Response, error) {
	return nil, fail(t)
}

func (noGRPC) Close() {}

type noWebSocket struct{}

func (noWebSocket) Dial(_, _, _ string) (*websocket.Conn, error) { return nil, errNoDataPlane }
