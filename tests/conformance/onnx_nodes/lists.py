# SPDX-License-Identifier: Apache-2.0
"""Sequences, optionals, random numbers, optimizers. Each function draws a case
of an operator from draws `g`."""

import numpy as np
from draws import Case
from onnx import TensorProto, helper


def _elements(g, dtype, count=None, rank=None):
    rank = g.pick(0, 1, 2) if rank is None else rank
    return [g.array(g.shape(rank, rank, zeros=False), dtype, 0)
            for _ in range(g.pick(1, 2, 4) if count is None else count)]


def _dtype(g):
    return g.pick("float32", "int64", "float64", "int32")


def _place(g, count, beyond=0):
    """A position from the front or the end, of either dtype."""
    return np.asarray(int(g.random.integers(-count, count + beyond)),
                      g.pick("int32", "int64"))


def at(g):
    elements = _elements(g, _dtype(g))
    return Case([elements, _place(g, len(elements))])


def construct(g):
    return Case(_elements(g, _dtype(g)))


def empty(g):
    return Case([], {"dtype": g.pick(1, 6, 7, 9, 11)} if g.chance(.8) else {})


def erase(g):
    elements = _elements(g, _dtype(g), g.pick(2, 3, 4))
    place = _place(g, len(elements))
    return Case([elements, place] if g.chance(.8) else [elements],
                const=[1] if g.chance() else [])


def insert(g):
    elements = _elements(g, _dtype(g))
    tensor = _elements(g, elements[0].dtype.name, 1, elements[0].ndim)[0]
    place = _place(g, len(elements), 1)
    return Case([elements, tensor] + ([place] if g.chance(.8) else []),
                const=[2] if g.chance() else [])


def length(g):
    return Case([_elements(g, _dtype(g))])


def split(g):
    """Pieces of one size, of several sizes, or of 1."""
    shape = g.shape(1, 3, zeros=False)
    axis = g.axis(len(shape))
    extent = shape[axis]
    attributes = {"axis": axis}
    inputs = [g.array(shape, g.pick("float32", "int64", "float64"), 0)]
    kind = g.pick("none", "size", "sizes")
    if kind == "size":
        inputs.append(np.asarray(g.pick(1, 2, extent)))
    elif kind == "sizes":
        first = int(g.random.integers(0, extent + 1))
        inputs.append(np.array([first, extent - first]))
    else:
        attributes["keepdims"] = g.pick(0, 1)
    return Case(inputs, attributes, const=[1] if g.chance() else [])


def join(g):
    """Elements of one shape where they are stacked, else of other extents on
    the axis."""
    new = g.chance()
    shape = list(g.shape(0 if new else 1, 3, zeros=False))
    axis = g.axis(len(shape) + new)
    elements = []
    for _ in range(g.pick(1, 2, 3)):
        if not new:
            shape[axis] = g.extent()
        elements.append(g.array(tuple(shape), "float32", 0))
    attributes = {"axis": axis}
    if new or g.chance():
        attributes["new_axis"] = int(new)
    return Case([elements], attributes)


def optional(g):
    """One that holds a tensor, or a sequence."""
    return Case([g.pick(g.array(g.shape(), "float32", 0),
                        _elements(g, "float32"))])


def of_optional(g):
    """From version 18 on the input may be what an optional holds as well."""
    case = optional(g)
    if g.version < 18 or g.chance():
        case.optional = {0}
    return case


def has_element(g):
    """From version 18 on the input may be left out."""
    if g.version >= 18 and g.chance(.2):
        return Case([])
    return of_optional(g)


def _to(g, *codes):
    return {"dtype": g.pick(*codes)} if g.chance() else {}


def bernoulli(g):
    """The result is known of 0 and 1. ONNX Runtime draws by the schema's body,
    where 1 is as likely as 0 should be."""
    known = g.chance()
    x = g.random.uniform(0, 1, g.shape(1, 4))
    x = np.asarray(np.round(x) if known else x, g.dtype(only="fdh"))
    return Case([x], _to(g, 1, 7, 9, 11), random=not known)


def multinomial(g):
    """The result is known where one class alone is possible."""
    known = g.chance()
    shape = (g.pick(1, 3), g.pick(2, 4))
    x = g.array(shape, g.dtype(only="fd"), 0)
    if known:
        x[:] = -1e4
        x[np.arange(shape[0]), g.random.integers(0, shape[1], shape[0])] = 0
    return Case([x], {"sample_size": g.pick(1, 5), **_to(g, 6, 7)},
                random=not known)


def _spread(g):
    """Numbers of a distribution; with next to no spread all are the same."""
    known = g.chance()
    if "mean" in g.known:
        return {"mean": g.fraction(-1, 1),
                "scale": 1e-30 if known else g.fraction(.5, 2)}, known
    low = g.fraction(-1, 1)
    return {"low": low, "high": low if known else low + 1.}, known


def random(g):
    at, known = _spread(g)
    shape = list(g.shape(1, 3))
    return Case([], {**at, "shape": shape, **_to(g, 1, 10, 11)},
                random=not known)


def random_like(g):
    at, known = _spread(g)
    dtype = g.pick("float32", "int64")
    codes = {"float32": (1, 11), "int64": (1,)}[dtype]
    to = {"dtype": g.pick(*codes)} if dtype == "int64" else _to(g, *codes)
    return Case([g.array(g.shape(), dtype, 0)], {**at, **to}, random=not known)


def roi_pool(g):
    """Boxes in whole numbers: how others are rounded is not said."""
    x = g.array((g.pick(1, 2), g.pick(1, 2), 6, 7), "float32", 0)
    boxes = []
    for _ in range(g.pick(1, 2, 3)):
        left, top = (int(one) for one in g.random.integers(0, 3, 2))
        boxes.append([int(g.random.integers(x.shape[0])), left, top,
                      left + g.pick(1, 3), top + g.pick(1, 2)])
    return Case([x, np.array(boxes, np.float32)],
                {"pooled_shape": [g.pick(1, 2), g.pick(1, 2, 3)]})


def optimizer(g, name):
    """One or two tensors, their gradients and what the optimizer keeps."""
    dtype = g.dtype(2, only="fd")
    shapes = [g.shape(1, 2, zeros=False) for _ in range(g.pick(1, 2))]
    kept = 2 if name == "Adam" else 1
    tensors = [g.array(shape, dtype, 0)
               for _ in range(2 + kept) for shape in shapes]
    if name != "Momentum":
        for i in range(len(tensors) - len(shapes), len(tensors)):
            tensors[i] = np.abs(tensors[i])
    at = {"norm_coefficient": g.pick(0., .01)}
    if name == "Momentum":
        at.update(alpha=g.fraction(.5, 1), beta=g.fraction(.5, 1),
                  mode=g.pick("standard", "nesterov"))
    else:
        at["epsilon"] = g.fraction(.001, .1)
    if name == "Adagrad" and g.chance():
        at["decay_factor"] = g.fraction(.01, .5)
    if name == "Adam" and g.chance():
        at.update(alpha=g.fraction(.5, .9), beta=g.fraction(.5, .9),
                  norm_coefficient_post=g.pick(0., .01))
    count = np.asarray(int(g.random.integers(0, 5)), np.int64)
    rate = np.asarray(g.fraction(.01, .5), dtype)
    return Case([rate, count] + tensors, at, len(shapes) * (1 + kept))
