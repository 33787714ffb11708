#!/usr/bin/env python3
"""Draws the singular spectra of a rezero-analyze report against depth.

    rezero-analyze --seed 0:7 --format json | python3 examples/plot_spectrum.py - -o spectrum.png
    python3 examples/plot_spectrum.py report.json -o spectrum.pdf

Left, for each scheme: the median of log10(sigma) as a line, the middle half and the full range as bands. Right: which
share of the singular values lies below sigma, at the largest depth. Needs matplotlib; the report is read with the
standard library. Works with --values linear and log10, json and ndjson; several seeds are pooled.
"""
import argparse
import json
import math
import sys
from collections import defaultdict

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend must be chosen first)
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator  # noqa: E402

# Okabe & Ito 2008: eight colours that people with any colour vision tell apart; then line styles.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#B8A800"]
MARKERS = ["o", "s", "D", "^", "P", "X", "p", "h"]
STYLES = ["-", "--", "-.", ":"]
LABELS = ("scheme", "stack", "family", "width", "activation", "init")


def read_rows(path):
    """The result rows of a json document or an ndjson stream."""
    if path == "-":
        text = sys.stdin.read()
    else:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    try:
        document = json.loads(text)
        if not isinstance(document, dict):
            sys.exit("%s is neither a report nor ndjson" % path)
        if "results" in document:
            return document["results"]
        if document.get("kind") != "result":
            sys.exit("%s holds no results (a verdict has no spectra)" % path)
        return [document]
    except json.JSONDecodeError:
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        return [row for row in rows if row.get("kind") == "result"]


def log10_values(row):
    """log10 of the resolved singular values, and how many are missing: unresolved, exactly zero, out of range."""
    if row.get("log10_singular_values") is not None:
        known = [value for value in row["log10_singular_values"] if value is not None]
        total = len(row["log10_singular_values"])
    elif row.get("singular_values") is not None:
        known = [math.log10(value) for value in row["singular_values"] if value]
        total = len(row["singular_values"])
    else:
        return [], 0
    return known, total - len(known)


def group_rows(rows):
    """{series: {depth: [sorted log10 values, missing]}}, series in report order, named by what sets them apart."""
    varying = [key for key in LABELS[2:] if len({row.get(key) for row in rows}) > 1]
    groups = defaultdict(lambda: defaultdict(lambda: [[], 0]))
    for row in rows:
        name = ", ".join([str(row.get("scheme") or row.get("stack"))] + ["%s %s" % (k, row[k]) for k in varying])
        values, missing = log10_values(row)
        if not values and not missing:
            continue
        pooled = groups[name][row["depth"]]
        pooled[0].extend(values)
        pooled[1] += missing
    for depths in groups.values():
        for pooled in depths.values():
            pooled[0].sort()
    return groups


def quantile(pooled, share):
    """The value below which `share` of all lie; missing ones lie below all others. NaN if it falls among them."""
    values, missing = pooled
    at = share * (len(values) + missing - 1) - missing
    if at < -1e-9 or not values:
        return math.nan
    low = min(max(int(at), 0), len(values) - 1)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (max(at, 0) - low)


def power(decades, _=None):
    return "1" if decades == 0 else "$10^{%g}$" % decades


def look(index):
    """Colour, line style and marker of a series; later ones are thinner, so that equal curves show below each other."""
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": STYLES[index // len(COLOURS) % len(STYLES)],
            "linewidth": max(1.4, 3.4 - 0.6 * index)}


def draw_depths(axes, groups):
    for index, (name, depths) in enumerate(groups.items()):
        style, x = look(index), sorted(depths)
        curve = {share: [quantile(depths[depth], share) for depth in x] for share in (0, 0.25, 0.5, 0.75, 1)}
        floor = [depths[depth][0][0] if depths[depth][0] else math.nan for depth in x]  # smallest known value
        axes.fill_between(x, curve[0.25], curve[0.75], color=style["color"], alpha=0.16, linewidth=0)
        for edge in (curve[0], curve[1]):
            axes.plot(x, edge, color=style["color"], linewidth=1.0, alpha=0.85)
        axes.plot(x, curve[0.5], marker=MARKERS[index % len(MARKERS)], markersize=max(3.5, 7 - index),
                  markeredgecolor="white", markeredgewidth=0.6, label=name, zorder=3, **style)
        cut = [math.nan if depths[depth][1] == 0 else low for depth, low in zip(x, floor)]
        axes.plot(x, cut, color=style["color"], linewidth=0.9, linestyle=":", marker="v", markersize=5.5,
                  markerfacecolor="white", zorder=4)
    depths = sorted({depth for group in groups.values() for depth in group})
    if len(depths) > 1 and depths[-1] / depths[0] >= 8:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_locator(NullLocator())
    if len(depths) <= 10:
        axes.xaxis.set_major_locator(FixedLocator(depths))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: "%g" % value))
    axes.set_xlabel("depth (layers)")
    axes.set_ylabel(r"singular values $\sigma$ of $J$")
    axes.set_title("Spectrum against depth", loc="left", fontsize=11)


