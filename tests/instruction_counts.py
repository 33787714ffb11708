#!/usr/bin/env python3
"""Instructions that three small runs execute, under callgrind, beside the numbers in instruction_counts.json.

    tests/instruction_counts.py build/rezero-analyze            exit 1 if a run takes 5 % more than is written there
    tests/instruction_counts.py build/rezero-analyze --update   write what it takes now

Counts, unlike seconds, are the same on a busy machine. They depend on the compiler, its options, Eigen, the C library
and the processor that valgrind imitates (always one of its own with AVX2, where the real one has it), so each
combination has its own numbers; there is no verdict on one that has none, or on a build for this machine's processor,
whose instructions valgrind may not know.
"""
import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile

STORED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instruction_counts.json")
MORE, LESS = 0.05, 0.10

RUNS = {
    "small report": "--depth 4 --width 8",
    "mlp, width 96": "--family mlp --scheme depth-power --depth 4,16 --width 96",
    "transformer, 8 tokens": "--family transformer --scheme pre-ln --tokens 8 --width 16 --depth 3 --causal --profile",
}


class Failure(Exception):
    """One line for the user."""


def output_of(command, **more):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **more)
    except OSError as error:
        raise Failure("cannot run %s (%s)" % (command[0], error.strerror)) from error


def combination(tool):
    """What the counts depend on, as one line."""
    done = output_of([tool, "--version"])
    if done.returncode != 0:
        raise Failure("%s --version: exit code %d" % (tool, done.returncode))
    lines = done.stdout.splitlines()
    if len(lines) < 2 or not lines[0].startswith("rezero-analyze "):
        raise Failure("%s is not rezero-analyze" % tool)
    build = lines[1].split(", Spectra")[0]
    valgrind = output_of(["valgrind", "--version"]).stdout.strip()
    return ", ".join([build, " ".join(platform.libc_ver()), valgrind, platform.machine()])


def count(tool, options):
    """Instructions of one run: one thread, a bare environment, an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        done = output_of(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", os.path.abspath(tool),
                          *options.split(), "--threads", "1", "--max-memory", "1G", "--quiet", "--format", "json"],
                         cwd=folder, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "OMP_NUM_THREADS": "1"})
    found = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if done.returncode != 0 or not found:
        raise Failure("%s under valgrind: exit code %d (%s)" % (
            options, done.returncode, (done.stderr.strip().splitlines() or ["no message"])[-1]))
    return int(found.group(1))


def stored():
    if not os.path.exists(STORED):
        return {}
    with open(STORED, encoding="utf-8") as file:
        return json.load(file)


def update(key, counts):
    everything = stored()
    everything[key] = counts
    with open(STORED, "w", encoding="utf-8") as file:
        json.dump(everything, file, indent=2, sort_keys=True)
        file.write("\n")


def verdict(name, now, before):
    """A line, and whether it passes."""
    if before is None:
        return "FAIL %s: no number is stored (--update writes one)" % name, False
    change = now / before - 1
    percent = round(100 * change, 1) + 0.0  # + 0.0: no -0.0
    line = "%s: %.1f million instructions, %+.1f %% of %.1f" % (name, now / 1e6, percent, before / 1e6)
    if change > MORE:
        return "FAIL %s (at most %+.0f %%; --update if it must be)" % (line, 100 * MORE), False
    if change < -LESS:
        return "ok   %s: better; --update keeps it" % line, True
    return "ok   " + line, True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", help="rezero-analyze, built with REZERO_NATIVE=OFF")
    parser.add_argument("--update", action="store_true", help="store the counts of this combination")
    options = parser.parse_args()
    try:
        key = combination(options.tool)
        if "-march=native" in key:
            print("skipped: %s is built for this machine's processor (build with REZERO_NATIVE=OFF)" % options.tool)
            return 0
        before = stored().get(key)
        if before is None and not options.update:
            print("skipped: no counts are stored for %s (--update stores them)" % key)
            return 0
        counts = {name: count(options.tool, run) for name, run in RUNS.items()}
    except Failure as failure:
        print("instruction_counts.py: %s" % failure, file=sys.stderr)
        return 2
    if options.update:
        update(key, counts)
        print("\n".join("%s: %.1f million instructions" % (name, now / 1e6) for name, now in counts.items()))
        return 0
    verdicts = [verdict(name, now, before.get(name)) for name, now in counts.items()]
    print("\n".join(line for line, _ in verdicts))
    return 0 if all(good for _, good in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
