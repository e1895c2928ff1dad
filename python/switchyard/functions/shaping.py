# SPDX-License-Identifier: Apache-2.0
"""Functions that arrange elements: shapes, axes, pieces, repetition."""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_0, FROM_1, refuse, whole
from switchyard.functions.arguments import (as_list, axes_in, axis_in, common_shape,
                                            fitting, is_empty, is_supplied,
                                            no_axis, read, tensor_of, to_shape)

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from switchyard.ops import T

__all__ = ["broadcast_arrays", "broadcast_shapes", "broadcast_to", "cat", "chunk", "concat", "diag",
           "diag_embed", "expand", "expand_dims", "flatten", "flip", "matrix_transpose",
           "moveaxis", "pad", "permute", "permute_dims", "repeat",
           "repeat_interleave", "reshape", "roll", "split", "squeeze", "stack",
           "swapaxes", "tile", "transpose", "tril", "triu", "unbind", "unstack"]


def reshape(x: T, *extents, shape=None, copy: bool | None = None) -> T:
    """x with other extents: reshape(x, 2, -1) or reshape(x, (2, -1)).

    -1 is what is left over; a 0 keeps the extent of that axis, unless x has no
    elements (a program keeps it there too, where it leaves none). Views x's memory
    where it can, unless ``copy`` is True.
    """
    x = tensor_of(x)
    extents = as_list(extents if shape is None else (shape,))
    known = isinstance(extents, list) and all(
        isinstance(extent, (int, np.integer)) for extent in extents)
    if known and 0 in extents and is_empty(x) and -1 not in extents:
        result = to_shape(x, extents)
    else:
        result = _ops.reshape(x, extents)
    return _ops.assign(result) if copy else result


def transpose(x: T, *perm, axes=None) -> T:
    """The axes in the order ``perm``, a list or numbers; without it, reversed.

    Two numbers are two axes that change places, as in PyTorch: transpose(x, 1, 2).
    """
    x = tensor_of(x)
    if len(perm) == 2 and axes is None:
        return swapaxes(x, *perm)
    perm = perm if axes is None else (axes,)
    rank = len(x.shape)
    order = as_list(perm) if perm and perm[0] is not None else list(
        reversed(range(rank)))
    if isinstance(order, list):  # From the front, as models of ONNX have it.
        order = [axis + rank if isinstance(axis, (int, np.integer)) and -rank <= axis < 0
                 else axis for axis in order]
    return _ops.transpose(x, order)


def permute(x: T, *axes, dims=None) -> T:
    """The axes in the order of ``axes``, a list (``dims``) or numbers."""
    x = tensor_of(x)
    dims = as_list(axes if dims is None else (dims,))
    if not isinstance(dims, list):
        refuse("permute", "dims", f"{len(x.shape)} axes", dims)
    order = [axis_in("permute", axis, len(x.shape)) for axis in dims]
    return _ops.transpose(x, order)


def permute_dims(x: T, axes) -> T:
    """The axes in the order ``axes``."""
    return permute(x, axes)


def matrix_transpose(x: T) -> T:
    """The last two axes exchanged."""
    x = tensor_of(x)
    if len(x.shape) < 2:
        raise ValueError("matrix_transpose: x must have two axes or more, got "
                         f"{len(x.shape)}")
    return swapaxes(x, -1, -2)


def swapaxes(x: T, axis1: int, axis2: int) -> T:
    """x with two axes exchanged."""
    x = tensor_of(x)
    if not x.shape:
        return no_axis("swapaxes", (axis1, axis2)) or x
    order = list(range(len(x.shape)))
    a = axis_in("swapaxes", axis1, len(order))
    b = axis_in("swapaxes", axis2, len(order))
    order[a], order[b] = order[b], order[a]
    return _ops.transpose(x, order)


