#!/usr/bin/env python3
"""rezero-analyze compared with the obvious alternatives, as ratios measured in turn in one run.

    bench/compare.py                                   everything; the table goes to standard output
    bench/compare.py --list                            what there is to measure
    bench/compare.py --only '^values-' --rounds 3
    bench/compare.py --json compare.json --write docs/performance.md
    bench/compare.py --from compare.json --write docs/performance.md
    bench/compare.py --only '^portable' --portable build-portable/rezero-analyze

In each round, each measurement of the tool is followed at once by those of its peers, so that a busy or slow machine
affects both. Each such pair gives one ratio. The table has the median and range of the ratios over the rounds, and the
median measurement of either side. Both sides get the same cores (--threads restricts the processors of every process
started), the same sizes and double precision. BLAS and OpenMP settings in the environment are not passed on. The peers
(bench/peers.py) run in Debian's python3 with python3-numpy, python3-torch and libopenblas0-pthread; rows whose peer is
missing are left out.

Exit codes: 0 done, whether or not goals are met; 2 usage, or something failed.
"""
import argparse
import copy
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEERS = os.path.join(ROOT, "bench", "peers.py")
BEGIN, END = "<!-- compare.py: begin -->", "<!-- compare.py: end -->"
SHORT = 0.4  # seconds for which quick work is repeated within a round
DEBIAN_PYTHON = "/usr/bin/python3"

PASSIVE = {"OMP_WAIT_POLICY": "passive"}


class Failure(Exception):
    """One line for the user."""


# ---- running ---------------------------------------------------------------------------------------------------------


def clean_environment(extra=None):
    steering = ("OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "GOTO_", "BLIS_", "MALLOC_", "GLIBC_TUNABLES")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(steering)}
    return dict(kept, **(extra or {}))


def run(command, extra=None):
    """Standard output and seconds from start to end."""
    start = time.perf_counter()
    try:
        done = subprocess.run(command, env=clean_environment(extra), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)
    except OSError as error:
        raise Failure("cannot run %s (%s)" % (command[0], error.strerror)) from error
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise Failure("%s: exit code %d (%s)" % (" ".join(command), done.returncode, last))
    return done.stdout, seconds


def median_of_repetitions(measure, seconds=SHORT):
    """Median of each number, over as many repetitions as fit into that time."""
    results, start = [], time.perf_counter()
    while not results or time.perf_counter() - start < seconds:
        results.append(measure())
    return {name: statistics.median(result[name] for result in results) for name in results[0]}


class Programs:
    """How to start the tool, its benchmark program and the peers."""

    def __init__(self, options):
        self.tool, self.bench, self.python, self.threads = options.tool, options.bench, options.python, options.threads
        self.products = os.path.join(os.path.dirname(options.bench), "matrix_product_bench")
        self.portable = options.portable
        self.facts, self.details = {}, {}

    def other(self, tool):
        """The same, started from another build."""
        programs = copy.copy(self)
        programs.tool, programs.bench = tool, os.path.join(os.path.dirname(tool), "bench", "compare_bench")
        programs.facts = {}
        return programs

    def report(self, arguments, repeat=True):
        """`seconds`: the tool's own time of its work (`run.wall_seconds`: all but start, reading options and writing
        the end); `process`: from start to end; `bytes`: its peak memory."""
        def once():
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "report.json")
                _, process = run([self.tool, *arguments, "--threads", str(self.threads), "--quiet", "-o", path])
                with open(path, encoding="utf-8") as file:
                    report = json.load(file)
            self.facts["tool"] = report["tool"]
            bad = [row["status"] for row in report["results"] if row["status"] not in ("ok", "unresolved")]
            if bad:
                raise Failure("%s: a row is %s" % (" ".join(arguments), bad[0]))
            ends = report["results"][-1]["metrics"]
            self.details[" ".join(arguments)] = {"sigma_max": ends["sigma_max"], "sigma_min": ends["sigma_min"]}
            return {"seconds": report["run"]["wall_seconds"], "process": process,
                    "bytes": report["run"]["peak_bytes"]}
        return median_of_repetitions(once, SHORT if repeat else 0)

    def benchmark(self, pattern, program=None):
        """One measurement of the benchmark program: seconds of one iteration, flops a second where they are counted."""
        program = program or self.bench
        output, _ = run([program, "--benchmark_filter=" + pattern, "--benchmark_format=json",
                         "--benchmark_min_time=%g" % SHORT])
        try:
            entries = json.loads(output)["benchmarks"]
        except (json.JSONDecodeError, KeyError) as error:
            raise Failure("%s has no benchmark %s" % (program, pattern)) from error
        if len(entries) != 1 or entries[0].get("error_occurred"):
            raise Failure("%s: %s names %d benchmarks, not one that runs" % (program, pattern, len(entries)))
        units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
        entry = entries[0]
        return {"seconds": entry["real_time"] * units[entry["time_unit"]], "rate": entry.get("flop/s", 0.0)}

    def peer(self, arguments, extra=None, seconds=SHORT, threads=None):
        """`seconds`: all parts; `weights`, `jacobian`, `values`: each; `process` and `bytes` as of the tool."""
        threads = self.threads if threads is None else threads
        command = [self.python, PEERS, *arguments, "--threads", str(threads), "--seconds", "%g" % seconds]
        output, process = run(command, extra)
        line = json.loads(output)
        blas = line["blas"]
        if "OpenBLAS" not in blas:
            raise Failure("the peers' BLAS is %s: install libopenblas0-pthread" % blas)
        self.facts[line["library"]], self.facts["blas"] = line["version"], blas
        self.details[" ".join(arguments)] = {"sigma_max": line["sigma_max"], "sigma_min": line["sigma_min"]}
        return dict(line["seconds"], seconds=line["seconds"]["total"], process=process, bytes=line["peak_bytes"])


