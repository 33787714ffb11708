#!/usr/bin/env bash
# Installs what is missing, builds the tool and runs it: a table of four schemes against depth, the same as report.json,
# and a picture of the spectra, spectrum.png.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake/install-packages.sh build plot
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DREZERO_BUILD_TESTS=OFF -DREZERO_BUILD_EXAMPLES=OFF >/dev/null
cmake --build build

build/rezero-analyze --format table
build/rezero-analyze -o report.json
/usr/bin/python3 examples/plot_spectrum.py report.json -o spectrum.png
echo
echo "Wrote report.json and spectrum.png. Next: build/rezero-analyze --help"
