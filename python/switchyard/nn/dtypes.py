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


def add_bias(y, bias):
    """y + bias; in y's dtype where ``sy.amp.autocast`` made that a half."""
    if bias.dtype == "float32" and y.dtype in HALVES:
        bias = _core.ops.cast(bias, y.dtype)
    return _core.ops.add(y, bias)
