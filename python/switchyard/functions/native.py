# SPDX-License-Identifier: Apache-2.0
"""The operators that are functions of ``sy.*`` as they are: no call in between."""

from switchyard.ops import (
    abs, acos, acosh, add, addmm, allclose, angle, asin, asinh, atan, atan2,
    atanh, bitwise_and, bitwise_not, bitwise_or, bitwise_xor, bmm, celu,
    complex, copysign, cos, cosh, cummax, cummin, diagonal, digamma, dist,
    divide, dot, elu, equal, erf, erfinv, exp, expm1, floor_divide, fmax,
    fmin, gelu, greater_equal, greater_than, hardshrink, hardswish, heaviside,
    i0, i0e, i1, i1e, imag, isclose, kron, lerp,
    less_equal, less_than, lgamma, log, log10, log1p, log2, log_softmax,
    logcumsumexp, logical_and, logical_not, logical_or, logical_xor, logit,
    logsigmoid, masked_select, matmul, maximum, minimum, mish, multiply, mv,
    nextafter, not_equal, reciprocal, relu, relu6, remainder, rsqrt, selu, sigmoid, sign,
    silu, sin, sinh, softmax, softplus, softshrink, softsign, sqrt, square,
    subtract, tan, tanh, topk, trace, unsqueeze, where)

# The standard's names for operators that have others.
from switchyard.ops import bitwise_not as bitwise_invert
from switchyard.ops import greater_than as greater
from switchyard.ops import less_than as less

__all__ = [
    "abs", "acos", "acosh", "add", "addmm", "allclose", "angle", "asin", "asinh",
    "atan", "atan2", "atanh", "bitwise_and", "bitwise_invert", "bitwise_not",
    "bitwise_or", "bitwise_xor", "bmm", "celu", "complex", 
    "copysign", "cos", "cosh", "cummax", "cummin", "diagonal", "digamma", "dist",
    "divide", "dot", "elu", "equal", "erf", "erfinv", "exp", "expm1", 
    "floor_divide", "fmax", "fmin", "gelu", "greater", "greater_equal",
    "greater_than", "hardshrink", "hardswish", "heaviside", "i0", "i0e", "i1",
    "i1e", "imag", "isclose", "kron", "lerp",
    "less", "less_equal", "less_than", "lgamma", "log", "log10", "log1p", "log2",
    "log_softmax", "logcumsumexp", "logical_and", "logical_not", "logical_or",
    "logical_xor", "logit", "logsigmoid", "masked_select", "matmul", "maximum",
    "minimum", "mish", "multiply", "mv", "nextafter", "not_equal", "reciprocal",
    "relu", "relu6", "remainder", "rsqrt", "selu", "sigmoid", "sign", "silu", "sin",
    "sinh", "softmax", "softplus", "softshrink", "softsign", "sqrt", "square",
    "subtract", "tan", "tanh", "topk", "trace", "unsqueeze", "where",
]
