#!/usr/bin/env sh
# Completes `kubectl allready …`: kubectl calls this with the words that stand there, the last of which is begun.
# Save it as kubectl_complete-allready where PATH finds it, and make it executable.
answer=$(kubectl-allready completion --words -- "$@") || exit 1
if [ "$answer" != ":objects" ]; then
  printf '%s\n' "$answer"
  exit 0
fi
# Types and names are what kubectl itself knows best, in the cluster and namespace that are meant.
where=
begun=
take=
for word in "$@"; do
  begun=$word
  if [ -n "$take" ]; then
    where="$where $take=$word"
    take=
    continue
  fi
  case $word in
  -n | --namespace) take=--namespace ;;
  --context | --kubeconfig) take=$word ;;
  --namespace=* | --context=* | --kubeconfig=*) where="$where $word" ;;
  esac
done
# shellcheck disable=SC2086 # the options are words of their own
exec kubectl __complete get $where "$begun"
