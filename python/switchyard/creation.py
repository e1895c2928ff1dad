# SPDX-License-Identifier: Apache-2.0
"""Tensors made of nothing, of numbers, or at random."""

from __future__ import annotations

import numbers

import numpy as np

from switchyard import _core
from switchyard.checks import FROM_0, Range, real, whole
from switchyard.dlpack import from_dlpack
from switchyard.functions.arguments import (WHOLE, as_list, fitting,
                                            place_of, tensor_of)

_ops = _core.ops

__all__ = ["arange", "as_tensor", "asarray", "bernoulli", "empty", "empty_like", "eye",
           "from_numpy", "full", "full_like", "is_tensor", "linspace", "multinomial",
           "normal", "ones", "ones_like",
           "rand", "rand_like", "randint", "randn", "randn_like", "randperm",
           "tril_indices", "triu_indices", "zeros", "zeros_like"]


def _at(x, device):
    return x if device is None else x.to(place_of(device))


def _made(operator, *arguments, device):
    """Returns what the operator makes of nothing, on ``device`` at once: no
    copy of it is on the host, unless the device has no kernel for it."""
    if device is None:
        return operator(*arguments)
    device, before = place_of(device), _core.default_place()
    _core.set_default_place(device)
    try:
        with _core.policy(allow_fallback=True):
            made = operator(*arguments)
    finally:
        _core.set_default_place(before)
    return made.to(device)


def _shape(shape):
    return as_list(shape) if isinstance(shape, tuple) else shape


def _read(shape, more, dtype):
    """The shape and the dtype of zeros(shape, dtype), or zeros(2, 3)."""
    extents = [each for each in more if _whole(each)]
    if len(extents) < len(more):  # The last one is a dtype.
        dtype = more[-1] or dtype
    return [shape, *extents] if extents else _shape(shape), dtype


def _leaf(made, requires_grad):
    if requires_grad:
        made.requires_grad = True
    return made


def _dtype_of(value, dtype):
    """``dtype``, or that which a number has: bool, int64, float32, complex64."""
    if dtype is not None:
        return dtype
    if isinstance(value, (bool, np.bool_)):
        return "bool"
    if isinstance(value, numbers.Integral):
        return "int64"
    if isinstance(value, numbers.Real):
        return "float32"
    if isinstance(value, numbers.Complex):
        return "complex64"
    return getattr(value, "dtype", "float32")


def _whole(number):
    """Whether it is an integer: a number, an extent, or a tensor's element."""
    return isinstance(number, (numbers.Integral, _core.Symbol)) or getattr(
        number, "dtype", None) in WHOLE


def asarray(obj, *, dtype=None, device=None,
            copy: bool | None = None) -> _core.Tensor:
    """A tensor of ``obj``: numbers, lists, an array, a tensor (as it is, unless
    ``dtype``, ``device`` or ``copy`` say otherwise)."""
    if isinstance(obj, _core.Tensor):
        if dtype is not None and str(dtype) != obj.dtype:
            return _at(_ops.cast(obj, dtype), device)
        return _at(_ops.assign(obj) if copy else obj, device)
    if copy is False:
        raise ValueError("asarray: copy must not be False for what is no tensor")
    return _core.tensor(obj, dtype, place=place_of(device))


def as_tensor(data, dtype=None, device=None) -> _core.Tensor:
    """``asarray`` with PyTorch's arguments."""
    return asarray(data, dtype=dtype, device=device)


def from_numpy(array: np.ndarray) -> _core.Tensor:
    """A tensor over the array's own memory."""
    if not isinstance(array, np.ndarray):
        raise TypeError("from_numpy: array must be NumPy's, got "
                        f"{type(array).__name__}")
    return from_dlpack(array)


def is_tensor(thing) -> bool:
    """Whether it is a tensor, or a value of a graph that is traced."""
    return isinstance(thing, (_core.Tensor, _core.Value))


def tril_indices(row: int, col: int, offset: int = 0, *, dtype="int64",
                 device=None) -> _core.Tensor:
    """The rows and columns, [2, count], on and below the diagonal ``offset``."""
    return _triangle("tril_indices", np.tril_indices, row, col, offset, dtype,
                     device)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype="int64",
                 device=None) -> _core.Tensor:
    """The rows and columns, [2, count], on and above the diagonal ``offset``."""
    return _triangle("triu_indices", np.triu_indices, row, col, offset, dtype,
                     device)


def _triangle(name, indices, row, col, offset, dtype, device):
    rows = whole(name, "row", row, FROM_0)
    columns = whole(name, "col", col, FROM_0)
    diagonal = max(-rows - 1, min(whole(name, "offset", offset), columns + 1))
    if rows * columns >= 2**40:
        raise MemoryError(f"{name}: row and col must be of a matrix that fits into "
                          f"memory, got {rows} and {columns}")
    return _core.tensor(np.array(indices(rows, diagonal, columns)), dtype or "int64",
                        place=place_of(device))


