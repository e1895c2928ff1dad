# SPDX-License-Identifier: Apache-2.0
"""Discrete Fourier transforms, as the Array API standard's extension names them.

Beside the standard's there are ``fft2``, ``ifft2``, ``rfft2`` and ``irfft2`` of
NumPy; and real numbers may be transformed where the standard asks for complex
ones. Gradients flow through all transforms.
"""

from __future__ import annotations

import functools
import inspect

import numpy as np

from switchyard import _core, creation
from switchyard.checks import FROM_1, POSITIVE, listed, real, whole
from switchyard.functions.arguments import axes_in, axis_in, floating, tensor_of

_ops = _core.ops

__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn",
           "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft",
           "rfft2", "rfftfreq", "rfftn"]


def __dir__():
    return __all__


_LAST = (-2, -1)
_IS_COMPLEX = ("complex64", "complex128")


def _with_dim(function):
    """A transform that takes ``dim``, PyTorch's name of its ``axis`` or ``axes``,
    and None for a ``norm`` that is not said."""
    own = "axis" if "axis" in inspect.signature(function).parameters else "axes"

    @functools.wraps(function)
    def call(x, /, *args, dim=None, **kwargs):
        if dim is not None:
            if own in kwargs:
                raise TypeError(f"{function.__name__}: got two values for {own!r}")
            kwargs[own] = dim
        if "norm" in kwargs and kwargs["norm"] is None:
            kwargs["norm"] = "backward"
        return function(x, *args, **kwargs)
    return call


@_with_dim
def fft(x, /, n=None, axis=-1, norm="backward"):
    """The transform along an axis, of x cut or padded with zeros to ``n``."""
    return _plain("fft", x, n, axis, norm, True)


@_with_dim
def ifft(x, /, n=None, axis=-1, norm="backward"):
    """The inverse of ``fft``."""
    return _plain("ifft", x, n, axis, norm, False)


@_with_dim
def fftn(x, /, s=None, axes=None, norm="backward"):
    """The transform along several axes (all), of x cut or padded to ``s``."""
    return _plain("fftn", x, s, axes, norm, True, several=True)


@_with_dim
def ifftn(x, /, s=None, axes=None, norm="backward"):
    """The inverse of ``fftn``."""
    return _plain("ifftn", x, s, axes, norm, False, several=True)


@_with_dim
def fft2(x, /, s=None, axes=_LAST, norm="backward"):
    """``fftn`` along the last two axes."""
    return _plain("fft2", x, s, axes, norm, True, several=True)


@_with_dim
def ifft2(x, /, s=None, axes=_LAST, norm="backward"):
    """The inverse of ``fft2``."""
    return _plain("ifft2", x, s, axes, norm, False, several=True)


@_with_dim
def rfft(x, /, n=None, axis=-1, norm="backward"):
    """``fft`` of real numbers: the n // 2 + 1 frequencies that differ."""
    return _of_reals("rfft", x, n, axis, norm, True)


@_with_dim
def rfftn(x, /, s=None, axes=None, norm="backward"):
    """``fftn`` of real numbers: of the last axis the frequencies that differ."""
    return _of_reals("rfftn", x, s, axes, norm, True, several=True)


@_with_dim
def rfft2(x, /, s=None, axes=_LAST, norm="backward"):
    """``rfftn`` along the last two axes."""
    return _of_reals("rfft2", x, s, axes, norm, True, several=True)


@_with_dim
def ihfft(x, /, n=None, axis=-1, norm="backward"):
    """The inverse of ``hfft``: the n // 2 + 1 elements that differ."""
    return _of_reals("ihfft", x, n, axis, norm, False)


@_with_dim
def irfft(x, /, n=None, axis=-1, norm="backward"):
    """The inverse of ``rfft``: ``n`` real numbers, 2 (m - 1) for m of x."""
    return _to_reals("irfft", x, n, axis, norm, False)


@_with_dim
def irfftn(x, /, s=None, axes=None, norm="backward"):
    """The inverse of ``rfftn``."""
    return _to_reals("irfftn", x, s, axes, norm, False, several=True)


@_with_dim
def irfft2(x, /, s=None, axes=_LAST, norm="backward"):
    """The inverse of ``rfft2``."""
    return _to_reals("irfft2", x, s, axes, norm, False, several=True)


@_with_dim
def hfft(x, /, n=None, axis=-1, norm="backward"):
    """``fft`` of ``n`` elements of which x has those that differ: real numbers."""
    return _to_reals("hfft", x, n, axis, norm, True)


@_with_dim
def hfft2(x, /, s=None, axes=_LAST, norm="backward"):
    """``hfftn`` along the last two axes."""
    return _to_reals("hfft2", x, s, axes, norm, True, several=True)


@_with_dim
def hfftn(x, /, s=None, axes=None, norm="backward"):
    """``fftn`` of what is Hermitian along the last axis, of which x has the
    elements that differ: real numbers."""
    return _to_reals("hfftn", x, s, axes, norm, True, several=True)


