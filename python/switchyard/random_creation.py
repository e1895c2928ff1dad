# SPDX-License-Identifier: Apache-2.0
"""Tensors made at random: the generator is the one that sy.seed sets."""

from __future__ import annotations

import math

from switchyard import _core
from switchyard.checks import FROM_0, Range, real, whole
from switchyard.creation import _at, _leaf, _made, part_of
from switchyard.functions.arguments import as_list, common_shape, tensor_of

_ops = _core.ops

__all__ = ["bernoulli", "multinomial", "normal", "rand", "rand_like", "randint",
           "randn", "randn_like", "randperm"]


def _drawn(operator, shape, low, high, dtype, device):
    """Random numbers; of complex ones both parts, of a variance that is 1 together
    if they are normal."""
    part = part_of(dtype)
    if part is None:
        return _made(operator, shape, low, high, dtype, device=device)
    high = high * 0.5**0.5 if operator is _ops.gaussian else high
    return _ops.complex(*(_made(operator, shape, low, high, part, device=device)
                          for _ in range(2)))


def normal(mean=0.0, std=1.0, size=None, *, dtype=None, device=None,
           requires_grad: bool = False) -> _core.Tensor:
    """Numbers of the normal distribution; mean and deviation are numbers, or, with
    no ``size``, tensors."""
    if size is None:
        mean, std = _real_or_tensor("mean", mean), _real_or_tensor("std", std)
        size = common_shape("normal", "mean and std", mean.shape, std.shape)
    drawn = randn(size=size, dtype=dtype or "float32", device=device)
    return _leaf(_ops.add(_ops.multiply(drawn, std), mean), requires_grad)


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
    made = _drawn(_ops.gaussian, as_list(shape), 0.0, 1.0, dtype, device)
    return _leaf(made, requires_grad)


def rand(*shape, dtype="float32", device=None, requires_grad: bool = False,
         size=None) -> _core.Tensor:
    """Numbers uniform in [0, 1), in ``shape`` (or ``size``)."""
    shape = shape if size is None else (size,)
    made = _drawn(_ops.uniform, as_list(shape), 0.0, 1.0, dtype, device)
    return _leaf(made, requires_grad)


def randn_like(x, *, dtype=None, device=None, requires_grad: bool = False):
    """Numbers of the standard normal distribution in x's shape."""
    x = tensor_of(x)
    made = _drawn(_ops.gaussian, list(x.shape), 0.0, 1.0, dtype or x.dtype, device)
    return _leaf(made, requires_grad)


def rand_like(x, *, dtype=None, device=None, requires_grad: bool = False):
    """Numbers uniform in [0, 1) in x's shape."""
    x = tensor_of(x)
    made = _drawn(_ops.uniform, list(x.shape), 0.0, 1.0, dtype or x.dtype, device)
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


_MOST_CLASSES = 2**24  # What float32 tells apart.


def _check_weights(x, num_samples, replacement):
    """ValueError for what are no weights of classes, as far as they are known."""
    if len(x.shape) not in (1, 2):
        raise ValueError(f"multinomial: x must have 1 or 2 axes, got {len(x.shape)}")
    if num_samples == 0:
        raise ValueError("multinomial: num_samples must be from 1, got 0")
    classes = x.shape[-1]
    if isinstance(classes, int) and classes > _MOST_CLASSES:
        raise ValueError(f"multinomial: x must have at most {_MOST_CLASSES} classes, "
                         f"got {classes}")
    if isinstance(classes, int) and not replacement and num_samples > classes:
        raise ValueError(f"multinomial: num_samples must be at most the {classes} "
                         f"classes without replacement, got {num_samples}")
    if type(x) is not _core.Tensor:
        return
    least, total = _ops.min(x).item(), _ops.min(_ops.sum(x, -1)).item()
    if not (least >= 0 and total > 0 and _ops.max(x).item() < float("inf")):
        raise ValueError("multinomial: x must be finite numbers from 0, of which each "
                         "row has one that is not 0")


def multinomial(x, num_samples: int, replacement: bool = False):
    """Indices (int64) drawn with probabilities in the proportion of x's rows.

    [n] gives [num_samples], [rows, n] gives [rows, num_samples].
    """
    x, num_samples = tensor_of(x), whole("multinomial", "num_samples", num_samples,
                                         FROM_0)
    _check_weights(x, num_samples, replacement)
    if x.dtype in ("float16", "bfloat16"):
        # Their running sums would be coarse, and their draws few.
        x = _ops.cast(x, "float32")
    if not replacement:
        return _ops.topk(_ops.add(_log_weights(x), _gumbel_like(x)), num_samples)[1]
    ends = _ops.cumsum(_ops.multiply(x, _factor_into_range(x)), -1)
    total = ends[..., -1:]
    draws = _ops.uniform([*x.shape[:-1], num_samples], 0.0, 1.0, x.dtype)
    return _ops.searchsorted(ends, _ops.multiply(draws, total), right=True)


def _gumbel_like(x):
    """Gumbel's numbers: where they are largest with the logarithms of weights added
    is a draw without replacement."""
    draws = _ops.maximum(rand_like(x), 1e-30)
    return -_ops.log(-_ops.log(draws))


def _log_weights(x):
    """log(x), but far below all others in place of -inf at 0; NaN below 0."""
    weights = _ops.where(_ops.greater_than(x, 0.0), x, _ops.ones_like(x))
    logs = _ops.where(_ops.equal(x, 0.0), _ops.full_like(x, -1e30), _ops.log(weights))
    return _ops.where(_ops.greater_equal(x, 0.0), logs, _ops.full_like(x, math.nan))


def _factor_into_range(x):
    """A power of 2 for each row of x: sums of its products have no bits less, and
    don't leave the range."""
    far, down, up = (88, -40, 60) if x.dtype == "float32" else (900, -100, 150)
    largest = _ops.max(x, [-1], True)
    factor = _ops.where(_ops.less_than(largest, 2.0**-far),
                        _ops.full_like(largest, 2.0**up), _ops.ones_like(largest))
    return _ops.where(_ops.greater_than(largest, 2.0**far),
                      _ops.full_like(largest, 2.0**down), factor)
