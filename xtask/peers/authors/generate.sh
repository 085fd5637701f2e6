#!/bin/sh
# Generates the clients, informers and the reconciler that Knative's authors generate from their types. Nothing of it is stored here:
# it is 2,300 lines that nobody writes.
set -eu
cd "$(dirname "$0")"
module=allready.dev/xtask/peers/authors
client=$module/knative/client
generators=v0.36.3
injection=$(go list -m -f '{{.Version}}' knative.dev/pkg)
header=$(mktemp)
trap 'rm -f "$header"' EXIT
rm -rf knative/client
go run "k8s.io/code-generator/cmd/client-gen@$generators" --go-header-file "$header" \
	--input-base $module --input knative/v1 --clientset-name versioned \
	--output-pkg $client/clientset --output-dir knative/client/clientset
go run "k8s.io/code-generator/cmd/lister-gen@$generators" --go-header-file "$header" \
	--output-pkg $client/listers --output-dir knative/client/listers $module/knative/v1
go run "k8s.io/code-generator/cmd/informer-gen@$generators" --go-header-file "$header" \
	--versioned-clientset-package $client/clientset/versioned --listers-package $client/listers \
	--output-pkg $client/informers --output-dir knative/client/informers $module/knative/v1
go run "knative.dev/pkg/codegen/cmd/injection-gen@$injection" --go-header-file "$header" \
	--input-dirs $module/knative/v1 \
	--versioned-clientset-package $client/clientset/versioned \
	--external-versions-informers-package $client/informers/externalversions \
	--listers-package $client/listers \
	--output-package $client/injection --output-dir knative/client/injection