def moveaxis(x: T, source, destination) -> T:
    """x with the axes ``source`` at ``destination``, the others in order."""
    x = tensor_of(x)
    rank = len(x.shape)
    origin = axes_in("moveaxis", source, rank)
    target = axes_in("moveaxis", destination, rank)
    if len(origin) != len(target):
        raise ValueError("moveaxis: destination must name as many axes as "
                         f"source, got {len(target)} for {len(origin)}")
    order = [axis for axis in range(rank) if axis not in origin]
    for to, axis in sorted(zip(target, origin)):
        order.insert(to, axis)
    return _ops.transpose(x, order) if order else x


def flatten(x: T, start_axis: int = 0, stop_axis: int = -1, *, start_dim=None,
            end_dim=None) -> T:
    """The axes from ``start_axis`` to ``stop_axis`` joined into one."""
    x = tensor_of(x)
    start = start_axis if start_dim is None else start_dim
    stop = stop_axis if end_dim is None else end_dim
    if not x.shape:
        return _ops.reshape(x, [1])
    return _ops.flatten(x, start, stop)


def squeeze(x: T, axis=None, *, dim=None) -> T:
    """x without the axes ``axis``, which must have extent 1; without all such.

    ``dim`` names axes of which those of other extents stay, as in PyTorch.
    """
    x = tensor_of(x)
    if dim is not None:
        axes = _of_extent_1(x, dim)
        return _ops.squeeze(x, axes) if axes != [] else x
    if axis is None:
        return _ops.squeeze(x)
    axis = read(axis)
    if is_supplied(axis):
        return _ops.squeeze(x, axis)
    axes = axes_in("squeeze", axis, len(x.shape))
    for each in axes:
        if isinstance(x.shape[each], int) and x.shape[each] != 1:
            raise ValueError("squeeze: axis must have extent 1, got axis "
                             f"{each} of shape {tuple(x.shape)}")
    return _ops.squeeze(x, axes) if axes else x


def _of_extent_1(x, dim):
    """Those of the axes ``dim`` that have extent 1."""
    dim = read(dim)
    if is_supplied(dim):
        return dim
    if not x.shape:
        return no_axis("squeeze", dim) or []
    return [axis for axis in axes_in("squeeze", dim, len(x.shape))
            if x.shape[axis] == 1]


def expand_dims(x: T, axis=0) -> T:
    """x with an axis of extent 1 put in at each place of ``axis``."""
    x = tensor_of(x)
    several = axis if isinstance(axis, (tuple, list)) else (axis,)
    rank = len(x.shape) + len(several)
    return _ops.unsqueeze(x, sorted(axes_in("expand_dims", axis, rank)))


def expand(x: T, *shape) -> T:
    """x repeated along axes of extent 1, as a view; -1 keeps an extent."""
    return _ops.expand(x, as_list(shape))


def broadcast_to(x: T, shape) -> T:
    """x repeated along axes of extent 1 to ``shape``, as a view."""
    return _ops.expand(x, as_list((shape,)))


def broadcast_shapes(*shapes) -> tuple[int, ...]:
    """The one shape that all of these broadcast to."""
    for shape in shapes:
        if not isinstance(shape, (int, tuple, list)):
            refuse("broadcast_shapes", "shapes", "shapes", shape)
    return tuple(common_shape("broadcast_shapes", "shapes", *(
        (shape,) if isinstance(shape, int) else shape for shape in shapes)))


def broadcast_arrays(*arrays) -> list:
    """All tensors as views of the one shape that they broadcast to."""
    tensors = [tensor_of(x) for x in arrays]
    shape = common_shape("broadcast_arrays", "arrays", *[x.shape for x in tensors])
    return [broadcast_to(x, shape) for x in tensors]


def tile(x: T, *repetitions, dims=None) -> T:
    """x repeated ``repetitions[i]`` times along axis i (``dims`` in PyTorch)."""
    return _ops.tile(x, as_list(repetitions if dims is None else (dims,)))


