# SPDX-License-Identifier: Apache-2.0
"""x[...] as NumPy has it, in terms of operators.

Plain subscripts (integers, slices of step 1, an ellipsis) never come here
(bindings/operators.cc). The others are read into one item for each axis, then
carried out in three steps: slices and None, integer and boolean arrays by one
gather over the joined axes, and the place of the arrays' axes as NumPy rules it.

Reading works on tensors and on values of a traced graph, and has gradients. A
boolean mask that is a graph's value gives an axis whose extent the run decides.
x[...] = value is index_write.py.
"""

import math

import numpy as np

from switchyard import _core

_ops = _core.ops


class _Array:
    """An index array: NumPy's if known now, else a graph's value."""

    def __init__(self, index):
        self.index = index
        self.shape = tuple(index.shape)

    @property
    def known(self):
        return isinstance(self.index, np.ndarray)


def getitem(x, subscript):
    """x[subscript]: IndexError, TypeError or NotImplementedError if it can't."""
    x, items = _read(x, subscript)
    advanced = [i for i, item in enumerate(items) if isinstance(item, _Array)]
    if advanced:
        # Beside arrays, integers are arrays of no axes: NumPy's rule for where
        # the joined axes go counts them.
        items = [_Array(np.array(item)) if isinstance(item, int) else item
                 for item in items]
        advanced = [i for i, item in enumerate(items)
                    if isinstance(item, _Array)]
    x, items = _apply_slices(x, items)
    if not advanced:
        return x
    places = [i for i, item in enumerate(items) if isinstance(item, _Array)]
    together = places == list(range(places[0], places[-1] + 1))
    return _gather(x, places, [items[i].index for i in places],
                   places[0] if together else 0)


def _read(x, subscript):
    """x, and an item for each of its axes: int, slice or _Array; None for a new
    axis. An axis that a mask covers has the mask's extent afterwards."""
    parts = [_part(part) for part in parts_of(subscript)]
    if sum(part is Ellipsis for part in parts) > 1:
        raise IndexError("index: at most one ellipsis")
    rank = len(x.shape)
    named = sum(_axes_of(part) for part in parts)
    if named > rank:
        raise IndexError(f"index: {named} axes are indexed, there are {rank}")
    if Ellipsis not in [p for p in parts if p is Ellipsis]:
        parts.append(Ellipsis)
    items, axis = [], 0
    for part in parts:
        if part is Ellipsis:
            items += [slice(None)] * (rank - named)
            axis += rank - named
        elif _is_mask(part):
            rank_of_mask = len(part.shape)
            x = _with_extents(x, part, axis)
            items += _nonzero(part, x.shape[axis:axis + rank_of_mask], axis)
            axis += rank_of_mask
        elif part is None:
            items.append(None)
        else:
            items.append(_checked(part, x.shape[axis], axis))
            axis += 1
    return x, items


def parts_of(subscript):
    """The parts of a subscript: one for each axis, or for several."""
    return list(subscript) if isinstance(subscript, tuple) else [subscript]


def one_index(x, subscript):
    """(axis, index) if x[subscript] takes what integers, an array or a graph's value
    of at most one axis, name along one axis of x, and all of the others; else None."""
    parts = [_part(part) for part in parts_of(subscript)]
    if any(_is_mask(part) for part in parts):
        return None
    _, items = _read(x, subscript)
    axes = [i for i, item in enumerate(items) if item != slice(None)]
    if len(axes) != 1 or not isinstance(items[axes[0]], _Array):
        return None
    index = items[axes[0]]
    return (axes[0], index.index) if len(index.shape) < 2 else None


def _is_mask(part):
    return isinstance(part, (np.ndarray, _core.Value)) and part.dtype == "bool"


def _with_extents(x, mask, axis):
    """x with the extent of a mask of one axis where a graph doesn't know its own: the
    run checks it."""
    if len(mask.shape) != 1 or isinstance(x.shape[axis], int) or not isinstance(
            mask.shape[0], int):
        return x
    extents = list(x.shape)
    extents[axis] = mask.shape[0]
    return _ops.reshape(x, extents)


def in_graph(part):
    """A part of a subscript; the value of a tensor that a traced function takes
    from outside."""
    if not isinstance(part, _core.Tensor):
        return part
    captures = _core.captures_of(part)
    return part if captures is None else captures.index(part)