# ---- what is measured ------------------------------------------------------------------------------------------------


class Row:
    """One line of the table. `ours` and `theirs` name a measurement of the case and a number of it; of several of
    theirs the best of each round counts."""

    def __init__(self, key, regime, peer, ours, theirs, goal=None, unit="s"):
        self.key, self.regime, self.peer, self.goal, self.unit = key, regime, peer, goal, unit
        self.ours, self.theirs = ours, theirs
        self.pairs = []  # (ours, theirs) of each round

    def needs(self):
        return {self.ours[0]} | {name for name, _ in self.theirs}

    def note(self, measured):
        best = max if self.unit == "flop/s" else min
        self.pairs.append((measured[self.ours[0]][self.ours[1]],
                           best(measured[name][number] for name, number in self.theirs)))

    def summary(self):
        # More than 1 is better for the tool: the peer's time or size over the tool's, or the tool's rate over the limit.
        ratios = [ours / theirs if self.unit == "flop/s" else theirs / ours for ours, theirs in self.pairs]
        ratio = statistics.median(ratios)
        return {"key": self.key, "regime": self.regime, "peer": self.peer, "unit": self.unit, "goal": self.goal,
                "met": None if self.goal is None else ratio >= self.goal,
                "ratio": {"median": ratio, "min": min(ratios), "max": max(ratios), "rounds": ratios},
                "tool": side(ours for ours, _ in self.pairs), "other": side(theirs for _, theirs in self.pairs)}


def side(values):
    values = list(values)
    return {"median": statistics.median(values), "rounds": values}


class Case:
    """Measurements that are made one after the other: name → (library that it needs, function)."""

    def __init__(self, measurements, rows):
        self.measurements, self.rows = measurements, rows

    def libraries(self, row):
        return {self.measurements[name][0] for name in row.needs()} - {None}

    def measure(self, wanted, notice):
        needed = set().union(*(row.needs() for row in wanted))
        measured = {}
        for name, (_, function) in self.measurements.items():
            if name in needed:
                notice(name)
                measured[name] = function()
        for row in wanted:
            row.note(measured)


def mlp(width, depth, *more):
    return ["--family", "mlp", "--scheme", "fixed:alpha=0.1", "--activation", "tanh", "--init", "lecun",
            "--width", str(width), "--depth", str(depth), *more]


def product_case(programs, key, regime, pattern, goal):
    return Case({"tool": (None, lambda: programs.benchmark(pattern)),
                 "peak": (None, lambda: programs.benchmark("^fma_peak/"))},
                [Row(key, regime, "multiply-adds in registers", ("tool", "rate"), [("peak", "rate")], goal, "flop/s")])


