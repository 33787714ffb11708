#!/usr/bin/env python3
"""Draws the smallest singular values of deep stacks against depth, with a straight line through each.

    rezero-analyze --family linear --scheme plain --init gaussian:sigma_w=1 --depth 25:200:25 --width 64 \\
        --method product --values log10 -o linear.json
    python3 examples/plot_smallest.py linear.json -o smallest.png

Takes several reports, made with --values log10. For each stack: the smallest value that is not an exact zero, and with
--second SCHEME the one above it (a layer norm with eps > 0 shrinks the direction of its input to almost nothing, which is
a value of its own). A plain linear stack with Gaussian weights also gets the closed form of its smallest Lyapunov exponent,
(log(2 sigma_w^2 / n) + psi(1/2)) / 2 a layer (Newman 1986). Needs matplotlib.
"""
import argparse
import json
import math
import sys
from collections import defaultdict

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend must be chosen first)

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]  # Okabe & Ito 2008
MARKERS = ["o", "s", "D", "^", "P", "X"]
PSI_HALF = -1.9635100260214235  # digamma(1/2) = -gamma - 2 log 2


def read_rows(path):
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)["results"]
    if any("log10_singular_values" not in row for row in rows):
        sys.exit("%s: make the report with --values log10" % path)
    return rows


def series_of(rows, second):
    """{name: [(depth, log10 value)]}, seeds pooled, in report order."""
    series = defaultdict(list)
    for row in rows:
        known = [value for value in row["log10_singular_values"] or [] if value is not None]
        if not known or row["spectrum"]["unresolved"]:
            print("%s, depth %s: not all values are resolved, left out" % (row["scheme"], row["depth"]), file=sys.stderr)
            continue
        name = "%s, %s" % (row["scheme"], row["activation"] if row["family"] != "linear" else "linear")
        series[name, row["width"], row["init"], "smallest"].append((row["depth"], known[-1]))
        if row["scheme"] in second:
            series[name, row["width"], row["init"], "second smallest"].append((row["depth"], known[-2]))
    return series


def line_through(points):
    """Least squares: slope, intercept, largest distance of a point from the line."""
    n, xs, ys = len(points), [x for x, _ in points], [y for _, y in points]
    mean_x, mean_y = sum(xs) / n, sum(ys) / n
    spread = sum((x - mean_x) ** 2 for x in xs)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else math.nan
    worst = max(abs(y - mean_y - slope * (x - mean_x)) for x, y in points)
    return slope, mean_y - slope * mean_x, worst


def gaussian_slope(name, width, init):
    """Decades a layer of the smallest value of a product of Gaussian matrices; None for other stacks."""
    if name != "plain, linear" or not init.startswith("gaussian"):
        return None
    parameters = dict(part.split("=") for part in init.split(":")[1:])
    sigma_w = float(parameters.get("sigma_w", 1))
    return (math.log(2 * sigma_w**2 / width) + PSI_HALF) / 2 / math.log(10)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", nargs="+")
    parser.add_argument("--second", action="append", default=[], metavar="SCHEME", help="draw its second smallest value too")
    parser.add_argument("-o", "--output", default="smallest.png", help="picture to write (.png, .pdf, .svg)")
    arguments = parser.parse_args()
    rows = [row for path in arguments.report for row in read_rows(path)]
    series = series_of(rows, arguments.second)
    if not series:
        sys.exit("no resolved singular values in the reports")
    figure, axes = plt.subplots(figsize=(7.5, 4.6), constrained_layout=True)
    for index, ((name, width, init, which), points) in enumerate(series.items()):
        colour = COLOURS[index % len(COLOURS)]
        slope, start, worst = line_through(points)
        closed = gaussian_slope(name, width, init)
        note = "" if closed is None else ", closed form %.4f" % closed
        print("%s, width %s, %s: %.4f decades a layer%s; at most %.2f decades off the line over %.0f"
              % (name, width, which, slope, note, worst, max(y for _, y in points) - min(y for _, y in points)))
        axes.plot(*zip(*points), MARKERS[index % len(MARKERS)], color=colour, markersize=max(4, 9 - 1.5 * index),
                  label="%s: %s, %.3f a layer%s" % (name, which, slope, note))
        ends = [min(x for x, _ in points), max(x for x, _ in points)]
        axes.plot(ends, [start + slope * x for x in ends], color=colour, linewidth=1)
        if closed is not None:
            axes.plot([0, ends[1]], [0, closed * ends[1]], color="#000000", linewidth=0.9, linestyle=":")
    axes.axhline(-16, color="#555555", linewidth=0.8, linestyle=(0, (4, 3)))
    axes.annotate("$10^{-16}$: where a formed J ends", (0.99, -16), xycoords=("axes fraction", "data"), ha="right",
                  va="bottom", fontsize=8, color="#555555")
    axes.set_xlabel("depth (layers)")
    axes.set_ylabel(r"$\log_{10}\sigma$")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(color="#e4e4e4", linewidth=0.7)
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(arguments.output, dpi=110)
    print("wrote " + arguments.output)


if __name__ == "__main__":
    main()
