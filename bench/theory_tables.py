#!/usr/bin/env python3
"""Tables that set predictions of rezero-analyze beside reference figures and beside measurements of the tool.

    bench/theory_tables.py --list              the tables
    bench/theory_tables.py moments edge        two of them
    bench/theory_tables.py all --quick         all, with fewer seeds and smaller widths
    bench/theory_tables.py grid --tool build/rezero-analyze

A row has what the tool predicts, the reference figure with the digits it is known to, and the mean of what the tool
measures with its standard error. Reference figures come from formulas that were evaluated, and checked at finite width,
apart from this program; those of a published table name the paper. A row is flagged

    reference   if the prediction, rounded to the digits of the reference, differs from it by more than one unit of the
                last digit plus the slack that the row states
    measured    if mean and prediction differ by more than 4 standard errors and the allowance of the row, which is
                the bias that finite width is known to cause

The rows of a table that no option of the tool can express are listed, and why. Needs python3 alone.

Exit codes: 0 no row is flagged; 1 some are; 2 usage, or the tool failed.
"""
import argparse
import bisect
import cmath
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LN10 = math.log(10)
TRACY_WIDOM_MEAN, TRACY_WIDOM_SD = -1.2065336, 1.2680


class Failure(Exception):
    """One line for the user."""


# ---- the tool --------------------------------------------------------------------------------------------------------


class Tool:
    def __init__(self, path, quick, threads):
        self.path, self.quick, self.threads = path, quick, threads

    def text(self, *args):
        command = [self.path] + [str(a) for a in args]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                                  env=dict(os.environ, OMP_WAIT_POLICY="passive"))
        except OSError as error:
            raise Failure("cannot run %s (%s)" % (self.path, error.strerror)) from error
        if done.returncode not in (0, 1):
            raise Failure("%s: exit code %d: %s" % (" ".join(command), done.returncode, done.stderr.strip()))
        return done.stdout

    def json(self, *args):
        def refuse(name):
            raise Failure("%s: the report has %s" % (" ".join(str(a) for a in args), name))

        return json.loads(self.text(*args, "--format", "json"), parse_constant=refuse)


class Net:
    """Options of one stack, without depth, width and seeds."""

    def __init__(self, family, scheme, init, activation=None, more=()):
        self.args = ["--family", family, "--scheme", scheme, "--init", init]
        if activation:
            self.args += ["--activation", activation]
        self.args += list(more)


def gaussian(variance=1.0, bias=0.0):
    """W with variance/fan_in, for both matrices of an mlp; bias: a variance."""
    return "gaussian:sigma_w=%.17g" % math.sqrt(variance) + (":sigma_b=%.17g" % math.sqrt(bias) if bias else "")


def linear(alpha, init=None):
    return Net("linear", fixed(alpha), init or gaussian())


def one(family, activation, alpha, variance=1.0, bias=0.0):
    return Net(family, fixed(alpha), gaussian(variance, bias), activation)


def two(activation, alpha, first, more=()):
    """W2 phi(W1 x) with variances first/n and 1/m, without biases: alpha and W2 are one factor of the last weight."""
    scheme = "last-weight-scaled:c=%.17g:p=0" % (alpha / math.sqrt(first))
    return Net("mlp", scheme, gaussian(first), activation, more)


def fixed(alpha):
    return "fixed:alpha=%.17g" % alpha


class Run:
    """One stack at one depth and width: what is predicted, and what its draws have."""

    def __init__(self, tool, net, depth, width, seeds, values="none", profile=False, more=()):
        args = net.args + ["--depth", depth, "--width", width, "--seed", "0:%d" % (seeds - 1), "--theory", "-q",
                           "--values", values] + tool.threads + list(more)
        if profile:
            args.append("--profile")
        report = tool.json(*args)
        self.depth, self.width, self.args = depth, width, args
        # Unresolved: values below the resolution of the method are null; the others stand.
        self.rows = [r for r in report["results"] if r["status"] in ("ok", "unresolved")]
        if len(self.rows) != seeds:
            raise Failure("%s: %d of %d cells failed" % (" ".join(map(str, args)), seeds - len(self.rows), seeds))
        self.theory = report["summary"][0]["theory"]
        self.predicted = self.theory.get("predicted") or {}
        self.spectrum = self.theory.get("spectrum")
        self.comparisons = {c["name"]: c for c in self.theory.get("comparisons", [])}

    def metric(self, name):
        return [r["metrics"][name] for r in self.rows]

    def distances(self):
        return [r["theory"].get("kolmogorov_distance") for r in self.rows]

    def distance(self):
        """Median over draws, as the tool's test; None without a law."""
        distances = self.distances()
        return statistics.median(distances) if None not in distances else None

    def edge(self, name="log10_upper_edge"):
        return 10 ** self.spectrum[name] if self.spectrum and self.spectrum[name] is not None else None

    def without_law(self):
        return "no prediction: %s" % self.theory.get("no_spectrum", self.theory.get("reason"))

    def verdicts(self):
        return " ".join("%s: %s" % (c["name"], c["verdict"]) for c in self.comparisons.values()
                        if c["verdict"] in ("disagrees", "borderline"))


def predict(tool, net, depth, width):
    return tool.json("theory", *net.args, "--depth", depth, "--width", width)["predictions"][0]


# ---- statistics ------------------------------------------------------------------------------------------------------


def mean_and_error(samples):
    if len(samples) < 2:
        return samples[0], None
    return statistics.fmean(samples), statistics.stdev(samples) / math.sqrt(len(samples))


def sd_and_error(samples):
    """Standard deviation, and its standard error from the fourth moment."""
    mean, n = statistics.fmean(samples), len(samples)
    sd = statistics.stdev(samples)
    fourth = statistics.fmean([(x - mean) ** 4 for x in samples])
    return sd, math.sqrt(max(fourth - sd ** 4, 0) / n) / (2 * sd)


def interpolate(x, xs, ys):
    """Linear between ascending xs, constant beyond."""
    if x <= xs[0]:
        return ys[0]
    if x >= xs[-1]:
        return ys[-1]
    i = bisect.bisect_right(xs, x)
    share = (x - xs[i - 1]) / (xs[i] - xs[i - 1])
    return ys[i - 1] + share * (ys[i] - ys[i - 1])


def kolmogorov(values, xs, cdf):
    """Distance of the values' distribution from that of a table."""
    values = sorted(values)
    n = len(values)
    distance = 0.0
    for i, x in enumerate(values):
        f = interpolate(x, xs, cdf)
        distance = max(distance, f - i / n, (i + 1) / n - f)
    return distance


def universal_law(c, points=400):
    """log10 sigma and distribution function of the limit of many small branches, log z = log(1 + 1/u) + c (1 + 2u)."""
    edge = math.asinh(math.sqrt(c / 2)) + math.sqrt(c * c + 2 * c) / 2  # of log sigma
    theta = 1e-6
    top = 2 * edge + 4
    u = 1 / (cmath.exp(top + 1j * theta) * math.exp(-c))
    ys, density = [], []

    def solve(y, u):
        target = complex(y, theta)
        for _ in range(200):
            f = cmath.log((1 + u) / u) + c * (1 + 2 * u) - target
            f = complex(f.real, (f.imag + math.pi) % (2 * math.pi) - math.pi)
            slope = 1 / (1 + u) - 1 / u + 2 * c
            step = f / slope
            limit = 0.3 * min(abs(u), abs(1 + u))
            if abs(step) > limit:
                step *= limit / abs(step)
            u -= step
            if u.imag > 0:
                u = u.conjugate()
            if abs(step) < 1e-14 * abs(u):
                break
        return u

    y = top
    while y > 2 * edge + 0.01:
        u = solve(y, u)
        y -= 0.05
    for i in range(points + 1):
        y = -2 * edge * math.cos(math.pi * (points - i) / points)  # downwards, dense at the edges
        u = solve(y, u)
        ys.append(y), density.append(max(-u.imag / math.pi, 0))
    ys.reverse(), density.reverse()
    cdf = [0.0]
    for i in range(1, len(ys)):
        cdf.append(cdf[-1] + (ys[i] - ys[i - 1]) * (density[i] + density[i - 1]) / 2)
    return [y / (2 * LN10) for y in ys], [x / cdf[-1] for x in cdf]


# ---- printing --------------------------------------------------------------------------------------------------------


def short(x):
    if x is None:
        return "-"
    if isinstance(x, str):
        return x
    return "%.4g" % x


def last_unit(text):
    """Value of one unit of the last digit of a printed number."""
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - decimals)


