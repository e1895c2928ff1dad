# SPDX-License-Identifier: Apache-2.0
"""The dtypes of layers, and how mixed precision meets them."""

from __future__ import annotations

from switchyard import _core

HALVES = ("float16", "bfloat16")
FLOATING = (*HALVES, "float32", "float64")


def check_dtype(layer, x, weight):
    """TypeError for a float64 x of a layer of another floating dtype.

    NumPy's arrays are float64: the layer would compute in it, at half the
    speed.
    """
    if getattr(x, "dtype", None) == "float64" and weight.dtype != "float64":
        raise TypeError(
            f"{type(layer).__name__}: x must be {weight.dtype} as weight, got "
            f"float64: x.astype({weight.dtype!r}), or layers of float64")


def common_half(*tensors):
    """The 16-bit dtype of all tensors; None if they have none, or autocast chooses."""
    dtypes = {getattr(x, "dtype", None) for x in tensors}
    dtype = dtypes.pop()
    alike = not dtypes and dtype in HALVES and _core.autocast_dtype() is None
    return dtype if alike else None


def biased(convolve, x, weight, bias, axes):
    """convolve(x, weight) and a number for each channel of ``axes`` extents, unless
    ``bias`` is None; of halves in float32, rounded once."""
    if bias is None:
        return convolve(x, weight)
    half = common_half(x, weight, bias)
    if half is not None:
        x, weight, bias = (_core.ops.cast(v, "float32") for v in (x, weight, bias))
    y = convolve(x, weight)
    y = add_bias(y, _core.ops.reshape(bias, [1, -1] + [1] * axes))
    return y if half is None else _core.ops.cast(y, half)


def add_bias(y, bias):
    """y + bias; in y's dtype where ``sy.amp.autocast`` made that a half."""
    if bias.dtype == "float32" and y.dtype in HALVES:
        bias = _core.ops.cast(bias, y.dtype)
    return _core.ops.add(y, bias)
