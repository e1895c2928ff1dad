# SPDX-License-Identifier: Apache-2.0
"""Functions of PyTorch that join, cut and turn tensors, and put them into more
or fewer axes."""

from __future__ import annotations

import itertools
import math

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_0, FROM_1, Range, listed, refuse, whole
from switchyard.functions.arguments import (axes_in, axis_in, common_shape, numbers_in,
                                            tensor_of, to_shape)
from switchyard.functions.shaping import (concat, diag_embed, flip,
                                          moveaxis, split, stack, swapaxes)

_ops = _core.ops

_PIECES = Range("in [1, 65535]", lambda n: 1 <= n <= 65535)
_CHOSEN = Range("in [0, 64]", lambda n: 0 <= n <= 64)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["atleast_1d", "atleast_2d", "atleast_3d", "block_diag",
           "broadcast_tensors", "cartesian_prod", "column_stack",
           "combinations", "constant_pad_nd", "diagflat", "diff", "dsplit", "dstack",
           "fliplr", "flipud", "hsplit", "hstack", "meshgrid", "movedim", "ravel", "rot90",
           "split_with_sizes", "sum_to_size", "tensor_split", "unflatten",
           "unfold", "unsafe_chunk", "unsafe_split", "view_as_complex",
           "view_as_real", "vsplit", "vstack"]


def _each(function, tensors):
    """function of one tensor, or a tuple of it of each of several."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        (tensors,) = tensors
    elif len(tensors) == 1:
        return function(tensor_of(tensors[0]))
    return tuple(function(tensor_of(x)) for x in tensors)


def _with_1(x):
    return x if x.shape else _ops.reshape(x, [1])


def _with_2(x):
    return x if len(x.shape) >= 2 else _ops.unsqueeze(_with_1(x), [0])


def _with_3(x):
    return x if len(x.shape) >= 3 else _ops.unsqueeze(_with_2(x), [2])


def atleast_1d(*tensors):
    """Each tensor with one axis at least; several in a tuple."""
    return _each(_with_1, tensors)


def atleast_2d(*tensors):
    """Each tensor with two axes at least, new ones in front."""
    return _each(_with_2, tensors)


def atleast_3d(*tensors):
    """Each tensor with three axes at least: a matrix gets one at its end."""
    return _each(_with_3, tensors)


def hstack(tensors) -> T:
    """The tensors side by side: along the second axis, or the only one."""
    tensors = [_with_1(tensor_of(x)) for x in tensors]
    return concat(tensors, 1 if tensors and len(tensors[0].shape) > 1 else 0)


def vstack(tensors) -> T:
    """The tensors, each of which has two axes at least, below each other."""
    return concat([_with_2(tensor_of(x)) for x in tensors], 0)


def dstack(tensors) -> T:
    """The tensors, each of which has three axes at least, along the third."""
    return concat([_with_3(tensor_of(x)) for x in tensors], 2)


def column_stack(tensors) -> T:
    """The tensors, lists as columns, side by side."""
    return concat([to_shape(x, [math.prod(x.shape), 1]) if len(x.shape) < 2 else x
                   for x in map(tensor_of, tensors)], 1)


def block_diag(*tensors) -> T:
    """The matrices along a diagonal, with zeros beside them."""
    matrices = [_with_2(tensor_of(x)) for x in tensors]
    if any(len(x.shape) != 2 for x in matrices):
        raise ValueError("block_diag: tensors must have at most two axes each")
    width = sum(x.shape[1] for x in matrices)
    rows, before = [], 0
    for x in matrices:
        after = width - before - x.shape[1]
        rows.append(_ops.pad(x, [0, 0, before, after]))
        before += x.shape[1]
    return concat(rows, 0)


def broadcast_tensors(*tensors) -> tuple:
    """All tensors as views of the one shape that they broadcast to."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        (tensors,) = tensors
    tensors = [tensor_of(x) for x in tensors]
    shape = common_shape("broadcast_tensors", "tensors", *[x.shape for x in tensors])
    return tuple(_ops.expand(x, shape) for x in tensors)