class Table:
    flagged = 0

    def __init__(self, title, note=None):
        self.count, self.bad = 0, 0
        print("\n## %s\n" % title)
        if note:
            print(note + "\n")
        print("| row | quantity | predicted | reference | measured | flags |")
        print("|---|---|---|---|---|---|")

    def row(self, name, quantity, predicted, reference=None, samples=None, allowance=0.0, slack=0.0, measured=None,
            ratio=None, note=""):
        """`samples` or `measured` = (value, standard error); `allowance` and `slack` are absolute; `ratio`: bounds of
        measured/predicted instead of the test of the mean."""
        flags = []
        if reference is not None:
            if predicted is None:
                flags.append("no prediction")
            elif abs(predicted - float(reference)) > 1.0001 * last_unit(reference) + slack:
                flags.append("reference")
        text = "-"
        if samples is not None:
            measured = mean_and_error(samples)
        if measured is not None:
            mean, error = measured
            text = short(mean) + (" ± %.2g" % error if error is not None else "")
            if predicted is not None:
                if ratio is not None:
                    if not ratio[0] <= mean / predicted <= ratio[1]:
                        flags.append("measured: ratio %.3f" % (mean / predicted))
                elif error is not None:
                    beyond = abs(mean - predicted) - allowance
                    # Rounding, where every draw has the same value.
                    if beyond > 4 * error + 1e-9 * abs(predicted):
                        flags.append("measured" + (": %.1f errors" % (beyond / error) if error > 0 else ""))
        if note:
            flags.append(note)
        self.count += 1
        if any(f.startswith(("reference", "measured", "no prediction", "verdict", "not ", "accepted")) for f in flags):
            self.bad += 1
            Table.flagged += 1
        print("| %s | %s | %s | %s | %s | %s |" % (name, quantity, short(predicted), reference or "-", text,
                                                   "; ".join(flags)))
        sys.stdout.flush()

    def verdict(self, name, run):
        if run.verdicts():
            self.row(name, "verdicts", None, note="verdict " + run.verdicts())

    def end(self, left_out=()):
        print("\n%d rows, %d flagged." % (self.count, self.bad))
        for line in left_out:
            print("- Not run: %s" % line)
        sys.stdout.flush()


def moment_allowance(run, exact, norms=False):
    """Largest bias of m1 that finite width is known to cause."""
    if exact:
        return 0.0
    allowed = 0.25 * (1 + (run.predicted.get("relative_variance") or 0)) / run.width
    return max(allowed, 3 * run.depth / run.width) if norms else allowed


# ---- tables ----------------------------------------------------------------------------------------------------------

PRODUCT = ["--method", "product"]  # resolves every value, whatever the condition of J
SECOND_BIAS = "the bias has variance 0 in the second matrix alone; --init gives both matrices one"


def moments(tool):
    n, seeds, depth = (150, 8, 16) if tool.quick else (300, 16, 16)
    table = Table("moments: q_L, m1 and relative variance, n = %d, L = %d, %d seeds" % (n, depth, seeds))
    leak = "leaky_relu:slope=0.1"
    root2 = math.sqrt(2)
    half_leak = (1 + 0.01) / 2  # E phi'^2 of leaky relu
    # Biases of both matrices that add what b1 of variance 0.1 adds when the first variance is 2 and the second 1.
    shared_bias = 0.1 * half_leak / (root2 * half_leak + 1)
    haar = lambda family, gain, alpha, phi=None: Net(family, fixed(alpha), "orthogonal:gain=%.17g" % gain, phi)
    rows = [
        # name, net, q_L, m1, relative variance, exact at every width
        ("linear a=.25", linear(0.25), "2.638", "2.638", "1.827", True),
        ("linear a=1", linear(1), "6.554e4", "6.554e4", "12.00", True),
        ("dense tanh a=.25 sw2=1.5 sb2=.1", one("dense", "tanh", 0.25, 1.5, 0.1), "1.514", "1.687", "1.029", False),
        ("dense tanh a=1 sw2=1.5 sb2=.1", one("dense", "tanh", 1, 1.5, 0.1), "12.34", "66.61", "8.410", False),
        ("dense erf a=.5", one("dense", "erf", 0.5), "3.318", "5.257", "3.163", False),
        ("preactivation erf a=.5", one("preactivation", "erf", 0.5), "3.318", "5.257", None, False),
        ("preactivation tanh a=1 sw2=1.5 sb2=.1", one("preactivation", "tanh", 1, 1.5, 0.1), "19.27", "80.86", None,
         False),
        ("mlp relu a=.25", one("mlp", "relu", 0.25, root2), "2.638", "2.638", "1.938", True),
        ("mlp relu a=1", one("mlp", "relu", 1, root2), "6.554e4", "6.554e4", "20.00", True),
        ("mlp relu a=.25 gamma=4", Net("mlp", fixed(0.25), gaussian(root2), "relu", ["--hidden-ratio", 4]), "2.638",
         "2.638", "1.855", True),
        ("mlp leaky a=.25 sb2=.1", one("mlp", leak, 0.25, root2, shared_bias), "2.746", "2.663", "1.954", True),
        ("linear Haar a=.25", haar("linear", 1, 0.25), "2.638", "2.638", "1.772", True),
        ("mlp relu Haar a=.25", haar("mlp", 2 ** 0.25, 0.25, "relu"), "2.638", "2.638", "1.827", True),
        ("dense tanh Haar a=.5", haar("dense", 1, 0.5, "tanh"), "2.993", "4.111", None, False),
        ("dense relu a=.25 sw2=2", one("dense", "relu", 0.25, 2), "29.25", "2.858", None, False),
        ("dense relu a=1 sw2=2", one("dense", "relu", 1, 2), "1.303e7", "2.70e5", None, False),
        ("dense gelu a=.25 sw2=2", one("dense", "gelu", 0.25, 2), "21.04", "2.904", None, False),
        ("dense leaky a=.25 sw2=2", one("dense", leak, 0.25, 2), "21.07", "2.819", None, False),
        ("mlp tanh a=1 s1=1.5", two("tanh", 1, 1.5), None, None, None, False),
        ("mlp gelu a=.25 s1=2", two("gelu", 0.25, 2), None, None, None, False),
        ("mlp tanh a=1 sw2=1.5 sb2=.1, both matrices", one("mlp", "tanh", 1, 1.5, 0.1), None, None, None, False),
        ("mlp gelu a=.25 sw2=1.5 sb2=.1, both matrices", one("mlp", "gelu", 0.25, 1.5, 0.1), None, None, None, False),
    ]
    for name, net, q, m1, relvar, exact in rows:
        run = Run(tool, net, depth, n, seeds, profile=True)
        outlier = name.startswith("dense") and "tanh" not in name and "erf" not in name
        # q_L starts from |x_0|^2/n of the draw, and is fixed by few draws.
        q_seen = [10 ** (2 * r["profile"]["log10_forward_rms"][-1]) for r in run.rows]
        q_told = 10 ** (2 * run.theory["log10_forward_rms"][-1])
        table.row(name, "q_L", q_told, q, q_seen, allowance=q_told * 0.25 * depth / n)
        told = run.predicted["mean_square"]
        # An outlier's share of m1 is an estimate at finite width.
        bulk_allowance = 0.02 if outlier and "a=1" in name else moment_allowance(run, exact)
        if q and tool.quick and outlier:
            m1 = None  # depends on n
        table.row(name, "m1", told, m1, run.metric("mean_square"), allowance=told * bulk_allowance)
        if not outlier:
            told = run.predicted["relative_variance"]
            table.row(name, "relvar", told, relvar, run.metric("relative_variance"),
                      allowance=told * (1 + told) / n)
        table.verdict(name, run)
    # Branch scales that differ.
    n, depth = (200, 12) if tool.quick else (400, 12)
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump([0.02 + (0.6 - 0.02) * l / (depth - 1) for l in range(depth)], file)
    try:
        scheme = "rezero:alphas=" + file.name
        for name, net in [("linear, alpha .02 to .6", Net("linear", scheme, gaussian())),
                          ("mlp relu, alpha .02 to .6", Net("mlp", scheme, gaussian(root2), "relu"))]:
            run = Run(tool, net, depth, n, seeds)
            table.row(name, "m1", run.predicted["mean_square"], "4.041", run.metric("mean_square"))
            table.verdict(name, run)
    finally:
        os.unlink(file.name)
    table.end(["mlp gelu a=.25 sb2=.1 and mlp tanh a=1 sw2=1.5 sb2=.1 of the reference: " + SECOND_BIAS,
               "mlp gelu with branch scales .02 to .6: variances 2 and 1 of the two matrices beside --scheme rezero",
               "preactivation branches behind a given two-valued input: the tool has no theory for these"])


