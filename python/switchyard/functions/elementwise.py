# SPDX-License-Identifier: Apache-2.0
"""Functions of single elements that are more than an operator."""

from __future__ import annotations

import numpy as np

from switchyard import _core, checks
from switchyard.checks import whole
from switchyard.functions.arguments import WHOLE, floating, tensor_of
from switchyard.functions.precision import in_float32
from switchyard.functions.promotion import beside, common

_ops = _core.ops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["addcdiv", "addcmul", "bitwise_left_shift", "bitwise_right_shift", "ceil", "clamp", "clip",
           "conj", "floor", "gelu", "hardsigmoid", "hardtanh", "hypot", "isfinite",
           "isinf", "isnan", "leaky_relu", "logaddexp", "logit", "positive", "pow", "real",
           "round", "signbit", "trunc"]


@in_float32
def addcmul(x: T, tensor1, tensor2, *, value=1) -> T:
    """x + value * tensor1 * tensor2."""
    product = _ops.multiply(tensor_of(tensor1), tensor_of(tensor2))
    return _ops.add(x, product if value == 1 else _ops.multiply(product, value))


@in_float32
def addcdiv(x: T, tensor1, tensor2, *, value=1) -> T:
    """x + value * tensor1 / tensor2."""
    quotient = _ops.divide(tensor_of(tensor1), tensor_of(tensor2))
    return _ops.add(x, quotient if value == 1 else _ops.multiply(quotient, value))


def leaky_relu(x: T, negative_slope: float = 0.01,
               inplace: bool = False) -> T:
    """x where x > 0, else negative_slope * x."""
    operator = _ops.leaky_relu_ if inplace else _ops.leaky_relu
    return operator(x, negative_slope)


def by_tanh(name, approximate):
    """Whether ``approximate``, a bool, "tanh" or "none", is by tanh."""
    if approximate not in (True, False, "tanh", "none"):
        raise ValueError(f"{name}: approximate must be 'none', 'tanh' or a bool, "
                         f"got {approximate!r}")
    return approximate not in (False, "none")


def gelu(x: T, approximate: bool | str = False, inplace: bool = False) -> T:
    """x * Phi(x), Phi the normal distribution; by tanh if ``approximate``, which
    may be written "tanh" or "none"."""
    result = _ops.gelu(x, by_tanh("gelu", approximate))
    if inplace:  # There is no operator that writes it.
        x[...] = result
        return x
    return result


def hardsigmoid(x: T, inplace: bool = False) -> T:
    """min(max(x / 6 + 1 / 2, 0), 1)."""
    operator = _ops.hardsigmoid_ if inplace else _ops.hardsigmoid
    return operator(x, 1.0 / 6.0, 0.5)


def hardtanh(x: T, min_val: float = -1.0, max_val: float = 1.0,
             inplace: bool = False) -> T:
    """x, no less than ``min_val`` and no more than ``max_val``."""
    result = _ops.hardtanh(x, min_val, max_val)
    if inplace:  # There is no operator that writes it.
        x[...] = result
        return x
    return result


def ceil(x: T) -> T:
    """The least whole number from x on; integers as they are."""
    x = tensor_of(x)
    return x if x.dtype in WHOLE else _ops.ceil(x)


def floor(x: T) -> T:
    """The largest whole number up to x; integers as they are."""
    x = tensor_of(x)
    return x if x.dtype in WHOLE else _ops.floor(x)


def trunc(x: T) -> T:
    """x without what is after the point; integers as they are."""
    x = tensor_of(x)
    return x if x.dtype in WHOLE else _ops.trunc(x)


def round(x: T, decimals: int = 0) -> T:
    """x rounded to ``decimals``, halves to the even number.

    x itself where x * 10^``decimals`` is beyond the dtype's range.
    """
    x, decimals = tensor_of(x), whole("round", "decimals", decimals)
    if x.dtype.startswith("complex"):
        return _ops.complex(round(_ops.real(x), decimals),
                            round(_ops.imag(x), decimals))
    if x.dtype in WHOLE:
        return x if decimals >= 0 else _ops.round(x, decimals)
    if decimals > 0:
        if decimals > 308:  # The last power of ten.
            return x
        scale = 10.0**decimals
        scaled = _ops.multiply(x, scale)
        return _ops.where(_ops.isfinite(scaled),
                          _ops.divide(round(scaled), scale), x)
    if decimals < 0:
        scale = 10.0**decimals
        return _ops.divide(round(_ops.multiply(x, scale)), scale)
    # The operator rounds halves away from 0.
    half = _ops.equal(_ops.abs(_ops.subtract(x, _ops.trunc(x))), 0.5)
    even = _ops.multiply(_ops.round(_ops.multiply(x, 0.5)), 2.0)
    return _ops.where(half, even, _ops.round(x))


def conj(x: T) -> T:
    """The complex conjugate; real numbers as they are."""
    x = tensor_of(x)
    return _ops.conj(x) if x.dtype.startswith("complex") else x


def real(x: T) -> T:
    """The real part; real numbers as they are."""
    x = tensor_of(x)
    return _ops.real(x) if x.dtype.startswith("complex") else x


def isfinite(x: T) -> T:
    """Whether x is neither infinite nor NaN."""
    x = tensor_of(x)
    if not x.dtype.startswith("complex"):
        return _ops.isfinite(x)
    return _ops.logical_and(_ops.isfinite(_ops.real(x)),
                            _ops.isfinite(_ops.imag(x)))


