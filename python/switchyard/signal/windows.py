# SPDX-License-Identifier: Apache-2.0
"""Windows: weights of M samples, computed in float64.

``sym``: symmetric, for filters; else periodic, of one sample more, whose last is
left out, for transforms.
"""

from __future__ import annotations

import math

import numpy as np

from switchyard import creation
from switchyard.checks import FROM_0, NUMBER, POSITIVE, listed, real, whole

__all__ = ["bartlett", "blackman", "cosine", "exponential", "gaussian",
           "general_cosine", "general_hamming", "hamming", "hann", "kaiser",
           "nuttall"]


def __dir__():
    return __all__


def _made(name, M, sym, weights, dtype, device, requires_grad):
    """weights(n, count): those of the samples n of ``count`` in all."""
    M = whole(name, "M", M, FROM_0)
    dtype = dtype or "float32"
    if dtype not in ("float32", "float64"):
        raise ValueError(f"{name}: dtype must be float32 or float64, got {dtype}")
    count = M if sym else M + 1
    values = np.ones(M) if M <= 1 else weights(np.arange(M), count)
    made = creation.asarray(np.asarray(values), dtype=dtype, device=device)
    if requires_grad:
        made.requires_grad = True
    return made


def general_cosine(M: int, *, a, sym: bool = True, dtype=None, device=None,
                   requires_grad: bool = False):
    """The sum of cosines of 0, 1, ... turns with the weights ``a``, whose signs
    alternate."""
    a = [real("general_cosine", "a", each) for each in listed(
        "general_cosine", "a", a)]
    if not a:
        raise ValueError("general_cosine: a must not be empty, got []")

    def weights(n, count):
        angle = 2 * math.pi * n / (count - 1)
        return sum((-1)**k * each * np.cos(k * angle) for k, each in enumerate(a))
    return _made("general_cosine", M, sym, weights, dtype, device, requires_grad)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, dtype=None,
                    device=None, requires_grad: bool = False):
    """alpha - (1 - alpha) cos."""
    alpha = real("general_hamming", "alpha", alpha, NUMBER)
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, dtype=dtype,
                          device=device, requires_grad=requires_grad)


def hamming(M: int, *, sym: bool = True, dtype=None, device=None,
            requires_grad: bool = False):
    """Hamming's window."""
    return general_hamming(M, sym=sym, dtype=dtype, device=device,
                           requires_grad=requires_grad)


def hann(M: int, *, sym: bool = True, dtype=None, device=None,
         requires_grad: bool = False):
    """Hann's window."""
    return general_hamming(M, alpha=0.5, sym=sym, dtype=dtype, device=device,
                           requires_grad=requires_grad)


def blackman(M: int, *, sym: bool = True, dtype=None, device=None,
             requires_grad: bool = False):
    """Blackman's window."""
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, dtype=dtype,
                          device=device, requires_grad=requires_grad)


def nuttall(M: int, *, sym: bool = True, dtype=None, device=None,
            requires_grad: bool = False):
    """Nuttall's window."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411],
                          sym=sym, dtype=dtype, device=device,
                          requires_grad=requires_grad)


def bartlett(M: int, *, sym: bool = True, dtype=None, device=None,
             requires_grad: bool = False):
    """Bartlett's window, a triangle."""
    def weights(n, count):
        return 1 - np.abs(2 * n / (count - 1) - 1)
    return _made("bartlett", M, sym, weights, dtype, device, requires_grad)


def cosine(M: int, *, sym: bool = True, dtype=None, device=None,
           requires_grad: bool = False):
    """Half a wave."""
    def weights(n, count):
        return np.sin(math.pi * (n + 0.5) / count)
    return _made("cosine", M, sym, weights, dtype, device, requires_grad)


def exponential(M: int, *, center=None, tau: float = 1.0, sym: bool = True,
                dtype=None, device=None, requires_grad: bool = False):
    """exp(-|n - center| / tau), by default around the middle."""
    tau = real("exponential", "tau", tau, POSITIVE)
    if sym and center is not None:
        raise ValueError("exponential: center must be None where sym, got "
                         f"{center!r}")

    def weights(n, count):
        middle = (count - 1) / 2 if center is None else center
        return np.exp(-np.abs(n - middle) / tau)
    return _made("exponential", M, sym, weights, dtype, device, requires_grad)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, dtype=None,
             device=None, requires_grad: bool = False):
    """The normal distribution of deviation ``std`` around the middle."""
    std = real("gaussian", "std", std, POSITIVE)

    def weights(n, count):
        return np.exp(-0.5 * ((n - (count - 1) / 2) / std)**2)
    return _made("gaussian", M, sym, weights, dtype, device, requires_grad)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, dtype=None,
           device=None, requires_grad: bool = False):
    """Kaiser's window of the shape ``beta``."""
    beta = real("kaiser", "beta", beta, FROM_0)

    def weights(n, count):
        place = 2 * n / (count - 1) - 1
        return np.i0(beta * np.sqrt(np.maximum(1 - place**2, 0))) / np.i0(beta)
    return _made("kaiser", M, sym, weights, dtype, device, requires_grad)