def outlier(tool):
    seeds = 6 if tool.quick else 16
    table = Table("outlier: largest singular value of dense branches with E phi'' != 0, %d seeds" % seeds,
                  "The prediction comes from the excess of the trace: the largest value lies 0.95 to 1.2 times as"
                  " high.")
    leak = "leaky_relu:slope=0.1"
    for name, phi, alpha, n, reference in [("relu a=.25", "relu", 0.25, 300, "8.12"),
                                           ("relu a=1", "relu", 1, 300, "7826"),
                                           ("gelu a=.25", "gelu", 0.25, 300, "8.56"),
                                           ("leaky a=.25", leak, 0.25, 300, "6.84"),
                                           ("relu a=.25", "relu", 0.25, 400, None)]:
        run = Run(tool, one("dense", phi, alpha, 2), 16, n, seeds)
        slack = 0.01 * float(reference or 0) if alpha == 1 or "leaky" in name else 0.02
        table.row("%s n=%d L=16" % (name, n), "sigma_max", run.predicted["sigma_max"], reference,
                  run.metric("sigma_max"), ratio=(0.95, 1.2), slack=slack)
        if run.predicted["bulk_sigma_max"]:
            edge = run.predicted["bulk_sigma_max"]
            table.row("%s n=%d L=16" % (name, n), "second sigma", edge, None, run.metric("bulk_sigma_max"),
                      ratio=(0.9, 1.05))
        distance = run.distance()
        if distance is None:
            table.row("%s n=%d L=16" % (name, n), "n KS", None, note=run.without_law())
            continue
        table.row("%s n=%d L=16" % (name, n), "n KS (at most 6)", None, None, measured=(n * distance, None),
                  note="" if n * distance <= 6 else "measured: n KS")
        table.verdict(name, run)
    n = 250 if tool.quick else 500
    for depth, formula, m1 in [(16, "8.26", "2.64"), (64, "78.4", "2.70"), (144, "747", "2.71")]:
        run = Run(tool, Net("dense", "depth-power", "he", "relu"), depth, n, seeds)
        name = "relu a=1/sqrt L, n=%d L=%d" % (n, depth)
        # (1 + alpha/sqrt pi)^L, another estimate of the same value: the two differ by some percent.
        table.row(name, "sigma_max", run.predicted["sigma_max"], formula, run.metric("sigma_max"), ratio=(0.95, 1.2),
                  slack=0.15 * float(formula))
        told = run.predicted["mean_square"]
        table.row(name, "m1", told, None, run.metric("mean_square"), ratio=(0.9, 1.3))
        rest = [(m * n - s * s) / n for m, s in zip(run.metric("mean_square"), run.metric("sigma_max"))]
        bulk = (1 + 1 / depth) ** depth
        table.row(name, "m1 without the largest", bulk, m1, rest, allowance=0.25 * (1 + 2) / n * bulk + bulk * 0.01)
        table.row(name, "second sigma", run.predicted["bulk_sigma_max"], None, run.metric("bulk_sigma_max"),
                  ratio=(0.9, 1.1))
        table.verdict(name, run)
    table.end()


def log(tool):
    seeds = 4 if tool.quick else 8
    n = 200 if tool.quick else 400
    table = Table("log: mean of log sigma, n = %d, %d seeds" % (n, seeds))
    for s, reference in [(1.5, ".1277"), (2, ".3182"), (3, ".6542")]:
        run = Run(tool, linear(s), 1, n, seeds)
        table.row("linear L=1 alpha sw = %g" % s, "mean log sigma", run.predicted["mean_log_sigma"], reference,
                  run.metric("mean_log_sigma"), allowance=4.0 / n)
    for name, make in [("linear", linear), ("mlp relu", lambda a: one("mlp", "relu", a, math.sqrt(2))),
                       ("mlp tanh", lambda a: one("mlp", "tanh", a)), ("dense tanh", lambda a: one("dense", "tanh", a)),
                       ("preactivation tanh", lambda a: one("preactivation", "tanh", a))]:
        for depth in (4, 16, 64):
            run = Run(tool, make(1 / math.sqrt(depth)), depth, n, seeds)
            table.row("%s L=%d a=1/sqrt L" % (name, depth), "mean log sigma", run.predicted["mean_log_sigma"], None,
                      run.metric("mean_log_sigma"), allowance=2.5 / n)
    table.end()


MASKS = [  # name, activation, alpha, variance, bias variance, depth, corrected relative variance
    ("relu a=.25", "relu", 0.25, 2, 0, 16, "2.295"),
    ("gelu a=.25 sw2=2", "gelu", 0.25, 2, 0, 16, "2.292"),
    ("tanh a=.25 sw2=1.5 sb2=.1", "tanh", 0.25, 1.5, 0.1, 16, "1.335"),
    ("erf a=.5", "erf", 0.5, 1, 0, 16, "3.937"),
    ("tanh a=1 sw2=1.5 sb2=.1", "tanh", 1, 1.5, 0.1, 16, "11.05"),
    ("relu a=1", "relu", 1, 2, 0, 16, "18.73"),
    ("relu a=1, L=8", "relu", 1, 2, 0, 8, "9.224"),
]


def masks(tool):
    n, seeds = (200, 8) if tool.quick else (300, 24)
    table = Table("masks: relative variance of preactivation stacks, n = %d, %d seeds" % (n, seeds),
                  "Allowance: 1.5 (1 + relvar)/n, relative.")
    for name, phi, alpha, variance, bias, depth, reference in MASKS:
        run = Run(tool, one("preactivation", phi, alpha, variance, bias), depth, n, seeds)
        told = run.predicted["relative_variance"]
        table.row(name, "relvar", told, reference, run.metric("relative_variance"),
                  allowance=1.5 * (1 + told) / n * told)
        table.verdict(name, run)
    n, seeds = (400, 4) if tool.quick else (900, 8)
    run = Run(tool, one("preactivation", "relu", 1, 2), 8, n, seeds)
    told = run.predicted["relative_variance"]
    table.row("relu a=1, L=8, n=%d" % n, "relvar", told, "9.224", run.metric("relative_variance"),
              allowance=1.5 * (1 + told) / n * told)
    table.end()


def edge_scale(run):
    """(n A)^(-2/3), from the distance of the predicted sigma_max to the edge."""
    return 2 * LN10 * (run.spectrum["log10_upper_edge"] - run.predicted["log10_sigma_max"]) / -TRACY_WIDOM_MEAN


def edge(tool):
    seeds = 24 if tool.quick else 60
    n = 200
    table = Table("edge: extreme singular values, n = %d, %d seeds" % (n, seeds),
                  "Scaled: (log sigma^2 - edge)(n A)^(2/3), whose law has mean -1.2065 and standard deviation 1.268;"
                  " the"
                  " mean may lie 0.8 below and 0.35 above it.")
    root2 = math.sqrt(2)
    rows = [("linear L16 a.25", linear(0.25), 16, "4.327", "4.224"), ("linear L4 a1", linear(1), 4, "12.38", "12.05"),
            ("mlp relu L16 a.25", one("mlp", "relu", 0.25, root2), 16, "4.538", "4.411"),
            ("mlp tanh L8 a.5", one("mlp", "tanh", 0.5), 8, "3.844", "3.745"),
            ("mlp tanh L8 a.5 s1=1.5", two("tanh", 0.5, 1.5), 8, "3.844", "3.745")]
    for name, net, depth, top, shifted in rows:
        run = Run(tool, net, depth, n, seeds)
        told = run.edge()
        if told is None:
            table.row(name, "edge", None, note=run.without_law())
            continue
        if abs(told - float(top)) > 0.1:
            top = shifted = None  # another variance than that of the reference
        scale = edge_scale(run)
        table.row(name, "edge", told, top)
        predicted = run.predicted["sigma_max"]
        table.row(name, "sigma_max", predicted, shifted, run.metric("sigma_max"), allowance=0.8 * scale / 2 * predicted)
        z = [2 * LN10 * (x - run.spectrum["log10_upper_edge"]) / scale for x in run.metric("log10_sigma_max")]
        table.row(name, "scaled mean", TRACY_WIDOM_MEAN, None, z, allowance=0.8)
        table.row(name, "scaled sd", TRACY_WIDOM_SD, None, measured=sd_and_error(z), allowance=0.15)
        table.verdict(name, run)
    for name, net, depth, bottom, shifted in [("linear L16 a.25", linear(0.25), 16, ".2039", ".2101"),
                                              ("linear L4 a.3", linear(0.3), 4, ".3843", ".3920"),
                                              ("mlp relu L16 a.25", one("mlp", "relu", 0.25, root2), 16, None, None),
                                              ("mlp tanh L16 a.25", one("mlp", "tanh", 0.25), 16, None, None),
                                              ("dense tanh L16 a.25", one("dense", "tanh", 0.25), 16, None, None)]:
        run = Run(tool, net, depth, n, seeds)
        table.row(name, "lower edge", run.edge("log10_lower_edge"), bottom)
        predicted = run.predicted["sigma_min"]
        scale = 2 * LN10 * (run.predicted["log10_sigma_min"] - run.spectrum["log10_lower_edge"]) / -TRACY_WIDOM_MEAN
        table.row(name, "sigma_min", predicted, shifted, run.metric("sigma_min"), allowance=0.8 * scale / 2 * predicted)
    table.end()
    scan(tool)


