#!/usr/bin/env bash
# Fails if a model is not the identity at initialization or has dead branches, and prints the parameters at fault.
#   identity_at_init.sh MODEL.onnx [INPUT.npy|normal] [more options of rezero-analyze verify]
# REZERO_ANALYZE names the tool. Exit code: that of verify (0 passed, 1 failed, others: no verdict).
set -uo pipefail

if [ $# -lt 1 ]; then
  echo "usage: identity_at_init.sh MODEL.onnx [INPUT.npy|normal] [options]" >&2
  exit 2
fi
model=$1 input=${2:-normal}
shift $(($# < 2 ? $# : 2))

verdict=$("${REZERO_ANALYZE:-rezero-analyze}" verify --quiet --onnx "$model" --input "$input" --format json "$@")
code=$?
case $code in
  0) echo "$model: passed" ;;
  1)
    echo "$model: failed"
    # Only the JSON has the names of parameters; each culprit is one object on the line of its check.
    culprits=$(grep '"severity": "error"' <<<"$verdict" | grep -o '{"block": [^{]*"reason": "[^"]*"}' |
      sed 's/{"block": \([^,]*\), "parameter": "\(.*\)", "value": .*, "reason": "\([^"]*\)"}/  block \1: \2 (\3)/')
    printf '%s\n' "${culprits:-  no single parameter is at fault}"
    ;;
  *) echo "$model: no verdict" ;;  # the reason stands on standard error
esac
# On GitHub, an annotation of the commit as well.
if [ $code -ne 0 ] && [ -n "${GITHUB_ACTIONS:-}" ]; then
  echo "::error title=identity at initialization::$model: rezero-analyze verify gave exit code $code"
fi
exit $code
