# SPDX-License-Identifier: Apache-2.0
"""x[...] = value and x.copy_(value), in terms of operators; reading is indexing.py.

Of a tensor outside of the gradient graph it is NumPy's. Of one inside, and of a
value of a traced graph, it is a scatter of the written elements over the others,
so that gradients go to both.
"""

import math

import numpy as np

from switchyard import _core, indexing

_ops = _core.ops

# The dtypes that the operator scatter takes; scatter_nd_update takes all.
_SCATTERED = ("int32", "int64", "float16", "bfloat16", "float32", "float64")


def trace_setitem(x, subscript, value):
    """``setitem`` of a value, or while a function is traced."""
    captures = _core.captures_of(x)
    if captures is not None:
        x = captures.written("x[...] = value", x)
    if isinstance(x, _core.Value):
        _write_value(x, subscript, value)
        return
    _check_eager(subscript, value)
    setitem(x, subscript, value)


def setitem(x, subscript, value):
    """x[subscript] = value, in x's memory: all that shares it follows."""
    if x.kind != "dense":
        raise TypeError(f"x[...] = value: x must be dense, got {x.kind}")
    recorded = x.requires_grad or getattr(value, "requires_grad", False)
    if recorded and _core.is_grad_enabled():
        _write_recorded(x, _for_numpy(subscript), value)
        return
    subscript, elements = _for_numpy(subscript), x.numpy()
    value = _for_elements(value, x.dtype)
    if isinstance(value, np.ndarray) and np.may_share_memory(value, elements):
        value = value.copy()  # As it is before anything is written.
    if x.dtype == "bfloat16" or x.place != "cpu":
        # numpy() is a copy: write it and take it back.
        x._mark_written()
        _write(elements, subscript, value)
        x._copy_elements(_core.tensor(elements, x.dtype, place="cpu"))
        return
    if any(step == 0 and extent > 1
           for step, extent in zip(elements.strides, elements.shape)):
        raise RuntimeError("x[...] = value: x must have memory for each of its "
                           "elements, got an expanded view: clone() it")
    x._mark_written()
    _write(elements, subscript, value)


def copy_(x, other):
    """Writes the elements of another tensor, of x's shape and dtype, into x's memory;
    returns x. It is recorded, as ``x[...] = other`` is, unless under ``no_grad()`` or
    where neither requires grad. A leaf that requires grad takes what does not: its
    new value."""
    traced = isinstance(other, _core.Value)
    leaf = x.requires_grad and x.is_leaf
    recorded = traced or getattr(other, "requires_grad", False) or (
        x.requires_grad and not leaf)
    if not (recorded and _core.is_grad_enabled()):
        return x._copy_elements(other)
    if leaf:
        raise RuntimeError("copy_: x must be written in place under no_grad() only, "
                           "got a leaf that requires grad")
    if not traced and (not isinstance(other, _core.Tensor) or
                       (other.shape, other.dtype) != (x.shape, x.dtype)):
        return x._copy_elements(other)  # Its error.
    trace_setitem(x, ..., other)
    return x


def _check_eager(subscript, value):
    """Errors for what a run decides: x is a constant of the graph, if any."""
    for part in (value, *indexing.parts_of(subscript)):
        if isinstance(part, _core.Value):
            raise TypeError("x[...] = value: x must be a value of the graph, or a "
                            "tensor of outside, to hold a value, got one that was "
                            "made while tracing: start from a value, as "
                            "sy.zeros_like(value) is")
        if not isinstance(part, _core.Tensor):
            continue
        captures = _core.captures_of(part)
        if captures is not None:
            captures.read_as_constant("x[...] = value", part)


def _for_elements(value, dtype):
    """The elements to write, as NumPy takes them; ValueError for Python's numbers
    that the dtype does not hold."""
    if isinstance(value, _core.Tensor):
        if value.dtype.startswith("complex") and not dtype.startswith("complex"):
            raise TypeError(f"x[...] = value: value must be real for {dtype}, got "
                            f"{value.dtype}")
        return value.numpy()
    if isinstance(value, (int, float, complex, list, tuple)):
        try:
            return _core.tensor(value, dtype).numpy()
        except (TypeError, ValueError) as error:
            text = str(error).replace("tensor: data", "value", 1)
            raise type(error)(f"x[...] = value: {text}") from None
    return value


def _write(elements, subscript, value):
    try:
        elements[subscript] = value
    except (IndexError, TypeError, ValueError) as error:
        raise type(error)(f"x[...] = value: {error}") from None


def _write_recorded(x, subscript, value):
    """x[subscript] = value with its gradients, for any subscript of NumPy."""
    places = np.arange(math.prod(x.shape)).reshape(x.shape)[subscript]
    if not isinstance(value, _core.Tensor):
        value = _core.tensor(np.asarray(value), x.dtype)
    if value.dtype != x.dtype:
        value = _ops.cast(value, x.dtype)
    extra = len(value.shape) - places.ndim  # Axes of extent 1 in front.
    if extra > 0 and value.shape[:extra] == (1,) * extra:
        value = _ops.squeeze(value, list(range(extra)))
    value = _ops.expand(value, list(places.shape))
    # A view of x would keep it from being written; this is a copy.
    row = _ops.scatter(_ops.reshape(_ops.assign(x), [-1]),
                       places.reshape(-1), _ops.reshape(value, [-1]))
    x._become(_ops.reshape(row, list(x.shape)))