def scan(tool):
    """Mean of z over draws, stack by stack: the bias at finite width that compare_edge leaves room for."""
    seeds = 16 if tool.quick else 64
    widths = (64, 128, 256) if tool.quick else (64, 128, 256, 512)
    found, skipped = [], 0
    outside = 0
    for family, phi in [("linear", None), ("mlp", "relu"), ("mlp", "tanh")]:
        for scheme in ("depth-power", "fixed:alpha=1", "plain"):
            for depth in (1, 4, 16):
                for n in widths:
                    net = Net(family, scheme, "gaussian:sigma_w=1.2", phi)
                    run = Run(tool, net, depth, n, seeds, more=["--top", 1])
                    compared = run.comparisons.get("log10_sigma_max")
                    if compared is None or compared["statistic"] is None:
                        skipped += 1
                        continue
                    z = compared["statistic"]
                    outside += compared["verdict"] == "disagrees"
                    found.append((z, "%s %s %s L=%d n=%d" % (family, phi or "", scheme, depth, n)))
    found.sort()
    print("\nMean Tracy-Widom z of %d draws for %d stacks of widths %d to %d (%d more without): from %.2f (%s)"
          " to %.2f (%s); median %.2f; %d stacks disagree." %
          (seeds, len(found), widths[0], widths[-1], skipped, found[0][0], found[0][1], found[-1][0], found[-1][1],
           statistics.median(z for z, _ in found), outside))
    for z, name in found[:4] + found[-4:]:
        print("- %.2f %s" % (z, name))
    # The standard error of each mean is 1.27/sqrt(seeds).
    error = TRACY_WIDOM_SD / math.sqrt(seeds)
    limits = (TRACY_WIDOM_MEAN - 1 - 3 * error, TRACY_WIDOM_MEAN + 0.35 + 3 * error)
    if found[0][0] < limits[0] or found[-1][0] > limits[1]:
        print("FLAG: beyond [%.2f, %.2f]" % limits)
        Table.flagged += 1
    sys.stdout.flush()


def spectra(tool):
    n, seeds = (200, 2) if tool.quick else (400, 3)
    table = Table("spectra: m1, spread of sigma^2, edge and Kolmogorov distance, n = %d, %d seeds" % (n, seeds),
                  "KS: median over draws; predicted stands for the largest that agrees, 6/n, and 8/n with norms.")
    root2 = math.sqrt(2)
    rows = []

    def add(name, net, depth, m1, spread, top, norms=False, exact=False):
        rows.append((name, net, depth, m1, spread, top, norms, exact))

    def alphas(depth):
        return [(".1", 0.1), ("1/sqrt L", 1 / math.sqrt(depth)), ("1", 1)]

    figures = {
        "linear": {(1, ".1"): ("1.010", ".140", "1.144"), (1, "1"): ("2.000", ".866", "2.598"),
                   (4, ".1"): ("1.041", ".281", "1.318"), (4, "1/sqrt L"): ("2.441", "1.200", "3.722"),
                   (4, "1"): ("16.00", "1.732", "12.38"), (16, ".1"): ("1.173", ".561", "1.760"),
                   (16, "1/sqrt L"): ("2.638", "1.352", "4.327"), (16, "1"): ("6.55e4", "3.464", "1494"),
                   (64, ".1"): ("1.890", "1.123", "3.255"), (64, "1/sqrt L"): ("2.697", "1.398", "4.522"),
                   (64, "1"): ("1.85e19", "6.93", "4.93e10")},
        "mlp relu": {(1, ".1"): ("1.010", ".141", "1.191"), (1, "1"): ("2.000", "1.118", "3.361"),
                     (4, ".1"): ("1.041", ".282", "1.356"), (4, "1/sqrt L"): ("2.441", "1.327", "4.288"),
                     (4, "1"): ("16.00", "2.236", "16.16"), (16, ".1"): ("1.173", ".564", "1.790"),
                     (16, "1/sqrt L"): ("2.638", "1.392", "4.538"), (16, "1"): ("6.55e4", "4.472", "1938"),
                     (64, ".1"): ("1.890", "1.129", "3.287"), (64, "1/sqrt L"): ("2.697", "1.409", "4.582"),
                     (64, "1"): ("1.85e19", "8.94", "6.38e10")},
        "mlp tanh": {(1, "1"): ("1.464", ".832", "2.469"), (4, "1"): ("3.718", "1.581", "5.986"),
                     (16, ".1"): ("1.076", ".383", "1.479"), (16, "1/sqrt L"): ("1.535", ".924", "2.630"),
                     (16, "1"): ("37.85", "2.744", "30.10"), (64, "1/sqrt L"): ("1.539", ".928", "2.622"),
                     (64, "1"): ("3942", "4.324", "465")},
        "dense tanh": {(4, "1"): ("3.718", "1.478", "5.494"), (16, "1/sqrt L"): ("1.535", ".918", "2.591"),
                       (64, "1"): ("3942", "4.193", "450")},
    }
    makers = {"linear": linear, "mlp relu": lambda a: one("mlp", "relu", a, root2),
              "mlp tanh": lambda a: one("mlp", "tanh", a), "dense tanh": lambda a: one("dense", "tanh", a)}
    for family, cells in figures.items():
        for (depth, text), (m1, spread, top) in cells.items():
            alpha = dict(alphas(depth))[text]
            add("%s L=%d a=%s" % (family, depth, text), makers[family](alpha), depth, m1, spread, top,
                exact=family in ("linear", "mlp relu"))
    haar = lambda family, gain, scheme, phi=None: Net(family, scheme, "orthogonal:gain=%.17g" % gain, phi)
    add("linear Haar L=4 a=.5", haar("linear", 1, fixed(0.5)), 4, "2.441", "1.131", "3.372", exact=True)
    add("mlp tanh Haar L=16 a=.25", haar("mlp", 1, fixed(0.25), "tanh"), 16, "1.535", ".912", "2.552")
    add("mlp relu Haar L=16 a=.25", haar("mlp", 2 ** 0.25, fixed(0.25), "relu"), 16, "2.638", "1.352", "4.323",
        exact=True)
    add("dense tanh Haar L=8 a=.5", haar("dense", 1, fixed(0.5), "tanh"), 8, "2.195", "1.187", "3.545")
    for gamma, figures_of in [(4, ("5.960", "1.744", "7.884")), (0.5, ("5.960", "2.040", "9.490"))]:
        add("mlp relu gamma=%g L=8 a=.5" % gamma,
            Net("mlp", fixed(0.5), gaussian(root2), "relu", ["--hidden-ratio", gamma]), 8, *figures_of, exact=True)
    pre = lambda a, sw2, phi: Net("mlp", "layerscale:epsilon=%.17g" % a, gaussian(sw2), phi)
    post = lambda a, sw2, phi: Net("mlp", "branchnorm:t=%d:horizon=100000" % round(100000 * a), gaussian(sw2), phi)
    add("pre-LN relu L=8 a=.5", pre(0.5, root2, "relu"), 8, "3.000", "1.477", "5.098", norms=True)
    add("pre-LN tanh L=16 a=1 s1=1.5", pre(1 / math.sqrt(1.5), 1.5, "tanh"), 16, "14.08", "2.261", "15.38", norms=True)
    add("post-LN relu L=8 a=.5", post(0.5, root2, "relu"), 8, "1.000", "1.876", "3.536", norms=True)
    add("post-LN tanh L=8 a=1 s1=1.5", post(1 / math.sqrt(1.5), 1.5, "tanh"), 8, "1.913", "2.620", "6.441", norms=True)
    add("plain linear L=4", Net("linear", "plain", gaussian()), 4, "1.000", "2.000", "3.494", exact=True)
    add("plain relu L=4", Net("dense", "plain", "he", "relu"), 4, "1.000", "2.828", "4.675")
    add("plain relu Haar L=4", haar("dense", root2, "plain", "relu"), 4, "1.000", "2.000", "3.079")
    add("plain tanh sb2=.05 L=4", Net("dense", "plain", gaussian(1, 0.05), "tanh"), 4, ".1359", "2.279", "1.445")
    add("plain tanh Haar sw2=1.05 L=16", haar("dense", math.sqrt(1.05), "plain", "tanh"), 16, None, None, None)
    for name, net, depth, m1, spread, top, norms, exact in rows:
        run = Run(tool, net, depth, n, seeds, values="log10", more=PRODUCT)
        told = run.predicted
        # Three draws do not tell the standard error: theirs is at least a percent of the size.
        def some(samples, value):
            mean, error = mean_and_error(samples)
            return mean, max(error, 0.01 * abs(value))
        table.row(name, "m1", told["mean_square"], m1, measured=some(run.metric("mean_square"), told["mean_square"]),
                  allowance=told["mean_square"] * moment_allowance(run, exact, norms))
        wide = math.sqrt(told["relative_variance"])
        table.row(name, "sd/m1", wide, spread,
                  measured=some([math.sqrt(x) for x in run.metric("relative_variance")], wide),
                  allowance=(0.5 * (1 + wide ** 2) + (depth if norms else 0)) / n * wide)
        border = run.edge()
        if border is None:
            table.row(name, "edge", None, top, note=run.without_law())
            continue
        table.row(name, "edge", border, top)
        if told["sigma_max"]:
            table.row(name, "sigma_max", told["sigma_max"], None,
                      measured=some(run.metric("sigma_max"), told["sigma_max"]),
                      allowance=(border - told["sigma_max"]) * 1.2 + (2.5 * depth / n * border if norms else 0))
        distance = run.distance()
        limit = (8 if norms else 6) / n
        atom = run.spectrum["atom_at_zero"]
        table.row(name, "KS", limit, None, measured=(distance, None),
                  note=("atom at 0: %.3f" % atom if atom else "") if distance <= limit else "measured: KS")
        table.verdict(name, run)
    table.end()
    print("\nAtoms at 1, a = 0.5 (low-rank branches): share of |log10 sigma| < 1e-9.\n")
    second = Table("atoms")
    for gamma, depth, reference in [(0.5, 1, ".500"), (0.25, 1, ".750"), (0.25, 2, ".500"), (0.25, 4, "0"),
                                    (0.125, 2, ".750"), (0.125, 4, ".500")]:
        net = Net("mlp", fixed(0.5), gaussian(root2), "relu", ["--hidden-ratio", gamma])
        run = Run(tool, net, depth, n, max(seeds, 6), values="log10")
        shares = [sum(abs(x) < 1e-9 for x in r["log10_singular_values"]) / n for r in run.rows]
        # The rank of a block is the number of slopes that are not 0: sd sqrt(gamma n)/2.
        second.row("mlp relu gamma=%g L=%d" % (gamma, depth), "atom at 1", run.spectrum["atom_at_one"], reference,
                   shares,
                   allowance=max(2 * math.sqrt(gamma * depth * n) / 2, 0.066 * n if reference == "0" else 0) / n)
        second.verdict("mlp relu gamma=%g L=%d" % (gamma, depth), run)
    second.end(["plain tanh Haar of the reference (m1 .0360): with biases, which --init orthogonal has not"])