def full(shape, fill_value, dtype=None, *, device=None,
         requires_grad: bool = False) -> _core.Tensor:
    """A tensor of ``fill_value``, by default of the dtype that it has:
    bool, int64, float32 or complex64."""
    dtype = _dtype_of(fill_value, dtype)
    fitting("full", "fill_value", fill_value, dtype)
    made = _made(_ops.full, _shape(shape), fill_value, dtype, device=device)
    return _leaf(made, requires_grad)


def zeros(shape, *more, dtype="float32", device=None,
          requires_grad: bool = False) -> _core.Tensor:
    """A tensor of zeros: zeros((2, 3)), zeros((2, 3), "int64") or zeros(2, 3)."""
    extents, dtype = _read(shape, more, dtype or "float32")
    return full(extents, 0, dtype, device=device, requires_grad=requires_grad)


def ones(shape, *more, dtype="float32", device=None,
         requires_grad: bool = False) -> _core.Tensor:
    """A tensor of ones: ones((2, 3)), ones((2, 3), "int64") or ones(2, 3)."""
    extents, dtype = _read(shape, more, dtype or "float32")
    return full(extents, 1, dtype, device=device, requires_grad=requires_grad)


def empty(shape, *more, dtype="float32", device=None,
          requires_grad: bool = False) -> _core.Tensor:
    """A tensor for elements that are written later; until then zeros."""
    return zeros(shape, *more, dtype=dtype, device=device,
                 requires_grad=requires_grad)


def _like(x, value, dtype, device, requires_grad):
    x = tensor_of(x)
    if device is None or isinstance(x, _core.Value):
        return _leaf(_at(_ops.full_like(x, value, dtype), device), requires_grad)
    return _leaf(_made(_ops.full, list(x.shape), value, dtype or x.dtype,
                       device=device), requires_grad)


def full_like(x, fill_value, *, dtype=None, device=None,
              requires_grad: bool = False) -> _core.Tensor:
    """A tensor of ``fill_value``, of x's shape and, by default, dtype."""
    x = tensor_of(x)
    fitting("full_like", "fill_value", fill_value, dtype or x.dtype)
    return _like(x, fill_value, dtype, device, requires_grad)


def zeros_like(x, *, dtype=None, device=None,
               requires_grad: bool = False) -> _core.Tensor:
    """A tensor of zeros, of x's shape and, by default, dtype."""
    return _like(x, 0, dtype, device, requires_grad)


def ones_like(x, *, dtype=None, device=None,
               requires_grad: bool = False) -> _core.Tensor:
    """A tensor of ones, of x's shape and, by default, dtype."""
    return _like(x, 1, dtype, device, requires_grad)


def empty_like(x, *, dtype=None, device=None,
               requires_grad: bool = False) -> _core.Tensor:
    """A tensor for elements that are written later, of x's shape."""
    return zeros_like(x, dtype=dtype, device=device,
                      requires_grad=requires_grad)


def eye(n_rows, n_cols=None, dtype="float32", *, k: int = 0,
        device=None, requires_grad: bool = False) -> _core.Tensor:
    """Ones on the diagonal ``k`` of [n_rows, n_cols], zeros elsewhere."""
    rows = whole("eye", "n_rows", n_rows, FROM_0)
    columns = rows if n_cols is None else whole("eye", "n_cols", n_cols, FROM_0)
    shift = max(-rows, min(whole("eye", "k", k), columns))
    if rows * columns >= 2**40:
        raise MemoryError(f"eye: n_rows and n_cols must be of a matrix that fits "
                          f"into memory, got {rows} and {columns}")
    made = _core.tensor(np.eye(rows, columns, shift), dtype or "float32",
                        place=place_of(device))
    return _leaf(made, requires_grad)


def arange(start, stop=None, step=1, dtype=None, *, device=None,
           requires_grad: bool = False, end=None) -> _core.Tensor:
    """start, start + step, ... below stop; from 0 if only one is given.

    int64 if the numbers are integers, else float32, unless ``dtype`` says.
    """
    stop = stop if end is None else end
    if stop is None:
        start, stop = 0, start
    if dtype is None:
        dtype = "int64" if all(map(_whole, (start, stop, step))) else "float32"
    made = _made(_ops.arange, start, stop, step, dtype, device=device)
    return _leaf(made, requires_grad)


def linspace(start, stop, num: int | None = None, dtype="float32", *,
             device=None, endpoint: bool = True,
             steps: int | None = None,
             requires_grad: bool = False) -> _core.Tensor:
    """``num`` (or ``steps``) numbers evenly apart from ``start`` to ``stop``, which
    is the last one unless ``endpoint`` is False."""
    if num is not None and steps is not None:
        raise TypeError("linspace: num and steps are one argument, got both")
    num = steps if num is None else num
    if num is None:
        raise TypeError("linspace: num must be given")
    if type(num) is not int or num < 0:
        num = whole("linspace", "num", num, FROM_0)
    dtype = dtype or "float32"
    if num == 0:
        return zeros([0], dtype, device=device)
    if not endpoint:
        stop = stop - (stop - start) / num
    made = _made(_ops.linspace, start, stop, num, dtype, device=device)
    return _leaf(made, requires_grad)


