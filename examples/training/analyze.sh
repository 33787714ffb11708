#!/usr/bin/env bash
# Spectra and gates of every run that train_digits.py saved, through its checkpoints: FOLDER/<run>.report.json.
#   analyze.sh FOLDER      REZERO_ANALYZE names the tool
set -euo pipefail
tool=${REZERO_ANALYZE:-rezero-analyze}

for first in "$1"/*-0.onnx; do
  run=${first%-0.onnx}
  "$tool" --quiet --onnx "$run-*.onnx" --input "$run-*.npy" --values log10 --profile --format json -o "$run.report.json"
done