def universal(tool):
    n, seeds = (150, 3) if tool.quick else (300, 3)
    table = Table("universal: law of many small branches, alpha = sqrt(c/L), n = %d, %d seeds" % (n, seeds),
                  "Variance of log sigma^2; the reference is 2c + c^2/3, its slack c/(4L) relative.")
    for c, reference in [(0.25, ".5208"), (1, "2.3333"), (4, "13.333")]:
        for depth in (64, 256):
            run = Run(tool, linear(math.sqrt(c / depth)), depth, n, seeds)
            told = 4 * run.predicted["std_log_sigma"] ** 2
            mean, error = mean_and_error([4 * x * x for x in run.metric("std_log_sigma")])
            table.row("linear c=%g L=%d" % (c, depth), "var log sigma^2", told, reference,
                      measured=(mean, max(error, 0.002 * mean)), slack=told * 0.25 * max(c, 1) / depth)
            table.row("linear c=%g L=%d" % (c, depth), "mean log sigma", run.predicted["mean_log_sigma"], None,
                      run.metric("mean_log_sigma"), allowance=2.5 / n)
            table.verdict("linear c=%g L=%d" % (c, depth), run)
    table.end()
    n = 200 if tool.quick else 400
    table = Table("universal: distance of spectra from the limit, c = 1, n = %d, %d seeds" % (n, seeds),
                  "Predicted: of the tool's law. Expected: what the reference measured at n = 400.")
    tanh_slope = 0.46440  # E phi'^2 at variance 1; falls along the stream, hence c from the moments
    for name, make, cells in [("mlp relu", lambda a: one("mlp", "relu", a, math.sqrt(2)),
                               [(4, ".051"), (16, ".018"), (64, ".008")]),
                              ("mlp tanh", lambda a: one("mlp", "tanh", a), [(16, ".012"), (64, ".009")]),
                              ("dense tanh", lambda a: one("dense", "tanh", a), [(64, ".009")])]:
        for depth, reference in cells:
            alpha = 1 / math.sqrt(depth)
            run = Run(tool, make(alpha), depth, n, seeds, values="log10")
            # sum of c_l, from the growth of gradients block by block.
            squares = run.theory["log10_gradient_square"]
            c = sum(10 ** (squares[l] - squares[l + 1]) - 1 for l in range(depth))
            xs, cdf = universal_law(c)
            law = run.spectrum
            apart = max(abs(interpolate(x, law["log10_sigma"], law["cdf"]) - f) for x, f in zip(xs, cdf))
            seen = [kolmogorov(r["log10_singular_values"], xs, cdf) for r in run.rows]
            own = statistics.median(run.distances())
            table.row("%s L=%d, c = %.4g" % (name, depth, c), "KS from the limit", apart, None, seen,
                      allowance=6.0 / n, note="expected %s; from the tool's law %.4f" % (reference, own))
    table.end()


def cavity(tool):
    n, seeds = (200, 3) if tool.quick else (400, 4)
    table = Table("cavity: spectra of preactivation stacks, n = %d, %d seeds" % (n, seeds),
                  "KS: median over draws; predicted stands for the largest that agrees, 6/n.")
    for name, phi, alpha, variance, bias, depth, relvar in [
            ("relu L4 a.5", "relu", 0.5, 2, 0, 4, None), ("relu L16 a.25", "relu", 0.25, 2, 0, 16, "2.295"),
            ("tanh L16 a.25 sw2=1.5 sb2=.1", "tanh", 0.25, 1.5, 0.1, 16, "1.335"),
            ("tanh L16 a.25", "tanh", 0.25, 1, 0, 16, None), ("tanh L16 a1", "tanh", 1, 1, 0, 16, None),
            ("tanh L16 a1 sw2=1.5 sb2=.1", "tanh", 1, 1.5, 0.1, 16, "11.05"),
            ("gelu L16 a.25 sw2=2", "gelu", 0.25, 2, 0, 16, "2.292"),
            ("relu L64 a.125", "relu", 0.125, 2, 0, 64, None)]:
        run = Run(tool, one("preactivation", phi, alpha, variance, bias), depth, n, seeds)
        if not run.spectrum or run.spectrum["method"] != "cavity":
            table.row(name, "KS", None, None, note="not available: %s" % run.theory.get("no_spectrum"))
            continue
        distance = statistics.median(run.distances())
        table.row(name, "KS", 6 / n, None, measured=(distance, None), note="" if distance <= 6 / n else "measured: KS")
        table.row(name, "sigma_max", run.predicted["sigma_max"], None, run.metric("sigma_max"), ratio=(0.85, 1.15))
        # m1 of the law itself, against the product of 1 + c.
        xs, cdf = run.spectrum["log10_sigma"], run.spectrum["cdf"]
        m1 = sum(10 ** (xs[i] + xs[i - 1]) * (cdf[i] - cdf[i - 1]) for i in range(1, len(xs)))
        table.row(name, "m1 of the law", m1, None, measured=(run.predicted["mean_square"], None), ratio=(0.95, 1.05))
        table.verdict(name, run)
    table.end(["a given two-valued input: the tool has no theory for preactivation branches behind it"])


