#!/usr/bin/env bash
# Random cells beside the truth in extended precision, by two processes. About one cell in seven is refused: 120,000
# leave more than 100,000 to compare.
# Usage: random_cells.sh [CELLS [SEED [accuracy_test]]]
# Prints whatever is wrong, then one line of sums; exit code 1 where something is.
set -euo pipefail
cells=${1:-120000} seed=${2:-1} program=${3:-$(dirname "$0")/../../build/tests/accuracy_test}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

part() {  # first, count
  REZERO_RANDOM_SEED=$seed REZERO_RANDOM_FIRST=$1 REZERO_RANDOM_CELLS=$2 \
    "$program" --gtest_filter='ReferenceRandomCells.*' >"$logs/$1"
}
half=$((cells / 2)) code=0
part 0 "$half" &
first=$!
part "$half" $((cells - half)) || code=1
wait "$first" || code=1

grep -hE '^(violation|unsettled|fault):' "$logs"/* || true
awk '/^cells / {
    if (!names) for (i = 1; i < NF; i += 2) name[++names] = $i
    for (i = 1; i < NF; i += 2) sum[$i] += $(i + 1)
  }
  END { for (i = 1; i <= names; ++i) printf "%s %d%s", name[i], sum[name[i]], i < names ? " " : "\n" }' "$logs"/*
exit $code
