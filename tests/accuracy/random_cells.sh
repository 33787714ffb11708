#!/usr/bin/env bash
# Random cells beside the truth in extended precision, by two processes. About one cell in seven is refused: 120,000
# leave more than 100,000 to compare.
# Usage: random_cells.sh [CELLS [SEED [accuracy_test]]]
# Prints every violation, then one line of sums; exit code 1 where there is a violation.
set -euo pipefail
cells=${1:-120000} seed=${2:-1} program=${3:-$(dirname "$0")/../../build/tests/accuracy_test}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

part() {  # first, count
  REZERO_RANDOM_SEED=$seed REZERO_RANDOM_FIRST=$1 REZERO_RANDOM_CELLS=$2 \
    "$program" --gtest_filter='ReferenceRandomCells.*' >"$logs/$1" || true
}
half=$((cells / 2))
part 0 "$half" &
part "$half" $((cells - half)) &
wait

grep -h '^violation:' "$logs"/* || true
awk '/^cells / { ++parts; for (i = 1; i < NF; i += 2) sum[$i] += $(i + 1) }
  END {
    split("cells refused failed uncertified unsettled values violations", names, " ")
    for (i = 1; i in names; ++i) printf "%s %d%s", names[i], sum[names[i]], i < 7 ? " " : "\n"
    exit parts != 2 || sum["violations"] + sum["unsettled"] > 0
  }' "$logs"/*