def draw_distribution(axes, groups):
    deepest = max(max(depths) for depths in groups.values())
    for index, (name, depths) in enumerate(groups.items()):
        depth = max(depths)
        values, missing = depths[depth]
        if not values:
            continue
        total = len(values) + missing
        shares = [(missing + i + 1) / total for i in range(len(values))]
        axes.step([values[0]] + values, [missing / total] + shares, where="post", **look(index))
        if depth != deepest:
            axes.annotate("depth %d" % depth, (values[-1], 1), fontsize=8, color=look(index)["color"])
        if missing:
            axes.plot(values[0], missing / total, color=look(index)["color"], marker="v", markersize=5.5,
                      markerfacecolor="white", zorder=4)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel(r"singular value $\sigma$")
    axes.set_ylabel("share of singular values below")
    axes.set_title("Distribution at depth %d" % deepest, loc="left", fontsize=11)


def draw(groups, title):
    plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
                         "grid.color": "#e4e4e4", "grid.linewidth": 0.7, "axes.axisbelow": True})
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.8), gridspec_kw={"width_ratios": [1.25, 1]},
                                         constrained_layout=True)
    draw_depths(left, groups)
    draw_distribution(right, groups)
    left.axhline(0, color="#555555", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    right.axvline(0, color="#555555", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    for axis in (left.yaxis, right.xaxis):
        axis.set_major_locator(MaxNLocator(nbins=7, integer=True))
        axis.set_major_formatter(FuncFormatter(power))
    handles, labels = left.get_legend_handles_labels()
    if any(missing for depths in groups.values() for _, missing in depths.values()):
        handles.append(plt.Line2D([], [], color="#555555", linestyle=":", marker="v", markerfacecolor="white"))
        labels.append("smallest resolved value: more lie below it")
    figure.legend(handles, labels, loc="upper center", ncol=min(5, len(labels)), frameon=False,
                  bbox_to_anchor=(0.5, 0.0), title="line: median · band: middle half · thin lines: smallest and largest · each where it is resolved",
                  title_fontsize=9)
    figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    return figure


def title_of(rows):
    """What all rows have in common."""
    parts = ["Singular values of the input-output Jacobian"]
    for key, text in (("family", "%s"), ("width", "width %s"), ("activation", "%s"), ("init", "init %s")):
        found = {row.get(key) for row in rows}
        if len(found) == 1 and None not in found:
            parts.append(text % found.pop())
    seeds = {row.get("seed") for row in rows if row.get("seed") is not None}
    if len(seeds) > 1:
        parts.append("%d seeds" % len(seeds))
    return "  ·  ".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", nargs="?", default="-", help="report (json or ndjson), - for standard input")
    parser.add_argument("-o", "--output", default="spectrum.png", help="picture to write (.png, .pdf, .svg)")
    arguments = parser.parse_args()
    rows = read_rows(arguments.report)
    if any(row["status"] == "out_of_range" for row in rows):
        print("some values exceed the range of doubles and are left out: use --values log10", file=sys.stderr)
    if any(row["spectrum"]["part"] != "full" for row in rows):
        print("partial spectra: medians and shares are those of the values in the report", file=sys.stderr)
    groups = group_rows(rows)
    if not groups:
        sys.exit("no singular values in the report (it may have been made with --values none)")
    figure = draw(groups, title_of(rows))
    figure.savefig(arguments.output, dpi=160, bbox_inches="tight")
    print("wrote " + arguments.output)


if __name__ == "__main__":
    main()