def gemm_case(programs, n, columns, threads):
    """Rates in processor time with one thread, which is Eigen's limit. OpenBLAS is numpy's; it chooses its kernels."""
    flops = 2.0 * n * n * (columns or n)
    key = "%d" % n if columns == 0 else "%dx%d" % (n, columns)
    size = "%d × %d × %d" % (n, n, columns or n)
    arguments = ["--with", "numpy", "--work", "gemm", "--width", str(n), "--columns", str(columns)]

    def bench(name, threads):
        pattern = "^%s/n:%d/columns:%d/threads:%d(/|$)" % (name, n, columns, threads)
        return programs.benchmark(pattern, programs.products)

    measurements = {"tool": (None, lambda: bench("own", threads)),
                    "openblas": ("numpy", lambda: {
                        "rate": flops / programs.peer(arguments, threads=threads)["seconds"]})}
    peers, names = [("openblas", "rate")], "OpenBLAS"
    if threads == 1:
        measurements["eigen"] = (None, lambda: bench("eigen", 1))
        peers, names = peers + [("eigen", "rate")], "the better of Eigen and OpenBLAS"
    return Case(measurements, [Row("gemm-%s/%d" % (key, threads), "matrix product, %s, %s" % (
        size, "one thread" if threads == 1 else "%d threads" % threads), names, ("tool", "rate"), peers, 1, "flop/s")])


def portable_cases(programs):
    """The ratio is the native build's time over the portable one's: as fast is 1."""
    other = programs.other(programs.portable)

    def case(key, regime, measure, number="seconds"):
        return Case({"portable": (None, lambda: measure(other)), "native": (None, lambda: measure(programs))},
                    [Row("portable/" + key, "portable build: " + regime, "the build for this processor",
                         ("portable", number), [("native", number)], 0.95)])

    cases = [case("mlp-%d" % width, "weights + Jacobian + spectrum, width %d, depth 32" % width,
                  lambda programs, width=width: programs.benchmark("^cell/n:%d/" % width)) for width in (64, 256, 512)]
    cases += [case("values-%d" % n, "singular values, n = %d" % n,
                   lambda programs, n=n: programs.benchmark("^values/n:%d/" % n)) for n in (512, 1024)]
    conv = ["--family", "conv", "--scheme", "fixed:alpha=0.1", "--width", "16", "--image", "8x8", "--depth", "8"]
    return cases + [case("transformer", "transformer, 16 tokens, width 64, depth 12: Jacobian of given weights",
                         lambda programs: programs.benchmark("^transformer/")),
                    case("conv", "conv, 16 channels, 8 × 8 pixels, depth 8", lambda programs: programs.report(conv))]


def whole_case(programs, width, goal):
    regime = "weights + Jacobian + spectrum, width %d, depth 32" % width
    return Case({"cell": (None, lambda: programs.benchmark("^cell/n:%d/" % width)),
                 "torch": ("torch", lambda: programs.peer(["--width", str(width), "--depths", "32"], PASSIVE)),
                 "tool": (None, lambda: programs.report(mlp(width, 32)))},
                [Row("mlp-%d" % width, regime, "torch jacfwd", ("cell", "seconds"), [("torch", "seconds")], goal),
                 Row("mlp-%d/new" % width, regime + ", in a new process", "torch jacfwd", ("tool", "seconds"),
                     [("torch", "seconds")])])


def seeds_case(programs):
    work = ["--width", "64", "--depths", "32", "--seeds", "100"]
    regime = "weights + Jacobian + spectrum, width 64, depth 32, 100 seeds"
    return Case({"tool": (None, lambda: programs.report(mlp(64, 32, "--seed", "0:99"))),
                 "torch": ("torch", lambda: programs.peer(work, PASSIVE)),
                 "numpy": ("numpy", lambda: programs.peer(["--with", "numpy", "--how", "product", *work]))},
                [Row("seeds-64/torch", regime, "torch jacfwd", ("tool", "seconds"), [("torch", "seconds")], 15),
                 Row("seeds-64/numpy", regime, "numpy by hand", ("tool", "seconds"), [("numpy", "seconds")], 9)])