def cartesian_prod(*tensors) -> T:
    """Every choice of one element of each list, a row for each."""
    lists = [tensor_of(x) for x in tensors]
    if any(len(x.shape) != 1 for x in lists):
        raise ValueError("cartesian_prod: tensors must have one axis each, got shapes "
                         f"{[tuple(x.shape) for x in lists]}")
    if len(lists) == 1:
        return lists[0]
    columns = meshgrid(*lists, indexing="ij")
    return stack([to_shape(x, [x.size if isinstance(x.size, int) else -1])
                  for x in columns], 1)


def combinations(x: T, r: int = 2, with_replacement: bool = False) -> T:
    """Every choice of ``r`` elements of a list, in order, a row for each."""
    x, r = tensor_of(x), whole("combinations", "r", r, _CHOSEN)
    if len(x.shape) != 1:
        raise ValueError(f"combinations: x must have one axis, got {len(x.shape)}")
    choose = (itertools.combinations_with_replacement if with_replacement
              else itertools.combinations)
    rows = np.array(list(choose(range(x.shape[0]), r)), np.int64)
    if rows.size == 0:
        shape = [0] if r == 0 else [0, r]
        return to_shape(x[:0], shape) if len(shape) == 1 else (
            _ops.unsqueeze(x[:0], [1]) if r == 1 else _ops.expand(
                _ops.unsqueeze(x[:0], [1]), shape))
    return to_shape(_ops.index_select(x, rows.reshape(-1), 0), list(rows.shape))


def constant_pad_nd(x: T, pad, value=0.0) -> T:
    """x with ``value`` around it: pairs (before, after) of the last axis first; a
    negative number cuts off."""
    x, pad = tensor_of(x), numbers_in("constant_pad_nd", "pad", pad)
    rank = len(x.shape)
    if len(pad) % 2 or len(pad) > 2 * rank:
        raise ValueError("constant_pad_nd: pad must be pairs for at most "
                         f"{rank} axes, got {len(pad)} numbers")
    pairs = [(0, 0)] * (rank - len(pad) // 2) + [
        tuple(pad[i:i + 2]) for i in reversed(range(0, len(pad), 2))]
    for axis, (before, after) in enumerate(pairs):
        if before < 0 or after < 0:
            start, end = max(-before, 0), x.shape[axis] - max(-after, 0)
            if end < start:
                raise ValueError("constant_pad_nd: pad must not cut off more than "
                                 f"there is, got {pad}")
            x = _ops.slice(x, [axis], [start], [end])
    return _ops.pad(x, [max(n, 0) for pair in pairs for n in pair], value)


def diagflat(x: T, offset: int = 0) -> T:
    """The matrix that has all elements of x on its diagonal ``offset``."""
    x = tensor_of(x)
    return diag_embed(to_shape(x, [math.prod(x.shape)]), offset)


def tensor_split(x: T, indices_or_sections, dim: int = 0) -> tuple:
    """Pieces along ``dim``: a number that are as equal as can be, or those between
    the indices of a list."""
    x = tensor_of(x)
    axis = axis_in("tensor_split", dim, len(x.shape))
    extent, at = x.shape[axis], indices_or_sections
    if hasattr(at, "tolist"):
        at = at.tolist()
    if not isinstance(at, int):
        at = [whole("tensor_split", "indices_or_sections", end)
              for end in listed("tensor_split", "indices_or_sections", at)]
    if isinstance(at, int):
        count = whole("tensor_split", "indices_or_sections", at, _PIECES)
        least, more = divmod(extent, count)
        ends = list(itertools.accumulate(
            least + (i < more) for i in range(count)))[:-1]
    else:
        ends = [slice(0, end).indices(extent)[1] for end in at]
    pieces = zip([0, *ends], [*ends, extent])
    return tuple(_ops.slice(x, [axis], [start], [max(start, end)])
                 for start, end in pieces)


