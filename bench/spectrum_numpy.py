"""The same work in LAPACK: milliseconds of numpy.linalg.svd(A, compute_uv=False), minimum of several runs."""

import time

import numpy

for n in (64, 128, 256, 512, 1024):
    matrix = numpy.random.default_rng(1).uniform(-1, 1, (n, n))
    times = []
    for _ in range(max(3, 4096 // n)):
        start = time.perf_counter()
        numpy.linalg.svd(matrix, compute_uv=False)
        times.append(time.perf_counter() - start)
    print(f"n={n:5d}  {1e3 * min(times):9.3f} ms (median {1e3 * sorted(times)[len(times) // 2]:.3f})")
