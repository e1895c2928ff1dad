# SPDX-License-Identifier: Apache-2.0
"""Casts from storage types, and to floats of 8 bits with the attributes of ONNX's
Cast."""

from __future__ import annotations

import functools

import numpy as np

from switchyard import _core
from switchyard.checks import refuse
from switchyard.functions.arguments import HALVES, STORED

_ops = _core.ops

# The greatest number of those that have a sign.
_GREATEST = {"float8_e4m3fn": 448.0, "float8_e4m3fnuz": 240.0, "float8_e5m2": 57344.0,
             "float8_e5m2fnuz": 57344.0}
_POWERS = "float8_e8m0fnu"
_LEAST_POWER, _GREATEST_POWER = 2.0**-127, 2.0**127
_MODES = ("up", "down", "nearest")


def numbers(x) -> np.ndarray:
    """x.numpy(); of a storage type the numbers that its codes stand for, as int32 or
    float32, which hold all of them."""
    array = x.numpy()
    return _of_codes(x.dtype)[array.view(np.uint8)] if x.dtype in STORED else array


@functools.lru_cache
def _of_codes(dtype):
    codes = np.arange(256 if dtype.startswith("float8") else 4 if dtype.endswith("2") else 16)
    held = _core.tensor(codes.astype(np.uint8), dtype, place="cpu")
    return _ops.cast(held, "int32" if "int" in dtype else "float32").numpy()


def stored(x, dtype, saturate, round_mode):
    """x as ``dtype``, by attributes of which at least one is not None."""
    if saturate is not None and not isinstance(saturate, bool):
        refuse("astype", "saturate", "True, False or None", saturate)
    if round_mode is not None and round_mode not in _MODES:
        raise ValueError("astype: round_mode must be 'up', 'down', 'nearest' or None, "
                         f"got {round_mode!r}")
    if round_mode is not None and dtype != _POWERS:
        raise ValueError(f"astype: round_mode must be None unless dtype is {_POWERS}, "
                         f"got {round_mode!r} for {dtype}")
    if dtype == _POWERS:
        return _power(x, saturate, round_mode)
    if dtype not in _GREATEST:
        raise ValueError("astype: saturate must be None unless dtype is a float of 8 bits, "
                         f"got {saturate!r} for {dtype}")
    if x.dtype == dtype:
        return x
    if not saturate:
        return _ops.cast(x, dtype)
    # Halves hold the bounds, float32 what is within them of other dtypes.
    if x.dtype not in HALVES | {"float32", "float64"}:
        x = _ops.cast(x, "float32")
    greatest = _GREATEST[dtype]
    return _ops.cast(_ops.clip(x, -greatest, greatest), dtype)


def _power(x, saturate, round_mode):
    """x as the powers of 2. The cast gives the nearest one: where that is on the wrong
    side of x, the next one is meant."""
    if x.dtype == _POWERS:
        return x
    x = _ops.cast(x, "float64")
    if saturate:
        x = _ops.clip(x, _LEAST_POWER, _GREATEST_POWER)
    if round_mode == "down":
        x = _ops.where(_ops.less_than(x, _number(2 * _GREATEST_POWER)),
                       _ops.minimum(x, _number(_GREATEST_POWER)), x)
    near = _ops.cast(_ops.cast(x, _POWERS), "float64")
    if round_mode == "up":
        near = _ops.where(_ops.less_than(near, x), _ops.scale(near, 2.0), near)
    elif round_mode == "down":
        near = _ops.where(_ops.greater_than(near, x), _ops.scale(near, 0.5), near)
    return _ops.cast(near, _POWERS)


def _number(number):
    return _ops.full([], number, "float64")