def semicircle(tool):
    n, seeds = (200, 4) if tool.quick else (400, 6)
    table = Table("semicircle: small branches, n = %d, %d seeds" % (n, seeds),
                  "Reference: first order in c, radius sqrt(2c) and standard deviation sqrt(c/2); slack O(c) relative.")
    root2 = math.sqrt(2)
    for name, net, depth, c, radius, sd in [
            ("linear L1 a.01", linear(0.01), 1, 1e-4, ".01414", ".00707"),
            ("linear L16 a.01", linear(0.01), 16, 16e-4, ".0566", ".02828"),
            ("linear L64 a.003", linear(0.003), 64, 64 * 9e-6, ".0339", ".01697"),
            ("linear L64 a.01", linear(0.01), 64, 64e-4, ".1131", ".05657"),
            ("mlp relu L32 a.005", one("mlp", "relu", 0.005, root2), 32, 32 * 25e-6, ".0400", ".02000"),
            ("mlp relu L64 a=1e-6", one("mlp", "relu", 1e-6, root2), 64, 64e-12, None, None)]:
        run = Run(tool, net, depth, n, seeds)
        border = 10 ** run.spectrum["log10_upper_edge"] - 1
        # exp(r) - 1 = r (1 + r/2 + ...), and the edge of log sigma is sqrt(2c)(1 + O(c)).
        # The free sum of L blocks that are not circular is circular to O(1/L) only.
        far = 0 if name.startswith("linear") else border / depth
        table.row(name, "edge - 1", border, radius, slack=0.75 * border * border + far)
        if run.predicted["sigma_max"]:
            told = run.predicted["sigma_max"] - 1
            table.row(name, "sigma_max - 1", told, None, [x - 1 for x in run.metric("sigma_max")],
                      allowance=0.8 / 1.2 * (border - told))
        if run.predicted["sigma_min"]:
            told = run.predicted["sigma_min"] - 1
            table.row(name, "sigma_min - 1", told, None, [x - 1 for x in run.metric("sigma_min")],
                      allowance=0.8 / 1.2 * abs(10 ** run.spectrum["log10_lower_edge"] - 1 - told))
        told = run.predicted["std_log_sigma"]
        table.row(name, "sd log sigma", told, sd, run.metric("std_log_sigma"), allowance=2.0 / n * (told or 0),
                  slack=(told or 0) * c)
        table.verdict(name, run)
    run = Run(tool, Net("mlp", "rezero", "he", "relu"), 64, n, seeds)
    table.row("rezero L64", "sigma_max", run.predicted["sigma_max"], "1", run.metric("sigma_max"))
    table.row("rezero L64", "sigma_min", run.predicted["sigma_min"], "1", run.metric("sigma_min"))
    table.end()
    n = 150 if tool.quick else 300
    table = Table("semicircle: the size of sigma_max, linear branches, n = %d, %d seeds" % (n, seeds),
                  "Edge: of the law; limit: exp(asinh(sqrt(c/2)) + sqrt(c^2 + 2c)/2), in its row `predicted` by this"
                  " program;"
                  " tied: one matrix in all layers, for which the tool has no theory; e^(L alpha) is its order of"
                  " magnitude.")
    for alpha, depth, top, limit in [(0.1, 1, "1.144", "1.152"), (0.1, 16, "1.760", "1.774"),
                                     (0.1, 64, "3.255", "3.284"),
                                     (0.1, 256, "14.38", "14.58"), (0.05, 256, "3.277", "3.284"),
                                     (0.3, 64, "86.1", "104"), (1, 16, "1494", "2.8e4")]:
        c = depth * alpha * alpha
        run = Run(tool, linear(alpha), depth, n, seeds)
        name = "a=%g L=%d" % (alpha, depth)
        border = run.edge()
        table.row(name, "edge", border, top, note="" if border else run.without_law())
        table.row(name, "limit", math.exp(math.asinh(math.sqrt(c / 2)) + math.sqrt(c * c + 2 * c) / 2), limit)
        told = run.predicted["sigma_max"]
        table.row(name, "sigma_max", told, None, run.metric("sigma_max"),
                  allowance=border - told if border and told else 0)
        tied = tool.json(*linear(alpha).args, "--depth", depth, "--width", n, "--seed", "0:%d" % (seeds - 1), "-q",
                         "--tied",
                         "--values", "none", *tool.threads)
        table.row(name, "tied sigma_max (not tested)", None, None,
                  [r["metrics"]["sigma_max"] for r in tied["results"]],
                  note="e^(L alpha) = %.3g" % math.exp(depth * alpha))
        table.verdict(name, run)
    table.end()


def gradients(tool):
    seeds = 10 if tool.quick else 40
    table = Table("gradients: |dx_L/dx_l|^2/n at l = 0, 4, 8, 12 of L = 16, %d seeds" % seeds,
                  "Allowance: 3 (L - l)/n with norms, 0.25 (1 + relvar)/n without, relative.")
    root2 = math.sqrt(2)
    pre = lambda a, sw2, phi: Net("mlp", "layerscale:epsilon=%.17g" % a, gaussian(sw2), phi)
    post = lambda a, sw2, phi: Net("mlp", "branchnorm:t=%d:horizon=100000" % round(100000 * a), gaussian(sw2), phi)
    tanh_scale = 1 / math.sqrt(1.5)
    rows = [("residual relu a.25", one("mlp", "relu", 0.25, root2), 256, ["2.638", "2.070", "1.624", "1.274"], False),
            ("residual tanh a.25 s1=1.5", two("tanh", 0.25, 1.5), 256, ["1.709", "1.481", "1.292", "1.134"], False),
            ("pre-LN relu a1", pre(1, root2, "relu"), 256, ["17.00", "3.400", "1.889", "1.308"], True),
            ("pre-LN relu a.25", pre(0.25, root2, "relu"), 256, ["2.000", "1.600", "1.333", "1.143"], True),
            ("pre-LN tanh a1 s1=1.5", pre(tanh_scale, 1.5, "tanh"), 256, ["14.08", "3.872", "2.073", "1.367"], True),
            ("post-LN relu a1", post(1, root2, "relu"), 256, [".882", ".910", ".939", ".969"], True)]
    if not tool.quick:
        rows += [("post-LN relu a1", post(1, root2, "relu"), 1024, [".969", None, ".985", None], True),
                 ("post-LN tanh a1 s1=1.5", post(tanh_scale, 1.5, "tanh"), 1024, ["3.547", None, "1.883", None], True)]
    for name, net, n, references, norms in rows:
        run = Run(tool, net, 16, n, seeds if n < 1000 else 8, profile=True)
        for l, reference in zip((0, 4, 8, 12), references):
            told = 10 ** run.theory["log10_gradient_square"][l]
            seen = [10 ** r["profile"]["log10_gradient_square"][l] for r in run.rows]
            relvar = run.predicted.get("relative_variance") or 0
            allowed = 3 * (16 - l) / n if norms else 0.25 * (1 + relvar) / n
            # The reference of stacks with a norm after the sum has (1 - 2/n)^(L - l), for the two lost directions.
            lost = told * 2 * (16 - l) / n if name.startswith("post") else 0
            table.row("%s n=%d" % (name, n), "l=%d" % l, told, reference, seen, allowance=told * allowed, slack=lost)
        table.verdict(name, run)
    table.end(["attention and post-LN: no theory"])


def gates(tool):
    n, depth, seeds = (128, 16, 40) if tool.quick else (256, 16, 200)
    table = Table("gates: dLoss/dalpha at alpha = 0, |g| = 1, n = %d, %d draws of %d gates" % (n, seeds, depth),
                  "Gates of one draw share x_0: standard errors over draws.")
    root2 = math.sqrt(2)
    for name, family, phi, variance, reference in [
            ("mlp relu", "mlp", "relu", root2, "1.000"), ("preactivation relu", "preactivation", "relu", 2, "1.000"),
            ("dense relu", "dense", "relu", 2, "1.000"), ("dense tanh sw2=1.5", "dense", "tanh", 1.5, ".468"),
            ("mlp tanh, both 1.5", "mlp", "tanh", 1.5, None), ("linear", "linear", None, 1, None)]:
        for cotangent in ("random", "ones"):
            net = Net(family, "rezero", gaussian(variance), phi, ["--cotangent", cotangent])
            run = Run(tool, net, depth, n, seeds, profile=True)
            gates_of = [r["profile"]["gate_gradient"] for r in run.rows]
            told = [10 ** x if x is not None else None for x in run.theory["log10_gate_gradient_square"]]
            squares = [statistics.fmean(x * x for x in row) for row in gates_of]
            if cotangent == "random":
                table.row(name, "E g^2, random g", told[0], reference, squares)
                table.row(name, "mean, random g", 0.0, None, [statistics.fmean(row) for row in gates_of])
                continue
            # g = ones: mean n E phi and variance n (E phi^2 - (E phi)^2) of dense branches; 0 and n v of the others.
            mean = n * math.sqrt(variance / (2 * math.pi)) if name == "dense relu" else 0.0
            table.row(name, "mean, g = ones", mean, None, [statistics.fmean(row) for row in gates_of],
                      allowance=mean * 0.5 / n)
            spread = n * (told[0] - (mean / n) ** 2)
            inner = [statistics.variance(row) for row in gates_of]
            table.row(name, "variance, g = ones", spread, None, inner, allowance=spread * 2.0 / n)
    table.end(["mlp tanh with variances 1.5 and 1: --scheme rezero and a factor of the last weight exclude each other"])


