#!/usr/bin/env python3
"""What one would write instead of using rezero-analyze, timed: one JSON line.

    bench/peers.py --installed
    bench/peers.py --with torch --how jacfwd --width 512 --depths 32
    bench/peers.py --with numpy --how product --width 64 --depths 32 --seeds 100
    bench/peers.py --with torch --work transformer --how jacrev --width 64 --tokens 16 --depths 12
    bench/peers.py --with torch --work values --width 1024
    bench/peers.py --with numpy --work gemm --width 256 --columns 8

Work: the Jacobian of a random residual stack x + alpha F(x) at a random input, and its singular values (`mlp`:
F(x) = W2 tanh(W1 x) on one vector; `transformer`: a pre-norm attention branch, then a feed-forward branch four times as
wide), singular values of a normal matrix alone (`values`), or the product of a width x width matrix and a matrix of
`columns` columns, both column-major (`gemm`: the loop over repetitions is numpy's own, in C, and one thread is measured
in processor time). All in double precision.
How: jacfwd, jacrev and jvp are functorch's (jvp: vmap over chunks of tangents); product is written by hand,
J <- J + alpha W2 (tanh'(W1 x) * (W1 J)). --running carries one product through all depths instead of starting again at
each.
Seconds are of the wall clock, without imports and (but for --cold) after one small stack that is not counted, so that
nothing is loaded or started while they run; the median of as many repetitions as fit into --seconds, at least one. How
threads wait is said by OMP_WAIT_POLICY in the environment, which OpenMP reads when it is loaded.
"""
import argparse
import ctypes
import importlib.util
import json
import os
import statistics
import time

