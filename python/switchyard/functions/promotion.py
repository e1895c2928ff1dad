# SPDX-License-Identifier: Apache-2.0
"""The common dtype of tensors and numbers of different kinds.

An operator promotes within a kind (integers, floating numbers, complex ones);
here is the rule across kinds, PyTorch's: complex is wider than floating, that
than integers, and those than bool. Tensors with axes decide before those
without, and both before plain numbers, unless what comes later is of a wider
kind. It is in the public functions alone: programs of PaddlePaddle keep its rule.
"""

from __future__ import annotations

import numpy as np

from switchyard import _core
from switchyard.functions.arguments import HALVES, STORED, UNSIGNED, WHOLE, tensor_of

_ops = _core.ops
_KINDS = (_core.Tensor, _core.Value)
_WIDTH = {"bool": 1, "uint8": 8, "int8": 8, "int16": 16, "int32": 32,
          "int64": 64, "uint16": 16, "uint32": 32, "uint64": 64, "float16": 16, "bfloat16": 16, "float32": 32,
          "float64": 64, "complex64": 64, "complex128": 128}


def rank_of(dtype):
    """bool 0, integers 1, floating numbers 2, complex ones 3."""
    if dtype == "bool":
        return 0
    if dtype in WHOLE:
        return 1
    return 3 if dtype.startswith("complex") else 2


def _complex_of(dtype):
    return "complex128" if dtype in ("float64", "complex128") else "complex64"


def _signed(unsigned, signed):
    """The integers that hold both; no dtype does those of uint64."""
    if unsigned == "uint64":
        raise TypeError(f"uint64 and {signed} have no common dtype: no integer dtype "
                        "holds both (cast one of them)")
    return max(signed, f"int{2 * _WIDTH[unsigned]}", key=_WIDTH.get)


def wider(a, b):
    """The dtype that holds numbers of both, for operands of one standing."""
    if a == b:
        return a
    for each in (a, b):
        if each in STORED:
            raise TypeError(f"{each} is a storage type: cast it before it is computed with")
    ranks = rank_of(a), rank_of(b)
    if 3 in ranks:
        return max(_complex_of(a), _complex_of(b), key=_WIDTH.get)
    if ranks[0] != ranks[1]:
        return a if ranks[0] > ranks[1] else b
    if {a, b} == HALVES:
        return "float32"
    if (a in UNSIGNED) != (b in UNSIGNED) and "bool" not in (a, b):
        return _signed(*((a, b) if a in UNSIGNED else (b, a)))
    return max(a, b, key=_WIDTH.get)


def _joined(first, later):
    """The dtype of operands of which ``first`` stand above ``later``."""
    if first is None or later is None:
        return first or later
    if rank_of(later) <= rank_of(first):
        return first
    return wider(first, later) if rank_of(first) == 2 else later


def _dtype_of_number(number):
    if isinstance(number, (bool, np.bool_)):
        return "bool"
    if isinstance(number, (int, np.integer)):
        return "int64"
    return "complex64" if isinstance(number, complex) else "float32"


def common(*operands):
    """The dtype that tensors and numbers are cast to before they are combined."""
    levels = [None, None, None]  # With axes, without, plain numbers.
    for each in operands:
        if type(each) in _KINDS:
            level, dtype = int(not each.shape), each.dtype
        else:
            level, dtype = 2, _dtype_of_number(each)
        levels[level] = dtype if levels[level] is None else (
            wider(levels[level], dtype))
    return _joined(_joined(levels[0], levels[1]), levels[2])


def operand(x):
    """x as it takes part in promotion: a number as it is, else a tensor."""
    return x if isinstance(x, (bool, int, float, complex)) else tensor_of(x)


def cast(x, dtype):
    """x, a tensor or a number, as a tensor of ``dtype``."""
    if type(x) not in _KINDS:
        return _ops.full([], x, dtype)
    return x if x.dtype == dtype else _ops.cast(x, dtype)


def beside(*operands):
    """The operands as tensors: a number has the dtype in which it meets the others,
    so that beside float64 it keeps its digits."""
    each = [operand(x) for x in operands]
    if all(type(x) in _KINDS for x in each):
        return each
    dtype = common(*each)
    return [x if type(x) in _KINDS else cast(x, dtype) for x in each]