def sweep_case(programs):
    work = ["--width", "512", "--depths", "1,2,4,8,16,32,64,128"]
    regime = "weights + Jacobian + spectrum, width 512, depths 1, 2, 4, … 128"

    def row(name, peer, goal):
        return Row("sweep-512/" + name, regime, peer, ("tool", "seconds"), [(name, "seconds")], goal)
    return Case({"tool": (None, lambda: programs.report(mlp(512, "1:128:x2"))),
                 "torch": ("torch", lambda: programs.peer(work, PASSIVE, 0)),
                 "torch-waiting": ("torch", lambda: programs.peer(work, None, 0)),
                 "torch-untouched": ("torch", lambda: programs.peer(work, None, 0, threads=0)),
                 "numpy": ("numpy", lambda: programs.peer(
                     ["--with", "numpy", "--how", "product", "--running", *work], None, 0))},
                [row("torch", "torch jacfwd at each depth", 9),
                 row("torch-waiting", "the same, threads set, wait policy not set", 20),
                 row("torch-untouched", "the same, nothing set", None),
                 row("numpy", "numpy by hand, one running product", 4)])


def transformer_case(programs):
    work = ["--work", "transformer", "--width", "64", "--tokens", "16", "--heads", "4", "--depths", "12"]
    ways = ["jacfwd", "jacrev", "jvp"]
    arguments = ["--family", "transformer", "--scheme", "pre-ln", "--activation", "tanh", "--init", "lecun", "--tokens",
                 "16", "--heads", "4", "--width", "64", "--depth", "12"]
    measurements = {"jacobian": (None, lambda: programs.benchmark("^transformer/")),
                    "tool": (None, lambda: programs.report(arguments))}
    for way in ways:
        measurements[way] = ("torch", lambda way=way: programs.peer([*work, "--how", way], PASSIVE))
    regime, best = "transformer, 16 tokens, width 64, depth 12: ", "torch, best of jacfwd, jacrev, vmap(jvp)"
    return Case(measurements, [
        Row("transformer/jacobian", regime + "Jacobian of given weights", best, ("jacobian", "seconds"),
            [(way, "jacobian") for way in ways], 18),
        Row("transformer/spectrum", regime + "weights + Jacobian + spectrum", best, ("tool", "seconds"),
            [(way, "seconds") for way in ways], 12)])


def values_case(programs, n, goal):
    regime = "singular values, n = %d" % n
    return Case({"tool": (None, lambda: programs.benchmark("^values/n:%d/" % n)),
                 "torch": ("torch", lambda: programs.peer(["--work", "values", "--width", str(n)], PASSIVE)),
                 "certified": (None, lambda: programs.benchmark("^certified_values/n:%d/" % n))},
                [Row("values-%d" % n, regime, "torch svdvals", ("tool", "seconds"), [("torch", "seconds")], goal),
                 Row("values-%d/certified" % n, regime + ", with the certificate", "torch svdvals",
                     ("certified", "seconds"), [("torch", "seconds")], 3)])


def process_case(programs):
    regime = "whole process, width 256, depth 32: "
    return Case({"tool": (None, lambda: programs.report(mlp(256, 32))),
                 "torch": ("torch", lambda: programs.peer(["--width", "256", "--depths", "32", "--cold"], PASSIVE, 0))},
                [Row("process/wall", regime + "seconds", "python3 with torch", ("tool", "process"),
                     [("torch", "process")], 80),
                 Row("process/memory", regime + "peak memory", "python3 with torch", ("tool", "bytes"),
                     [("torch", "bytes")], 30, "B")])


def start_case(programs):
    small = ["--depth", "4", "--width", "8"]
    regime = "whole process of a small report (`%s`)" % " ".join(small)
    return Case({"tool": (None, lambda: programs.report(small)),
                 "goal": (None, lambda: {"process": 0.003}), "limit": (None, lambda: {"process": 0.005})},
                [Row("start", regime, "3 ms", ("tool", "process"), [("goal", "process")], 1),
                 Row("start/limit", regime, "a limit of 5 ms", ("tool", "process"), [("limit", "process")], 1)])


