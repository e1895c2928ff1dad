# SPDX-License-Identifier: Apache-2.0
"""Products, normalisations, losses, quantised numbers. Each function draws a
case of an operator from draws `g`."""

import numpy as np
from draws import Case


def matmul(g):
    dt = g.dtype()
    m, k, n = [int(x) for x in g.random.integers(1, 6, 3)]
    if g.chance(.06):
        k = 0
    b = g.shape(0, 2, zeros=False)
    ba = tuple(d if g.chance(.7) else 1 for d in b)
    bb = tuple(d if g.chance(.7) else 1
               for d in b)[int(g.random.integers(len(b) +
                                                 1)) if g.chance(.4) else 0:]
    A, B = ba + (m, k), bb + (k, n)
    if g.chance(.15):
        A = (k,)
    if g.chance(.15):
        B = (k,)
    return Case([g.array(A, dt, special=.1), g.array(B, dt, special=.1)])


def gemm(g):
    dt = g.dtype()
    m, k, n = [int(x) for x in g.random.integers(1, 6, 3)]
    ta, tb = g.pick(0, 1), g.pick(0, 1)
    at = {}
    if ta:
        at["transA"] = 1
    if tb:
        at["transB"] = 1
    i = np.dtype(dt).kind != "f"
    if g.chance(.6):
        at["alpha"] = float(g.pick(2., 1.)) if i else float(
            np.float32(g.random.uniform(-2, 2)))
    if g.chance(.6):
        at["beta"] = float(g.pick(2., 0., 1.)) if i else float(
            np.float32(g.pick(0., .5, -2.)))
    c = g.pick((m, n), (n,), (1, n), (m, 1), (), (1,))
    ins = [
        g.array((k, m) if ta else (m, k), dt, special=0),
        g.array((n, k) if tb else (k, n), dt, special=0),
        g.array(c, dt, special=0.1)
    ]
    if g.version < 7:
        at["broadcast"] = 1
        ins[2] = g.array(g.pick((m, n), (n,)), dt)
    if g.version >= 11 and g.chance(.3):
        ins = ins[:2]
    return Case(ins, at)


def einsum(g):
    dt = g.dtype()
    e, shs = g.pick(("ij,jk->ik", [(2, 3), (3, 4)]), ("ij->ji", [(2, 3)]),
                    ("...ij,...jk->...ik", [(2, 2, 3),
                                            (2, 3, 2)]), ("ii->i", [(3, 3)]),
                    ("i,j", [(2,), (3,)]), ("bij, bjk -> bik", [(2, 2, 3),
                                                                (2, 3, 2)]),
                    ("ij->", [(2, 3)]), ("ii", [(3, 3)]))
    return Case([g.array(s, dt, special=0) for s in shs], {"equation": e})


def det(g):
    n = g.pick(1, 2, 3, 4)
    return Case(
        [g.array(g.shape(0, 2, zeros=False) + (n, n), g.dtype(), special=0)])


def batch_norm(g):
    dt = g.dtype()
    c = g.pick(1, 2, 3)
    sh = (g.pick(1, 2), c) + g.shape(0, 3, zeros=False)
    a = lambda: g.array((c,), dt, special=0)
    var = np.abs(a()) + np.asarray(.1, dt)
    at = {}
    if g.chance():
        at["epsilon"] = float(np.float32(g.pick(1e-3, .1)))
    dm = g.array(sh, dt, special=.1)
    outs = 1
    if g.version >= 14 and g.chance(.4):
        at["training_mode"] = 1
        outs = 3
        if g.chance():
            at["momentum"] = float(np.float32(.7))
    mdt = dt
    return Case([dm, a(), a(), a(), var], at, outs)


def instance_norm(g):
    dt = g.dtype()
    c = g.pick(1, 2, 3)
    return Case([
        g.array((g.pick(1, 2), c) + g.shape(1, 3, zeros=False), dt, special=0),
        g.array((c,), dt, special=0),
        g.array((c,), dt, special=0)
    ], {"epsilon": float(np.float32(.01))} if g.chance() else {})


def layer_norm(g, bias=True):
    dt = g.dtype()
    sh = g.shape(1, 4, zeros=False)
    ax = g.axis(len(sh))
    s = sh[ax % len(sh):]
    ins = [g.array(sh, dt, special=0), g.array(s, dt, special=0)]
    if bias and g.chance(.6):
        ins.append(g.array(s, dt, special=0))
    at = {"axis": ax}
    if g.chance():
        at["epsilon"] = float(np.float32(.01))
    return Case(ins, at, g.pick(1, 3) if bias else 1)