def repeat(x: T, repeats, *more, axis=None, dim=None) -> T:
    """Each element ``repeats`` times along ``axis``, or of all in a row.

    ``repeats``: a number, or one for each place along the axis. (PyTorch's
    method of this name is ``tile``.)
    """
    x = tensor_of(x)
    if more:
        raise TypeError("repeat: repeats must be a number, or one for each place, "
                        f"got {(repeats, *more)}: tile() repeats the whole")
    axis = axis if dim is None else dim
    if axis is None:
        x, axis = to_shape(x, [math.prod(x.shape)]), 0
    axis = axis_in("repeat", axis, len(x.shape))
    extent = x.shape[axis]
    if isinstance(extent, int):
        # A copy: another thread may write a tensor while NumPy follows it.
        counts = np.array(repeats)
        if counts.dtype.kind not in "iu" or (counts < 0).any():
            raise ValueError("repeat: repeats must be numbers from 0, got "
                             f"{repeats}")
        if counts.ndim > 1 or counts.size not in (1, extent):
            raise ValueError("repeat: repeats must be a number, or one for each "
                             f"of {extent} places, got {repeats}")
        return _ops.index_select(x, np.repeat(np.arange(extent), counts), axis)
    if not isinstance(repeats, int):
        raise NotImplementedError("repeat: an axis of an extent that is known "
                                  "when the program runs takes one number")
    x = _ops.unsqueeze(x, [axis + 1])
    times = [1] * len(x.shape)
    times[axis + 1] = repeats
    return _ops.flatten(_ops.tile(x, times), axis, axis + 1)


def repeat_interleave(x: T, repeats, axis=None, *, dim=None,
                      output_size: int | None = None) -> T:
    """Each element ``repeats`` times along ``axis``: ``repeat``. ``output_size``
    is the extent that the result has, where it is known."""
    result = repeat(x, repeats, axis=axis, dim=dim)
    at = 0 if axis is None and dim is None else axis if dim is None else dim
    if output_size is not None and result.shape[at] != output_size:
        raise ValueError("repeat_interleave: output_size must be "
                         f"{result.shape[at]}, got {output_size}")
    return result


def concat(arrays: Sequence[T], axis: int | None = 0, *, dim=None) -> T:
    """The tensors one after another along ``axis``; all elements for None."""
    axis = axis if dim is None else dim
    if axis is None:
        arrays, axis = [flatten(x) for x in arrays], 0
    return _ops.concat(arrays, axis)


def cat(arrays: Sequence[T], axis: int = 0, *, dim=None) -> T:
    """The tensors one after another along ``axis``: ``concat``. Lists of no
    elements may be among tensors of more axes, as in PyTorch."""
    try:
        return concat(arrays, axis, dim=dim)
    except (IndexError, ValueError):
        rest = [x for x in arrays if tuple(x.shape) != (0,)]
        if not 0 < len(rest) < len(arrays):
            raise
    return concat(rest, axis, dim=dim)


def stack(arrays: Sequence[T], axis: int = 0, *, dim=None) -> T:
    """Tensors of one shape side by side along a new axis ``axis``."""
    return _ops.stack(arrays, axis if dim is None else dim)


def split(x: T, sections, axis: int = 0, *, dim=None) -> list[T]:
    """Pieces along ``axis`` of the extents ``sections``.

    A number is the extent of each, of the last what is left over.
    """
    x = tensor_of(x)
    axis = axis if dim is None else dim
    if isinstance(sections, int):
        axis = axis_in("split", axis, len(x.shape))
        extent = x.shape[axis]
        if not isinstance(extent, int) or sections < 1:
            raise ValueError("split: sections must be a list, or a number from "
                             "1 for an extent that is known (chunk() cuts an "
                             f"open one into equal parts), got {sections}")
        sections = [min(sections, extent - start)
                    for start in range(0, max(extent, 1), sections)]
    return _ops.split(x, sections, axis)