@_with_dim
def ihfft2(x, /, s=None, axes=_LAST, norm="backward"):
    """``ihfftn`` along the last two axes."""
    return _of_reals("ihfft2", x, s, axes, norm, False, several=True)


@_with_dim
def ihfftn(x, /, s=None, axes=None, norm="backward"):
    """The inverse of ``hfftn``: of the last axis the elements that differ."""
    return _of_reals("ihfftn", x, s, axes, norm, False, several=True)


def fftfreq(n: int, /, d: float = 1.0, *, dtype=None, device=None,
            requires_grad: bool = False):
    """The frequencies of ``fft`` of n samples at distances d (float32)."""
    return _frequencies("fftfreq", np.fft.fftfreq, n, d, dtype, device,
                        requires_grad)


def rfftfreq(n: int, /, d: float = 1.0, *, dtype=None, device=None,
            requires_grad: bool = False):
    """The frequencies of ``rfft`` of n samples at distances d (float32)."""
    return _frequencies("rfftfreq", np.fft.rfftfreq, n, d, dtype, device,
                        requires_grad)


@_with_dim
def fftshift(x, /, axes=None):
    """x with frequency 0 in the middle of ``axes`` (all)."""
    return _shifted("fftshift", x, axes, 1)


@_with_dim
def ifftshift(x, /, axes=None):
    """The inverse of ``fftshift``."""
    return _shifted("ifftshift", x, axes, -1)


def _shifted(name, x, axes, sign):
    x = tensor_of(x)
    axes = axes_in(name, axes, len(x.shape))
    shifts = [sign * (x.shape[axis] // 2) for axis in axes]
    return _ops.roll(x, shifts, axes) if axes else x


def _frequencies(name, make, n, d, dtype, device, requires_grad):
    n, d = whole(name, "n", n, FROM_1), real(name, "d", d, POSITIVE)
    if n >= 2**40:
        raise MemoryError(f"{name}: n must be a number of samples that fit into "
                          f"memory, got {n}")
    made = creation.asarray(make(n, d), dtype=dtype or "float32", device=device)
    if requires_grad:
        made.requires_grad = True
    return made


def _lengths(name, x, s, axes, several):
    """The axes of a transform and their lengths, None for that of x."""
    rank = len(x.shape)
    if not several:
        return [axis_in(name, axes, rank)], [_positive(name, "n", s)]
    s = None if s is None else _several(name, "s", s)
    axes = None if axes is None else _several(name, "axes", axes)
    if s is not None and axes is None:
        axes = range(rank - len(s), rank)
    axes = axes_in(name, axes if axes is None else list(axes), rank)
    if s is None:
        return axes, [None] * len(axes)
    if len(s) != len(axes):
        raise ValueError(f"{name}: s must have an extent for each of "
                         f"{len(axes)} axes, got {len(s)}")
    return axes, [None if each == -1 else _positive(name, "s", each)
                  for each in s]


def _several(name, argument, given):
    return [given] if isinstance(given, int) else listed(name, argument, given, 64)


def _positive(name, argument, n):
    return None if n is None else whole(name, argument, n, FROM_1)


def _cut_or_padded(x, axes, lengths):
    for axis, n in zip(axes, lengths):
        extent = x.shape[axis]
        if n is None or (isinstance(extent, int) and extent == n):
            continue
        if not isinstance(extent, int) or extent < n:
            paddings = [0] * (2 * len(x.shape))
            paddings[2 * axis + 1] = n - extent if isinstance(extent, int) else n
            x = _ops.pad(x, paddings)
        x = _ops.slice(x, [axis], [0], [n])
    return x


def _plain(name, x, s, axes, norm, forward, several=False):
    x = floating(x)
    axes, lengths = _lengths(name, x, s, axes, several)
    x = _cut_or_padded(x, axes, lengths)
    if x.dtype in _IS_COMPLEX:
        return _ops.fft_c2c(x, axes, norm, forward)
    if not axes:
        return _ops.cast(x, "complex64" if x.dtype != "float64" else "complex128")
    return _ops.fft_r2c(x, axes, norm, forward, False)


def _of_reals(name, x, s, axes, norm, forward, several=False):
    x = floating(x)
    axes, lengths = _lengths(name, x, s, axes, several)
    return _ops.fft_r2c(_cut_or_padded(x, axes, lengths), axes, norm, forward,
                        True)


def _to_reals(name, x, s, axes, norm, forward, several=False):
    x = floating(x)
    if x.dtype not in _IS_COMPLEX:
        x = _ops.cast(x, "complex64" if x.dtype != "float64" else "complex128")
    axes, lengths = _lengths(name, x, s, axes, several)
    n = (lengths or [None])[-1]
    if n is not None:
        lengths[-1] = n // 2 + 1
    return _ops.fft_c2r(_cut_or_padded(x, axes, lengths), axes, norm, forward,
                        n or 0)
