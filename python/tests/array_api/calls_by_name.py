# SPDX-License-Identifier: Apache-2.0
"""The calls of each function of the standard: {name: strategy}."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from calls import (BOOL, COMPLEX, EVERY, FLOATING, INTEGER, NUMERIC, ORDERED,
                   REAL, SMALL, along, arrays, binary, divided, lists, reduced, taken,
                   unary, with_axes, with_shape)

_NORM = st.sampled_from(("backward", "ortho", "forward"))
_DTYPE = st.none() | st.sampled_from(("float32", "float64", "int64", "int32"))
_EXTENTS = st.lists(st.integers(0, 3), max_size=3).map(tuple)


def _keywords(**strategies):
    return st.fixed_dictionaries({}, optional=strategies)


def _calls(*positional, **keywords):
    return st.tuples(st.tuples(*positional), _keywords(**keywords))


@st.composite
def _matrices(draw, dtypes, square=False, count=1, least=0, symmetric=False):
    """Matrices far from singular, some of them batches."""
    rows = draw(st.integers(least, 3))
    columns = rows if square else draw(st.integers(least, 3))
    batch = draw(st.sampled_from(((), (2,), (1, 2))))
    dtype = draw(st.sampled_from(dtypes))
    made = []
    for _ in range(count):
        x = draw(arrays((dtype,), (*batch, rows, columns)))
        if square:
            x = (x + np.eye(rows) * 20).astype(dtype)
        if symmetric:
            x = x + np.swapaxes(x, -1, -2).conj()
        made.append(x)
    return tuple(made), {}


@st.composite
def _lines(draw, dtypes, least=1):
    """An array and one axis to transform; its extents are at least ``least``."""
    extents = hnp.array_shapes(min_dims=1, max_dims=3, min_side=least, max_side=6)
    (x,), keywords = draw(along(dtypes, {"norm": _NORM}, shapes=extents))
    if draw(st.booleans()):
        keywords["n"] = draw(st.integers(1, 9))
    return (x,), keywords


@st.composite
def _grids(draw, dtypes):
    """An array and several axes to transform, each of two elements or more."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=2, max_side=5))
    keywords = draw(_keywords(norm=_NORM))
    axes = len(shape)
    if draw(st.booleans()):
        keywords["axes"] = draw(hnp.valid_tuple_axes(len(shape), min_size=1))
        axes = len(keywords["axes"])
    if "axes" in keywords and draw(st.booleans()):
        keywords["s"] = tuple(draw(st.integers(1, 7)) for _ in range(axes))
    return (draw(arrays(dtypes, shape)),), keywords


@st.composite
def _shifted(draw):
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4))
    axes = st.integers(-len(shape), len(shape) - 1) | hnp.valid_tuple_axes(
        len(shape))
    return (draw(arrays(FLOATING, shape)),), draw(_keywords(axes=axes))


@st.composite
def _products(draw, dtypes):
    """Operands of matmul: matrices, batches, vectors."""
    n, k, m = (draw(st.integers(0, 3)) for _ in range(3))
    dtype = (draw(st.sampled_from(dtypes)),)
    left = draw(st.sampled_from(((n, k), (k,), (2, n, k))))
    right = draw(st.sampled_from(((k, m), (k,), (2, k, m), (1, k, m))))
    return (draw(arrays(dtype, left)), draw(arrays(dtype, right))), {}


@st.composite
def _dots(draw, dtypes):
    (x, y), _ = draw(binary(dtypes))
    extent = draw(st.integers(0, 3))
    dtype = (draw(st.sampled_from(dtypes)),)
    return (draw(arrays(dtype, (*x.shape, extent))),
            draw(arrays(dtype, (*y.shape, extent)))), {}


@st.composite
def _tensordots(draw, dtypes):
    a, b, c = (draw(st.integers(0, 3)) for _ in range(3))
    dtype = (draw(st.sampled_from(dtypes)),)
    axes = draw(st.sampled_from((0, 1, 2, ((2,), (1,)), ((0, 2), (2, 1)))))
    shapes = {0: ((a, b), (c,)), 1: ((a, b), (b, c)), 2: ((c, a, b), (a, b))}
    left, right = ((a, b, c), (b, c, a)) if isinstance(axes, tuple) else (
        shapes[axes])
    return (draw(arrays(dtype, left)), draw(arrays(dtype, right))), {
        "axes": axes}


