#!/usr/bin/env bash
# Installs what is missing, builds everything and runs every test.
#   tests/run.sh              the whole suite (Release)
#   tests/run.sh --sanitize   also the suite without its slow tests under AddressSanitizer and UBSan, and the fuzz targets
#                             of the readers, a minute in all
# If CI is set, warnings are errors and the build is portable. REZERO_BUILD_DIR selects another build folder.
set -euo pipefail
cd "$(dirname "$0")/.."

sanitize=no
[ "${1:-}" = --sanitize ] && sanitize=yes
werror=OFF native=ON
# Portable: the same instructions, and instruction counts, on every machine.
[ -n "${CI:-}" ] && werror=ON native=OFF
jobs=$(nproc)

step() { printf '\n== %s\n' "$*"; }

cmake/install-packages.sh build test bench
launcher=()
if command -v ccache >/dev/null; then  # shared with other checkouts of the same sources
  launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
fi

build() {  # folder, options…
  local folder=$1
  shift
  cmake -S . -B "$folder" -G Ninja -DREZERO_WARNINGS_AS_ERRORS=$werror "${launcher[@]}" "$@" >/dev/null
  cmake --build "$folder" --parallel "$jobs"
}

folder=${REZERO_BUILD_DIR:-build}
step "build"
build "$folder" -DCMAKE_BUILD_TYPE=Release -DREZERO_NATIVE=$native -DREZERO_BUILD_TESTS=ON -DREZERO_BUILD_EXAMPLES=ON -DREZERO_BUILD_BENCHMARKS=ON
step "headers that compile alone"
cmake --build "$folder" --target all_verify_interface_header_sets --parallel "$jobs"

step "tests"
ctest --test-dir "$folder" --output-on-failure --parallel "$jobs"

step "reports against the JSON Schema, by python3-jsonschema"
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
tool=$folder/rezero-analyze
"$tool" --depth 1,4 --width 16 --seed 0:1 --profile -o "$reports/report.json"
"$tool" --scheme plain,rezero --depth 2 --width 8 --values log10 --format ndjson >"$reports/stream.ndjson"
"$tool" --scheme residual --depth 3 --width 16 --top 2 --bottom 1 -o "$reports/ends.json"
"$tool" --stack tests/reference/stacks/overflow_residual_exact.safetensors -o "$reports/stack.json"
"$tool" --checkpoint tests/reference/checkpoints/gpt2.safetensors --layout gpt2 --heads 2 --leave-out lm_head \
  --final-norm --quiet -o "$reports/checkpoint.json"
"$tool" verify --scheme rezero --depth 5 --width 8 --check identity,isometry,alive -o "$reports/verdict.json"
"$tool" --theory --scheme plain,rezero,depth-power --depth 4 --width 16 --seed 0:3 -o "$reports/theory.json"
"$tool" --dump-plan >"$reports/plan.json"
/usr/bin/python3 tests/report/validate_schema.py "$tool" "$reports"/*
/usr/bin/python3 examples/plot_spectrum.py "$reports/report.json" -o "$reports/spectrum.png"
[ -s "$reports/spectrum.png" ]
"$tool" --family linear --scheme plain --init gaussian:sigma_w=1 --width 16 --depth 10:40:10 --method product --values log10 \
  -o "$reports/smallest.json"
/usr/bin/python3 examples/plot_smallest.py "$reports/smallest.json" -o "$reports/smallest.png"
[ -s "$reports/smallest.png" ]

step "instructions of small runs"
if [ $native = OFF ]; then
  /usr/bin/python3 tests/instruction_counts.py "$tool"
else
  echo "skipped: a build for this machine's processor may have instructions that valgrind does not know (CI=1 counts them)"
fi

if [ $sanitize = yes ]; then
  step "build with AddressSanitizer and UndefinedBehaviorSanitizer"
  # -O1 and line numbers only: half the build time, and equally useful reports.
  build "$folder-asan" -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG" \
    -DREZERO_SANITIZE=address,undefined \
    -DREZERO_BUILD_TESTS=ON -DREZERO_BUILD_EXAMPLES=OFF -DREZERO_BUILD_BENCHMARKS=OFF
  step "tests under sanitizers"
  ctest --test-dir "$folder-asan" --output-on-failure --parallel "$jobs" --label-exclude slow

  step "fuzz targets of the readers"
  cmake/install-packages.sh fuzz
  cmake -S . -B "$folder-fuzz" -G Ninja -DCMAKE_CXX_COMPILER=clang++-14 -DREZERO_BUILD_FUZZERS=ON "${launcher[@]}" \
    -DREZERO_BUILD_TESTS=OFF -DREZERO_BUILD_EXAMPLES=OFF >/dev/null
  cmake --build "$folder-fuzz" --target fuzzers --parallel "$jobs"
  tests/fuzz/run.sh "$folder-fuzz" 1000000000 -max_total_time=15
fi
