# SPDX-License-Identifier: Apache-2.0
"""The fuller forms of operators: what a call is that the operator itself refuses.

The extension calls them with the same arguments where an operator ends in a
TypeError: they promote dtypes across kinds, give bool a meaning, and take
keywords of PyTorch. A call that needs none of this never comes here. Each
returns NotImplemented where it has no other way: the operator's error stays.
"""

from __future__ import annotations

import inspect

from switchyard import _core
from switchyard.functions import fuller_activations, fuller_integers
from switchyard.functions.arguments import WHOLE, tensor_of
from switchyard.functions.products import weighted
from switchyard.functions.promotion import cast, common, operand, rank_of
from switchyard.functions.repeats import reads_views
from switchyard.functions.scans import by_parts

_ops = _core.ops

# Functions of real numbers: integers and bool become float32.
_OF_REALS = ("acos", "acosh", "angle", "asin", "asinh", "atan", "atanh", "cos",
             "cosh", "digamma", "erf", "erfinv", "exp", "expm1", "i0", "i0e",
             "i1", "i1e", "lgamma", "log", "log10", "log1p", "log2", "logit",
             "reciprocal", "sigmoid", "sin", "sinh", "sqrt", "tan",
             "tanh")

# For bools the numbers 0 and 1 are compared; True where the values are bools
# again.
_OF_BITS = {"isfinite": False, "isinf": False, "isnan": False, "max": True,
            "min": True, "amax": True, "amin": True, "argsort": True,
            "cummax": True, "cummin": True, "kthvalue": True, "mode": True,
            "sign": True, "topk": True, "argmax": False, "argmin": False}

# {operator of two numbers: what it is for bools, or None}.
_OF_PAIRS = {"multiply": "logical_and", "maximum": "logical_or",
             "minimum": "logical_and", "fmax": "logical_or",
             "fmin": "logical_and", "bitwise_and": None, "bitwise_or": None,
             "bitwise_xor": None, "floor_divide": None, "remainder": None,
             "fmod": None, "elementwise_pow": None, "equal": None,
             "not_equal": None, "less_than": None, "less_equal": None,
             "greater_than": None, "greater_equal": None, "nextafter": None,
             "isclose": None, "allclose": None}
# Those of real numbers: integers and bools become float32.
_OF_REAL_PAIRS = ("divide", "atan2", "copysign")
_TRUTHS = ("logical_and", "logical_or", "logical_xor")


def _of_reals(name):
    operator = getattr(_ops, name)

    def form(x=None, *args, **kwargs):
        x = None if x is None else tensor_of(x)
        if x is None or x.dtype not in WHOLE:
            return NotImplemented
        return operator(_ops.cast(x, "float32"), *args, **kwargs)
    return form


def _of_bits(name, is_bool):
    operator = getattr(_ops, name)

    @reads_views
    def form(x=None, *args, **kwargs):
        x = None if x is None else tensor_of(x)
        if x is None or x.dtype != "bool":
            return NotImplemented
        result = operator(_ops.cast(x, "int32"), *args, **kwargs)
        if not is_bool:
            return result
        if isinstance(result, tuple):
            return (_ops.cast(result[0], "bool"), *result[1:])
        return _ops.cast(result, "bool")
    return form


_NAMES = {"input": "x", "other": "y"}


def _pair(args, kwargs):
    """(The operands of a call of two numbers, the other arguments), or None."""
    given = dict(zip(("x", "y"), args))
    for name, value in kwargs.items():
        name = _NAMES.get(name, name)
        if name in given:
            return None
        given[name] = value
    both = given.pop("x", None), given.pop("y", None)
    if any(each is None or isinstance(each, (str, bytes, _core.Symbol))
           for each in both):
        return None
    return [operand(each) for each in both], (args[2:], given)


def _differs(operands, dtype):
    """Whether a tensor among the operands is of another kind of numbers: within a
    kind the operator itself promotes, eager and traced alike."""
    return any(rank_of(getattr(x, "dtype", dtype)) != rank_of(dtype)
               for x in operands)


def _of_pair(name, of_bool=None, floating=False):
    operator = getattr(_ops, name)

    def form(*args, **kwargs):
        call = _pair(args, kwargs)
        if call is None:
            return NotImplemented
        both, (more, named) = call
        # Holds for uint64 with signed integers too, which have no common dtype.
        real = floating and all(rank_of(common(each)) < 2 for each in both)
        dtype = "float32" if real else common(*both)
        if dtype == "bool" and of_bool is not None:
            return getattr(_ops, of_bool)(*[cast(x, dtype) for x in both])
        if not _differs(both, dtype):
            return NotImplemented
        return operator(*[cast(x, dtype) for x in both], *more, **named)
    return form