def group_norm(g):
    dt = g.dtype()
    gr = g.pick(1, 2, 3)
    c = gr * g.pick(1, 2)
    n = gr if g.version < 21 else c
    return Case(
        [
            g.array(
                (g.pick(1, 2), c) + g.shape(1, 2, zeros=False), dt, special=0),
            g.array((n,), dt, special=0),
            g.array((n,), dt, special=0)
        ], {
            "num_groups": gr,
            **({"epsilon": float(np.float32(.01))} if g.chance() else {})
        })


def lrn(g):
    return Case(
        [
            g.array(
                (g.pick(1, 2), g.pick(1, 3, 5, 6)) + g.shape(1, 2, zeros=False),
                g.dtype(),
                special=0)
        ], {
            "size": g.pick(1, 3, 5, 2), **{
                k: v for k, v in (("alpha", .3), ("beta", .5), ("bias", 2.)) if g.chance(
                )
            }
        })


def mean_variance(g):
    """Means are of more than one element: the body's epsilon is 0 in halves."""
    sh = tuple(extent + 1 for extent in g.shape(4, 4, zeros=False))
    return Case([g.array(sh, g.dtype(), special=0)],
                {"axes": g.axes(4)} if g.chance() else {})


def lp_norm(g):
    sh = g.shape(1, 4, zeros=False)
    return Case(
        [g.array(sh, g.dtype(), special=0)], {
            k: v for k, v in (("axis", g.axis(len(sh))),
                              ("p", g.pick(1, 2))) if g.chance(.7)
        })


def likelihood_loss(g, sm=False):
    dt = g.dtype()
    C = g.pick(2, 3)
    N = g.pick(1, 3)
    sp = g.shape(0, 2, zeros=False)
    t = np.asarray(g.random.integers(0, C, (N,) + sp),
                   g.pick(np.int64, np.int32))
    ins = [g.array((N, C) + sp, dt, special=0), t]
    if g.chance():
        ins.append(np.abs(g.array((C,), dt, special=0)) + np.asarray(.1, dt))
    at = {}
    if g.chance(.8):
        at["reduction"] = g.pick("none", "mean", "sum")
    if g.chance(.3):
        at["ignore_index"] = g.pick(0, 1)
    return Case(ins, at, g.pick(1, 2) if sm else 1)


def dequantize(g):
    dt = g.dtype(0, only="1u4")
    sh = g.shape(1, 3, zeros=False)
    at = {}
    if g.chance() and "axis" in g.known:
        ax = g.axis(len(sh))
        at["axis"] = ax
        ss = (sh[ax],)
    else:
        ss = ()
    tf = g.dtype(1, only="fh")
    ins = [
        g.array(sh, dt),
        np.abs(g.array(ss, tf, special=0)) + np.asarray(.01, tf)
    ]
    if g.chance(.6):
        ins.append(np.zeros(ss, dt) if dt == "int32" else g.array(ss, dt))
    return Case(ins, at)


def quantize(g):
    sh = g.shape(1, 3, zeros=False)
    at = {}
    if g.chance() and "axis" in g.known:
        ax = g.axis(len(sh))
        at["axis"] = ax
        ss = (sh[ax],)
    else:
        ss = ()
    tf = g.dtype(0, only="fh")
    x = g.array(sh, tf, special=0) * np.asarray(g.pick(1, 40), tf)
    ins = [
        x.astype(tf),
        np.asarray(g.random.choice([.25, .5, 1, .1, .07], ss), tf)
    ]
    if g.chance(.7):
        ins.append(g.array(ss, g.pick("uint8", "int8")))
    return Case(ins, at)


def dynamic_quantize(g):
    return Case([g.array(g.shape(1, 3, zeros=False), "float32", special=0)], {},
                3)


def integer_product(g):
    m, k, n = [int(x) for x in g.random.integers(1, 6, 3)]
    a, b = g.pick("uint8", "int8"), g.pick("uint8", "int8")
    bs = g.shape(0, 1, zeros=False)
    return Case([
        g.array(bs + (m, k), a),
        g.array(bs + (k, n), b),
        g.array(g.pick((), (m,)) if not bs else (), a) if g.chance() else None,
        g.array(g.pick((), (n,)) if not bs else (), b) if g.chance() else None
    ])


def quantized_product(g):
    m, k, n = [int(x) for x in g.random.integers(1, 6, 3)]
    a, b = g.pick("uint8", "int8"), g.pick("uint8", "int8")
    y = g.pick("uint8", "int8")
    s = lambda: np.asarray(g.random.uniform(.01, .1), np.float32)
    return Case([
        g.array((m, k), a),
        s(),
        g.array((), a),
        g.array((k, n), b),
        s(),
        g.array((), b),
        s(),
        g.array((), y)
    ])