def method_cases(programs):
    """The ratio is the time of `--method dense` over that of `--method product`; the goal is its inverse."""
    plans = [("plain-256", ["--scheme", "plain", "--width", "256", "--depth", "32"], 4),
             ("plain-512", ["--scheme", "plain", "--width", "512", "--depth", "32"], 4),
             ("residual-256", ["--scheme", "residual", "--width", "256", "--depth", "32"], 4),
             ("residual-512", ["--scheme", "residual", "--width", "512", "--depth", "32"], 4),
             ("pre-ln", ["--family", "transformer", "--scheme", "pre-ln", "--depth", "12"], 6),
             ("post-ln", ["--family", "transformer", "--scheme", "post-ln", "--depth", "12"], 8),
             ("conv", ["--family", "conv", "--scheme", "plain", "--depth", "16"], 8)]

    def case(key, plan, most):
        def by(method):
            return lambda: programs.report([*plan, "--method", method])
        return Case({"product": (None, by("product")), "dense": (None, by("dense"))},
                    [Row("method/" + key, "method product, whole process: `%s`" % " ".join(plan), "method dense",
                         ("product", "process"), [("dense", "process")], 1 / most)])
    return [case(*plan) for plan in plans]


def all_cases(programs):
    cases = [product_case(programs, "product-%d" % n, "product, width %d: share of the peak" % n,
                          "^product/n:%d/" % n, goal) for n, goal in ((1024, .85), (512, .85), (256, .80))]
    cases.append(product_case(programs, "product-seeds-64", "product, width 64, 100 seeds: share of the peak",
                              "^product_of_seeds/n:64/", .82))
    cases += [whole_case(programs, width, goal) for width, goal in ((512, 6), (256, 9), (64, 15))]
    cases += [seeds_case(programs), sweep_case(programs), transformer_case(programs)]
    cases += [values_case(programs, n, goal)
              for n, goal in ((256, 2.2), (512, 2.6), (1024, 3), (2048, 3.5), (4096, 4))]
    cases += [process_case(programs), start_case(programs)] + method_cases(programs)
    cases += [gemm_case(programs, n, columns, 1) for n, columns in (
        (32, 0), (64, 8), (64, 0), (100, 0), (256, 8), (256, 64), (256, 0), (512, 0), (1024, 8), (1024, 64), (1024, 0),
        (2048, 0), (4096, 64), (4096, 0))]
    if programs.threads > 1:
        cases += [gemm_case(programs, n, columns, programs.threads)
                  for n, columns in ((512, 0), (1024, 64), (1024, 0), (2048, 0), (4096, 0))]
    return cases + (portable_cases(programs) if programs.portable else [])


# ---- the machine -----------------------------------------------------------------------------------------------------


def file_text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def cpu_field(name):
    found = re.search(r"^%s\s*:\s*(.*)$" % re.escape(name), file_text("/proc/cpuinfo"), re.MULTILINE)
    return found.group(1).strip() if found else ""


def caches():
    found = {}
    for index in range(8):
        folder = "/sys/devices/system/cpu/cpu0/cache/index%d/" % index
        level, kind, size = (file_text(folder + name).strip() for name in ("level", "type", "size"))
        if size and kind != "Instruction":
            found["L" + level] = size
    return found


def machine(threads):
    flags = cpu_field("flags").split()
    memory = re.search(r"MemTotal:\s*(\d+)", file_text("/proc/meminfo"))
    return {"cpu": cpu_field("model name") or "unknown", "family": cpu_field("cpu family"),
            "model": cpu_field("model"), "cores": len(os.sched_getaffinity(0)), "threads": threads,
            "avx2": "avx2" in flags, "avx512f": "avx512f" in flags, "caches": caches(),
            "memory_bytes": int(memory.group(1)) * 1024 if memory else None}


class OtherPrograms:
    """How many cores are busy with what this program did not start."""

    def __init__(self):
        self.start, self.busy_before, self.own_before = time.perf_counter(), self.busy(), self.own()

    @staticmethod
    def busy():
        """Seconds of all processors: user, nice, system, irq, softirq."""
        fields = (file_text("/proc/stat").split("\n")[0].split()[1:] + ["0"] * 8)[:8]
        return sum(int(fields[i]) for i in (0, 1, 2, 5, 6)) / os.sysconf("SC_CLK_TCK")

    @staticmethod
    def own():
        return sum(os.times()[:4])

    def cores(self):
        others = self.busy() - self.busy_before - (self.own() - self.own_before)
        return max(0.0, others / (time.perf_counter() - self.start))


