#!/bin/sh
# Repeats what COMPARE.md says about writing one controller with each peer: it compiles, the story passes, lines and names, which
# mistakes compile, and what list type the CRD gets. Needs Go and its module proxy; the first run takes minutes.
set -eu
cd "$(dirname "$0")"
./generate.sh
go vet -tags generated ./...
go test -count=1 -tags generated -v ./knative/v1 ./operatorpkg ./clusterapi ./openmcp
go run ./measure
go run ./measure mistakes
for peer in knative/v1 operatorpkg clusterapi openmcp; do
	echo "$peer: $(go run sigs.k8s.io/controller-tools/cmd/controller-gen@v0.21.0 crd paths=./$peer output:crd:stdout |
		grep -c 'x-kubernetes-list-type: map' || true) list(s) of the CRD are maps"
done