def _part(part):
    """A part of a subscript as int, slice, None, Ellipsis, array or value."""
    part = in_graph(part)
    if part is None or part is Ellipsis or isinstance(part, slice):
        return part
    if isinstance(part, _core.Value):
        if part.dtype not in ("bool", "int32", "int64"):
            raise TypeError("index: a graph's value must be bool, int32 or "
                            f"int64, got {part.dtype}")
        return part
    if isinstance(part, (bool, np.bool_)):
        return np.array(part)
    if hasattr(part, "__index__") and not isinstance(part, _core.Tensor):
        try:
            return part.__index__()
        except TypeError:  # An array of several elements.
            pass
    if not isinstance(part, (np.ndarray, list, tuple, range, _core.Tensor)):
        raise TypeError("index: must be integers, slices, None, ..., or "
                        f"integer or boolean arrays, got {type(part).__name__}")
    array = np.asarray(part)
    if array.size == 0 and array.dtype == float:  # [] has no dtype of its own.
        array = array.astype(np.int64)
    if array.dtype != bool and array.dtype.kind not in "iu":
        raise TypeError("index: arrays must be integer or boolean, "
                        f"got {array.dtype}")
    return array if array.dtype == bool else array.astype(np.int64)


def _axes_of(part):
    if part is None or part is Ellipsis:
        return 0
    return len(part.shape) if _is_mask(part) else 1


def _nonzero(mask, extents, axis):
    check_mask(mask, extents, axis)
    if not mask.shape:
        raise NotImplementedError("index: a mask without axes is not supported")
    if not isinstance(mask, _core.Value):
        found = [index.astype(np.int64) for index in np.nonzero(mask)]
    else:  # Of one axis the run checks the extent here.
        places = _ops.nonzero(_ops.reshape(mask, list(extents)) if len(extents) == 1
                              else mask)
        found = [_ops.squeeze(_ops.slice(places, [1], [i], [i + 1]), [1])
                 for i in range(len(mask.shape))]
    if len(extents) > 1:
        found = [_as_long(*each) for each in zip(found, extents, mask.shape)]
    return [_Array(index) for index in found]


def check_mask(mask, extents, axis=0):
    """IndexError if a mask has other extents than the axes that it covers."""
    for i, (have, want) in enumerate(zip(extents, mask.shape)):
        known = isinstance(have, int) and isinstance(want, int)
        if known and have != want:
            raise IndexError(f"index: the mask's axis {i} has extent {want}, "
                             f"the tensor's axis {axis + i} {have}")


def _as_long(index, extent, length):
    """An index along an axis; the run refuses an extent that is not ``length``."""
    if isinstance(extent, int) and isinstance(length, int):
        return index
    numbers = _ops.reshape(_ops.arange(0, extent, 1, "int64"), [length])
    return _ops.index_select(numbers, index, 0)


def _checked(part, extent, axis):
    """An int or array with its bounds checked and made positive, if known."""
    if isinstance(part, slice):
        return part
    if isinstance(part, _core.Value):
        return _Array(part)
    if not isinstance(extent, int):
        return _Array(part) if isinstance(part, np.ndarray) else part
    index = np.asarray(part)
    wrong = (index < -extent) | (index >= extent)
    if wrong.any():
        first = int(index[wrong].flat[0]) if index.ndim else int(part)
        raise IndexError(f"index: axis {axis} must be in [{-extent}, {extent}), "
                         f"got {first}")
    index = np.where(index < 0, index + extent, index)
    return _Array(index) if isinstance(part, np.ndarray) else int(index)


def _apply_slices(x, items):
    """x with integers, slices and None carried out; the items that are left."""
    left, axis = [], 0
    for item in items:
        if item is None:
            x = _ops.unsqueeze(x, [axis])
            left.append(slice(None))
        elif isinstance(item, int):
            end = item + 1 if item != -1 else 2**63 - 1
            if isinstance(x.shape[axis], int):
                x = _ops.squeeze(_ops.slice(x, [axis], [item], [end]), [axis])
            else:  # The run looks whether there is such an element.
                x = _ops.legacy_slice(x, [axis], [item], [end], [axis])
            continue
        elif isinstance(item, slice):
            x = _apply_slice(x, axis, item)
            left.append(slice(None))
        else:
            left.append(item)
        axis += 1
    return x, left