@st.composite
def _searches(draw):
    dtype = draw(st.sampled_from(REAL))
    x = np.sort(draw(arrays((dtype,), (draw(st.integers(0, 5)),))))
    values = draw(arrays((dtype,), draw(st.sampled_from(((), (3,), (0,), (2, 2)))
                                        )))
    return (x, values), draw(_keywords(side=st.sampled_from(("left", "right"))))


@st.composite
def _chosen(draw, dtypes):
    (x, y), _ = draw(binary(dtypes))
    shape = np.broadcast_shapes(x.shape, y.shape)
    return (draw(arrays(BOOL, st.sampled_from((shape, ())))), x, y), {}


@st.composite
def _clipped(draw):
    x = draw(arrays(ORDERED, special=True))
    low, high = draw(st.sampled_from(
        ((-1, 2), (None, 1), (0, None), (None, None), (0, 0))))
    if x.dtype.kind == "u" and low is not None:
        low = max(low, 0)
    return (x,), {"min": low, "max": high}


@st.composite
def _shifts(draw):
    (x, y), _ = draw(binary(("int32", "int64")))
    return (x, np.asarray(np.abs(y))), {}


@st.composite
def _crosses(draw):
    shape = draw(st.sampled_from(((3,), (2, 3), (0, 3), (2, 1, 3))))
    dtype = (draw(st.sampled_from(REAL + ("int32", "int64"))),)
    other = (3,) if draw(st.booleans()) else shape
    return (draw(arrays(dtype, shape)), draw(arrays(dtype, other))), {}


@st.composite
def _members(draw):
    (x, y), _ = draw(binary(INTEGER))
    return (x, y.astype(x.dtype)), {}  # The oracle leaves `invert` out.


_POWERS = (0.5, 1.0, 2.0, 3.5)
_ORDERS = st.sampled_from((1, 2, 3, 2.5, float("inf")))
_SHIFTED = {"n": st.integers(1, 2)}
_SORTED = {"descending": st.booleans(), "stable": st.just(True)}
_INITIAL = {"include_initial": st.booleans()}
_CORRECTED = {"correction": st.sampled_from((0.0, 1.0, 0, 1))}