ALPHA = 0.1


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--installed", action="store_true", help="say which peers there are, and do nothing")
    parser.add_argument("--with", dest="library", choices=["torch", "numpy"], default="torch")
    parser.add_argument("--work", choices=["mlp", "transformer", "values", "gemm"], default="mlp")
    parser.add_argument("--how", choices=["jacfwd", "jacrev", "jvp", "product"], default="jacfwd")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--depths", type=lambda text: [int(word) for word in text.split(",")], default=[32])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=16)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--columns", type=int, default=0, help="of the right operand of gemm; 0: width")
    parser.add_argument("--chunk", type=int, default=256, help="tangents at once, for jvp")
    parser.add_argument("--running", action="store_true", help="one running product (by hand only)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="0: as it starts")
    parser.add_argument("--seconds", type=float, default=0, help="repeat for that long")
    parser.add_argument("--cold", action="store_true", help="no small stack before: for times of the whole process")
    return parser.parse_args()


class Numpy:
    """The product by hand in numpy."""

    def __init__(self, _options):
        import numpy
        self.np = numpy
        self.version = numpy.__version__

    def generator(self, seed):
        return self.np.random.Generator(self.np.random.Philox(seed))

    def normal(self, generator, *shape):
        return generator.standard_normal(shape)

    def identity(self, n):
        return self.np.eye(n)

    def tanh(self, z):
        return self.np.tanh(z)

    def singular_values(self, matrix):
        return self.np.linalg.svd(matrix, compute_uv=False)

    def products(self, width, columns):
        """A function that computes A B some times, and their number: row-major arrays hold the transposes."""
        times = max(1, min(16, int(2e7 / (2 * width * width * columns))))
        left = self.normal(self.generator(1), width, width)
        right = self.normal(self.generator(2), columns, width)
        out = self.np.zeros((times, columns, width))
        several = self.np.broadcast_to(right, out.shape)
        return lambda: self.np.matmul(several, left, out=out), times


class Torch:
    """Torch with functorch, on the processor."""

    def __init__(self, options):
        import functorch
        import torch
        self.torch, self.functorch, self.version = torch, functorch, torch.__version__
        if options.threads:
            torch.set_num_threads(options.threads)

    def generator(self, seed):
        return self.torch.Generator().manual_seed(seed)

    def normal(self, generator, *shape):
        return self.torch.randn(*shape, dtype=self.torch.float64, generator=generator)

    def identity(self, n):
        return self.torch.eye(n, dtype=self.torch.float64)

    def tanh(self, z):
        return self.torch.tanh(z)

    def singular_values(self, matrix):
        return self.torch.linalg.svdvals(matrix)

    def jacobian(self, how, f, x, chunk):
        n = x.numel()
        if how == "jacfwd":
            return self.functorch.jacfwd(f)(x).reshape(n, n)
        if how == "jacrev":
            return self.functorch.jacrev(f)(x).reshape(n, n)
        tangents = self.identity(n)
        push = self.functorch.vmap(
            lambda v: self.functorch.jvp(f, (x,), (v.reshape(x.shape),))[1].reshape(n))
        columns = [push(tangents[start:start + chunk]) for start in range(0, n, chunk)]
        return self.torch.cat(columns).t()


class Mlp:
    def __init__(self, library, options, width):
        self.lib, self.width = library, width
        self.input_shape = (width,)

    def block(self, generator):
        d = self.width
        return tuple(self.lib.normal(generator, d, d) / d ** 0.5 for _ in range(2))

    def forward(self, weights, x):
        first, second = weights
        return x + ALPHA * (second @ self.lib.tanh(first @ x))

    def push(self, weights, x, jacobian):
        """The block's value and the product of its derivative with J, by hand."""
        first, second = weights
        activated = self.lib.tanh(first @ x)
        slope = 1 - activated * activated
        return (x + ALPHA * (second @ activated),
                jacobian + ALPHA * (second @ (slope[:, None] * (first @ jacobian))))


class Transformer:
    def __init__(self, library, options, width):
        self.lib, self.width, self.heads = library, width, options.heads
        self.input_shape = (options.tokens, width)

    def block(self, generator):
        d, wide = self.width, 4 * self.width
        shapes = [(d, d)] * 4 + [(d, wide), (wide, d)]
        return tuple(self.lib.normal(generator, rows, cols) / rows ** 0.5 for rows, cols in shapes)

    def norm(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt()

    def forward(self, weights, x):
        query, key, value, out, rise, fall = weights
        tokens, d = x.shape
        y = self.norm(x)
        # heads first: T x d becomes heads x T x d/heads
        q, k, v = ((y @ w).reshape(tokens, self.heads, -1).transpose(0, 1) for w in (query, key, value))
        scores = (q @ k.transpose(1, 2)) * (d // self.heads) ** -0.5
        mixed = (scores.softmax(-1) @ v).transpose(0, 1).reshape(tokens, d)
        x = x + ALPHA * (mixed @ out)
        return x + ALPHA * (self.lib.tanh(self.norm(x) @ rise) @ fall)


class Stopwatch:
    """Sums the seconds of each part."""

    def __init__(self, clock=time.perf_counter):
        self.clock = clock
        self.parts = {"weights": 0.0, "jacobian": 0.0, "values": 0.0}

    def time(self, part, work):
        start = self.clock()
        result = work()
        self.parts[part] += self.clock() - start
        return result


def stack_once(lib, options, model, depths, seeds):
    """Weights, Jacobians and singular values of each seed and depth: seconds by part, and the last ends."""
    watch, ends = Stopwatch(), None

    def draw(seed, count):
        generator = lib.generator(seed)
        return lib.normal(generator, *model.input_shape), [model.block(generator) for _ in range(count)]

    def through(x, blocks):
        for weights in blocks:
            x = model.forward(weights, x)
        return x

    def product(x, jacobian, blocks):
        for weights in blocks:
            x, jacobian = model.push(weights, x, jacobian)
        return x, jacobian

    for seed in range(seeds):
        if options.running:
            x, blocks = watch.time("weights", lambda: draw(seed, max(depths)))
            jacobian, done = lib.identity(model.width), 0
            for depth in sorted(depths):
                x, jacobian = watch.time("jacobian", lambda: product(x, jacobian, blocks[done:depth]))
                done = depth
                sigma = watch.time("values", lambda: lib.singular_values(jacobian))
                ends = float(sigma[0]), float(sigma[-1])
            continue
        for depth in depths:
            x, blocks = watch.time("weights", lambda: draw(seed, depth))
            if options.how == "product":
                jacobian = watch.time("jacobian", lambda: product(x, lib.identity(model.width), blocks)[1])
            else:
                jacobian = watch.time("jacobian", lambda: lib.jacobian(
                    options.how, lambda at: through(at, blocks), x, options.chunk))
            sigma = watch.time("values", lambda: lib.singular_values(jacobian))
            ends = float(sigma[0]), float(sigma[-1])
    return watch.parts, ends


def values_once(lib, matrix):
    watch = Stopwatch()
    sigma = watch.time("values", lambda: lib.singular_values(matrix))
    return watch.parts, (float(sigma[0]), float(sigma[-1]))


def gemm_once(products, times, threads):
    """One thread in processor time."""
    watch = Stopwatch(time.process_time if threads == 1 else time.perf_counter)
    out = watch.time("values", products)
    return {part: seconds / times for part, seconds in watch.parts.items()}, (float(out.max()), float(out.min()))


def repeated(work, seconds):
    """Medians of each part and of the sum, over repetitions."""
    runs, start = [], time.perf_counter()
    while True:
        parts, ends = work()
        runs.append(dict(parts, total=sum(parts.values())))
        if time.perf_counter() - start + runs[-1]["total"] > seconds:
            break
    return {part: statistics.median(run[part] for run in runs) for part in runs[0]}, len(runs), ends


def blas():
    """Version and kernels of the OpenBLAS in this process, or where its BLAS comes from."""
    try:
        with open("/proc/self/maps", encoding="ascii", errors="replace") as maps:
            paths = sorted({line.split()[-1] for line in maps if "blas" in line and ".so" in line})
        for path in paths:
            library = ctypes.CDLL(path)
            if hasattr(library, "openblas_get_config"):
                library.openblas_get_config.restype = ctypes.c_char_p
                return library.openblas_get_config().decode()
        return ", ".join(paths) or "unknown"
    except OSError:
        return "unknown"


def peak_bytes():
    """Of this program alone: getrusage counts what its parent held when it started it, too."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def installed():
    found = {}
    for library in ("torch", "numpy"):
        needed = ("torch", "functorch") if library == "torch" else (library,)
        found[library] = all(importlib.util.find_spec(name) for name in needed)
    return found


def main():
    options = arguments()
    if options.installed:
        print(json.dumps(installed()))
        return
    if options.library == "numpy" and options.threads:
        os.environ["OPENBLAS_NUM_THREADS"] = str(options.threads)
    start = time.perf_counter()
    lib = Torch(options) if options.library == "torch" else Numpy(options)
    import_seconds = time.perf_counter() - start
    if options.work == "values":
        small = lib.normal(lib.generator(0), 64, 64)
        matrix = lib.normal(lib.generator(1), options.width, options.width)
        if not options.cold:
            values_once(lib, small)
        seconds, repetitions, ends = repeated(lambda: values_once(lib, matrix), options.seconds)
    elif options.work == "gemm":
        products, times = lib.products(options.width, options.columns or options.width)
        gemm_once(products, times, options.threads)
        seconds, repetitions, ends = repeated(lambda: gemm_once(products, times, options.threads), options.seconds)
    else:
        model_of = Mlp if options.work == "mlp" else Transformer
        if not options.cold:
            stack_once(lib, options, model_of(lib, options, 8 * options.heads), [2], 1)
        model = model_of(lib, options, options.width)
        seconds, repetitions, ends = repeated(
            lambda: stack_once(lib, options, model, options.depths, options.seeds), options.seconds)
    print(json.dumps({
        "library": options.library, "version": lib.version, "blas": blas(), "work": options.work, "how": options.how,
        "seconds": seconds, "repetitions": repetitions, "sigma_max": ends[0], "sigma_min": ends[1],
        "import_seconds": import_seconds, "peak_bytes": peak_bytes()}))


if __name__ == "__main__":
    main()
