#!/usr/bin/env sh
# Completes `kubectl allready …`: kubectl calls this with the words that stand there, the last of which is begun.
# Save it as kubectl_complete-allready where PATH finds it, and make it executable.
exec kubectl-allready completion --words -- "$@"
