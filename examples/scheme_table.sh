#!/usr/bin/env bash
# Every scheme at 12 and 64 layers of a small transformer, as a Markdown table: docs/scheme-table.md is its output.
# Usage: examples/scheme_table.sh [path of rezero-analyze]
set -euo pipefail
cd "$(dirname "$0")/.."
tool=${1:-build/rezero-analyze}

schemes=$("$tool" list schemes --format json | /usr/bin/python3 -c '
import json, sys
print(",".join(s["name"] for s in json.load(sys.stdin)["schemes"] if s["name"] != "depth-mup"))')

report=$(mktemp)
trap 'rm -f "$report"' EXIT
"$tool" -q --family transformer --scheme "$schemes" --width 32 --tokens 8 --heads 4 --depth 12,64 --values none >"$report" || [ $? -eq 4 ]
/usr/bin/python3 - "$report" <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
def number(x, log10=None):
    if x is None and log10 is not None:
        return "10^%.1f" % log10
    return "–" if x is None else "0" if x == 0 else "%.4g" % x
print("# Schemes side by side\n")
print("Printed by `examples/scheme_table.sh`: one transformer (width 32, 8 tokens, 4 heads, feed-forward 128, relu, seed 0), each")
print("scheme started as its source does. σ_min leaves the null directions out; – is below the method's resolution, and a scheme")
print("that is missing overflowed. One draw is an example, not a mean: `--seed 0:63` gives standard errors.\n")
print("| scheme | init | layers | σ_min | σ_max | mean σ² | null directions |\n| --- | --- | --- | --- | --- | --- | --- |")
for row in report["results"]:
    m = row["metrics"]
    low = m["sigma_min_nonzero"] if row["spectrum"]["null_directions"] else m["sigma_min"]
    print("| %s | %s | %d | %s | %s | %s | %d |" % (row["scheme"], row["init"], row["depth"], number(low), number(m["sigma_max"], m["log10_sigma_max"]),
          number(m["mean_square"], m["log10_mean_square"]), row["spectrum"]["null_directions"]))
PY