def _apply_slice(x, axis, item):
    extent = x.shape[axis]
    step = 1 if item.step is None else item.step
    if step == 1:
        if item.start is None and item.stop is None:
            return x
        start = 0 if item.start is None else item.start
        stop = 2**63 - 1 if item.stop is None else item.stop
        return _ops.slice(x, [axis], [start], [stop])
    if step == -1 and item.start is None and item.stop is None:
        return _ops.flip(x, [axis])
    if step > 0 and any(isinstance(end, (_core.Symbol, _core.Value))
                        for end in (item.start, item.stop)):
        within = _apply_slice(x, axis, slice(item.start, item.stop))
        return _apply_slice(within, axis, slice(None, None, step))
    if step > 0:  # A view.
        numbers = (item.start or 0,
                   2**63 - 1 if item.stop is None else item.stop, step)
        start, stop, step = [max(min(int(number), 2**63 - 1), 1 - 2**63)
                             for number in numbers]
        return _ops.step_slice(x, [axis], [start], [stop], [step])
    if not isinstance(extent, int):  # Forwards, of the axis turned round.
        ends = [None if end is None else -1 - end for end in (item.start, item.stop)]
        return _apply_slice(_ops.flip(x, [axis]), axis, slice(*ends, -step))
    chosen = np.arange(*item.indices(extent), dtype=np.int64)
    return _ops.index_select(x, chosen, axis)


def _gather(x, places, indices, target):
    """x[indices] over the axes `places`, the result's axes put at `target`."""
    rank = len(x.shape)
    extents = [x.shape[place] for place in places]
    rest = [axis for axis in range(rank) if axis not in places]
    index = _linear(indices, extents)
    shape = list(index.shape)
    rest_shape = [x.shape[axis] for axis in rest]
    if any(isinstance(extent, int) and extent == 0
           for extent in shape + rest_shape):
        return empty(x, rest_shape[:target] + shape + rest_shape[target:])
    if places != list(range(len(places))):
        x = _ops.transpose(x, places + rest)
    if len(places) > 1:
        known = all(isinstance(extent, int) for extent in extents)
        joined = math.prod(extents) if known else -1
        x = _ops.reshape(x, [joined] + (
            _extents(rest_shape) if known else rest_shape))
    if isinstance(index, np.ndarray):
        index = index.reshape(-1)
    elif len(shape) != 1:
        index = _ops.reshape(index, [-1])
    out = _ops.index_select(x, index, 0)
    if len(shape) != 1:
        out = _ops.reshape(out, _extents(shape + rest_shape))
    if target:
        count = len(shape)
        order = list(range(count, count + target)) + list(range(count)) + (
            list(range(count + target, count + len(rest_shape))))
        out = _ops.transpose(out, order)
    return out


def empty(x, shape):
    """A result without elements that depends on x, so that x has a gradient.

    The operator reshape takes an extent of 0 for "as it was".
    """
    known = all(isinstance(extent, int) for extent in shape)
    if x.dtype == "bool":
        return _ops.logical_and(np.zeros(shape, bool) if known else _ops.full(
            shape, False, "bool"), _ops.any(x))
    if x.dtype in ("int8", "int16", "uint8", "uint16", "uint32", "uint64"):  # Without sums.
        return _ops.cast(empty(_ops.cast(x, "int32"), shape), x.dtype)
    if not known:
        zeros = _ops.full(shape, 0, x.dtype)
    elif x.dtype == "bfloat16":
        zeros = _ops.cast(np.zeros(shape, np.float32), x.dtype)
    else:
        zeros = np.zeros(shape, x.dtype)
    return _ops.add(zeros, _ops.cast(_ops.sum(x), x.dtype))


def _linear(indices, extents):
    """One index over the joined axes, row-major."""
    if len(indices) == 1:  # The operator counts negative ones from the end.
        return indices[0]
    if all(isinstance(index, np.ndarray) for index in indices):
        try:
            indices = np.broadcast_arrays(*indices)
        except ValueError:
            shapes = " and ".join(str(index.shape) for index in indices)
            raise IndexError(f"index: arrays of shapes {shapes} do not "
                             "broadcast") from None
    linear = None
    for index, extent in zip(indices, extents):
        if not (isinstance(index, np.ndarray) and isinstance(extent, int)):
            index = _within(index, extent)
        if linear is not None:
            step = extent if isinstance(extent, int) else extent * 1  # A value.
            index = _ops.add(_ops.multiply(linear, step), index)
        linear = index
    return linear


def _within(index, extent):
    """An index with negative ones counted from the end; the run refuses what the axis
    has not, which another row of the joined axes might have."""
    numbers = _ops.arange(0, extent, 1, "int64")
    if len(index.shape) == 1:
        return _ops.index_select(numbers, index, 0)
    chosen = _ops.index_select(numbers, index.reshape(-1) if isinstance(
        index, np.ndarray) else _ops.reshape(index, [-1]), 0)
    return _ops.reshape(chosen, _extents(list(index.shape)))


def _extents(shape):
    """Extents for reshape: -1 for one that is not known, symbols for several."""
    unknown = sum(not isinstance(extent, int) for extent in shape)
    if unknown > 1:
        return list(shape)
    return [extent if isinstance(extent, int) else -1 for extent in shape]