# At random: the generator is the one that sy.seed sets.


def normal(mean=0.0, std=1.0, size=None) -> _core.Tensor:
    """Numbers of the normal distribution; mean and deviation are numbers, or, with
    no ``size``, tensors."""
    if size is None:
        mean, std = _real_or_tensor("mean", mean), _real_or_tensor("std", std)
        size = np.broadcast_shapes(tuple(mean.shape), tuple(std.shape))
    return _ops.add(_ops.multiply(randn(size=size), std), mean)


def _real_or_tensor(argument, value):
    if isinstance(value, (int, float, complex)):
        within = Range("a number from 0" if argument == "std" else "a number",
                       lambda n: n >= 0 if argument == "std" else n == n)
        value = real("normal", argument, value, within)
    return tensor_of(value)


def randn(*shape, dtype="float32", device=None, requires_grad: bool = False,
          size=None) -> _core.Tensor:
    """Numbers of the standard normal distribution, in ``shape`` (or ``size``)."""
    shape = shape if size is None else (size,)
    made = _made(_ops.gaussian, as_list(shape), 0.0, 1.0, dtype, device=device)
    return _leaf(made, requires_grad)


def rand(*shape, dtype="float32", device=None, requires_grad: bool = False,
         size=None) -> _core.Tensor:
    """Numbers uniform in [0, 1), in ``shape`` (or ``size``)."""
    shape = shape if size is None else (size,)
    made = _made(_ops.uniform, as_list(shape), 0.0, 1.0, dtype, device=device)
    return _leaf(made, requires_grad)


def randn_like(x, *, dtype=None, device=None, requires_grad: bool = False):
    """Numbers of the standard normal distribution in x's shape."""
    x = tensor_of(x)
    made = _made(_ops.gaussian, list(x.shape), 0.0, 1.0, dtype or x.dtype,
                 device=device)
    return _leaf(made, requires_grad)


def rand_like(x, *, dtype=None, device=None, requires_grad: bool = False):
    """Numbers uniform in [0, 1) in x's shape."""
    x = tensor_of(x)
    made = _made(_ops.uniform, list(x.shape), 0.0, 1.0, dtype or x.dtype,
                 device=device)
    return _leaf(made, requires_grad)


def randint(low=0, high=None, shape=(), dtype="int64", *, device=None,
            size=None, requires_grad: bool = False) -> _core.Tensor:
    """Integers from ``low`` up to ``high``, which is not included, in ``shape``
    (or ``size``).

    randint(high, shape) begins at 0.
    """
    shape = shape if size is None else size
    if high is None or isinstance(high, (list, tuple)):
        low, high, shape = 0, low, shape if high is None else high
    dtype = dtype or "int64"
    made = _made(_ops.randint, low, high, as_list((shape,)),
                 dtype if dtype in ("int32", "int64") else "int64", device=device)
    return _leaf(made if made.dtype == dtype else _ops.cast(made, dtype),
                 requires_grad)


def randperm(n: int, *, dtype="int64", device=None,
             requires_grad: bool = False) -> _core.Tensor:
    """The numbers from 0 up to n in an order at random."""
    if whole("randperm", "n", n, FROM_0) == 0:
        made = _ops.full([0], 0, "int64")
    else:
        made = _ops.argsort(_ops.uniform([n], 0.0, 1.0, "float64"))[1]
    made = made if dtype == "int64" else _ops.cast(made, dtype)
    return _leaf(_at(made, device), requires_grad)


def bernoulli(x):
    """1 with the probability x, else 0, for each element of x."""
    x = tensor_of(x)
    return _ops.cast(_ops.less_than(rand_like(x), x), x.dtype)


def multinomial(x, num_samples: int, replacement: bool = False):
    """Indices (int64) drawn with probabilities in the proportion of x's rows.

    [n] gives [num_samples], [rows, n] gives [rows, num_samples].
    """
    x, num_samples = tensor_of(x), whole("multinomial", "num_samples", num_samples,
                                         FROM_0)
    if x.dtype in ("float16", "bfloat16"):
        # Their running sums would be coarse, and their draws few.
        x = _ops.cast(x, "float32")
    if not replacement:
        # The largest of log(x) + Gumbel's numbers are a draw without returns.
        gumbel = -_ops.log(-_ops.log(rand_like(x)))
        return _ops.topk(_ops.add(_ops.log(x), gumbel), num_samples)[1]
    ends = _ops.cumsum(x, -1)
    total = ends[..., -1:]
    draws = _ops.uniform([*x.shape[:-1], num_samples], 0.0, 1.0, x.dtype)
    return _ops.searchsorted(ends, _ops.multiply(draws, total), right=True)
