# SPDX-License-Identifier: Apache-2.0
"""Numbers that describe many: extremes, quantiles, histograms, covariances."""

from __future__ import annotations

import collections
import math

import numpy as np

from switchyard import _core
from switchyard.checks import SHARE, Range, listed, real, refuse, whole
from switchyard.functions.arguments import (
    WHOLE, axis_in, comparable, floating, is_empty, tensor_of, to_shape, weighed_part)
from switchyard.functions.medians import median
from switchyard.functions.precision import halves_in_float64, in_float32
from switchyard.functions.promotion import cast
from switchyard.functions.reductions import mean, std, var
from switchyard.functions.reductions import sum as sum_of
from switchyard.functions.repeats import of_rows, reads_views, unrepeated
from switchyard.functions.searching import sort

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["aminmax", "corrcoef", "cov", "histc", "histogram", "histogramdd",
           "nanmean", "nanmedian", "nanquantile", "nansum", "quantile", "std_mean",
           "var_mean"]

_PARTS = Range("in [1, 2**31)", lambda n: 1 <= n < 2**31)

_Aminmax = collections.namedtuple("aminmax", "min max")
_HistogramDd = collections.namedtuple("histogramdd", "hist bin_edges")
_Histogram = collections.namedtuple("histogram", "hist bin_edges")
_Median = collections.namedtuple("nanmedian", "values indices")


@reads_views
def aminmax(x: T, *, dim=None, keepdim: bool = False):
    """The named tuple (min, max) over the axis ``dim``, or of all elements."""
    x = comparable("aminmax", x)
    axis = dim if x.shape else None
    return _Aminmax(_ops.amin(x, axis, keepdim), _ops.amax(x, axis, keepdim))


