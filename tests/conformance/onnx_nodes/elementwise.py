# SPDX-License-Identifier: Apache-2.0
"""Elementwise operators, casts and reductions. Each function draws a
case of an operator from draws `g`."""

import numpy as np
from draws import Case

TO = {
    "float32": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7,
    "bool": 9, "float16": 10, "float64": 11
}


def celu(g):
    """Not of scalars before version 28: the schema's body makes a vector."""
    case = unary(g)
    if g.version < 28:
        case.inputs = [np.atleast_1d(one) for one in case.inputs]
    return case


def unary(g, **k):
    at = {}
    for n, lo in (("alpha", 1), ("beta", 1), ("gamma", 1)):
        if n in g.known and g.chance(.6):
            at[n] = float(np.float32(g.random.uniform(.1, 1.9)))
    return Case([g.array(g.shape(), g.dtype())], at)


def saturating(g, **k):
    """Without infinities: there the schema's formula is 0 * inf or inf / inf,
    of which the specification says nothing; ours is the limit."""
    case = unary(g, **k)
    case.inputs = [_bounded(one) for one in case.inputs]
    return case


def _bounded(array):
    if array.dtype.kind == "f":
        array = np.where(np.isinf(array), np.sign(array) * 1e4,
                         array).astype(array.dtype)
    return array


def shrink(g):
    """Draws small integers, which have a sign, and whole numbers for them: of
    others the schema's body says what an oracle contradicts."""
    dtype = g.dtype(only="fdh1248")
    x = g.array(g.shape(), dtype, special=.25 if dtype[0] == "f" else 0)
    lambd, bias = (np.float32(g.random.uniform(low, 1)) for low in (0, -1))
    if x.dtype.kind != "f":
        lambd, bias = np.round(lambd * 3), np.round(bias * 3)
    return Case([x], g.attr(lambd=float(lambd), bias=float(bias))
                if g.chance(.7) or x.dtype.kind != "f" else {})


def broadcast_shapes(g, n):
    full = g.shape()
    outs = []
    for i in range(n):
        c = [d if g.chance(.75) else 1 for d in full]
        c = c[int(g.random.integers(0, len(c) + 1)) if g.chance(.35) else 0:]
        outs.append(tuple(c))
    outs[int(g.random.integers(n))] = full
    return outs


def binary(g, name=""):
    dt = g.dtype()
    if g.version < 7 and "axis" in g.known:
        a = g.shape(1, 4)
        if g.chance(.3) and (name != "Div" or np.dtype(dt).kind == "f"):
            return Case([g.array(a, dt), g.array(a, dt)])
        lo = int(g.random.integers(len(a)))
        hi = int(g.random.integers(lo,
                                   len(a) + 1))
        b = a[lo:hi]
        if hi == len(a):
            at = {"broadcast": 1}
        else:
            at = {"broadcast": 1, "axis": lo}
        y = g.array(b, dt)
        if name == "Div" and np.dtype(dt).kind in "iu":
            y = np.where(y == 0, np.asarray(3, dt), y).astype(dt)
        return Case([g.array(a, dt), y], at)
    a, b = broadcast_shapes(g, 2)
    y = g.array(b, dt)
    if name in ("Div", "Mod") and np.dtype(dt).kind in "iu":
        y = np.where(y == 0, np.asarray(3, dt), y).astype(dt)
    if name == "Mod":
        f = np.dtype(dt).kind == "f"
        return Case([g.array(a, dt), y],
                    {"fmod": 1} if f or g.chance(.5) else {})
    if name == "BitShift":
        return Case(
            [g.array(a, dt), g.array(b, dt, low=0, high=7)],
            {"direction": g.pick("LEFT", "RIGHT")})
    x = g.array(a, dt)
    if name == "Pow" and g.version >= 12:
        dt2 = g.dtype(1)
        y = g.array(b, dt2, low=0,
                    high=4) if np.dtype(dt2).kind in "iu" else g.array(b, dt2)
        if np.dtype(dt).kind in "iu":
            x = g.array(a, dt, special=0, low=1, high=5)
            y = np.abs(g.array(b, dt2, low=0, high=4, special=0))
    return Case([x, y])


def variadic(g):
    n = int(g.random.integers(1, 4))
    dt = g.dtype()
    if g.version < 8:
        sh = [g.shape()] * n
    else:
        sh = broadcast_shapes(g, n)
    return Case([g.array(s, dt) for s in sh])


def where(g):
    a, b, c = broadcast_shapes(g, 3)
    dt = g.dtype(1)
    return Case([g.array(a, "bool"), g.array(b, dt), g.array(c, dt)])


def prelu(g):
    dt = g.dtype()
    a = g.shape(1, 4)
    if g.version < 7:
        b = (a[1],) if len(a) > 1 and g.chance() else (1,)
    else:
        b = tuple(
            d if g.chance(.7) else 1
            for d in a)[int(g.random.integers(len(a))) if g.chance(.4) else 0:]
    return Case([g.array(a, dt), g.array(b, dt)])


def clip(g):
    dt = g.dtype()
    x = g.array(g.shape(), dt)
    if "min" in g.known:
        return Case(
            [x],
            {k: v for k, v in (("min", -.5), ("max", .75)) if g.chance(.7)})
    lo, hi = np.asarray(1 if dt[0] == "u" else -1, dt), np.asarray(2, dt)
    if g.chance(.15):
        lo, hi = hi, lo
    return Case([x, lo if g.chance(.7) else None, hi if g.chance(.7) else None],
                const=[1, 2] if g.chance() else [])