def _cut(name, x, at, axis, least):
    x = tensor_of(x)
    if len(x.shape) < least:
        raise ValueError(f"{name}: x must have {least} axes at least, got "
                         f"{len(x.shape)}")
    if isinstance(at, str):
        refuse(name, "indices_or_sections", "an integer or a list of them", at)
    if isinstance(at, int) and at > 0 and x.shape[axis] % at:
        raise ValueError(f"{name}: indices_or_sections must divide the extent "
                         f"{x.shape[axis]}, got {at}")
    return tensor_split(x, at, axis)


def hsplit(x: T, indices_or_sections) -> tuple:
    """``tensor_split`` along the second axis, or the only one."""
    x = tensor_of(x)
    return _cut("hsplit", x, indices_or_sections, int(len(x.shape) > 1), 1)


def vsplit(x: T, indices_or_sections) -> tuple:
    """``tensor_split`` along the first axis."""
    return _cut("vsplit", x, indices_or_sections, 0, 2)


def dsplit(x: T, indices_or_sections) -> tuple:
    """``tensor_split`` along the third axis."""
    return _cut("dsplit", x, indices_or_sections, 2, 3)


def split_with_sizes(x: T, split_sizes, dim: int = 0) -> list:
    """Pieces along ``dim`` of the extents ``split_sizes``."""
    return split(x, list(split_sizes), dim)


def unsafe_split(x: T, split_size, dim: int = 0) -> list:
    """``split``."""
    return split(x, split_size, dim)


def unsafe_chunk(x: T, chunks: int, dim: int = 0) -> list:
    """``chunk``."""
    from switchyard.functions.shaping import chunk
    return chunk(x, chunks, dim)


def fliplr(x: T) -> T:
    """The second axis in reverse."""
    if len(tensor_of(x).shape) < 2:
        raise ValueError("fliplr: x must have two axes at least, got "
                         f"{len(tensor_of(x).shape)}")
    return flip(x, 1)


def flipud(x: T) -> T:
    """The first axis in reverse."""
    if not tensor_of(x).shape:
        raise ValueError("flipud: x must have an axis at least, got none")
    return flip(x, 0)


def movedim(x: T, source, destination) -> T:
    """x with the axes ``source`` at ``destination``: ``moveaxis``."""
    x = tensor_of(x)
    return moveaxis(x, source, destination) if x.shape else x


def ravel(x: T) -> T:
    """All elements in a row."""
    x = tensor_of(x)
    return to_shape(x, [math.prod(x.shape)])


def rot90(x: T, k: int = 1, dims=(0, 1)) -> T:
    """x turned ``k`` times by 90 degrees, from the first of two axes to the
    second."""
    x = tensor_of(x)
    k = whole("rot90", "k", k) % 4
    dims = numbers_in("rot90", "dims", dims)
    if len(dims) != 2:
        raise ValueError(f"rot90: dims must be two axes, got {dims}")
    first, second = axes_in("rot90", tuple(dims), len(x.shape))
    if k == 2:
        return flip(x, (first, second))
    if k == 0:
        return _ops.assign(x)
    turned = swapaxes(x, first, second)
    return flip(turned, first if k == 1 else second)