def _sum(name, of_bool):
    """The form of add and of subtract, with PyTorch's ``alpha``."""
    operator, plain = getattr(_ops, name), _of_pair(name, of_bool)

    def form(*args, alpha=None, **kwargs):
        if alpha is None:
            return plain(*args, **kwargs)
        call = _pair(args, kwargs)
        if call is None or any(call[1]):
            return NotImplemented
        x, y = call[0]
        dtype = common(x, y)
        if rank_of(common(alpha)) > rank_of(dtype):
            raise TypeError(f"{name}: alpha must be a number that {dtype} holds, "
                            f"got {alpha!r}")
        scaled = _ops.multiply(cast(y, dtype), cast(alpha, dtype))
        return operator(cast(x, dtype), scaled)
    return form


def _divide():
    """The form of divide, with PyTorch's ``rounding_mode``."""
    plain = _of_pair("divide", floating=True)

    def form(*args, rounding_mode="none", **kwargs):
        if rounding_mode == "none":
            return plain(*args, **kwargs)
        call = _pair(args, kwargs)
        if call is None or any(call[1]):
            return NotImplemented
        if rounding_mode is None:
            return _ops.divide(*call[0])
        if rounding_mode not in ("floor", "trunc"):
            raise ValueError("divide: rounding_mode must be None, 'trunc' or "
                             f"'floor', got {rounding_mode!r}")
        dtype = common(*call[0])
        x, y = (cast(each, dtype) for each in call[0])
        if rounding_mode == "floor":
            floor = _ops.floor_divide(x, y)
            if not any(getattr(each, "requires_grad", False) for each in (x, y)):
                return floor
            # A choice: both gradients are 0.
            return _ops.where(_ops.full_like(floor, False, "bool"),
                              _ops.divide(x, y), floor)
        if dtype not in WHOLE:
            return _ops.trunc(_ops.divide(x, y))
        # Towards 0: the quotient without the remainder of x's sign.
        return _ops.floor_divide(_ops.subtract(x, _ops.fmod(x, y)), y)
    return form


def _heaviside(*args, **kwargs):
    """The form of heaviside, of bools too."""
    call = _pair(args, kwargs)
    if call is None or common(*call[0]) != "bool":
        return _HEAVISIDE(*args, **kwargs)
    return _ops.cast(_ops.heaviside(*[cast(x, "int32") for x in call[0]]), "bool")


_HEAVISIDE = _of_pair("heaviside")


def _diagonal(x=None, offset=0, *args, **kwargs):
    """diagonal with PyTorch's names of its axes."""
    if x is None or args or not kwargs or not set(kwargs) <= {"dim1", "dim2"}:
        return NotImplemented
    return _ops.diagonal(x, offset, kwargs.get("dim1", 0), kwargs.get("dim2", 1))


def _if_it_takes(name, form):
    """The form; NotImplemented for arguments that it does not take, by name or by
    position, or has twice: the operator's own error says so."""
    code = inspect.unwrap(form).__code__
    positional = code.co_varnames[:code.co_argcount]
    known = {*positional, *code.co_varnames[code.co_argcount:][:code.co_kwonlyargcount]}
    any_count = bool(code.co_flags & inspect.CO_VARARGS)
    any_name = bool(code.co_flags & inspect.CO_VARKEYWORDS)

    def called(*args, **kwargs):
        names = kwargs.keys()
        if (not any_count and len(args) > len(positional)
                or not any_name and not names <= known
                or not names.isdisjoint(positional[:len(args)])):
            return NotImplemented
        return form(*args, **kwargs)
    # Errors name the function that was called from outside.
    called.__code__ = called.__code__.replace(co_name=name)
    return called


def _with_dtype(name):
    """softmax and log_softmax, of x as another dtype."""
    operator = getattr(_ops, name)

    def form(x=None, *args, dtype=None, **kwargs):
        if x is None or dtype is None:
            return NotImplemented
        return operator(_ops.cast(x, dtype), *args, **kwargs)
    return form


def _put_bits(name):
    """The form of writing bools at indices: 0 and 1 are written."""
    operator = getattr(_ops, name)

    def form(x=None, index=None, values=None, *args, **kwargs):
        if getattr(x, "dtype", "") != "bool" or values is None:
            return NotImplemented
        return _ops.cast(operator(_ops.cast(x, "int32"), index, _ops.cast(
            values, "int32"), *args, **kwargs), "bool")
    return form


def _by_both_parts(name):
    """The form of what is linear, of complex numbers."""
    operator = getattr(_ops, name)

    def form(x=None, *args, **kwargs):
        if not getattr(x, "dtype", "").startswith("complex"):
            return NotImplemented
        return by_parts(lambda part: operator(part, *args, **kwargs), x)
    return form