def isinf(x: T) -> T:
    """Whether x is infinite; of a complex number, whether a part is."""
    x = tensor_of(x)
    if not x.dtype.startswith("complex"):
        return _ops.isinf(x)
    return _ops.logical_or(_ops.isinf(_ops.real(x)), _ops.isinf(_ops.imag(x)))


def isnan(x: T) -> T:
    """Whether x is NaN; of a complex number, whether a part is."""
    x = tensor_of(x)
    return _ops.not_equal(x, x) if x.dtype.startswith("complex") else (
        _ops.isnan(x))


def clip(x: T, min=None, max=None) -> T:
    """x limited to [min, max], each a number, a tensor, or None for no limit.

    NaN stays NaN.
    """
    x = tensor_of(x)
    if isinstance(min, (int, float)) and isinstance(max, (int, float)):
        return _ops.clip(x, min, max)
    if min is not None:
        x = _ops.maximum(x, _limit(x, min))
    if max is not None:
        x = _ops.minimum(x, _limit(x, max))
    return x


def clamp(x: T, min=None, max=None) -> T:
    """x limited to [min, max]: ``clip`` under PyTorch's name."""
    return clip(x, min, max)


def _limit(x, limit):
    """A limit with a place for NumPy's scalars, of which dtypes promote."""
    if isinstance(limit, np.generic):
        return limit.item()
    return limit


def pow(x: T, exponent) -> T:
    """x ** exponent, each a tensor or a number."""
    if type(x) is _core.Tensor or type(x) is _core.Value:
        return x**exponent
    return x**tensor_of(exponent) if isinstance(x, (int, float)) else (
        tensor_of(x)**exponent)


def positive(x: T) -> T:
    """+x, x itself."""
    return tensor_of(x)


def _by_size(x, y):
    """The larger and the smaller of each pair, by their real parts if they are
    complex; gradients go to one each."""
    swapped = _ops.less_than(*(
        _ops.real(each) if each.dtype.startswith("complex") else each
        for each in (x, y)))
    return _ops.where(swapped, y, x), _ops.where(swapped, x, y)


@in_float32
def hypot(x: T, y) -> T:
    """sqrt(x * x + y * y), without overflow in between."""
    x, y = map(floating, beside(x, y))
    # An infinite side is an infinite length, though the other be NaN.
    endless = _ops.logical_or(_ops.isinf(x), _ops.isinf(y))
    swapped = _ops.less_than(_ops.abs(x), _ops.abs(y))
    # With their signs: abs has no second derivative at 0.
    large, small = _ops.where(swapped, y, x), _ops.where(swapped, x, y)
    plain = _ops.logical_or(_ops.equal(large, 0), endless)
    sides = _ops.add(_ops.abs(large), _ops.abs(small))
    small = _ops.where(plain, _ops.zeros_like(small), small)
    large = _ops.where(plain, _ops.ones_like(large), large)
    length = _ops.multiply(_ops.abs(large), _ops.sqrt(_ops.add(_ops.square(
        _ops.divide(small, large)), 1.0)))
    return _ops.where(endless, _ops.full_like(length, float("inf")),
                      _ops.where(plain, sides, length))


@in_float32
def logaddexp(x: T, y) -> T:
    """log(exp(x) + exp(y)), without overflow in between."""
    x, y = map(floating, beside(x, y))
    if common(x, y) != "float32":
        return _logaddexp(x, y)
    # The difference's rounding is that of a factor, and the sum may cancel.
    return _ops.cast(_logaddexp(_ops.cast(x, "float64"), _ops.cast(y, "float64")),
                     "float32")


def _logaddexp(x, y):
    large, small = _by_size(x, y)
    # Two equal infinities have no difference, and share the gradient.
    same = _ops.logical_and(_ops.equal(large, small), _ops.isinf(
        _ops.real(large) if large.dtype.startswith("complex") else large))
    halves = _ops.add(_ops.multiply(x, 0.5), _ops.multiply(y, 0.5))
    large = _ops.where(same, halves, large)
    gap = _ops.where(same, _ops.zeros_like(large), _ops.subtract(small, large))
    return _ops.add(large, _ops.log1p(_ops.exp(gap)))


def logit(x: T, eps: float | None = None) -> T:
    """log(x / (1 - x)): -inf at 0, inf at 1, NaN outside.

    With ``eps`` x is limited to [eps, 1 - eps] first, as ``sy.ops.logit`` does
    with 1e-6 unless told.
    """
    return _ops.logit(x, limit_of("logit", eps))


def limit_of(name, eps):
    """The operator's attribute for ``eps`` of logit, from 0; 0 for None."""
    return 0.0 if eps is None else checks.real(
        name, "eps", eps, checks.FROM_0)


def signbit(x: T) -> T:
    """Whether x is below 0, or -0.0, or a NaN with its sign set."""
    x = tensor_of(x)
    return _ops.less_than(_ops.copysign(_ops.ones_like(x), x), 0)


def _shift_operands(x, count):
    """Both, a number of places limited to what every dtype can tell apart."""
    if isinstance(count, (int, np.integer)):
        count = min(int(count), 64) if count >= 0 else 64
    return x, count


def bitwise_left_shift(x: T, count) -> T:
    """The bits of the integers x moved ``count`` places up.

    0 where ``count`` is negative or the number of bits at least.
    """
    return _ops.bitwise_left_shift(*_shift_operands(x, count))


def bitwise_right_shift(x: T, count) -> T:
    """The bits of the integers x moved ``count`` places down, the sign kept.

    0, or -1 of negative x, where ``count`` is negative or the number of bits
    at least.
    """
    return _ops.bitwise_right_shift(*_shift_operands(x, count))
