# SPDX-License-Identifier: Apache-2.0
"""Methods that write x's memory, with PyTorch's names, and return x.

They are recorded as the functions of their names are. The in-place variants of
operators (``x.relu_()``) are methods without a line here.
"""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import NUMBER, real, refuse
from switchyard.functions.arguments import tensor_of
from switchyard.functions.elementwise import clip, limit_of
from switchyard.functions.picking import index_add, scatter, scatter_add
from switchyard.functions.searching import masked_fill

_ops = _core.ops
_KINDS = (_core.Tensor, _core.Value)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.ops import T

__all__ = ["add_", "addcdiv_", "addcmul_", "clamp_", "clip_", "fill_",
           "fill_diagonal_", "hardsigmoid_", "hardtanh_", "index_add_",
           "leaky_relu_", "logit_", "masked_fill_", "normal_", "scatter_", "scatter_add_",
           "sub_", "uniform_", "zero_"]


def _scaled(y, factor):
    return y if factor == 1 else _ops.multiply(y, factor)


def _times_alpha(name, y, alpha):
    if type(alpha) is not int and not isinstance(alpha, (complex, *_KINDS)):
        real(name, "alpha", alpha, NUMBER)
    return _scaled(y, alpha)


def add_(x: T, y, *, alpha=1) -> T:
    """Adds alpha * y."""
    return _ops.add_(x, _times_alpha("add_", y, alpha))


def sub_(x: T, y, *, alpha=1) -> T:
    """Subtracts alpha * y."""
    return _ops.subtract_(x, _times_alpha("sub_", y, alpha))


def addcmul_(x: T, tensor1, tensor2, *, value=1) -> T:
    """Adds value * tensor1 * tensor2."""
    product = _ops.multiply(tensor_of(tensor1), tensor_of(tensor2))
    return _ops.add_(x, _scaled(product, value))


def addcdiv_(x: T, tensor1, tensor2, *, value=1) -> T:
    """Adds value * tensor1 / tensor2."""
    quotient = _ops.divide(tensor_of(tensor1), tensor_of(tensor2))
    return _ops.add_(x, _scaled(quotient, value))


def logit_(x: T, eps: float | None = None) -> T:
    """Writes log(x / (1 - x)); with ``eps`` of x limited to [eps, 1 - eps]."""
    return _ops.logit_(x, limit_of("logit_", eps))


def _written(x, function, *args):
    """Writes function(x, ...) into x's memory; returns x.

    The gradient may need what x holds now: it gets a copy.
    """
    recorded = type(x) is _core.Tensor and x.requires_grad and (
        _core.is_grad_enabled())
    x[...] = function(_ops.assign(x) if recorded else x, *args)
    return x


def _is_number(limit):
    return isinstance(limit, (int, float))


def clip_(x: T, min=None, max=None) -> T:
    """Limits the elements to [min, max], as ``clip`` does."""
    if _is_number(min) and _is_number(max):
        return _ops.clip_(x, min, max)
    return _written(x, clip, min, max)


def clamp_(x: T, min=None, max=None) -> T:
    """Limits the elements to [min, max], as ``clamp`` does."""
    return clip_(x, min, max)


def leaky_relu_(x: T, negative_slope: float = 0.01) -> T:
    """Multiplies what is below 0 by ``negative_slope``."""
    return _ops.leaky_relu_(x, negative_slope)


def hardsigmoid_(x: T) -> T:
    """Writes min(max(x / 6 + 1 / 2, 0), 1)."""
    return _ops.hardsigmoid_(x, 1.0 / 6.0, 0.5)


def hardtanh_(x: T, min_val: float = -1.0, max_val: float = 1.0) -> T:
    """Limits the elements to [min_val, max_val]."""
    return _ops.clip_(x, real("hardtanh_", "min_val", min_val, NUMBER),
                      real("hardtanh_", "max_val", max_val, NUMBER))


def masked_fill_(x: T, mask, value) -> T:
    """Writes ``value`` where the bool ``mask`` is true."""
    return _written(x, masked_fill, mask, value)


def scatter_(x: T, dim: int, index, src) -> T:
    """Writes ``src`` at ``index`` along the axis ``dim``, as ``scatter`` does."""
    return _written(x, scatter, dim, index, src)


def scatter_add_(x: T, dim: int, index, src) -> T:
    """Adds ``src`` at ``index`` along ``dim``, as ``scatter_add`` does."""
    return _written(x, scatter_add, dim, index, src)


def index_add_(x: T, dim: int, index, source) -> T:
    """Adds the slices of ``source`` to those at ``index`` along ``dim``."""
    return _written(x, index_add, dim, index, source)


def fill_diagonal_(x: T, value) -> T:
    """Writes ``value`` to the diagonal of a matrix."""
    if len(x.shape) != 2:
        raise ValueError("fill_diagonal_: x must have two axes, got "
                         f"{len(x.shape)}")
    places = range(min(x.shape))
    x[list(places), list(places)] = value
    return x


def fill_(x: T, value) -> T:
    """Writes ``value`` to every element."""
    if isinstance(value, (complex, str)) and not (
            isinstance(value, complex) and x.dtype.startswith("complex")):
        refuse("fill_", "value", f"a number that {x.dtype} holds", value)
    x[...] = value
    return x


def zero_(x: T) -> T:
    """Writes 0 to every element."""
    return fill_(x, 0)


def _drawn(x, operator, first, second):
    """Writes random numbers; halves are rounded from float32."""
    half = x.dtype in ("float16", "bfloat16")
    drawn = operator(list(x.shape), float(first), float(second),
                     "float32" if half else x.dtype)
    x[...] = _ops.cast(drawn, x.dtype) if half else drawn
    return x


def normal_(x: T, mean: float = 0.0, std: float = 1.0) -> T:
    """Writes numbers of the normal distribution."""
    return _drawn(x, _ops.gaussian, mean, std)


def uniform_(x: T, low: float = 0.0, high: float = 1.0) -> T:
    """Writes numbers uniform in [low, high)."""
    return _drawn(x, _ops.uniform, low, high)