# ---- output ----------------------------------------------------------------------------------------------------------


def short(value):
    """Three digits."""
    return "%.*f" % (0 if value >= 100 else 1 if value >= 10 else 2, value)


def amount(value, unit):
    if unit == "flop/s":
        return "%s GFLOP/s" % short(value / 1e9)
    if unit == "B":
        return "%s MB" % short(value / 1e6)
    return "%s s" % short(value) if value >= 1 else "%s ms" % short(value * 1e3)


def table(document):
    lines = ["| regime | compared with | ratio | range | goal | tool | other |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for row in document["rows"]:
        ratio = row["ratio"]
        goal = "–" if row["goal"] is None else "%g %s" % (row["goal"], "met" if row["met"] else "missed")
        lines.append("| %s | %s | %s | %s … %s | %s | %s | %s |" % (
            row["regime"], row["peer"], short(ratio["median"]), short(ratio["min"]), short(ratio["max"]), goal,
            amount(row["tool"]["median"], row["unit"]), amount(row["other"]["median"], row["unit"])))
    if document["left_out"]:
        lines += ["", "Left out, because the peer is not installed: %s." % ", ".join(document["left_out"])]
    return "\n".join(lines)


def description(document):
    at, software = document["machine"], document["software"]
    vectors = " and ".join(name for name, there in (("AVX2", at["avx2"]), ("AVX-512", at["avx512f"])) if there)
    tool = software.get("tool")
    words = ["%s (family %s, model %s; %s)" % (at["cpu"], at["family"], at["model"], vectors or "no AVX2"),
             "%d of its cores" % at["threads"],
             ", ".join("%s %s" % item for item in sorted(at["caches"].items()))]
    if tool:
        words.append("%s %s (%s, %s, %s, Eigen %s)" % (tool["name"], tool["version"], tool["git"], tool["compiler"],
                                                       tool["flags"], tool["eigen"]))
    words += ["%s %s" % (name, software[name]) for name in ("torch", "numpy") if name in software]
    if "blas" in software:
        parts = software["blas"].split()  # OpenBLAS 0.3.21 … Cooperlake MAX_THREADS=64
        words.append("%s with kernels for %s" % (" ".join(parts[:2]), parts[-2]))
    rounds = "%d round%s" % (document["rounds"], "" if document["rounds"] == 1 else "s")
    return "%s. %s, during which other programs used %s of a core." % (
        "; ".join(word for word in words if word), rounds, short(document["others"]))


def written_text(document):
    return "%s\n%s\n\n%s\n%s" % (BEGIN, description(document), table(document), END)


def text_with_marks(path):
    text = file_text(path)
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise Failure("%s has no place for the table (one line %s, one line %s)" % (path, BEGIN, END))
    return text


def write_between_marks(path, document):
    text = text_with_marks(path)
    before, after = text[:text.index(BEGIN)], text[text.index(END) + len(END):]
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + written_text(document) + after)


# ---- command line ----------------------------------------------------------------------------------------------------


def say(text):
    print("compare.py: " + text, file=sys.stderr)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    build = os.path.join(ROOT, "build")
    parser.add_argument("--tool", default=os.path.join(build, "rezero-analyze"), metavar="PATH")
    parser.add_argument("--bench", metavar="PATH", help="default: bench/compare_bench next to the tool")
    parser.add_argument("--portable", metavar="PATH", help="the tool built with -DREZERO_NATIVE=OFF: compares it, too")
    parser.add_argument("--python", metavar="PATH", help="for the peers; default: Debian's python3",
                        default=DEBIAN_PYTHON if os.access(DEBIAN_PYTHON, os.X_OK) else sys.executable)
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="default: 5")
    parser.add_argument("--threads", type=int, metavar="N", help="default: all processors of this process")
    parser.add_argument("--only", default="", metavar="REGEX", help="rows whose key matches")
    parser.add_argument("--list", action="store_true", help="print the rows' keys and do nothing")
    parser.add_argument("--json", metavar="FILE", help="write everything that was measured")
    parser.add_argument("--from", dest="source", metavar="FILE", help="take that JSON instead of measuring")
    parser.add_argument("--write", metavar="FILE", help="put the table between the marks in this document")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    if options.threads is not None and options.threads < 1:
        parser.error("--threads must be at least 1")
    if options.only and options.write and not options.source:
        parser.error("--write needs every row (leave out --only, or measure with --json and write with --from)")
    try:
        re.compile(options.only)
    except re.error as error:
        parser.error("--only is no regular expression (%s)" % error)
    options.bench = options.bench or os.path.join(os.path.dirname(options.tool), "bench", "compare_bench")
    return options