def chunk(x: T, chunks: int, axis: int = 0, *, dim=None) -> list[T]:
    """``chunks`` pieces along ``axis`` of one extent; the last may be smaller,
    and there may be fewer. Of an extent of 0, ``chunks`` empty ones. One that only
    a run knows must be a multiple of ``chunks`` there: ValueError in the run."""
    x = tensor_of(x)
    axis = axis_in("chunk", axis if dim is None else dim, len(x.shape))
    chunks = whole("chunk", "chunks", chunks, FROM_1)
    extent = x.shape[axis]
    if not isinstance(extent, int):
        return _equal_parts(x, chunks, axis)
    if extent == 0:  # One shape for each, as there is no element to tell.
        return [x] * chunks
    return split(x, -(-extent // chunks), axis)


def _equal_parts(x, chunks, axis):
    """Pieces along an open extent, which must be a multiple of their number:
    how many there are can't depend on the run."""
    return _ops.split(x, [x.shape[axis] // chunks] * chunks, axis)


def unstack(x: T, *, axis: int = 0) -> tuple[T, ...]:
    """The slices of x along ``axis``, without that axis."""
    x = tensor_of(x)
    axis = axis_in("unstack", axis, len(x.shape))
    if x.shape[axis] == 0:
        return ()
    return tuple(_ops.unstack(x, axis, x.shape[axis]))


def unbind(x: T, axis: int = 0, *, dim=None) -> tuple[T, ...]:
    """The slices of x along ``axis``, without that axis: ``unstack``."""
    return unstack(x, axis=axis if dim is None else dim)


def flip(x: T, axis=None, *, dims=None) -> T:
    """The elements along ``axis``, by default along all axes, in reverse."""
    x = tensor_of(x)
    axes = axes_in("flip", axis if dims is None else dims, len(x.shape))
    return _ops.flip(x, axes) if axes else x


def roll(x: T, shift, axis=None, *, shifts=None, dims=None) -> T:
    """The elements moved ``shift`` places; those that leave come in again.

    Along ``axis``, one for each shift; without it, of all elements in a row.
    """
    x = tensor_of(x)
    shift = shift if shifts is None else shifts
    axis = axis if dims is None else dims
    if is_empty(x) or not x.shape:
        return x
    if axis is None:
        return _ops.roll(x, shift)
    axes = list(axis) if isinstance(axis, (tuple, list)) else [axis]
    places = list(shift) if isinstance(shift, (tuple, list)) else (
        [shift] * len(axes))
    return _ops.roll(x, places, [axis_in("roll", a, len(x.shape)) for a in axes])


def pad(x: T, pad_width, value=0.0) -> T:
    """x with ``value`` around it: ``pad_width`` elements at both ends of every
    axis, a pair (before, after) of every axis, or a pair for each axis."""
    x = tensor_of(x)
    fitting("pad", "value", value, x.dtype)
    try:
        widths = np.broadcast_to(np.asarray(pad_width, np.int64),
                                 (len(x.shape), 2))
    except (OverflowError, TypeError, ValueError):
        refuse("pad", "pad_width", "integers, one, a pair or a pair for each of "
               f"{len(x.shape)} axes", pad_width, ValueError)
    return _ops.pad(x, widths.reshape(-1).tolist(), value)


def tril(x: T, k: int = 0, *, diagonal: int | None = None) -> T:
    """Matrices with zeros above the diagonal ``k``."""
    x = tensor_of(x)
    return x if is_empty(x) else _ops.tril(x, k if diagonal is None else diagonal)


def triu(x: T, k: int = 0, *, diagonal: int | None = None) -> T:
    """Matrices with zeros below the diagonal ``k``."""
    x = tensor_of(x)
    return x if is_empty(x) else _ops.triu(x, k if diagonal is None else diagonal)


def diag(x: T, k: int = 0, *, diagonal: int | None = None) -> T:
    """The diagonal ``k`` of a matrix; of a list the matrix that has it there."""
    k = k if diagonal is None else diagonal
    if isinstance(x, _core.Value) and len(x.shape) in (1, 2):  # ONNX has both.
        return _ops.diag_embed(x, k) if len(x.shape) == 1 else _ops.assign(
            _ops.diagonal(x, k))
    return _ops.diag(x, k)


def diag_embed(x: T, offset: int = 0, dim1: int = -2, dim2: int = -1) -> T:
    """Matrices, along the axes ``dim1`` and ``dim2``, whose diagonal ``offset`` is
    the last axis of x."""
    return _ops.diag_embed(x, offset, dim1, dim2)