CALLS = {
    **{name: unary(NUMERIC, special=True)
       for name in ("abs", "negative", "positive", "square")},
    "sign": unary(ORDERED, special=True),
    **{name: unary(REAL, special=True) for name in (
        "exp", "log", "sqrt", "sin", "cos", "tanh", "sinh", "cosh",
        "acos", "acosh", "asin", "asinh", "atan", "atanh", "expm1", "log10",
        "log1p", "log2", "tan", "signbit")},
    **{name: unary(ORDERED, special=True)
       for name in ("ceil", "floor", "round", "trunc")},
    **{name: unary(NUMERIC, special=True)
       for name in ("isfinite", "isinf", "isnan")},
    "reciprocal": unary(REAL, special=True),
    "conj": unary(NUMERIC), "real": unary(NUMERIC), "imag": unary(COMPLEX),
    "logical_not": unary(BOOL),
    "bitwise_invert": unary(BOOL + SMALL + INTEGER),
    **{name: binary(NUMERIC, special=True)
       for name in ("add", "subtract", "multiply")},
    "divide": binary(REAL, special=True),
    "floor_divide": divided(INTEGER), "remainder": divided(INTEGER),
    "pow": binary(REAL, values=st.sampled_from(_POWERS)),
    **{name: binary(EVERY, special=True) for name in ("equal", "not_equal")},
    **{name: binary(ORDERED, special=True) for name in (
        "greater", "greater_equal", "less", "less_equal")},
    **{name: binary(ORDERED) for name in ("maximum", "minimum")},
    **{name: binary(REAL, special=True)
       for name in ("atan2", "copysign", "hypot", "logaddexp", "nextafter")},
    **{name: binary(BOOL) for name in ("logical_and", "logical_or",
                                       "logical_xor")},
    **{name: binary(BOOL + SMALL + INTEGER) for name in (
        "bitwise_and", "bitwise_or", "bitwise_xor")},
    "bitwise_left_shift": _shifts(), "bitwise_right_shift": _shifts(),
    "clip": _clipped(),

    "sum": reduced(SMALL + NUMERIC, dtype=True),
    "prod": reduced(SMALL + ORDERED, dtype=True),
    "mean": reduced(REAL), "max": reduced(SMALL + ORDERED, empty=False, special=True),
    "min": reduced(SMALL + ORDERED, empty=False, special=True),
    "all": reduced(EVERY), "any": reduced(EVERY),
    "count_nonzero": reduced(EVERY),
    "var": reduced(REAL, extra=_CORRECTED, empty=False),
    "std": reduced(REAL, extra=_CORRECTED, empty=False),
    "argmax": reduced(SMALL + ORDERED, axes="one", empty=False),
    "argmin": reduced(SMALL + ORDERED, axes="one", empty=False),
    "cumulative_sum": along(SMALL + ORDERED, _INITIAL, needs_axis=None),
    "cumulative_prod": along(SMALL + NUMERIC, _INITIAL, needs_axis=None),
    "diff": along(SMALL + NUMERIC, _SHIFTED),

    "sort": along(SMALL + ORDERED, _SORTED),
    "argsort": along(SMALL + ORDERED, _SORTED),
    "nonzero": unary(EVERY, shapes=hnp.array_shapes(min_side=0, max_dims=3,
                                                    max_side=4)),
    "searchsorted": _searches(), "where": _chosen(EVERY), "isin": _members(),
    **{name: unary(BOOL + ORDERED) for name in (
        "unique_all", "unique_counts", "unique_inverse", "unique_values")},
    "take": taken(EVERY, False), "take_along_axis": taken(EVERY, True),

    "astype": st.tuples(st.tuples(arrays(BOOL + INTEGER + REAL),
                                  st.sampled_from(("float32", "float64", "int64",
                                                   "bool"))),
                        _keywords(copy=st.booleans())).filter(
        lambda call: not (call[0][0].dtype.kind == "f"
                          and call[0][1] == "int64")),
    "broadcast_arrays": binary(EVERY),
    "broadcast_to": binary(EVERY).map(lambda call: (
        (call[0][0], np.broadcast_shapes(*[x.shape for x in call[0]])), {})),
    "broadcast_shapes": binary(EVERY).map(lambda call: (
        tuple(x.shape for x in call[0]), {})),
    "concat": lists(EVERY, False), "stack": lists(EVERY, True),
    "expand_dims": with_axes(EVERY, "expand"), "flip": with_axes(EVERY, "flip"),
    "moveaxis": with_axes(EVERY, "move"),
    "permute_dims": with_axes(EVERY, "permute"),
    "repeat": with_axes(EVERY, "repeat"), "roll": with_axes(EVERY, "roll"),
    "squeeze": with_axes(EVERY, "squeeze"), "tile": with_axes(EVERY, "tile"),
    "reshape": with_shape(EVERY),
    "unstack": along(EVERY),
    "tril": unary(EVERY, shapes=hnp.array_shapes(min_dims=2, min_side=0)),
    "triu": unary(EVERY, shapes=hnp.array_shapes(min_dims=2, min_side=0)),
    "meshgrid": st.tuples(
        st.lists(arrays(("float64",), st.sampled_from(((2,), (3,), (0,)))),
                 min_size=1, max_size=3).map(tuple),
        _keywords(indexing=st.sampled_from(("xy", "ij")))),

    "arange": st.one_of(
        _calls(st.integers(-3, 6), dtype=_DTYPE),
        _calls(st.integers(-3, 3), st.integers(-3, 6), st.sampled_from((1, 2, -1)),
               dtype=_DTYPE)),
    "asarray": _calls(arrays(EVERY), copy=st.booleans()),
    "empty": _calls(_EXTENTS, dtype=_DTYPE), "ones": _calls(_EXTENTS, dtype=_DTYPE),
    "zeros": _calls(_EXTENTS, dtype=_DTYPE),
    "full": _calls(_EXTENTS, st.sampled_from((3, True, -1)), dtype=_DTYPE),
    "full_like": st.tuples(st.tuples(arrays(NUMERIC), st.sampled_from((3, 1))),
                           _keywords(dtype=_DTYPE)),
    "ones_like": _calls(arrays(EVERY), dtype=_DTYPE),
    "zeros_like": _calls(arrays(EVERY), dtype=_DTYPE),
    "empty_like": _calls(arrays(EVERY), dtype=_DTYPE),
    "eye": _calls(st.integers(0, 3), st.none() | st.integers(0, 3),
                  k=st.integers(-2, 2), dtype=_DTYPE),
    "linspace": _calls(st.sampled_from((0.0, -1.0)), st.sampled_from((1.0, 3.0)),
                       st.integers(0, 5), endpoint=st.booleans(),
                       dtype=st.sampled_from(REAL)),

    "can_cast": _calls(st.sampled_from(EVERY), st.sampled_from(EVERY)),
    "isdtype": _calls(st.sampled_from(EVERY), st.sampled_from((
        "bool", "signed integer", "unsigned integer", "integral",
        "real floating", "complex floating", "numeric", ("bool", "integral")))),
    "result_type": st.one_of([
        _calls(st.sampled_from(kind), st.sampled_from(kind))
        for kind in (BOOL, INTEGER, FLOATING)]),
    "finfo": _calls(st.sampled_from(REAL)),
    "iinfo": _calls(st.sampled_from(INTEGER + SMALL)),

    "matmul": _products(SMALL + INTEGER + FLOATING),
    "vecdot": _dots(SMALL + INTEGER + FLOATING),
    "tensordot": _tensordots(SMALL + INTEGER + FLOATING),
    "matrix_transpose": unary(EVERY, shapes=hnp.array_shapes(min_dims=2,
                                                             min_side=0)),
    "linalg.matmul": _products(FLOATING), "linalg.vecdot": _dots(FLOATING),
    "linalg.tensordot": _tensordots(FLOATING),
    "linalg.matrix_transpose": _matrices(EVERY),
    "linalg.cross": _crosses(),
    "linalg.outer": st.tuples(st.tuples(
        arrays(("float32",), st.integers(0, 3).map(lambda n: (n,))),
        arrays(("float32",), st.integers(0, 3).map(lambda n: (n,)))), st.just({})),
    "linalg.det": _matrices(REAL, square=True),
    "linalg.inv": _matrices(REAL, square=True),
    "linalg.slogdet": _matrices(REAL, square=True),
    "linalg.solve": _matrices(REAL, square=True, count=2),
    "linalg.cholesky": _matrices(REAL, square=True, symmetric=True),
    "linalg.eigvalsh": _matrices(REAL, square=True, symmetric=True),
    "linalg.svdvals": _matrices(REAL),
    "linalg.pinv": _matrices(REAL, square=True),
    "linalg.matrix_rank": _matrices(REAL, least=1),
    "linalg.matrix_power": _matrices(REAL, square=True).flatmap(
        lambda call: st.integers(-2, 3).map(lambda n: ((call[0][0], n), {}))),
    "linalg.matrix_norm": _matrices(REAL, least=1).flatmap(
        lambda call: _keywords(
            keepdims=st.booleans(),
            ord=st.sampled_from(("fro", "nuc", 1, -1, 2, float("inf")))).map(
                lambda keywords: (call[0], keywords))),
    "linalg.vector_norm": reduced(REAL, extra={"ord": _ORDERS}, empty=False),
    "linalg.diagonal": _matrices(REAL), "linalg.trace": _matrices(REAL),

    **{f"fft.{name}": _lines(COMPLEX) for name in ("fft", "ifft")},
    **{f"fft.{name}": _lines(COMPLEX, least=2) for name in ("irfft", "hfft")},
    **{f"fft.{name}": _lines(REAL) for name in ("rfft", "ihfft")},
    **{f"fft.{name}": _grids(COMPLEX) for name in ("fftn", "ifftn", "irfftn")},
    "fft.rfftn": _grids(REAL),
    **{f"fft.{name}": _shifted() for name in ("fftshift", "ifftshift")},
    **{f"fft.{name}": _calls(
        st.integers(1, 9), d=st.sampled_from((0.5, 1.0, 2.5)),
        dtype=st.sampled_from(REAL)) for name in ("fftfreq", "rfftfreq")},
}