def unflatten(x: T, dim: int, sizes) -> T:
    """The axis ``dim`` as several of the extents ``sizes``, of which one may be
    -1, what is left over."""
    x = tensor_of(x)
    axis, sizes = axis_in("unflatten", dim, len(x.shape)), numbers_in(
        "unflatten", "sizes", sizes)
    if not sizes:
        raise ValueError("unflatten: sizes must not be empty, got []")
    known = math.prod(n for n in sizes if n != -1)
    if -1 in sizes and known:
        sizes = [x.shape[axis] // known if n == -1 else n for n in sizes]
    if math.prod(sizes) != x.shape[axis]:
        raise ValueError(f"unflatten: sizes must have the product {x.shape[axis]}, "
                         f"got {sizes}")
    return to_shape(x, [*x.shape[:axis], *sizes, *x.shape[axis + 1:]])


def unfold(x: T, dim: int, size: int, step: int) -> T:
    """All windows of ``size`` elements along ``dim``, each ``step`` after the one
    before; their elements are a new last axis."""
    x = tensor_of(x)
    axis = axis_in("unfold", dim, len(x.shape) or 1)
    if not x.shape:  # Its one window has no other axis.
        return unfold(to_shape(x, [1]), 0, size, step)[0]
    extent = x.shape[axis]
    size = whole("unfold", "size", size, FROM_0)
    step = whole("unfold", "step", step, FROM_1)
    if size > extent:
        raise ValueError(f"unfold: size must be at most {extent}, got {size}")
    starts = np.arange(0, extent - size + 1, step)
    places = (starts[:, None] + np.arange(size)).reshape(-1)
    taken = _ops.index_select(x, places, axis)
    parts = to_shape(taken, [*x.shape[:axis], len(starts), size,
                             *x.shape[axis + 1:]])
    return moveaxis(parts, axis + 1, -1)


def sum_to_size(x: T, *size) -> T:
    """x summed to a shape that broadcasts to its own."""
    x = tensor_of(x)
    size = numbers_in("sum_to_size", "size", size[0] if len(size) == 1 else size)
    extra = len(x.shape) - len(size)
    fits = extra >= 0 and all(n in (1, m) for n, m in zip(size, x.shape[extra:]))
    if not fits:
        raise ValueError(f"sum_to_size: size must broadcast to {tuple(x.shape)}, "
                         f"got {tuple(size)}")
    axes = [i for i in range(len(x.shape)) if i < extra or (
        size[i - extra] == 1 and x.shape[i] != 1)]
    x = _ops.cast(x, "int64") if x.dtype == "bool" else x
    summed = _ops.sum(x, axes, x.dtype, True) if axes else x
    return to_shape(summed, size) if extra else summed


def view_as_complex(x: T) -> T:
    """Complex numbers of pairs along the last axis, of extent 2."""
    return _ops.as_complex(x)


def view_as_real(x: T) -> T:
    """The real and the imaginary parts of complex numbers, along a new last
    axis."""
    return _ops.as_real(x)


def meshgrid(*arrays, indexing: str = "xy") -> list:
    """Each of the lists, which may be given in one list, repeated along the axes
    of the others.

    ``indexing``: "ij" has the axes in the lists' order, "xy" the first two
    exchanged.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("meshgrid: indexing must be 'xy' or 'ij', got "
                         f"{indexing!r}")
    if len(arrays) == 1 and isinstance(arrays[0], (list, tuple)) and all(
            hasattr(each, "dtype") for each in arrays[0]):
        (arrays,) = arrays
    tensors = [tensor_of(x) for x in arrays]
    if not tensors:
        return []
    count = len(tensors)
    shape = [math.prod(x.shape) for x in tensors]
    grids = []
    for i, x in enumerate(tensors):
        own = [1] * count
        own[i] = shape[i]
        grids.append(_ops.assign(_ops.expand(to_shape(x, own), shape)))
    if indexing == "xy" and count > 1:
        grids = [swapaxes(grid, 0, 1) for grid in grids]
    return grids


def diff(x: T, n: int = 1, axis: int = -1, prepend=None, append=None, *,
         dim=None) -> T:
    """The differences of neighbours along ``axis``, taken ``n`` times.

    ``prepend`` and ``append`` are put before and after x first.
    """
    x = tensor_of(x)
    axis = axis_in("diff", axis if dim is None else dim, len(x.shape))
    if whole("diff", "n", n, FROM_0) == 0:
        return x
    pieces = [*([] if prepend is None else [prepend]), x,
              *([] if append is None else [append])]
    if len(pieces) > 1:
        x = _ops.concat([tensor_of(piece) for piece in pieces], axis)
    for _ in range(n):
        if isinstance(x.shape[axis], int) and x.shape[axis] == 0:
            break
        later = _ops.slice(x, [axis], [1], [2**63 - 1])
        earlier = _ops.slice(x, [axis], [0], [-1])
        different = x.dtype == "bool"
        x = _ops.logical_xor(later, earlier) if different else (
            _ops.subtract(later, earlier))
    return x
