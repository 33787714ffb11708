#!/usr/bin/env bash
# Compares random cells with the truth in extended precision, in two processes. About one cell in seven is refused: 120,000
# leave more than 100,000 to compare.
# Usage: random_cells.sh [CELLS [SEED [accuracy_test]]]
# Prints every violation, then one line of sums; exit code 1 if there is a violation.
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
