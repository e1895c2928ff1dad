# SPDX-License-Identifier: Apache-2.0
"""Pooling by windows at random places, a part of a window apart (Graham, 2014)."""

from __future__ import annotations

import itertools
import math

import numpy as np

from switchyard import _core
from switchyard.checks import flag, listed, real
from switchyard.functions.arguments import tensor_of
from switchyard.nn.extents import per_extent
from switchyard.nn.max_windows import batched, unbatched
from switchyard.spelling import spelled

_ops = _core.ops


def _starts(samples, extent, count, kernel):
    """Where windows begin along an axis, [planes, count], of numbers in [0, 1)."""
    if count == 1:
        return np.full((len(samples), 1), extent - kernel)
    step = (extent - kernel) / (count - 1)
    line = np.arange(count - 1)
    found = np.floor((line + samples[:, None]) * step) - np.floor(
        samples[:, None] * step)
    last = np.full((len(samples), 1), extent - kernel)
    return np.concatenate([found, last], 1).astype(np.int64)


def _counts(name, axes, sides, kernel, output_size, output_ratio):
    if (output_size is None) == (output_ratio is None):
        raise ValueError(f"{name}: output_size or output_ratio must be given, not both")
    if output_size is not None:
        counts = per_extent(output_size, axes, f"{name}: output_size", 1)
    else:
        ratios = listed(name, "output_ratio", output_ratio, 8) if hasattr(
            output_ratio, "__len__") else [output_ratio] * axes
        if len(ratios) != axes or not all(
                0 < real(name, "output_ratio", r) < 1 for r in ratios):
            raise ValueError(f"{name}: output_ratio must be {axes} numbers in (0, 1), "
                             f"got {ratios}")
        counts = [int(n * r) for n, r in zip(sides, ratios)]
    for n, k, count in zip(sides, kernel, counts):
        if not 1 <= count or count + k - 1 > n:
            raise ValueError(f"{name}: output_size and kernel_size must fit into the "
                             f"extent {n}, got {count} and {k}")
    return counts


def _pool(axes, x, kernel_size, output_size, output_ratio, return_indices, samples):
    name = f"fractional_max_pool{axes}d"
    flag(name, "return_indices", return_indices)
    x, alone = batched(tensor_of(x), axes)
    sides = list(x.shape[2:])
    if len(sides) != axes or not all(isinstance(n, int) for n in x.shape):
        raise ValueError(f"{name}: x must have {axes + 1} or {axes + 2} axes of known "
                         f"extents, got {tuple(x.shape)}")
    kernel = per_extent(kernel_size, axes, f"{name}: kernel_size", 1)
    counts = _counts(name, axes, sides, kernel, output_size, output_ratio)
    planes = x.shape[0] * x.shape[1]
    drawn = _ops.uniform([planes, axes], 0.0, 1.0, "float32") if samples is None else (
        _ops.reshape(tensor_of(samples), [planes, axes]))
    if not isinstance(drawn, _core.Tensor) or not isinstance(x, _core.Tensor):
        raise NotImplementedError(f"{name}: windows are drawn on the host, which a "
                                  "program that is traced can't")
    at = _places(drawn.numpy(), sides, counts, kernel)
    flat = _ops.reshape(x, [planes, -1])
    found = _ops.take_along_axis(flat, _core.tensor(at.reshape(planes, -1)), 1)
    windows = _ops.reshape(found, [planes, math.prod(counts), -1])
    first = _ops.argmax(windows, 2, keepdims=True)
    shape = [*x.shape[:2], *counts]
    values = _ops.reshape(_ops.take_along_axis(windows, first, 2), shape)
    if not return_indices:
        return unbatched(values, alone)
    indices = _ops.take_along_axis(
        _core.tensor(at.reshape(planes, math.prod(counts), -1)), first, 2)
    return unbatched((values, _ops.reshape(indices, shape)), alone)


def _places(samples, sides, counts, kernel):
    """The places in its plane of each element of each window, [planes, *counts,
    elements of a window]."""
    # PyTorch draws the last extent's number first.
    starts = [_starts(samples[:, len(sides) - 1 - i], n, count, k)
              for i, (n, count, k) in enumerate(zip(sides, counts, kernel))]
    grids = np.zeros((len(samples), *counts), np.int64)
    for i, start in enumerate(starts):
        shape = [len(samples), *[1] * len(counts)]
        shape[1 + i] = counts[i]
        grids = grids + start.reshape(shape) * math.prod(sides[i + 1:])
    inside = [sum(o * math.prod(sides[i + 1:]) for i, o in enumerate(each))
              for each in itertools.product(*map(range, kernel))]
    return grids[..., None] + np.array(inside, np.int64)


@spelled
def fractional_max_pool2d(x, kernel_size, output_size=None, output_ratio=None,
                          return_indices: bool = False, _random_samples=None):
    """The maximum of windows at random places, ``output_size`` of them along each
    extent, or ``output_ratio`` of the extent; with ``return_indices`` also where it
    is in its plane. In eager code alone."""
    return _pool(2, x, kernel_size, output_size, output_ratio, return_indices,
                 _random_samples)


@spelled
def fractional_max_pool3d(x, kernel_size, output_size=None, output_ratio=None,
                          return_indices: bool = False, _random_samples=None):
    """fractional_max_pool2d of volumes."""
    return _pool(3, x, kernel_size, output_size, output_ratio, return_indices,
                 _random_samples)