def implied_spread(tool, net, depth, n):
    """Relative standard deviation of m1 that the tool's own test uses, from its statistic for single draws."""
    best = None
    for seed in range(4):
        report = tool.json(*net.args, "--depth", depth, "--width", n, "--seed", seed, "--theory", "-q", "--values",
                           "none",
                           *tool.threads)
        compared = next(c for c in report["summary"][0]["theory"]["comparisons"] if c["name"] == "log10_mean_square")
        if compared["statistic"] is None:
            return None, compared["reason"]
        if best is None or abs(compared["statistic"]) > abs(best[0]):
            best = compared["statistic"], report
    statistic, report = best
    if statistic == 0:
        return None, "the allowance covers every draw"
    predicted = report["summary"][0]["theory"]["predicted"]
    seen = LN10 * (report["results"][0]["metrics"]["log10_mean_square"] - predicted["log10_mean_square"])
    family = net.args[1]
    exact = family == "linear" or (family == "mlp" and any(str(a).startswith(("relu", "leaky")) for a in net.args))
    allowance = 1e-11 if exact else 0.25 * (1 + predicted["relative_variance"]) / n + 1e-11

    def off(sd):
        apart = seen + math.log1p(sd * sd) / 2
        beyond = max(0.0, abs(apart) - allowance)
        return beyond / sd - abs(statistic)

    low, high = 1e-6, 0.6
    if off(low) < 0:
        return None, "no solution"
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if off(middle) > 0 else (low, middle)
    return low, ""


def spread(tool):
    factor = 0.25 if tool.quick else 1
    table = Table("spread: standard deviation of m1 over draws divided by its mean, L = 16",
                  "Predicted: solved from the statistic of the tool's test of single draws. Allowance 10 %, 25 %"
                  " where the"
                  " fluctuation of q is left out.")
    root2 = math.sqrt(2)
    rows = [("linear a.25", linear(0.25), 16, 64, 400, ".0407"), ("linear a1", linear(1), 16, 64, 400, ".197"),
            ("linear a.25", linear(0.25), 16, 256, 60, ".0102"),
            ("mlp relu a.25", one("mlp", "relu", 0.25, root2), 16, 64, 400, ".0522"),
            ("mlp relu a.25", one("mlp", "relu", 0.25, root2), 16, 256, 100, ".0182"),
            ("mlp relu a1", one("mlp", "relu", 1, root2), 16, 256, 100, ".149"),
            ("mlp tanh a.25", one("mlp", "tanh", 0.25), 16, 128, 200, ".0226"),
            ("mlp tanh a1", one("mlp", "tanh", 1), 16, 256, 100, ".153"),
            ("mlp tanh a.25 s1=1.5", two("tanh", 0.25, 1.5), 16, 128, 200, None),
            ("mlp gelu a.25 s1=2", two("gelu", 0.25, 2), 16, 128, 200, None),
            ("preactivation relu a.25", one("preactivation", "relu", 0.25, 2), 16, 128, 300, ".0718"),
            ("preactivation tanh a.25 sw2=1.5 sb2=.1", one("preactivation", "tanh", 0.25, 1.5, 0.1), 16, 128, 300,
             ".0299"),
            ("dense tanh a.25 sw2=1.5 sb2=.1", one("dense", "tanh", 0.25, 1.5, 0.1), 16, 128, 300, None),
            ("plain linear L8", Net("linear", "plain", gaussian()), 8, 128, 300, ".0663"),
            ("plain relu L8", Net("dense", "plain", "he", "relu"), 8, 128, 300, ".280")]
    for name, net, depth, n, seeds, reference in rows:
        told, why = implied_spread(tool, net, depth, n)
        run = Run(tool, net, depth, n, max(int(seeds * factor), 8), more=["--top", 1])
        samples = run.metric("mean_square")
        mean = statistics.fmean(samples)
        sd, error = sd_and_error(samples)
        table.row("%s n=%d" % (name, n), "rel. sd", told, reference, measured=(sd / mean, error / mean),
                  allowance=(0.25 if "preactivation tanh" in name else 0.1) * (told or 0), note=why,
                  slack=0.01 * float(reference or 0))
        exact = net.args[1] == "linear" or "mlp relu" in name
        table.row("%s n=%d" % (name, n), "m1", run.predicted["mean_square"], None, samples,
                  allowance=run.predicted["mean_square"] * moment_allowance(run, exact))
        table.verdict(name, run)
    table.end(["mlp gelu a.25 of the reference (.0309): " + SECOND_BIAS])


def attention(tool):
    width, tokens, depth, alpha = 48, 8, 8, 0.5
    seeds = 40 if tool.quick else 400
    table = Table("attention: uniform attention, T = %d, n = %d, L = %d, %d seeds" % (tokens, width, depth, seeds),
                  "No option sets the query weights to zero and leaves the others. With every weight at a standard"
                  " deviation"
                  " of 1e-3 the logits are about 5e-5, so that attention is uniform to that accuracy, and a branch"
                  " scale of"
                  " alpha/(n 1e-6) gives values and output the variances 1. The tool has no theory for a softmax; the"
                  " prediction ((T - 1) + prod (1 + alpha^2))/T is this program's.")
    std = 1e-3
    scheme = fixed(alpha / (width * std * std))
    net = Net("attention", scheme, "normal:std=%g" % std, None, ["--tokens", tokens, "--heads", 1])
    run = Run(tool, net, depth, width, seeds, values="log10")
    m1 = ((tokens - 1) + (1 + alpha * alpha) ** depth) / tokens
    table.row("uniform attention", "m1", m1, "1.6201", run.metric("mean_square"))
    shares = [sum(abs(x) < 1e-3 for x in r["log10_singular_values"]) / (width * tokens) for r in run.rows]
    table.row("uniform attention", "share of sigma = 1", (tokens - 1) / tokens, ".8750", shares,
              allowance=1.0 / width / tokens)
    print("\nThe tool says: %s" % run.theory.get("reason"))
    table.end(["rank collapse (token cosines): reports have no similarity of tokens",
               "T = 16, n = 32, L = 16, a = 1: the same"])


GRID = [("linear", linear), ("dense tanh", lambda a: one("dense", "tanh", a)),
        ("mlp relu", lambda a: one("mlp", "relu", a, math.sqrt(2))), ("mlp tanh", lambda a: one("mlp", "tanh", a))]


def grid(tool):
    n, seeds = (200, 2) if tool.quick else (400, 3)
    table = Table("grid: n KS (at most 6), and that of the law of another alpha (above 9), n = %d" % n,
                  "Median of %d draws, as in the tool's test, and the largest. Another alpha: 1.25 times, and 1/1.25"
                  " times as"
                  " large; the smallest n KS of a draw." % seeds)
    worst, least = 0.0, math.inf
    for name, make in GRID:
        for depth in (1, 4, 16, 64):
            for alpha in sorted({0.1, 1 / math.sqrt(depth), 1.0}):
                run = Run(tool, make(alpha), depth, n, seeds, values="log10", more=PRODUCT)
                if run.distance() is None:
                    table.row("%s L=%d a=%.3g" % (name, depth, alpha), "n KS", None, note=run.without_law())
                    continue
                own, largest = n * run.distance(), n * max(run.distances())
                law = run.spectrum
                again = statistics.median(n * kolmogorov(r["log10_singular_values"], law["log10_sigma"],
                                                         law["cdf"]) for r in run.rows)
                others = []
                for factor in (1.25, 1 / 1.25):
                    other = predict(tool, make(alpha * factor), depth, n)["spectrum"]
                    others += [n * kolmogorov(r["log10_singular_values"], other["log10_sigma"], other["cdf"])
                               for r in run.rows]
                worst, least = max(worst, largest), min(least, min(others))
                notes = []
                if own > 6:
                    notes.append("measured: n KS %.1f" % own)
                if min(others) <= 9:
                    notes.append("accepted another alpha")
                if abs(own - again) > 0.5:
                    notes.append("not the distance from the printed curve: %.2f" % again)
                table.row("%s L=%d a=%.3g" % (name, depth, alpha), "n KS; of another alpha", None, None,
                          measured=(own, None),
                          note="; ".join(notes + ["largest %.1f, other %.1f" % (largest, min(others))]))
                table.verdict(name, run)
    table.end()
    print("\nLargest n KS %.2f; smallest for another alpha %.1f." % (worst, least))


