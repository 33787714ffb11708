#!/usr/bin/env python3
"""Prints the Chebyshev coefficients of src/theory/tracy_widom.cpp (needs numpy and scipy).

F_1(s) = det(1 - A), A(x, y) = Ai((x + y)/2)/2 on (s, oo) (Ferrari & Spohn, "A determinantal formula for the GOE
Tracy-Widom distribution", 2005), evaluated with a Gauss-Legendre rule (Bornemann, "On the numerical evaluation of
Fredholm determinants", 2010). The quantile as a function of z, p = Phi(z), is nearly linear: a polynomial in z/6 on
[-6, 6]. The last line is the error of the polynomial between its nodes.
"""
import numpy as np
from scipy.optimize import brentq
from scipy.special import airy, ndtr

NODES, WEIGHTS = np.polynomial.legendre.leggauss(120)
DEGREE, RANGE = 28, 6.0


def distribution(s):
    length = 16 + max(-s, 0.0)
    x = s + (NODES + 1) / 2 * length
    root = np.sqrt(WEIGHTS / 2 * length)
    kernel = airy((x[:, None] + x[None, :]) / 2)[0] / 2
    return np.linalg.det(np.eye(len(x)) - root[:, None] * kernel * root[None, :])


def quantile(z):
    if z <= 0:
        return brentq(lambda s: distribution(s) - ndtr(z), -12, 4, xtol=1e-14)
    return brentq(lambda s: (1 - distribution(s)) - ndtr(-z), -6, 14, xtol=1e-14)


def main():
    z = RANGE * np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))
    fit = np.polynomial.Chebyshev.fit(z, [quantile(v) for v in z], DEGREE, domain=[-RANGE, RANGE])
    for c in fit.coef:
        print(f"    {c:.15e},")
    between = np.linspace(-RANGE, RANGE, 61)
    error = np.array([abs(fit(v) - quantile(v)) for v in between])
    print("# error", error.max(), "within |z| < 4:", error[abs(between) < 4].max())


if __name__ == "__main__":
    main()
