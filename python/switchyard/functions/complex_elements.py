# SPDX-License-Identifier: Apache-2.0
"""Complex elements where operators have real ones alone: the distinct ones, and
products of those that are put at one place."""

from __future__ import annotations

from switchyard import _core
from switchyard.functions.arguments import is_empty
from switchyard.functions.picking import gather

_ops = _core.ops


def parts_apart(function, *numbers):
    """The complex numbers whose parts are ``function`` of the numbers' parts."""
    return _ops.complex(*[function(*map(part, numbers))
                          for part in (_ops.real, _ops.imag)])


def distinct(row):
    """Results like those of the operator ``unique``, of real or complex numbers in a row: in
    the order of their real parts, and of imaginary parts where these are equal."""
    if not row.dtype.startswith("complex"):
        return _ops.unique(row)
    _, real, _ = _ops.unique(_ops.real(row))
    _, imag, counts = _ops.unique(_ops.imag(row))
    _, inverse, counts = _ops.unique(_ops.add(
        _ops.multiply(real, counts.shape[0]), imag))
    return _ops.index_select(row, firsts(inverse, counts), 0), inverse, counts


def among(x, row):
    """Whether each of the complex numbers x is one of those of ``row``."""
    count = row.shape[0]
    numbers = distinct(_ops.concat([row, _ops.reshape(x, [-1])], 0))[1]
    there = _ops.argsort(numbers[:count], 0)[0]
    place = _ops.minimum(_ops.searchsorted(there, numbers[count:]), count - 1)
    equal = _ops.equal(_ops.index_select(there, place, 0), numbers[count:])
    return _ops.logical_and(_ops.reshape(equal, list(x.shape)), _ops.equal(x, x))


def firsts(inverse, counts):
    """Where the first of each distinct element of a row is."""
    # Equals keep their order: the first of a run is the first of its value.
    order = _ops.argsort(inverse, 0, stable=True)[1]
    starts = counts if is_empty(counts) else (
        _ops.subtract(_ops.cumsum(counts, 0), counts))
    return _ops.index_select(order, starts, 0)


def distinct_slices(x, axis):
    """Results like those of the operator ``legacy_unique``, of slices of complex numbers along
    an axis, in the order of ``distinct``."""
    pairs = _ops.stack([_ops.real(x), _ops.imag(x)], len(x.shape))
    values, *rest = _ops.legacy_unique(pairs, [axis % len(x.shape)], "int64", True)
    real, imag = (_ops.squeeze(part, [-1]) for part in _ops.split(values, [1, 1], -1))
    return _ops.complex(real, imag), *rest


def put_products(name, x, index, src, axis, include_self):
    """x with the products of the elements of ``src`` that ``index`` puts at one
    place, and of x's own where ``include_self``."""
    count = index.shape[axis]
    if not isinstance(count, int):
        raise NotImplementedError(f"{name}: index must have an extent along dim that "
                                  "is known while it is traced, of complex numbers")
    if index.dtype != "int64":
        index = _ops.cast(index, "int64")
    if isinstance(x.shape[axis], int):
        below = _ops.less_than(index, _ops.zeros_like(index))
        index = _ops.where(below, _ops.scale(index, 1, x.shape[axis]), index)
    index, order = _ops.argsort(index, axis, stable=True)
    products = _ops.take_along_axis(src, order, axis)
    # Each is multiplied by the product of those before it at its place, twice as
    # many of them each time: the last has all, and is what stays at the place.
    step = 1
    while step < count:
        rest = _ops.slice(products, [axis], [step], [count])
        before = _ops.slice(products, [axis], [0], [count - step])
        same = _ops.equal(_ops.slice(index, [axis], [step], [count]),
                          _ops.slice(index, [axis], [0], [count - step]))
        more = _ops.where(same, before, _ops.ones_like(before))
        first = _ops.slice(products, [axis], [0], [step])
        products = _ops.concat([first, _ops.multiply(rest, more)], axis)
        step *= 2
    if include_self:
        products = _ops.multiply(products, gather(x, axis, index))
    return parts_apart(lambda into, put: _ops.legacy_put_along_axis(
        into, index, put, axis, "assign", True), x, products)
