# SPDX-License-Identifier: Apache-2.0
"""Largest elements of windows with their places, of windows with gaps, and back."""

from __future__ import annotations

import itertools
import math

from switchyard import _core
from switchyard.checks import FROM_0, flag, listed, whole
from switchyard.creation import arange
from switchyard.functions.arguments import tensor_of
from switchyard.nn.extents import per_extent
from switchyard.nn.windows import check_windows

_ops = _core.ops
_WITH_PLACES = {2: _ops.max_pool2d_with_index, 3: _ops.max_pool3d_with_index}


def alike(shape, other):
    """Whether two shapes are one, as far as they are known."""
    return len(shape) == len(other) and not any(
        isinstance(a, int) and isinstance(b, int) and a != b
        for a, b in zip(shape, other))


def batched(x, axes):
    """x with an axis of batches, and whether it had none; ``axes`` follow its
    channels."""
    alone = len(getattr(x, "shape", ())) == axes + 1
    return (_ops.unsqueeze(x, [0]) if alone else x), alone


def unbatched(results, alone):
    """Results without the axis of batches that ``batched`` added."""
    if not alone:
        return results
    if isinstance(results, tuple):
        return tuple(_ops.squeeze(each, [0]) for each in results)
    return _ops.squeeze(results, [0])


def ceil_flag(name, ceil_mode):
    """TypeError unless it is a bool: PyTorch has a dilation at its place."""
    if not isinstance(ceil_mode, bool):
        whole(name, "ceil_mode", ceil_mode)
        raise TypeError(f"{name}: ceil_mode must be a bool, got {ceil_mode}: give "
                        "dilation by its name")


def max_pool(name, x, kernel, stride, padding, ceil_mode, dilation, places):
    """(the largest elements of windows, where they are in their planes, int64);
    the former alone unless ``places``."""
    flag(name, "return_indices", places)
    axes = len(kernel)
    x, alone = batched(tensor_of(x), axes)
    if len(x.shape) != axes + 2:
        raise ValueError(f"{name}: x must have {axes + 1} or {axes + 2} axes, got "
                         f"{len(x.shape)}")
    algorithm = check_windows(name, x, kernel, padding, dilation,
                              stride if ceil_mode else None)
    for size, side in zip(kernel, padding):
        if 2 * side > size:
            raise ValueError(f"{name}: padding must be at most half of kernel_size "
                             f"{size}, got {side}")
    if all(d == 1 for d in dilation):
        found = _in_planes(x, kernel, stride, padding, ceil_mode, algorithm)
    else:
        found = _with_gaps(name, x, kernel, stride, padding, ceil_mode, dilation)
    return unbatched(found if places else found[0], alone)


def _in_planes(x, kernel, stride, padding, ceil_mode, algorithm):
    if len(kernel) == 1:
        values, at = _in_planes(_ops.unsqueeze(x, [2]), [1, *kernel], [1, *stride],
                                [0, *padding], ceil_mode, algorithm)
        return _ops.squeeze(values, [2]), _ops.squeeze(at, [2])
    values, at = _WITH_PLACES[len(kernel)](x, kernel, stride, padding,
                                           ceil_mode=ceil_mode)
    if algorithm == "WHOLE":  # The operator of values alone refuses what is partial.
        values = {2: _ops.pool2d, 3: _ops.pool3d}[len(kernel)](
            x, kernel, strides=stride, paddings=padding, ceil_mode=ceil_mode,
            pooling_type="max", padding_algorithm=algorithm)
    return values, _ops.cast(at, "int64")