def _moments(name, function, x, dim, unbiased, correction, keepdim):
    """``var`` or ``std`` and the mean; PyTorch's denominator is one less."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = 1.0 if unbiased is None or unbiased else 0.0
    x = tensor_of(x)
    dim = None if dim in ((), []) else dim
    return (function(x, dim, correction, keepdim), mean(x, dim, keepdim))


@reads_views
def std_mean(x: T, dim=None, unbiased: bool | None = None, keepdim: bool = False,
             *, correction=None):
    """(standard deviation, mean) over ``dim``. The deviation is PyTorch's, whose
    denominator is less by ``correction``, 1 unless told."""
    return _moments("std_mean", std, x, dim, unbiased, correction, keepdim)


@reads_views
def var_mean(x: T, dim=None, unbiased: bool | None = None, keepdim: bool = False,
             *, correction=None):
    """(variance, mean) over ``dim``. The variance is PyTorch's, whose denominator
    is less by ``correction``, 1 unless told."""
    return _moments("var_mean", var, x, dim, unbiased, correction, keepdim)


def _without_nan(x):
    there = _ops.equal(x, x)
    return there, _ops.where(there, x, _ops.zeros_like(x))


@reads_views
def nansum(x: T, dim=None, keepdim: bool = False, *, dtype=None) -> T:
    """The sum over ``dim`` of what is not NaN."""
    x = tensor_of(x)
    if x.dtype not in WHOLE:
        x = _without_nan(x)[1]
    return sum_of(x, dim, keepdim, dtype=dtype)


@reads_views
@in_float32
def nanmean(x: T, dim=None, keepdim: bool = False, *, dtype=None) -> T:
    """The mean over ``dim`` of what is not NaN; NaN of nothing."""
    x = tensor_of(x)
    if dtype is not None:
        x = _ops.cast(x, dtype)
    there, plain = _without_nan(x)
    total = sum_of(plain, dim, keepdim)
    count = sum_of(there, dim, keepdim)
    return _ops.divide(total, _ops.cast(count, total.dtype))


@reads_views
def nanmedian(x: T, dim=None, keepdim: bool = False):
    """The middle element of what is not NaN, the lower of two, as PyTorch's; with
    ``dim`` the named tuple (values, indices)."""
    x = comparable("nanmedian", x)
    row, axis, times = x, dim, [1]
    if dim is None or not x.shape:
        row, times = unrepeated(x)
        row, axis = to_shape(row, [row.size if isinstance(row.size, int) else -1]), 0
    axis = axis_in("nanmedian", axis, len(row.shape))
    if is_empty(row):
        return _ops.full([], float("nan"), x.dtype)
    order = _ops.argsort(row, axis, False, True)[1]
    count = _ops.sum(_ops.cast(_ops.equal(row, row), "int64"), axis, None, True)
    each = math.prod(times)  # So often each element counts.
    if each != 1:
        count = _ops.multiply(count, each)
    middle = _ops.maximum(_ops.floor_divide(_ops.subtract(count, 1), 2), 0)
    if each != 1:
        middle = _ops.floor_divide(middle, each)
    index = _ops.take_along_axis(order, middle, axis)
    values = _ops.take_along_axis(row, index, axis)
    if dim is None:
        return to_shape(values, [])
    if not x.shape:
        return _Median(to_shape(values, []), to_shape(index, []))
    if keepdim:
        return _Median(values, index)
    return _Median(_ops.squeeze(values, [axis]), _ops.squeeze(index, [axis]))


_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


@reads_views
def quantile(x: T, q, dim=None, keepdim: bool = False, *,
             interpolation: str = "linear") -> T:
    """The quantiles q in [0, 1] over the axis ``dim``, or of all elements; NaN if
    there is one. Several q are the first axis of the result.

    ``interpolation`` between two elements: "linear", "lower", "higher",
    "midpoint" or "nearest".
    """
    return _quantiles("quantile", x, q, dim, keepdim, interpolation, False)


@reads_views
def nanquantile(x: T, q, dim=None, keepdim: bool = False, *,
                interpolation: str = "linear") -> T:
    """``quantile`` of what is not NaN."""
    return _quantiles("nanquantile", x, q, dim, keepdim, interpolation, True)


def _quantiles(name, x, q, dim, keepdim, interpolation, without_nan):
    x = tensor_of(x)
    if x.dtype not in ("float32", "float64"):
        raise TypeError(f"{name}: x must be float32 or float64, got {x.dtype}")
    if interpolation not in _METHODS:
        raise ValueError(f"{name}: interpolation must be one of {_METHODS}, got "
                         f"{interpolation!r}")
    if not hasattr(q, "dtype"):
        q = cast(real(name, "q", q, SHARE), x.dtype)
    q = tensor_of(q)
    if q.dtype.startswith("complex"):
        raise TypeError(f"{name}: q must be real, got {q.dtype}")
    q = _ops.cast(q, x.dtype)

    def of(row, times):
        row = row if row.shape else to_shape(row, [1])
        ordered = sort(row, -1)
        there = _ops.cast(_ops.equal(row, row), x.dtype)
        count = _ops.sum(there, [-1], None, True)
        if times != 1:
            count = _ops.multiply(count, float(times))
        places = to_shape(q, [q.size] + [1] * len(row.shape))
        at = _ops.multiply(_ops.cast(places, x.dtype),
                           _ops.maximum(_ops.subtract(count, 1.0), 0.0))
        found = _between(ordered, at, interpolation, times)
        if not without_nan:
            whole_row = _ops.equal(count, _number(row.shape[-1], x.dtype) * times)
            found = _ops.where(whole_row, found,
                               _ops.full_like(found, float("nan")))
        return _ops.squeeze(found, [len(found.shape) - 1])
    found, axes = of_rows(name, of, x, None if not x.shape else dim)
    if keepdim and x.shape:
        found = _ops.unsqueeze(found, [axis + 1 for axis in sorted(axes)])
    return found if q.shape else _ops.squeeze(found, [0])


def _number(extent, dtype):
    """An extent as a number, of an open one as a value of ``dtype``."""
    return float(extent) if isinstance(extent, int) else _ops.cast(extent * 1, dtype)


def _between(ordered, at, interpolation, times):
    """The elements at places with fractions along the last axis, of which each is there
    ``times`` times."""
    low = _ops.floor(at)
    if interpolation == "nearest":
        half = _ops.equal(_ops.subtract(at, low), 0.5)
        even = _ops.multiply(_ops.round(_ops.multiply(at, 0.5)), 2.0)
        low = _ops.where(half, even, _ops.round(at))
    high = low if interpolation in ("lower", "nearest") else _ops.ceil(at)
    low = high if interpolation == "higher" else low
    many = _ops.expand(_ops.unsqueeze(ordered, [0]),
                       [at.shape[0], *ordered.shape])
    shape = [at.shape[0], *ordered.shape[:-1], 1]
    places = [_ops.cast(_ops.expand(each, shape), "int64") for each in (low, high)]
    if times != 1:
        places = [_ops.floor_divide(each, times) for each in places]
    first, second = (_ops.take_along_axis(many, each, -1) for each in places)
    if interpolation in ("lower", "higher", "nearest"):
        return first
    share = _ops.full_like(at, 0.5) if interpolation == "midpoint" else (
        _ops.subtract(at, low))
    return _ops.lerp(first, second, _ops.expand(share, shape))


@reads_views
def histc(x: T, bins: int = 100, min=0, max=0) -> T:
    """How many elements lie in each of ``bins`` equal parts of [min, max], or of
    their own range where both are equal; others are not counted."""
    x, bins = comparable("histc", x), whole("histc", "bins", bins, _PARTS)
    low, high = float(min), float(max)
    if low > high:
        raise ValueError(f"histc: max must be larger than min, got {low} and {high}")
    one, times = unrepeated(x.detach())
    values = np.asarray(one.numpy()).reshape(-1).astype(np.float64)
    if low == high and values.size:
        low, high = float(values.min()), float(values.max())
    if low == high:
        low, high = low - 1, high + 1
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"histc: range must be finite, got {low} and {high}")
    values = values[(values >= low) & (values <= high)]
    place = np.minimum((values - low) * bins / (high - low), bins - 1)
    counts = np.bincount(place.astype(np.int64), minlength=bins) * math.prod(times)
    return _core.tensor(counts, x.dtype)


@reads_views
def histogram(x: T, bins, *, range=None, weight=None, density: bool = False):
    """(hist, bin_edges): the sums of weights of the elements in each part, of
    ``bins`` equal parts of ``range`` or between the ascending edges ``bins``."""
    x = comparable("histogram", x)
    plain = weight is None and not density
    one, times = unrepeated(x.detach()) if plain else (x.detach(), [1])
    values = np.asarray(one.numpy()).reshape(-1)
    weights = None if weight is None else np.asarray(comparable(
        "histogram", weight, "weight").detach().numpy(), np.float64).reshape(-1)
    if isinstance(bins, int):
        whole("histogram", "bins", bins, _PARTS)
    edges = bins if isinstance(bins, int) else np.asarray(
        tensor_of(bins).numpy())
    if isinstance(bins, int) and range is None and values.size == 0:
        range = (0.0, 1.0)
    try:
        hist, edges = np.histogram(values, edges, range=range, weights=weights,
                                   density=bool(density))
        hist = hist * math.prod(times)
    except ValueError as error:
        refuse("histogram", "bins", f"edges of parts ({error})", bins, ValueError)
    return _Histogram(_core.tensor(hist, x.dtype), _core.tensor(edges, x.dtype))


def histogramdd(x: T, bins, *, range=None, weight=None, density: bool = False):
    """(hist, bin_edges): the sums of weights of the points x [..., axes] in each
    cell of a grid, whose parts along each axis are ``bins``: a number of equal parts
    for all, or for each axis a number or its ascending edges. ``range`` has the two
    ends of each axis, one after another. There is no gradient, and none in
    programs."""
    x = floating(comparable("histogramdd", x))
    if len(x.shape) < 2 or not x.shape[-1]:
        refuse("histogramdd", "x", "points along the last of two axes or more", x,
               ValueError)
    axes = x.shape[-1]
    values = np.asarray(x.detach().numpy()).reshape(-1, axes)
    bins = [bins] * axes if isinstance(bins, int) else list(
        listed("histogramdd", "bins", bins))
    if len(bins) != axes:
        raise ValueError(f"histogramdd: bins must be {axes}, one for each axis, got "
                         f"{len(bins)}")
    edges = [whole("histogramdd", "bins", each, _PARTS) if isinstance(each, int)
             else np.asarray(tensor_of(each).numpy()) for each in bins]
    if range is not None:
        ends = [real("histogramdd", "range", end)
                for end in listed("histogramdd", "range", range)]
        if len(ends) != 2 * axes:
            raise ValueError(f"histogramdd: range must have {2 * axes} ends, got "
                             f"{len(ends)}")
        range = list(zip(ends[::2], ends[1::2]))
    weights = None if weight is None else np.asarray(comparable(
        "histogramdd", weight, "weight").detach().numpy(), np.float64).reshape(-1)
    if weights is not None and len(weights) != len(values):
        raise ValueError(f"histogramdd: weight must be {len(values)} numbers, one a "
                         f"point, got {len(weights)}")
    try:
        hist, edges = np.histogramdd(values, edges, range, bool(density), weights)
    except (ValueError, TypeError) as error:
        refuse("histogramdd", "bins", f"edges of parts ({error})", bins, ValueError)
    return _HistogramDd(_core.tensor(hist, x.dtype),
                        [_core.tensor(each, x.dtype) for each in edges])


def _weights_of(name, argument, given, count):
    """Weights of ``count`` observations; frequencies are integers. ValueError for
    another number of them, and for one below 0."""
    given = tensor_of(given)
    if tuple(given.shape) != (count,):
        refuse(name, argument, f"{count} numbers, one an observation", given,
               ValueError)
    if argument == "fweights" and given.dtype not in WHOLE:
        raise TypeError(f"{name}: {argument} must be integers, got {given.dtype}")
    if type(given) is _core.Tensor and bool(_ops.any(_ops.less_than(given, 0)).item()):
        raise ValueError(f"{name}: {argument} must be from 0")
    return given


@reads_views
@halves_in_float64
def cov(x: T, *, correction: int = 1, fweights=None, aweights=None) -> T:
    """The covariances of the rows of x, of which each column is an observation;
    the divisor is their number less ``correction``. Weights are how often
    (``fweights``) and how much (``aweights``) each counts."""
    x = tensor_of(x)
    if len(x.shape) > 2:
        raise ValueError(f"cov: x must have at most two axes, got {len(x.shape)}")
    x = floating(x)
    rows = to_shape(x, [1, x.size]) if len(x.shape) < 2 else x
    real = _ops.abs(x).dtype if x.dtype.startswith("complex") else x.dtype
    weights = [_weights_of("cov", name, each, rows.shape[1])
               for name, each in (("fweights", fweights), ("aweights", aweights))
               if each is not None]
    if not weights:
        average, scaled = mean(rows, 1, True), None
        divisor = _number(rows.shape[1], real) - correction
    else:
        weight = _ops.cast(weights[0], real)
        for each in weights[1:]:
            weight = _ops.multiply(weight, _ops.cast(each, real))
        rows = weighed_part(rows, weight)
        total = _ops.sum(weight)
        average = _ops.divide(_ops.sum(_ops.multiply(rows, weight), 1, None, True),
                              total)
        scaled, divisor = weight, total
        if correction and aweights is not None:
            share = _ops.divide(_ops.sum(_ops.multiply(
                weight, _ops.cast(weights[-1], real))), total)
            divisor = _ops.subtract(total, _ops.multiply(share, correction))
        elif correction:
            divisor = _ops.subtract(total, float(correction))
    off = _ops.subtract(rows, average)
    left = off if scaled is None else _ops.multiply(off, scaled)
    other = _ops.transpose(off, [1, 0])
    other = _ops.conj(other) if x.dtype.startswith("complex") else other
    divisor = max(divisor, 0.0) if isinstance(divisor, float) else (
        _ops.maximum(divisor, 0.0))
    found = _ops.divide(_ops.matmul(left, other), divisor)
    return to_shape(found, []) if rows.shape[0] == 1 else found


@reads_views
@halves_in_float64
def corrcoef(x: T) -> T:
    """The correlations of the rows of x, of which each column is an observation."""
    found = cov(x)
    if not found.shape:
        return _ops.divide(found, found)
    spread = _ops.sqrt(_ops.real(_ops.diagonal(found, 0, 0, 1)) if found.dtype.startswith(
        "complex") else _ops.diagonal(found, 0, 0, 1))
    found = _ops.divide(found, _ops.unsqueeze(spread, [1]))
    found = _ops.divide(found, _ops.unsqueeze(spread, [0]))
    return found if found.dtype.startswith("complex") else _ops.clip(
        found, -1.0, 1.0)
