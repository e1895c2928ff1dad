# SPDX-License-Identifier: Apache-2.0
"""How each function of the Array API standard is called with arrays at random.

CALLS: {name: a Hypothesis strategy of (positional arguments, keyword
arguments)}, in which arrays are NumPy's. Names of extensions have a dot.
"""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

BOOL = ("bool",)
INTEGER = ("int32", "int64")
SMALL = ("int8", "int16", "uint8")
REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
FLOATING = REAL + COMPLEX
ORDERED = INTEGER + REAL
NUMERIC = ORDERED + COMPLEX
EVERY = BOOL + SMALL + NUMERIC

SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
PLAIN = (-2.5, -1.0, -0.5, 0.0, 0.25, 1.0, 2.0, 3.5)
SPECIAL = PLAIN + (-0.0, float("inf"), -float("inf"), float("nan"))


def elements(dtype, special):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return st.booleans()
    if kind == "u":
        return st.integers(0, 5)
    if kind == "i":
        return st.integers(-4, 5)
    if kind == "f":
        return st.sampled_from(SPECIAL if special else PLAIN)
    return st.builds(complex, st.sampled_from(PLAIN), st.sampled_from(PLAIN))


@st.composite
def arrays(draw, dtypes, shapes=SHAPES, special=False, values=None):
    dtype = draw(st.sampled_from(dtypes))
    shape = draw(shapes) if isinstance(shapes, st.SearchStrategy) else shapes
    return draw(hnp.arrays(dtype, shape,
                           elements=values or elements(dtype, special)))


@st.composite
def unary(draw, dtypes, **how):
    return (draw(arrays(dtypes, **how)),), {}


@st.composite
def binary(draw, dtypes, special=False, values=None):
    """Two arrays that broadcast, of one dtype or of two of a kind.

    A scalar's dtype yields to a tensor's here, as in PyTorch: that the standard
    has otherwise.
    """
    first = second = draw(st.sampled_from(dtypes))
    shapes = draw(hnp.mutually_broadcastable_shapes(
        num_shapes=2, max_dims=3, min_side=0, max_side=3)).input_shapes
    if np.dtype(first).kind in "iufc" and all(shapes):
        kinds = "iu" if np.dtype(first).kind in "iu" else np.dtype(first).kind
        second = draw(st.sampled_from([
            d for d in dtypes if np.dtype(d).kind in kinds]))
    return tuple(draw(arrays((dtype,), shape, special, values))
                 for dtype, shape in zip((first, second), shapes)), {}


@st.composite
def divided(draw, dtypes):
    (x, y), _ = draw(binary(dtypes))
    return (x, np.where(y == 0, np.ones_like(y), y)), {}


@st.composite
def reduced(draw, dtypes, axes="several", empty=True, dtype=False, extra=None,
            special=False):
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=3,
                                  min_side=0 if empty else 1, max_side=4))
    x = draw(arrays(dtypes, shape, special))
    keywords = {}
    if draw(st.booleans()):
        keywords["keepdims"] = draw(st.booleans())
    if shape and draw(st.booleans()):
        one = st.integers(-len(shape), len(shape) - 1)
        several = hnp.valid_tuple_axes(len(shape))
        keywords["axis"] = draw(one | several if axes == "several" else one)
    if dtype and draw(st.booleans()):
        kind = x.dtype.kind
        keywords["dtype"] = draw(st.sampled_from(
            {"f": ("float64",), "c": ("complex128",)}.get(kind, ("int64",))))
    for name, values in (extra or {}).items():
        if draw(st.booleans()):
            keywords[name] = draw(values)
    return (x,), keywords


@st.composite
def along(draw, dtypes, extra=None, needs_axis=False, special=False,
          shapes=hnp.array_shapes(min_dims=1, max_dims=3, min_side=0,
                                  max_side=4)):
    """An array, an axis of it and keywords of `extra`."""
    x = draw(arrays(dtypes, shapes, special))
    keywords = {name: draw(values) for name, values in (extra or {}).items()
                if draw(st.booleans())}
    if needs_axis or (x.ndim != 1 and needs_axis is None) or draw(st.booleans()):
        keywords["axis"] = draw(st.integers(-x.ndim, x.ndim - 1))
    return (x,), keywords


@st.composite
def lists(draw, dtypes, new_axis):
    """Arrays of one dtype that can be joined along an axis."""
    shape = list(draw(hnp.array_shapes(min_dims=0 if new_axis else 1, max_dims=3,
                                       min_side=0, max_side=3)))
    dtype = draw(st.sampled_from(dtypes))
    count = draw(st.integers(1, 3))
    axis = draw(st.integers(0, len(shape) if new_axis else len(shape) - 1))
    parts = []
    for _ in range(count):
        if not new_axis:
            shape[axis] = draw(st.integers(0, 3))
        parts.append(draw(arrays((dtype,), tuple(shape))))
    return (parts,), {"axis": axis}


@st.composite
def with_shape(draw, dtypes):
    """An array and a shape that it has the elements for."""
    x = draw(arrays(dtypes))
    shape = draw(st.permutations(x.shape))
    if x.size and draw(st.booleans()) and shape:
        shape = list(shape)
        shape[draw(st.integers(0, len(shape) - 1))] = -1
    elif draw(st.booleans()):
        shape = (x.size,)
    return (x, tuple(shape)), {}


@st.composite
def with_axes(draw, dtypes, kind):
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4))
    x = draw(arrays(dtypes, shape))
    one = st.integers(-x.ndim, x.ndim - 1)
    if kind == "permute":
        return (x, tuple(draw(st.permutations(range(x.ndim))))), {}
    if kind == "expand":
        return (x,), {"axis": draw(st.integers(-x.ndim - 1, x.ndim))}
    if kind == "squeeze":
        x = x[:, None]
        return (x, draw(st.sampled_from((1, 1 - x.ndim)))), {}
    if kind == "move":
        return (x, draw(one), draw(one)), {}
    if kind == "flip":
        axis = draw(st.none() | one | hnp.valid_tuple_axes(x.ndim))
        return (x,), {"axis": axis}
    if kind == "roll":
        return (x, draw(st.integers(-5, 5))), {"axis": draw(st.none() | one)}
    if kind == "tile":
        return (x, tuple(draw(st.lists(st.integers(0, 2), min_size=1,
                                       max_size=4)))), {}
    if kind == "repeat":
        return (x, draw(st.integers(0, 3))), {"axis": draw(st.none() | one)}
    raise ValueError(kind)


@st.composite
def taken(draw, dtypes, along_axis):
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4))
    x = draw(arrays(dtypes, shape))
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    index = st.integers(0, x.shape[axis] - 1)
    if along_axis:
        extents = list(shape)
        extents[axis] = draw(st.integers(0, 3))
        indices = draw(hnp.arrays("int64", tuple(extents), elements=index))
        return (x, indices), {"axis": axis}
    count = draw(st.integers(0, 4))
    return (x, draw(hnp.arrays("int64", (count,), elements=index))), {
        "axis": axis}
