#!/usr/bin/env python3
"""Compares what --dry-run announces with what a run takes: wall time and peak memory of varied plans.

    bench/dry_run.py [PATH OF rezero-analyze]

Prints a line per plan: announced and measured time, their ratio, announced and measured memory, their ratio.
A plan whose time is announced as a range is measured against the nearer end. Goals: time within a factor of
2, memory within 1.3.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

PLANS = [
    "",
    "--width 64 --depth 32 --seed 0:99 --scheme rezero,residual",
    "--width 128 --depth 8 --seed 0:1999 --scheme residual --values none --method dense",
    "--width 256 --depth 32 --scheme residual --method product",
    "--width 512 --depth 32 --scheme plain --method product",
    "--width 512 --depth 64 --scheme depth-power --activation tanh",
    "--width 1024 --depth 8,16 --scheme residual --activation gelu",
    "--width 2048 --depth 2 --scheme residual --activation tanh",
    "--width 1024 --depth 32 --scheme residual --activation tanh --method spectra --top 3",
    "--width 1024 --depth 4 --scheme residual --activation tanh --method density",
    "--width 512 --depth 32 --scheme rezero --activation tanh --profile",
    "--family transformer",
    "--family transformer --scheme pre-ln --depth 12",
    "--family transformer --scheme post-ln --depth 12 --method product",
    "--family transformer --scheme pre-ln --width 128 --tokens 64 --depth 6 --top 1 --method spectra",
    "--family conv",
    "--family conv --scheme residual --width 32 --depth 8",
    "--family conv --scheme plain --depth 16 --method product",
    "--family dense --scheme plain --activation tanh --init orthogonal --width 400 --depth 64 --seed 0:3",
    "--family attention --scheme residual --tokens 32 --width 32 --depth 8",
    "--family glu --scheme depth-power --width 300 --depth 24 --seed 0:2",
]
UNITS = {"s": 1, "min": 60, "h": 3600, "kB": 1e3, "MB": 1e6, "GB": 1e9}
NUMBER = r"([\d.e+-]+) (s|min|h)"


def announced(tool, plan):
    text = subprocess.run([tool, *plan, "--dry-run"], check=True, capture_output=True, text=True).stdout
    times = re.search(rf"time +about {NUMBER}(?:, up to {NUMBER})?", text).groups()
    least = float(times[0]) * UNITS[times[1]]
    most = float(times[2]) * UNITS[times[3]] if times[2] else least
    line = re.search(r"memory .*? with", text).group(0)
    sizes = [float(number) * UNITS[unit] for number, unit in re.findall(r"([\d.]+) (\wB)", line)]
    added = "more where" in line
    memory = sizes[0]
    most_memory = (sizes[1] if "for the product" in line else memory) + (sizes[-1] if added else 0)
    return least, most, memory, most_memory


def measured(tool, plan, folder):
    arguments = [tool, *plan, "-q", "-o", os.path.join(folder, "report.json")]
    start = time.perf_counter()
    child = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(child.pid, 0)
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def nearest(low, high, value):
    return min(max(value, low), high)


def main():
    tool = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/rezero-analyze")
    worst_time = worst_memory = 1
    print("announced  measured  ratio | announced  measured  ratio | plan")
    with tempfile.TemporaryDirectory() as folder:
        for line in PLANS:
            plan = line.split()
            least, most, memory, most_memory = announced(tool, plan)
            seconds, peak = min(measured(tool, plan, folder) for _ in range(2))
            expected, room = nearest(least, most, seconds), nearest(memory, most_memory, peak)
            time_ratio, memory_ratio = expected / seconds, room / peak
            worst_time = max(worst_time, time_ratio, 1 / time_ratio)
            worst_memory = max(worst_memory, memory_ratio, 1 / memory_ratio)
            print(f"{expected:8.3g} s {seconds:7.3g} s {time_ratio:6.2f} | {room / 1e6:6.0f} MB {peak / 1e6:6.0f} MB"
                  f" {memory_ratio:6.2f} | {line or '(default)'}", flush=True)
    print(f"worst: time {worst_time:.2f}, memory {worst_memory:.2f}")


if __name__ == "__main__":
    main()
