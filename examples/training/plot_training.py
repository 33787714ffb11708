#!/usr/bin/env python3
"""Draws loss.png, alpha.png and spectrum.png from a folder of train_digits.py and analyze.sh, and prints the numbers.

    plot_training.py FOLDER OUTPUT      needs python3-matplotlib
"""
import glob
import json
import os
import re
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy

COLORS = {"plain": "C7", "residual": "C1", "pre-ln": "C0", "rezero": "C3"}


def smoothed(losses, window=10):
    return numpy.convolve(losses, numpy.ones(window) / window, mode="valid")


def checkpoints(folder):
    """{(model, kind): [(step, row of the report)]}, by step, as the checkpoints of a report are."""
    found = {}
    for path in glob.glob(os.path.join(folder, "*.report.json")):
        model, rest = os.path.basename(path).split("-", 1)
        kind = rest.rsplit("-", 1)[0]
        with open(path) as file:
            rows = json.load(file)["results"]
        found[model, kind] = [(int(re.search(r"(\d+)\.onnx$", row["stack"])[1]), row) for row in rows]
    return found


def alphas(rows):
    """Steps, and |alpha| as steps by blocks."""
    return [step for step, _ in rows], numpy.abs([row["profile"]["branch_scale"] for _, row in rows])


def spectrum(row):
    """log10 of the singular values; those that are zero or not resolved are left out."""
    values = row["log10_singular_values"]
    return numpy.array([v for v in values if v is not None], dtype=float), len(values)


def draw_loss(runs, path):
    columns = sorted({(run["model"], run["depth"]) for run in runs})
    figure, axes = plt.subplots(1, len(columns), figsize=(2.3 * len(columns), 2.5), sharey=True, squeeze=False)
    for axis, (model, depth) in zip(axes[0], columns):
        for run in runs:
            if (run["model"], run["depth"]) == (model, depth):
                axis.plot(smoothed(run["losses"]), color=COLORS[run["kind"]], label=run["kind"])
        axis.set_yscale("log")
        axis.set_title(f"{model}, {depth} layers", fontsize=9)
        axis.set_xlabel("step")
    axes[0, 0].set_ylabel("training loss")
    axes[0, 0].legend(fontsize=7)
    save(figure, path)


def draw_alpha(reports, path):
    models = sorted({model for model, _ in reports})
    figure, axes = plt.subplots(len(models), 2, figsize=(8, 3 * len(models)), squeeze=False)
    for (left, right), model in zip(axes, models):
        steps, alpha = alphas(reports[model, "rezero"])
        for row, step in enumerate(steps):
            color = plt.cm.viridis(row / max(1, len(steps) - 1))
            left.plot(alpha[row], color=color, lw=1, label=f"step {step}")
        left.set(title=model, xlabel="block", ylabel="|alpha|", ylim=(0, 1.45 * alpha.max()))
        left.legend(fontsize=6, ncol=3, loc="upper center")
        image = right.imshow(alpha, aspect="auto", cmap="magma", interpolation="nearest")
        right.set(title=model, xlabel="block", ylabel="step", yticks=range(len(steps)), yticklabels=steps)
        figure.colorbar(image, ax=right, label="|alpha|")
    save(figure, path)


def draw_spectrum(reports, path):
    """Left: every kind at the last step, largest value first. Right: ReZero against step."""
    models = sorted({model for model, _ in reports})
    figure, axes = plt.subplots(len(models), 2, figsize=(8, 3 * len(models)), squeeze=False)
    for (left, right), model in zip(axes, models):
        for kind, color in COLORS.items():
            step, row = reports[model, kind][-1]
            left.plot(numpy.sort(spectrum(row)[0])[::-1], ".-", color=color, label=kind)
        left.set(title=f"{model}, step {step}", xlabel="index", ylabel="log10 singular value")
        left.legend(fontsize=7)
        steps = [step for step, _ in reports[model, "rezero"]]
        for step, row in reports[model, "rezero"]:
            values = spectrum(row)[0]
            right.plot([step] * len(values), values, "_", color=COLORS["rezero"])
        right.set(title=f"{model}, rezero", xlabel="step", xticks=steps, ylabel="log10 singular value")
    save(figure, path)


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, dpi=75)
    plt.close(figure)
    print(f"{path}: {os.path.getsize(path)} bytes")


def print_numbers(runs, reports):
    print("\nmodel        layers kind      loss of the last 10 steps")
    for run in runs:
        print(f"{run['model']:12} {run['depth']:6} {run['kind']:9} {numpy.mean(run['losses'][-10:]):.4g}")
    print("\nmodel        kind      step  log10 sigma: min, median, max, resolved values")
    for (model, kind), items in sorted(reports.items()):
        for step, row in (items[0], items[-1]):
            values, count = spectrum(row)
            ends = [values.min(), numpy.median(values), values.max()] if len(values) else []
            print(f"{model:12} {kind:9} {step:4}  " + ", ".join(f"{v:.3f}" for v in ends) + f", {len(values)}/{count}")
    print("\nmodel        step  |alpha|: min, median, max, mean of first and last quarter, largest block")
    for model in sorted({model for model, _ in reports}):
        steps, alpha = alphas(reports[model, "rezero"])
        quarter = max(1, alpha.shape[1] // 4)
        for step, row in zip(steps, alpha):
            print(f"{model:12} {step:4}  {row.min():.4f}, {numpy.median(row):.4f}, {row.max():.4f}, "
                  f"{row[:quarter].mean():.4f}, {row[-quarter:].mean():.4f}, {row.argmax()}")


def main():
    folder, output = sys.argv[1], sys.argv[2]
    runs = []
    for path in sorted(glob.glob(os.path.join(folder, "*.runs.json"))):
        with open(path) as file:
            runs += json.load(file)
    reports = checkpoints(folder)
    draw_loss(runs, os.path.join(output, "loss.png"))
    draw_alpha(reports, os.path.join(output, "alpha.png"))
    draw_spectrum(reports, os.path.join(output, "spectrum.png"))
    print_numbers(runs, reports)


if __name__ == "__main__":
    main()
