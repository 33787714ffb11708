#!/usr/bin/env bash
# Spectrum and gates of every checkpoint that train_digits.py saved: FOLDER/<checkpoint>.report.json and .gates.json.
#   analyze.sh FOLDER      REZERO_ANALYZE names the tool
set -euo pipefail
tool=${REZERO_ANALYZE:-rezero-analyze}

for model in "$1"/*.onnx; do
  checkpoint=${model%.onnx}
  "$tool" --quiet --onnx "$model" --input "$checkpoint.npy" --values log10 --format json -o "$checkpoint.report.json"
  case $model in
    *-rezero-*) "$tool" inspect "$model" --format json >"$checkpoint.gates.json" ;;
  esac
done
