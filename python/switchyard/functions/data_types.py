# SPDX-License-Identifier: Apache-2.0
"""Data types: conversion, promotion, limits."""

from __future__ import annotations

import collections
import functools

import numpy as np

from switchyard import _core
from switchyard.checks import refuse
from switchyard.functions.arguments import name_of, place_of, tensor_of
from switchyard.functions.promotion import wider
from switchyard.functions.storage_casts import stored

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]

_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "integral": ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float16", "bfloat16", "float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_KINDS["numeric"] = (_KINDS["integral"] + _KINDS["real floating"]
                     + _KINDS["complex floating"])


def astype(x: T, dtype, *, copy: bool = False, device=None,
           saturate: bool | None = None, round_mode: str | None = None) -> T:
    """The elements as ``dtype``; x itself if that is its own, unless ``copy``.

    Of the floats of 8 bits: ``saturate``, whether what is too large becomes the
    greatest number (by default infinity, or NaN where there is none), and, of
    float8_e8m0fnu, ``round_mode``: "up", "down" or, by default, "nearest".
    """
    x = tensor_of(x)
    name = name_of(dtype)
    if saturate is not None or round_mode is not None:
        x = stored(x, name, saturate, round_mode)
    elif name != x.dtype:
        x = _ops.cast(x, name)
    elif copy:
        x = _ops.assign(x)
    return x if device is None else x.to(place_of(device))


def _kind(name):
    return next(kind for kind in ("bool", "integral", "real floating",
                                  "complex floating") if name in _KINDS[kind])


@functools.lru_cache(maxsize=None)
def _promoted(a, b):
    if a != b and "bool" in (a, b):
        raise TypeError(f"result_type: {a} and {b} do not promote")
    return wider(a, b)


def result_type(*arrays_and_dtypes) -> str:
    """The dtype that an operator gives of these tensors, dtypes and numbers."""
    names, numbers = [], []
    for each in arrays_and_dtypes:
        if isinstance(each, (bool, int, float, complex)):
            numbers.append(each)
        elif isinstance(each, (str, type, np.dtype)):
            names.append(name_of(each))
        elif hasattr(each, "dtype"):
            names.append(str(each.dtype))
        else:
            refuse("result_type", "arguments", "tensors, dtypes and numbers", each)
    names = [_known("result_type", "arguments", name) for name in names]
    if not names:
        raise ValueError("result_type: a tensor or a dtype must be among the "
                         "arguments")
    result = functools.reduce(_promoted, names)
    if any(isinstance(n, complex) for n in numbers):
        if result in _KINDS["real floating"]:
            result = "complex128" if result == "float64" else "complex64"
    elif any(isinstance(n, float) for n in numbers):
        if result in _KINDS["integral"]:
            result = "float32"
    return result


def can_cast(from_, to) -> bool:
    """Whether a value of ``from_`` (a tensor or dtype) promotes to ``to``."""
    plain = isinstance(from_, (str, type, np.dtype)) or not hasattr(from_, "dtype")
    origin = name_of(from_) if plain else str(from_.dtype)
    kinds = (_kind(_known("can_cast", "from_", origin)),
             _kind(_known("can_cast", "to", name_of(to))))
    if kinds[0] != kinds[1] and kinds != ("real floating", "complex floating"):
        return False
    return result_type(origin, to) == name_of(to)


def isdtype(dtype, kind) -> bool:
    """Whether ``dtype`` is of ``kind``: a dtype, a word or several of them.

    Words: "bool", "signed integer", "unsigned integer", "integral",
    "real floating", "complex floating", "numeric".
    """
    name = _known("isdtype", "dtype", name_of(dtype))
    several = kind if isinstance(kind, tuple) else (kind,)
    return any(name in (_KINDS[each] if isinstance(each, str) and each in _KINDS
                        else (_known("isdtype", "kind", name_of(each)),))
               for each in several)


# Types that are made, moved and cast only.
_STORED = {"float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
           "float8_e8m0fnu", "float4_e2m1fn", "int4", "uint4", "int2", "uint2"}


def known_dtype(function, argument, dtype, stored=False):
    """The name of a dtype; TypeError unless tensors have it, those of storage
    types where they are ``stored``."""
    name = "bool" if dtype is bool else name_of(dtype)
    if stored and name in _STORED:
        return name
    return _known(function, argument, name)


def _known(function, argument, name):
    """The name; TypeError unless it is a dtype's."""
    if name not in _KINDS["numeric"] and name != "bool":
        refuse(function, argument, "a dtype", name)
    return name


_FloatLimits = collections.namedtuple(
    "finfo", "bits eps max min smallest_normal dtype")
_IntegerLimits = collections.namedtuple("iinfo", "bits max min dtype")


def finfo(dtype) -> _FloatLimits:
    """bits, eps, max, min, smallest_normal of a floating dtype or tensor."""
    name = _dtype_of(dtype)
    if name == "bfloat16":
        return _FloatLimits(16, 2.0**-7, 3.3895313892515355e38,
                            -3.3895313892515355e38, 2.0**-126, name)
    if name not in _KINDS["real floating"] + _KINDS["complex floating"]:
        raise TypeError(f"finfo: dtype must be floating, got {name}")
    limits = np.finfo(name)
    return _FloatLimits(limits.bits, float(limits.eps), float(limits.max),
                        float(limits.min), float(limits.smallest_normal),
                        limits.dtype.name)


def iinfo(dtype) -> _IntegerLimits:
    """bits, max, min of an integer dtype or tensor."""
    name = _dtype_of(dtype)
    if name not in _KINDS["integral"]:
        raise TypeError(f"iinfo: dtype must be an integer's, got {name}")
    limits = np.iinfo(name)
    return _IntegerLimits(limits.bits, int(limits.max), int(limits.min), name)


def _dtype_of(x):
    return str(x.dtype) if type(x) in (_core.Tensor, _core.Value) else name_of(x)