def restrict_processors(threads):
    """Everything that is started inherits it: pools that size themselves get the same number on both sides."""
    mine = sorted(os.sched_getaffinity(0))
    threads = threads or len(mine)
    if not 1 <= threads <= len(mine):
        raise Failure("--threads must be 1 … %d here" % len(mine))
    os.sched_setaffinity(0, mine[:threads])
    return threads


def selected(cases, pattern, python):
    """(case, rows) that match and whose peers are installed; and what was left out."""
    matching = [(case, [row for row in case.rows if re.search(pattern, row.key)]) for case in cases]
    matching = [(case, rows) for case, rows in matching if rows]
    if not matching:
        raise Failure("--only %s matches no row (see --list)" % pattern)
    found = json.loads(run([python, PEERS, "--installed"])[0])
    left_out, kept = [], []
    for case, rows in matching:
        there = [row for row in rows if all(found[library] for library in case.libraries(row))]
        left_out += [row.key for row in rows if row not in there]
        if there:
            kept.append((case, there))
    for library in sorted(name for name, there in found.items() if not there):
        say("no %s in %s: its rows are left out (install python3-%s)" % (library, python, library))
    return kept, left_out


def measure(options):
    options.threads = restrict_processors(options.threads)
    for path in (options.tool, options.bench):
        if not os.access(path, os.X_OK):
            raise Failure("no program %s (configure with -DREZERO_BUILD_BENCHMARKS=ON and build)" % path)
    programs = Programs(options)
    chosen, left_out = selected(all_cases(programs), options.only, options.python)
    place = machine(options.threads)
    start, others = time.perf_counter(), OtherPrograms()
    for number in range(options.rounds):
        for case, rows in chosen:
            def notice(name, first=rows[0].key):
                if not options.quiet:
                    say("round %d of %d, %s: %s" % (number + 1, options.rounds, first, name))
            case.measure(rows, notice)
    cores = others.cores()
    if "tool" not in programs.facts and chosen:
        programs.report(["--depth", "1", "--width", "8"], repeat=False)
    return {"machine": place, "software": programs.facts, "rounds": options.rounds, "others": cores,
            "seconds": time.perf_counter() - start, "rows": [row.summary() for _, rows in chosen for row in rows],
            "left_out": left_out, "extreme_values": programs.details}


def read_document(path):
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except ValueError:
        document = None
    if not isinstance(document, dict) or "rows" not in document:
        raise Failure("%s is not what --json writes" % path)
    return document


def require_places(options):
    """Before anything is measured: what cannot be written afterwards."""
    if options.json:
        place = options.json if os.path.exists(options.json) else os.path.dirname(options.json) or "."
        if os.path.isdir(options.json) or not os.access(place, os.W_OK):
            raise Failure("%s cannot be written" % options.json)
    if options.write:
        text_with_marks(options.write)


def main():
    options = arguments()
    try:
        if options.list:
            options.threads = options.threads or 1
            for case in all_cases(Programs(options)):
                for row in case.rows:
                    goal = "" if row.goal is None else ", goal %g" % row.goal
                    print("%-24s %s, compared with %s%s" % (row.key, row.regime, row.peer, goal))
            return 0
        require_places(options)
        document = read_document(options.source) if options.source else measure(options)
        try:
            text = "%s\n\n%s" % (description(document), table(document))
        except (KeyError, TypeError) as error:
            if not options.source:
                raise
            raise Failure("%s is not what --json writes" % options.source) from error
        print(text, flush=True)
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump(document, file, indent=1, ensure_ascii=False)
                file.write("\n")
        if options.write:
            write_between_marks(options.write, document)
        return 0
    except OSError as error:
        say("%s: %s" % (error.filename, error.strerror) if error.filename else str(error))
        return 2
    except (Failure, json.JSONDecodeError) as error:
        say(str(error))
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
