# SPDX-License-Identifier: Apache-2.0
"""The operators that are functions of ``sy.*`` as they are: no call in between.

They are methods, too, except NOT_METHODS, whose first argument is not what a
method would be called on; so are their in-place variants (``x.relu_()``).
"""

from switchyard import ops
from switchyard.ops import (
    abs, acos, acosh, add, addmm, allclose, angle, asin, asinh, atan, atan2,
    atanh, bincount, bitwise_and, bitwise_not, bitwise_or, bitwise_xor, bmm, celu,
    complex, copysign, cos, cosh, cummax, cummin, diagonal, digamma, dist,
    divide, dot, elu, equal, erf, erfinv, exp, expm1, floor_divide, fmax,
    fmin, greater_equal, greater_than, hardshrink, hardswish, heaviside,
    i0, i0e, i1, i1e, imag, isclose, kron, lerp,
    less_equal, less_than, lgamma, log, log10, log1p, log2, log_softmax,
    logcumsumexp, logical_and, logical_not, logical_or, logical_xor, logit,
    logsigmoid, masked_select, matmul, maximum, minimum, mish, multiply, mv,
    nextafter, not_equal, reciprocal, relu, relu6, remainder, rsqrt, selu, sigmoid, sign,
    silu, sin, sinh, softmax, softplus, softshrink, softsign, sqrt, square,
    subtract, tan, tanh, topk, trace, unsqueeze, where)

# The names that the standard and PyTorch have for operators of other names.
from switchyard.ops import bitwise_not as bitwise_invert
from switchyard.ops import divide as div
from switchyard.ops import equal as eq
from switchyard.ops import greater_equal as ge
from switchyard.ops import greater_than as greater
from switchyard.ops import greater_than as gt
from switchyard.ops import less_equal as le
from switchyard.ops import less_than as less
from switchyard.ops import less_than as lt
from switchyard.ops import matmul as mm
from switchyard.ops import multiply as mul
from switchyard.ops import not_equal as ne
from switchyard.ops import subtract as sub

NOT_METHODS = ("complex", "where")

__all__ = [
    "abs", "acos", "acosh", "add", "addmm", "allclose", "angle", "asin", "asinh",
    "atan", "atan2", "atanh", "bincount", "bitwise_and", "bitwise_invert",
    "bitwise_not", "bitwise_or", "bitwise_xor", "bmm", "celu", "complex",
    "copysign", "cos", "cosh", "cummax", "cummin", "diagonal", "digamma", "dist",
    "div", "divide", "dot", "elu", "eq", "equal", "erf", "erfinv", "exp", "expm1",
    "floor_divide", "fmax", "fmin", "ge", "greater", "greater_equal",
    "greater_than", "gt", "hardshrink", "hardswish", "heaviside", "i0", "i0e",
    "i1", "i1e", "imag", "isclose", "kron", "le", "lerp", "less", "less_equal",
    "less_than", "lgamma", "log", "log10", "log1p", "log2", "log_softmax",
    "logcumsumexp", "logical_and", "logical_not", "logical_or", "logical_xor",
    "logit", "logsigmoid", "lt", "masked_select", "matmul", "maximum", "minimum",
    "mish", "mm", "mul", "multiply", "mv", "ne", "nextafter", "not_equal",
    "reciprocal", "relu", "relu6", "remainder", "rsqrt", "selu", "sigmoid",
    "sign", "silu", "sin", "sinh", "softmax", "softplus", "softshrink",
    "softsign", "sqrt", "square", "sub", "subtract", "tan", "tanh", "topk",
    "trace", "unsqueeze", "where",
]


def methods():
    """{name: operator} of those that are methods, with in-place variants."""
    own = globals()
    found = {name: own[name] for name in __all__ if name not in NOT_METHODS}
    for name, operator in list(found.items()):
        inplace = getattr(ops, operator.__name__ + "_", None)
        if inplace is not None:
            found[name + "_"] = inplace
    return found