def _rsqrt(x=None):
    """rsqrt of integers and of complex numbers."""
    if x is None or tensor_of(x).dtype in ("float16", "bfloat16", "float32",
                                           "float64"):
        return NotImplemented
    return _ops.reciprocal(_ops.sqrt(x))


def _lerp(x=None, y=None, weight=None):
    """lerp of complex numbers."""
    if not getattr(x, "dtype", "").startswith("complex") or weight is None:
        return NotImplemented
    return _ops.add(x, _ops.multiply(_ops.subtract(y, x), weight))


def _square(x=None):
    """square of bools: themselves, as integers are in PyTorch."""
    if getattr(x, "dtype", "") != "bool":
        return NotImplemented
    return _ops.square(_ops.cast(x, "int64"))


def _truth(x):
    """Whether each number is not 0."""
    x = tensor_of(x)
    return x if x.dtype == "bool" else _ops.not_equal(x, 0)


def _of_truths(name):
    operator = getattr(_ops, name)

    def form(*args, **kwargs):
        call = _pair(args, kwargs)
        if call is None or any(call[1]):
            return NotImplemented
        ranks = {rank_of(x.dtype) for x in call[0] if hasattr(x, "dtype")}
        if len(ranks) == 1 and ranks < {0, 1, 2}:  # The operator's own.
            return NotImplemented
        return operator(*[_truth(x) for x in call[0]])
    return form


def _not(x=None):
    """logical_not of complex numbers."""
    if x is None or not tensor_of(x).dtype.startswith("complex"):
        return NotImplemented
    return _ops.logical_not(_truth(x))


def _addmm(x=None, mat1=None, mat2=None, *, beta=1, alpha=1):
    """addmm of factors that are no float32 numbers: the fuller form."""
    plain = isinstance(beta, float | int) and isinstance(alpha, float | int)
    if x is None or mat1 is None or mat2 is None or (
            plain and tensor_of(mat1).dtype not in WHOLE):
        return NotImplemented
    return weighted("addmm", x, _ops.matmul(tensor_of(mat1), tensor_of(mat2)), beta, alpha)


def _bmm(x=None, y=None):
    """bmm of complex matrices: the fuller form."""
    if x is None or y is None:
        return NotImplemented
    x, y = tensor_of(x), tensor_of(y)
    if len(x.shape) != 3 or len(y.shape) != 3 or not (
            x.dtype.startswith("complex")):
        return NotImplemented
    return _ops.matmul(x, y)


def _where(condition=None, x=None, y=None):
    """The form of where: operands of two dtypes, or the condition alone, whose
    places are told as by ``nonzero``."""
    if condition is None or (x is None) != (y is None):
        return NotImplemented
    condition = tensor_of(condition)
    if x is None:
        places = _ops.nonzero(condition)
        return tuple(places[:, i] for i in range(len(condition.shape)))
    both = [operand(each) for each in (x, y)]
    dtype = common(*both)
    plain = condition.dtype == "bool"
    if plain and all(hasattr(each, "dtype") for each in both) and not (
            _differs(both, dtype)):
        return NotImplemented
    return _ops.where(_truth(condition), *[cast(each, dtype) for each in both])


def install():
    """Makes them the forms of their operators; called once, by the package."""
    forms = {name: _of_reals(name) for name in _OF_REALS}
    forms.update((name, _of_bits(name, values))
                 for name, values in _OF_BITS.items() if hasattr(_ops, name))
    forms.update((name, _of_pair(name, of_bool))
                 for name, of_bool in _OF_PAIRS.items())
    forms.update((name, _of_pair(name, floating=True))
                 for name in _OF_REAL_PAIRS)
    forms.update((name, _of_truths(name)) for name in _TRUTHS)
    forms.update({"add": _sum("add", "logical_or"),
                  "subtract": _sum("subtract", None), "divide": _divide(),
                  "logical_not": _not,
                  "where": _where, "addmm": _addmm,
                  "bmm": _bmm, "diagonal": _diagonal,
                  "heaviside": _heaviside, "rsqrt": _rsqrt, "lerp": _lerp,
                  "square": _square, **fuller_activations.forms()})
    forms.update((name, _with_dtype(name)) for name in ("softmax", "log_softmax"))
    forms.update((name, _put_bits(name)) for name in (
        "put_along_axis", "legacy_put_along_axis", "index_put"))
    forms.update((name, _by_both_parts(name)) for name in (
        "mean", "trace", "masked_select"))
    forms.update(fuller_integers.forms(forms))
    for name, form in forms.items():
        _core.set_fuller_form(name, _if_it_takes(name, form))