def table1(tool):
    table = Table("table1: critical nets, Pennington et al. 2018 (arXiv 1802.09979), table 1, L = 64",
                  "Relative variance of sigma^2; the last column of reference figures is the closed form of the paper.")
    depth = 64
    args = ["critical", "--depth", depth]

    def first(activation, q):
        lines = tool.json(*args, "--activation", activation, "--q", q)["lines"]
        return lines[0]["critical"][0]

    erf = math.erf
    for phi, q, variance, kappa in [
            ("identity", 1, 1.0, 1.0), ("relu", 1, 2.0, 2.0),
            ("hard_tanh", 0.25, 1 / erf(1 / math.sqrt(0.5)), 1 / erf(1 / math.sqrt(0.5))),
            ("hard_tanh", 1, 1 / erf(1 / math.sqrt(2)), 1 / erf(1 / math.sqrt(2))),
            ("scaled_erf", 0.5, math.sqrt(1 + math.pi * 0.5), (1 + math.pi * 0.5) / math.sqrt(1 + 2 * math.pi * 0.5)),
            ("scaled_erf", 2, math.sqrt(1 + 2 * math.pi), (1 + 2 * math.pi) / math.sqrt(1 + 4 * math.pi))]:
        got = first(phi, q)
        name = "%s q*=%g" % (phi, q)
        table.row(name, "sigma_w^2", got["sigma_w"] ** 2, "%.8f" % variance)
        table.row(name, "slope kurtosis", got["slope_kurtosis"], "%.8f" % kappa)
        table.row(name, "Gaussian", got["gaussian"]["relative_variance"], "%.6f" % (depth * kappa))
        table.row(name, "orthogonal", got["orthogonal"]["relative_variance"], "%.6f" % (depth * (kappa - 1)))
        # The same net through `theory`, where x_0 starts at the fixed point of q for linear and relu.
        if phi in ("identity", "relu"):
            for init, expected in [(gaussian(variance), kappa),
                                   ("orthogonal:gain=%.17g" % math.sqrt(variance), kappa - 1)]:
                told = predict(tool, Net("dense", "plain", init, phi), depth, 64)["predicted"]["relative_variance"]
                table.row(name, "theory, " + init.partition(":")[0], told, "%.6f" % (depth * expected))
    # tanh: the boundary between order and chaos, figures of Schoenholz et al. 2017 and Xiao et al. 2018 (from memory).
    for sigma_b, reference, source in [(0.0, "1", "exact"), (math.sqrt(0.05), "1.76", "arXiv 1611.01232"),
                                       (math.sqrt(2.01e-5), "1.05", "arXiv 1806.05393")]:
        line = tool.json(*args, "--activation", "tanh", "--sigma-b", "%.17g" % sigma_b)["lines"][0]["critical"]
        table.row("tanh sigma_b^2=%.3g" % sigma_b ** 2, "sigma_w^2", line[0]["sigma_w"] ** 2, reference, note=source)
    table.end()
    table = Table("table1: edges of the universal law, linear branches, alpha = sqrt(c/L), L = 16384")
    depth = 16384
    for c, top, bottom in [(0.01, "1.15204557", "0.8680212187"), (0.05, "1.373744859", "0.7279372102"),
                           (0.1, "1.56974457", "0.6370463189"), (0.25, "2.057668592", "0.4859869097"),
                           (0.5, "2.829864468", "0.3533738139"), (1, "4.592866561", "0.217728947"),
                           (2, "9.93026485", "0.1007022486"), (4, "36.44140316", "0.02744131437")]:
        law = predict(tool, linear(math.sqrt(c / depth)), depth, 65536)
        m1 = math.exp(c)
        for quantity, told, reference in [
                ("s_max", 10 ** law["spectrum"]["log10_upper_edge"], top),
                ("s_min", 10 ** law["spectrum"]["log10_lower_edge"], bottom),
                ("m1", law["predicted"]["mean_square"], "%.9g" % m1)]:
            table.row("c=%g" % c, quantity, told, reference, slack=float(reference) * (2 * c + 2 * c * c) / depth)
    table.end()


def trainable(tool):
    n, seeds, deepest = (64, 4, 64) if tool.quick else (256, 16, 128)
    table = Table("trainable: largest depth at which the norm of a gradient keeps within e^-1 to e, n = %d" % n,
                  "Measured by seed: the last depth before log sqrt(m1) leaves [-1, 1]; %d stands for at least %d."
                  % (deepest, deepest))
    for family, activation, scheme in [("mlp", "relu", "residual"), ("mlp", "tanh", "residual"),
                                       ("mlp", "tanh", "fixed:alpha=0.2"), ("mlp", "relu", "fixed:alpha=0.1"),
                                       ("mlp", "relu", "pre-ln"), ("mlp", "relu", "rezero"),
                                       ("linear", None, "fixed:alpha=0.3"), ("preactivation", "gelu", "fixed:alpha=0.3"),
                                       ("dense", "tanh", "fixed:alpha=0.2")]:
        net = ["--family", family, "--scheme", scheme, "--width", n] + (["--activation", activation] if activation else [])
        answer = tool.json("critical", *net, "--max-depth", deepest)["schemes"][0]["trainable_depth"]
        predicted = deepest if answer["gradient"] is None else answer["gradient"]
        report = tool.json(*net, "--depth", "1:%d" % deepest, "--seed", "0:%d" % (seeds - 1), "--values", "none",
                           "--method", "dense", *tool.threads)
        last = {}
        for row in sorted(report["results"], key=lambda r: r["depth"]):
            within = abs(row["metrics"]["log10_mean_square"] * LN10 / 2) <= 1
            depth, left = last.get(row["seed"], (0, False))
            last[row["seed"]] = (depth, True) if left or not within else (row["depth"], False)
        # A depth is a whole number: the mean over draws may differ by one.
        table.row("%s %s %s" % (family, activation or "", scheme), "depth", predicted,
                  samples=[depth for depth, _ in last.values()], allowance=1.0 + 0.05 * predicted)
    table.end(["1 - cosine of two inputs: reports have no pairs of inputs"])


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cost(tool):
    table = Table("cost: milliseconds, best of 5, start of the process included")
    for name, args in [("version alone", ["--version"]), ("theory, default plan", ["theory"]),
                       ("density mlp tanh L=128", ["theory", "--family", "mlp", "--activation", "tanh", "--scheme",
                                                   "depth-power", "--depth", 128]),
                       ("density mlp relu L=128", ["theory", "--family", "mlp", "--scheme", "depth-power", "--depth",
                                                   128]),
                       ("density mlp tanh alpha=1 L=128", ["theory", "--family", "mlp", "--activation", "tanh",
                                                           "--scheme",
                                                           "residual", "--depth", 128]),
                       ("density linear L=128", ["theory", "--family", "linear", "--scheme", "depth-power", "--depth",
                                                 128]),
                       ("density dense tanh L=128", ["theory", "--family", "dense", "--activation", "tanh", "--scheme",
                                                     "depth-power", "--depth", 128]),
                       ("density preactivation relu L=128", ["theory", "--family", "preactivation", "--scheme",
                                                             "depth-power", "--depth", 128]),
                       ("density preactivation tanh L=128", ["theory", "--family", "preactivation", "--activation",
                                                             "tanh",
                                                             "--scheme", "depth-power", "--depth", 128])]:
        best = work = math.inf
        for _ in range(5):
            start, used = time.perf_counter(), processor_seconds()
            tool.text(*args)
            best, work = min(best, time.perf_counter() - start), min(work, processor_seconds() - used)
        table.row(name, "ms", None, None, measured=(1000 * best, None), note="%.0f ms of processors" % (1000 * work))
    table.end()


TABLES = [(moments, "q_L, first moment, relative variance"), (outlier, "largest singular value of dense branches"),
          (log, "mean of log sigma"), (masks, "relative variance of preactivation stacks"),
          (edge, "extreme singular values, and the mean Tracy-Widom z over widths"), (spectra, "densities"),
          (universal, "many small branches"), (cavity, "densities of preactivation stacks"),
          (semicircle, "small branches, and the size of sigma_max"), (gradients, "gradients by block"),
          (gates, "gate gradients at zero"), (spread, "spread of m1 over draws"), (attention, "uniform attention"),
          (grid, "n KS over depths and scales, and laws of other scales"),
          (table1, "critical nets and the universal law's edges"),
          (trainable, "depths at which gradients keep their size"), (cost, "time of predictions")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="see --list; all: every table")
    parser.add_argument("--tool", default=os.path.join(ROOT, "build", "rezero-analyze"), help="[build/rezero-analyze]")
    parser.add_argument("--quick", action="store_true", help="fewer seeds, smaller widths")
    parser.add_argument("--threads", type=int, metavar="N", help="of the tool [its default]")
    parser.add_argument("--list", action="store_true", help="the tables, one a line")
    options = parser.parse_args()
    known = {function.__name__: function for function, _ in TABLES}
    if options.list:
        for function, what in TABLES:
            print("%-11s %s" % (function.__name__, what))
        return 0
    if not options.tables:
        parser.error("no table given (see --list)")
    names = list(known) if options.tables == ["all"] else options.tables
    for name in names:
        if name not in known:
            parser.error("no table '%s' (see --list)" % name)
    tool = Tool(options.tool, options.quick, ["--threads", options.threads] if options.threads else [])
    for name in names:
        known[name](tool)
    return 1 if Table.flagged else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print("theory_tables.py: %s" % failure, file=sys.stderr)
        sys.exit(2)
