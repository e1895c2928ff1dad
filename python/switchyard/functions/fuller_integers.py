# SPDX-License-Identifier: Apache-2.0
"""Operators of integers that have kernels for int32 and int64 alone: by these, of which
the bits, or the order, are the same."""

from __future__ import annotations

from switchyard import _core
from switchyard.functions.arguments import NARROW, WIDE_UNSIGNED
from switchyard.functions.promotion import cast, common
from switchyard.functions.repeats import reads_views

_ops = _core.ops
_KINDS = (_core.Tensor, _core.Value)
_SHORT = WIDE_UNSIGNED | NARROW
# Operators that have no kernels of 8 and 16 bits either.
_NOT_NARROW = frozenset((
    "amax", "amin", "argsort", "bincount", "bmm", "cross", "cumprod", "cumsum", "dot",
    "einsum", "index_add", "kthvalue", "matmul", "max", "min", "mode", "prod",
    "put_along_axis", "scatter", "scatter_nd_add", "searchsorted", "topk", "trace"))

# Movements, and sums and products, which wrap around: the lower bits of int64's are
# the same.
_OF_EQUAL_BITS = (
    "add_n", "cumprod", "cumsum", "diag", "diagonal", "index_add", "index_put",
    "masked_select", "prod", "put_along_axis", "roll", "scatter", "scatter_nd_add",
    "scatter_nd_update", "strided_slice", "compress", "trace")
# Products of operands, which are cast to their common dtype first.
_OF_PRODUCTS = ("bmm", "cross", "dot", "einsum", "matmul")
# Comparisons; True where the values are elements of x.
_OF_EQUAL_ORDER = {
    "amax": True, "amin": True, "argmax": False, "argmin": False, "argsort": True,
    "cummax": True, "cummin": True, "kthvalue": True, "max": True, "min": True,
    "mode": True, "searchsorted": False, "topk": True, "unique": True,
    "unique_consecutive": True}
# Questions which elements are 0.
_OF_TRUTH = ("all", "any", "nonzero")


def lifted(x):
    """int64 in the order of the integers of x."""
    if x.dtype != "uint64":
        return _ops.cast(x, "int64")
    return _flipped(_ops.cast(x, "int64"))


def lowered(x, dtype):
    """The elements that ``lifted`` has made, of ``dtype`` again."""
    return _ops.cast(_flipped(x) if dtype == "uint64" else x, dtype)


def _flipped(x):
    """The sign turned over: the lower half of uint64 before the upper."""
    return _ops.bitwise_xor(x, _ops.full([], -2**63, "int64"))


def _without_kernels(name):
    """The dtypes that an operator has no kernels for."""
    return _SHORT if name in _NOT_NARROW else WIDE_UNSIGNED


def _dtype_of(values, dtypes):
    """The first of ``dtypes`` among tensors and lists of tensors, or None."""
    for value in values:
        if type(value) in _KINDS and value.dtype in dtypes:
            return value.dtype
        if isinstance(value, (list, tuple)) and value and type(value[0]) in _KINDS:
            return _dtype_of(value[:1], dtypes)
    return None


def _called(operator, convert, args, kwargs):
    """The result of an operator of converted tensors, in lists too."""
    def converted(value):
        if isinstance(value, (list, tuple)):
            return [converted(each) for each in value]
        return convert(value) if type(value) in _KINDS else value
    return operator(*map(converted, args),
                    **{key: converted(value) for key, value in kwargs.items()})


def _by_bits(name, plain):
    operator, dtypes = getattr(_ops, name), _without_kernels(name)

    @reads_views
    def form(*args, **kwargs):
        dtype = _dtype_of((*args, *kwargs.values()), dtypes)
        if dtype is None:
            return NotImplemented if plain is None else plain(*args, **kwargs)
        result = _called(operator, lambda each: (
            _ops.cast(each, "int64") if each.dtype == dtype else each), args, kwargs)
        return _ops.cast(result, dtype)
    return form


def _tensors(values):
    """The tensors among values and lists of them."""
    listed = [each for value in values for each in (
        value if isinstance(value, (list, tuple)) else [value])]
    return [each for each in listed if type(each) in _KINDS]


def _by_products(name, plain):
    operator = getattr(_ops, name)

    @reads_views
    def form(*args, **kwargs):
        tensors = _tensors((*args, *kwargs.values()))
        if all(each.dtype not in _SHORT for each in tensors):
            return NotImplemented if plain is None else plain(*args, **kwargs)
        dtype = common(*tensors)
        wide = "int64" if dtype in _SHORT else dtype
        return cast(_called(operator, lambda each: cast(each, wide), args, kwargs), dtype)
    return form


def _by_order(name, plain, is_element):
    operator, dtypes = getattr(_ops, name), _without_kernels(name)

    @reads_views
    def form(x=None, *args, **kwargs):
        if type(x) not in _KINDS or x.dtype not in dtypes:
            return NotImplemented if plain is None else plain(x, *args, **kwargs)
        result = _called(operator, lambda each: (
            lifted(each) if each.dtype == x.dtype else each), (x, *args), kwargs)
        if not is_element:
            return result
        if isinstance(result, tuple):
            return (lowered(result[0], x.dtype), *result[1:])
        return lowered(result, x.dtype)
    return form


def _by_truth(name, plain):
    operator = getattr(_ops, name)

    @reads_views
    def form(x=None, *args, **kwargs):
        if type(x) not in _KINDS or x.dtype not in WIDE_UNSIGNED:
            return NotImplemented if plain is None else plain(x, *args, **kwargs)
        return operator(_ops.not_equal(x, _ops.full([], 0, x.dtype)), *args, **kwargs)
    return form


def _bincount(x=None, *args, **kwargs):
    if type(x) not in _KINDS or x.dtype not in _SHORT:
        return NotImplemented
    return _ops.bincount(_ops.cast(x, "int64"), *args, **kwargs)


def forms(known):
    """{operator: its form}, of which each passes calls without such integers on to the
    one in ``known``."""
    made = {name: _by_bits(name, known.get(name)) for name in _OF_EQUAL_BITS
            if hasattr(_ops, name)}
    made.update((name, _by_products(name, known.get(name))) for name in _OF_PRODUCTS)
    made["bincount"] = _bincount
    made.update((name, _by_order(name, known.get(name), is_element))
                for name, is_element in _OF_EQUAL_ORDER.items()
                if hasattr(_ops, name))
    made.update((name, _by_truth(name, known.get(name))) for name in _OF_TRUTH)
    return made