def softmax(g, name=""):
    """Before version 13 the axis is 1 where it is left out, which a vector
    lacks. Hardmax says the first of the largest, which NaN has none of."""
    sh = g.shape(1, 4)
    at = g.attr(axis=g.axis(len(sh))) if g.chance(.8) else {}
    if len(sh) == 1 and g.version < 13:
        at = {"axis": 0}
    return Case([g.array(sh, g.dtype(), special=0 if name == "Hardmax" else
                         .25)], at)


def arg_extremum(g):
    sh = g.shape(1, 4, zeros=False)
    return Case(
        [
            g.array(sh, g.dtype(), special=.2) if g.chance() else np.asarray(
                g.random.integers(0, 3, sh)).astype(g.dtype())
        ], {
            k: v
            for k, v in g.attr(axis=g.axis(len(sh)),
                               keepdims=g.pick(0, 1),
                               select_last_index=g.pick(0, 1)).items()
            if g.chance(.75)
        })


# The specification says nothing of integer results that are no integers or no
# numbers, nor of those beyond the range.
_OF_FEW_INTEGERS = ("ReduceL2", "ReduceLogSum", "ReduceSumSquare")


def reduce(g, name):
    # A logarithm is cut off by ONNX Runtime before it is whole.
    dtype = g.dtype(only="fdh" if name == "ReduceLogSumExp" else None)
    few = name in _OF_FEW_INTEGERS and np.dtype(dtype).kind in "iu"
    sh = g.shape(0 if g.version >= 11 else 1, 4, zeros=not few)
    rank = len(sh)
    at = {}
    x = g.array(sh, dtype, low=1, high=9) if few else g.array(sh, dtype)
    if g.chance(.8):
        at["keepdims"] = g.pick(0, 1)
    if len(g.letters) > 1:
        ax = None
        if g.chance(.75):
            ax = np.asarray(
                g.axes(rank, None if g.chance(.9) else 0) if rank else [],
                np.int64)
        if g.chance(.4):
            at["noop_with_empty_axes"] = g.pick(0, 1)
        return Case([x, ax], at, const=[1] if g.chance(.7) else [])
    if g.chance(.8) and rank:
        at["axes"] = g.axes(rank, neg=g.version >= 11)
    return Case([x], at)


def running(g):
    sh = g.shape(1, 4)
    return Case([
        g.array(sh, g.dtype()),
        np.asarray(g.axis(len(sh)), g.pick(np.int64, np.int32))
    ], {k: g.pick(0, 1) for k in ("exclusive", "reverse") if g.chance(.7)},
                const=[1] if g.chance(.7) else [])


def cast(g):
    a = g.dtype()
    to = g.pick(*TO)
    x = g.array(g.shape(), a, special=0.0)
    if np.dtype(a).kind == "f" and np.dtype(to).kind == "u":
        x = np.abs(x)
    if np.dtype(to).kind == "f" and np.dtype(a).kind == "f":
        x = g.array(g.shape(), a)
    return Case([x], {"to": TO[to]})


def cast_like(g):
    a, to = g.dtype(), g.dtype(1)
    x = g.array(g.shape(), a, special=0)
    if np.dtype(a).kind == "f" and np.dtype(to).kind == "u":
        x = np.abs(x)
    return Case([x, g.array(g.shape(), to)])


def isinf(g):
    return Case(
        [g.array(g.shape(), g.dtype(), special=.9)], {
            k: g.pick(0, 1)
            for k in ("detect_negative", "detect_positive")
            if g.chance()
        })


def gelu(g):
    return Case([_bounded(g.array(g.shape(), g.dtype()))],
                {"approximate": g.pick("none", "tanh")} if g.chance(.7) else {})


def identity(g):
    return Case([g.array(g.shape(), g.dtype())])


def non_zero(g):
    dt = g.dtype()
    x = g.array(g.shape(), dt)
    return Case([
        np.where(g.random.random(x.shape) < .5, x, np.zeros((), dt)).astype(dt)
    ])


def dropout(g):
    outs = g.pick(1, 2)
    x = g.array(g.shape(), g.dtype())
    if g.version < 10:
        outs = 1  # "If is_test is nonzero, this output is not filled."
    if g.version < 7:
        return Case([x], {"is_test": 1, "ratio": .3})
    if g.version < 12:
        return Case([x], {"ratio": .3} if g.chance() else {}, outs)
    return Case([
        x,
        np.asarray(.3, np.float32) if g.chance() else None,
        np.asarray(False) if g.chance() else None
    ], {}, outs)


def bitcast(g):
    a = g.dtype(0, only="fd12488u4h")
    to = {1: "int8", 2: "int16", 4: "int32", 8: "int64"}[np.dtype(a).itemsize]
    return Case(
        [g.array(g.shape(), a)], {
            "to":
                TO[g.pick(
                    to, {
                        "int8": "uint8", "int16": "float16", "int32": "float32",
                        "int64": "float64"
                    }[to])]
        })


def swiglu(g):
    shape, dtype = g.shape(), g.dtype()
    return Case([_bounded(g.array(shape, dtype)), g.array(shape, dtype)])
