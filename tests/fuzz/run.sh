#!/usr/bin/env bash
# Runs every fuzz target that was built.
#   tests/fuzz/run.sh BUILD [EXECUTIONS [libFuzzer options]]
set -euo pipefail
build=$(realpath "$1") executions=${2:-100000}
shift $(($# < 2 ? $# : 2))
corpus=$(realpath "$(dirname "$0")")/corpus

failed=0
for format in json npy safetensors onnx; do
  target=$build/tests/fuzz/fuzz_$format
  if [ ! -x "$target" ]; then
    echo "$format: not built"
    continue
  fi
  found=$build/found/$format
  mkdir -p "$found"
  echo "$format"
  # Inputs that crash are written to the folder of found inputs.
  "$target" -runs="$executions" -seed=1 -rss_limit_mb=1024 -timeout=10 -max_len=8192 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix="$found/" "$@" "$found" "$corpus/$format" || failed=1
done
exit $failed