def _for_numpy(subscript):
    if isinstance(subscript, tuple):
        return tuple(_for_numpy(item) for item in subscript)
    if isinstance(subscript, _core.Tensor):
        return subscript.numpy()
    return subscript


def _write_value(x, subscript, value):
    """x[subscript] = value of a value of a graph."""
    if x.kind != "dense":
        raise TypeError(f"x[...] = value: x must be dense, got {x.kind}")
    recorded = isinstance(value, _core.Value)
    value = _of_dtype(value, x.dtype)
    subscript = tuple(map(indexing.in_graph, indexing.parts_of(subscript)))
    mask = _only_mask(x, subscript)
    if mask is not None and not recorded and math.prod(value.shape) == 1:
        axes = list(range(len(mask.shape), len(x.shape)))
        mask = _ops.unsqueeze(mask, axes) if axes else mask
        one = _ops.reshape(value, [])
        x._become(_ops.expand_as(_ops.where(mask, one, x), x))
    elif _is_view(subscript):
        part = x[subscript]
        part._become(_broadcast(value, part))
    elif not _put(x, subscript, value):
        _scatter(x, subscript, value)


def _of_dtype(value, dtype):
    if not isinstance(value, (_core.Tensor, _core.Value)):
        return _core.tensor(np.asarray(_for_elements(value, dtype)), dtype)
    return value if value.dtype == dtype else _ops.cast(value, dtype)


def _only_mask(x, subscript):
    """The mask of x[mask] if it is a graph's value, in x's extents."""
    parts = indexing.parts_of(subscript)
    mask = parts[0]
    if len(parts) != 1 or not isinstance(mask, _core.Value) or (
            mask.dtype != "bool" or not 0 < len(mask.shape) <= len(x.shape)):
        return None
    extents = list(x.shape[:len(mask.shape)])
    indexing.check_mask(mask, extents)
    there = _ops.reshape(mask, extents)
    if len(extents) == 1 or all(isinstance(extent, int) for extent in (
            *extents, *mask.shape)):
        return there
    # As many elements in other extents: the run refuses what is not one of both.
    return _ops.reshape(_ops.logical_and(there, mask), extents)


def _is_view(subscript):
    """Whether x[subscript] is a view: integers, slices forwards, None, ..."""
    for part in indexing.parts_of(subscript):
        if isinstance(part, slice):
            if not (part.step is None or part.step > 0):
                return False
        elif not (part is None or part is Ellipsis or isinstance(part, int)):
            return False
        elif isinstance(part, bool):
            return False
    return True


def _broadcast(value, like):
    """``value`` in the extents of ``like``, as a constant or a value of a graph."""
    extra = len(value.shape) - len(like.shape)  # Axes of extent 1 in front.
    if extra > 0 and tuple(value.shape[:extra]) == (1,) * extra:
        value = _ops.reshape(value, list(value.shape[extra:]))
    return _ops.expand_as(value, like)


def _put(x, subscript, value):
    """Writes to integers along one axis, of which a program touches no other elements
    of a state; False where they are more or extents are not known."""
    found = indexing.one_index(x, subscript) if x.dtype in _SCATTERED else None
    if found is None:
        return False
    axis, index = found
    extents = list(x.shape)
    chosen = extents[:axis] + list(index.shape) + extents[axis + 1:]
    if not all(isinstance(extent, int) and extent for extent in extents + chosen):
        return False
    count = index.shape[0] if index.shape else 1
    places = extents[:axis] + [count] + extents[axis + 1:]
    row = [count if i == axis else 1 for i in range(len(extents))]
    index = _ops.expand(_ops.reshape(index, row), places)
    extra = len(value.shape) - len(chosen)  # Axes of extent 1 in front.
    if extra > 0 and tuple(value.shape[:extra]) == (1,) * extra:
        value = _ops.reshape(value, list(value.shape[extra:]))
    value = _ops.reshape(_ops.expand(value, chosen), places)
    x._become(_ops.put_along_axis(x, index, value, axis))
    return True


def _scatter(x, subscript, value):
    """Writes to any subscript that x can be read at."""
    numbers = _ops.arange(0, math.prod(x.shape), 1, "int64")
    grid = _ops.reshape(numbers, list(x.shape))
    # A constant grid becomes a value of x's graph, for subscripts that have one.
    grid = _ops.add(grid, _ops.cast(_ops.full_like(x, 0, "int64"), "int64"))
    places = grid[subscript]
    row, flat = _ops.reshape(x, [-1]), _ops.reshape(places, [-1])
    written = _ops.reshape(_broadcast(value, places), [-1])
    if x.dtype in _SCATTERED:
        row = _ops.scatter(row, flat, written)
    else:
        row = _ops.scatter_nd_update(row, _ops.unsqueeze(flat, [1]), written)
    x._become(_ops.expand_as(_ops.reshape(row, list(x.shape)), x))