def outputs(extent, kernel, stride, padding, dilation, ceil_mode):
    """The number of windows along an axis."""
    space = extent + 2 * padding - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return space // stride + 1
    count = -(-space // stride) + 1
    # The last one starts within x or the padding before it.
    return count - 1 if (count - 1) * stride >= extent + padding else count


def _with_gaps(name, x, kernel, stride, padding, ceil_mode, dilation):
    """Finds them by a slice of x for each element of a window."""
    sides = x.shape[2:]
    if not all(isinstance(n, int) for n in sides):
        raise ValueError(f"{name}: dilation needs extents that are known")
    counts = [outputs(*each, ceil_mode) for each in zip(
        sides, kernel, stride, padding, dilation)]
    ends = [max((c - 1) * s + d * (k - 1) + 1 - n - p, 0) for c, s, d, k, n, p in
            zip(counts, stride, dilation, kernel, sides, padding)]
    low = -math.inf if "float" in x.dtype else _lowest(x.dtype)
    wide = _ops.pad(x, [0] * 4 + [n for both in zip(padding, ends) for n in both],
                    low)
    axes = list(range(2, 2 + len(kernel)))
    parts, starts = [], []
    for at in itertools.product(*map(range, kernel)):
        start = [i * d for i, d in zip(at, dilation)]
        stop = [b + (c - 1) * s + 1 for b, c, s in zip(start, counts, stride)]
        parts.append(_ops.strided_slice(wide, axes, start, stop, stride))
        starts.append([b - p for b, p in zip(start, padding)])
    stacked = _ops.stack(parts, 0)
    first = _ops.argmax(stacked, 0, keepdims=True)
    values = _ops.squeeze(_ops.take_along_axis(stacked, first, 0), [0])
    return values, _flat_places(_ops.squeeze(first, [0]), starts, counts, stride,
                                sides)


def _lowest(dtype):
    return 0 if dtype == "uint8" else -2**(int(dtype[3:]) - 1)


def _flat_places(which, starts, counts, stride, sides):
    """The places in a plane, numbered row by row, of elements ``which`` of windows."""
    flat = _core.tensor(_ravel(starts, sides), "int64")
    place = _ops.reshape(_ops.gather(flat, _ops.reshape(which, [-1])),
                         list(which.shape))
    for axis, (count, step) in enumerate(zip(counts, stride)):
        along = math.prod(sides[axis + 1:]) * step
        line = _ops.scale(arange(count), along)
        place = _ops.add(place, _ops.reshape(line, [-1] + [1] * (
            len(sides) - axis - 1)))
    return place


def _ravel(starts, sides):
    return [sum(at * math.prod(sides[axis + 1:]) for axis, at in enumerate(start))
            for start in starts]


def unpool(name, x, indices, kernel_size, stride, padding, output_size):
    """x's elements at ``indices`` of planes of zeros, whose extents are
    ``output_size``, or those that a pooling made x of."""
    axes = int(name[-2])
    x, indices = tensor_of(x), tensor_of(indices)
    if len(x.shape) not in (axes + 1, axes + 2):
        raise ValueError(f"{name}: x must have {axes + 1} or {axes + 2} axes, got "
                         f"{len(x.shape)}")
    if not alike(x.shape, indices.shape):
        raise ValueError(f"{name}: indices must have x's shape {tuple(x.shape)}, "
                         f"got {tuple(indices.shape)}")
    if indices.dtype not in ("int32", "int64"):
        raise TypeError(f"{name}: indices must be int64, got {indices.dtype}")
    kernel = per_extent(kernel_size, axes, f"{name}: kernel_size", 1)
    plain = stride is None or isinstance(stride, (list, tuple)) and not stride
    stride = kernel if plain else per_extent(
        stride, axes, f"{name}: stride", 1)
    padding = per_extent(padding, axes, f"{name}: padding", 0)
    sides = [(n - 1) * s - 2 * p + k for n, s, p, k in zip(
        x.shape[-axes:], stride, padding, kernel)]
    if output_size is not None:
        given = [whole(name, "output_size", each, FROM_0) for each in listed(
            name, "output_size", output_size, 64)][-axes:]
        if len(given) != axes or not all(
                isinstance(side, _core.Symbol) or side - step < wanted < side + step
                for wanted, side, step in zip(given, sides, stride)):
            raise ValueError(f"{name}: output_size must be within a stride of "
                             f"{sides}, got {given}")
        sides = given
    if any(isinstance(side, int) and side < 1 for side in sides):
        raise ValueError(f"{name}: padding must leave elements along each axis, got "
                         f"{list(padding)} for a result of extents {sides}")
    lead = list(x.shape[:-axes])
    rows = _ops.zeros_like(_ops.slice(_ops.reshape(x, [*lead, -1]), [-1], [0], [1]))
    plane = _ops.expand(rows, [*lead, math.prod(sides)])
    flat = _ops.put_along_axis(plane, _ops.reshape(indices, [*lead, -1]),
                               _ops.reshape(x, [*lead, -1]), len(lead), "assign")
    return _ops.reshape(flat, [*lead, *sides])
