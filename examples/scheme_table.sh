#!/usr/bin/env bash
# Every scheme at 12 and 64 layers of a small transformer, and those made for images in a small convolutional net, as
# a Markdown section. With --write it replaces that section of docs/schemes.md.
# Usage: examples/scheme_table.sh [--write] [path of rezero-analyze]
set -euo pipefail
cd "$(dirname "$0")/.."
write=no
[ "${1:-}" = --write ] && write=yes && shift
tool=${1:-build/rezero-analyze}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
names() {  # schemes that satisfy a Python condition on s
  "$tool" list schemes --format json | /usr/bin/python3 -c "
import json, sys
print(','.join(s['name'] for s in json.load(sys.stdin)['schemes'] if $1))"
}
run() {  # report, options…; schemes that overflow are allowed
  local report=$1
  shift
  "$tool" -q --depth 12,64 --values none --method product "$@" >"$report" || [ $? -eq 4 ]
}
run "$folder/transformer.json" --family transformer --width 32 --tokens 8 --heads 4 \
  --scheme "$(names "s['name'] != 'depth-mup' and 'conv' not in s.get('defined_for', '')")"
run "$folder/conv.json" --family conv --width 4 --image 6x6 --batch 2 \
  --scheme "$(names "s['name'] in ('residual', 'skipinit', 'fixup', 'stable-resnet') or 'conv' in s.get('defined_for', '')")"

/usr/bin/python3 - "$folder" >"$folder/section.md" <<'PY'
import json, sys
def number(x, log10=None):
    if x is None and log10 is not None:
        return "10^%.1f" % log10
    return "–" if x is None else "0" if x == 0 else "%.4g" % x
print("## Schemes at 12 and 64 layers\n")
print("Printed by `examples/scheme_table.sh`: a transformer (width 32, 8 tokens, 4 heads, feed-forward 128) and a convolutional")
print("net (4 channels, 6 × 6 pixels, batch 2), relu, seed 0. Each scheme starts as its source does. σ_min excludes null")
print("directions. A dash means below the method's resolution; missing schemes overflowed. One draw is an example, not a mean:")
print("`--seed 0:63` gives standard errors.\n")
print("| scheme | stack | init | layers | σ_min | σ_max | mean σ² | null directions |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
for stack in ("transformer", "conv"):
    for row in json.load(open(sys.argv[1] + "/" + stack + ".json"))["results"]:
        m = row["metrics"]
        low = "sigma_min_nonzero" if row["spectrum"]["null_directions"] else "sigma_min"
        print("| %s | %s | %s | %d | %s | %s | %s | %d |" % (
            row["scheme"], stack, row["init"], row["depth"], number(m[low], m["log10_" + low]), number(m["sigma_max"], m["log10_sigma_max"]),
            number(m["mean_square"], m["log10_mean_square"]), row["spectrum"]["null_directions"]))
PY

if [ $write = yes ]; then
  sed -i '/^## Schemes at 12 and 64 layers$/,$d' docs/schemes.md
  cat "$folder/section.md" >>docs/schemes.md
else
  cat "$folder/section.md"
fi
