# SPDX-License-Identifier: Apache-2.0
"""Operators that move elements, or make them. Each function draws a
case of an operator from draws `g`."""

import numpy as np
from draws import Case
from elementwise import broadcast_shapes


def concat(g):
    sh = list(g.shape(1, 4))
    ax = int(g.random.integers(len(sh)))
    dt = g.dtype()
    ins = []
    for _ in range(int(g.random.integers(1, 4))):
        s = list(sh)
        s[ax] = int(g.random.integers(0, 4))
        ins.append(g.array(s, dt))
    return Case(
        ins, {"axis": ax - len(sh) if g.version >= 11 and g.chance(.4) else ax})


def transpose(g):
    sh = g.shape(0, 5)
    return Case([g.array(sh, g.dtype())],
                {"perm": [int(x) for x in g.random.permutation(len(sh))]}
                if g.chance(.8) and sh else {})


def flatten(g):
    """Left out, the axis is 1, which a scalar lacks."""
    sh = g.shape(0 if g.version >= 9 else 1, 4)
    r = len(sh)
    axis = int(g.random.integers(-r if g.version >= 11 else 0, r + 1))
    return Case([g.array(sh, g.dtype())],
                {"axis": axis} if g.chance(.8) or not sh else {})


def reshape(g):
    sh = g.shape(0, 4)
    n = int(np.prod(sh))
    x = g.array(sh, g.dtype())
    t = list(g.pick(sh, sh[::-1], (n,), (1, n), (n, 1, 1)))
    if t and n and g.chance(.5):
        t[int(g.random.integers(len(t)))] = -1
    at = {}
    for i in range(min(len(t), len(sh))):
        if t[i] == sh[i] and g.chance(.3) and "allowzero" not in at:
            t[i] = 0
    if g.version >= 14 and g.chance(.3):
        at["allowzero"] = g.pick(0, 1)
    if at.get("allowzero") and -1 in t:
        at["allowzero"] = 0
    return Case([x, np.asarray(t, np.int64)],
                at,
                const=[1] if g.chance(.7) else [])


def squeeze(g):
    sh = [1 if g.chance(.5) else d for d in g.shape(1, 4)]
    ones = [i for i, d in enumerate(sh) if d == 1]
    ax = None
    if ones and g.chance(.8):
        ax = [
            int(i) - (len(sh) if g.version >= 11 and g.chance(.3) else 0)
            for i in g.random.permutation(ones)
            [:int(g.random.integers(1,
                                    len(ones) + 1))]
        ]
    x = g.array(sh, g.dtype())
    if g.version >= 13:
        return Case([x, None if ax is None else np.asarray(ax, np.int64)],
                    const=[1] if g.chance(.8) else [])
    return Case([x], {} if ax is None else {"axes": ax})


def unsqueeze(g):
    sh = g.shape(0, 3)
    n = int(g.random.integers(1, 3))
    r = len(sh) + n
    ax = [
        int(i) - (r if g.version >= 11 and g.chance(.3) else 0)
        for i in g.random.permutation(r)[:n]
    ]
    x = g.array(sh, g.dtype())
    if g.version >= 13:
        return Case([x, np.asarray(ax, np.int64)],
                    const=[1] if g.chance(.8) else [])
    return Case([x], {"axes": sorted(ax) if g.version < 11 else ax})


def slice_(g):
    sh = g.shape(1, 4)
    r = len(sh)
    n = int(g.random.integers(1, r + 1))
    ax = [int(i) for i in g.random.permutation(r)[:n]]
    st, en, sp = [], [], []
    for a in ax:
        d = sh[a]
        step = g.pick(1, 1, 2, -1, -2) if g.version >= 10 else 1
        st.append(
            int(
                g.pick(int(g.random.integers(-d - 2, d + 3)),
                       int(g.random.integers(0, d + 1)), -2**31,
                       2**31 - 1 if step < 0 else 0)))
        en.append(
            int(
                g.pick(int(g.random.integers(-d - 2, d + 3)),
                       int(g.random.integers(0, d + 1)),
                       2**31 - 1 if step > 0 else -2**31,
                       2**63 - 1 if step > 0 else -2**63)))
        sp.append(step)
    full = n == r and ax == sorted(ax)
    x = g.array(sh, g.dtype())
    if g.version < 10:
        st, en = [max(min(s, 2**31 - 1), -2**31) for s in st], en
        at = {"starts": st, "ends": en}
        if not full or g.chance():
            at["axes"] = ax
        return Case([x], at)
    ti = g.pick(np.int64, np.int32)
    if ti == np.int32:
        en = [int(np.clip(e, -2**31, 2**31 - 1)) for e in en]
    axn = [a - r if g.chance(.3) else a for a in ax]
    ins = [
        x,
        np.asarray(st, ti),
        np.asarray(en,
                   ti), None if full and g.chance() else np.asarray(axn, ti),
        None if all(s == 1 for s in sp) and g.chance() else np.asarray(sp, ti)
    ]
    return Case(ins, const=[1, 2, 3, 4] if g.chance(.7) else [])


def split(g):
    sh = g.shape(1, 4, zeros=False)
    ax = int(g.random.integers(len(sh)))
    d = sh[ax]
    x = g.array(sh, g.dtype())
    n = int(g.random.integers(1, 4))
    cuts = sorted(int(i) for i in g.random.integers(0, d + 1, n - 1))
    sizes = [b - a for a, b in zip([0] + cuts, cuts + [d])]
    at = {"axis": ax - (len(sh) if g.version >= 11 and g.chance(.3) else 0)}
    even = d % n == 0 and g.chance(.4)
    if g.version >= 18 and g.chance(.4):
        at["num_outputs"] = n
        return Case([x], at, n)
    if even and g.version < 18:
        return Case([x], at, n)
    if g.version >= 13:
        return Case([x, np.asarray(sizes, np.int64)], at, n, const=[1])
    at["split"] = sizes
    return Case([x], at, n)


def pad(g):
    sh = g.shape(1, 4, zeros=False)
    r = len(sh)
    mode = g.pick("constant", "reflect", "edge",
                  "wrap" if g.version >= 19 else "constant")
    dt = g.dtype()
    x = g.array(sh, dt)
    lo = 0 if mode != "constant" else -1

    def amount(d):
        if mode == "reflect":
            return int(g.random.integers(0, max(1, d)))
        if mode == "wrap":
            return int(g.random.integers(0, d + 1))
        return int(g.random.integers(lo, 4))

    ax = list(range(r))
    use = None
    if g.version >= 18 and g.chance(.4):
        use = g.axes(r)
        ax = [a % r for a in use]
    p = [amount(sh[a]) for a in ax] + [amount(sh[a]) for a in ax]
    for k, a in enumerate(ax):
        if sh[a] + p[k] + p[k + len(ax)] < 0:
            p[k] = 0
    at = {"mode": mode} if mode != "constant" or g.chance() else {}
    if g.version < 11:
        if g.chance():
            at["value"] = 1.5
        return Case([x], {**at, "pads": p})
    val = np.asarray(1, dt) if mode == "constant" and g.chance(.6) else None
    ins = [x, np.asarray(p, np.int64), val]
    if use is not None:
        ins.append(np.asarray(use, g.pick(np.int64, np.int32)))
    return Case(ins, at, const=[1, 3] if g.chance(.8) else [1, 2, 3])


def expand(g):
    a, b = broadcast_shapes(g, 2)
    return Case(
        [g.array(a, g.dtype()), np.asarray(b, np.int64)],
        const=[1] if g.chance(.7) else [])


def tile(g):
    sh = g.shape(1, 4)
    return Case([
        g.array(sh, g.dtype()),
        np.asarray(g.random.integers(0, 4, len(sh)), np.int64)
    ],
                const=[1] if g.chance(.7) else [])


def shape_(g):
    sh = g.shape(0, 4)
    r = len(sh)
    at = {}
    if g.version >= 15 and "start" in g.known:
        if g.chance():
            at["start"] = int(g.random.integers(-r - 2, r + 2))
        if g.chance():
            at["end"] = int(g.random.integers(-r - 2, r + 3))
    return Case([g.array(sh, g.dtype())], at)


def eye_like(g):
    at = {}
    if g.chance():
        at["k"] = int(g.random.integers(-3, 4))
    if g.chance():
        at["dtype"] = g.pick(1, 7, 11, 6)
    return Case([g.array((g.pick(1, 2, 4), g.pick(1, 3, 5)), g.dtype())], at)


def range_(g):
    dt = g.dtype()
    if np.dtype(dt).kind == "f":
        v = (float(g.pick(0, 1,
                          -2.5)), float(g.pick(5, 3.3,
                                               -4)), float(g.pick(.5, 1, -.7)))
    else:
        v = (int(g.pick(0, 1, -4)), int(g.pick(9, 5, -7,
                                               0)), int(g.pick(1, 2, 3, -2)))
    return Case([np.asarray(x, dt) for x in v],
                const=[0, 1, 2] if g.chance() else [])


def trilu(g):
    sh = g.shape(0, 2) + (g.pick(1, 2, 4), g.pick(1, 3, 5))
    at = {"upper": g.pick(0, 1)} if g.chance(.8) else {}
    return Case([
        g.array(sh, g.dtype()),
        np.asarray(int(g.random.integers(-5, 6)), np.int64)
        if g.chance(.7) else None
    ],
                at,
                const=[1] if g.chance() else [])


def compress(g):
    sh = g.shape(1, 4, zeros=False)
    at = {}
    if g.chance(.7):
        at["axis"] = g.axis(
            len(sh)) if g.version >= 11 else g.axis(len(sh)) % len(sh)
    n = sh[at["axis"]] if "axis" in at else int(np.prod(sh))
    n = int(g.random.integers(1, n + 1))
    return Case([g.array(sh, g.dtype()), g.random.random(n) < .5], at)


def unique(g):
    sh = g.shape(1, 3, zeros=False)
    at = {}
    if g.chance():
        at["axis"] = g.axis(len(sh))
    if g.chance():
        at["sorted"] = g.pick(0, 1)
    return Case([np.asarray(g.random.integers(0, 3, sh)).astype(g.dtype())], at,
                4)


def reverse_sequence(g):
    t, b = int(g.random.integers(1, 5)), int(g.random.integers(1, 5))
    tf = g.chance()
    sh = ((t, b) if tf else (b, t)) + g.shape(0, 2)
    at = {} if tf and g.chance() else {
        "time_axis": 0 if tf else 1, "batch_axis": 1 if tf else 0
    }
    return Case([
        g.array(sh, g.dtype()),
        np.asarray(g.random.integers(1, t + 1, b), np.int64)
    ], at)


def depth_to_space(g):
    b = g.pick(1, 2, 3)
    return Case(
        [
            g.array((g.pick(1, 2), b * b * g.pick(1, 2), g.pick(
                1, 2, 3), g.pick(1, 2)), g.dtype())
        ], {
            "blocksize": b,
            **(g.attr(mode=g.pick("DCR", "CRD")) if g.chance(.7) else {})
        })


def space_to_depth(g):
    b = g.pick(1, 2, 3)
    return Case([
        g.array(
            (g.pick(1, 2), g.pick(1, 2), b * g.pick(1, 2, 3), b * g.pick(1, 2)),
            g.dtype())
    ], {"blocksize": b})


def constant_of_shape(g):
    dt = g.pick("float32", "int64", "int32", "bool", "float64", "uint8")
    return Case([np.asarray(g.shape(0, 3), np.int64)],
                {"value": g.array((1,), dt)} if g.chance(.8) else {},
                const=[0] if g.chance(.6) else [])


def center_crop_pad(g):
    sh = g.shape(1, 4, zeros=False)
    at = {}
    r = len(sh)
    if g.chance():
        ax = g.axes(r)
        at["axes"] = ax
    else:
        ax = range(r)
    return Case([
        g.array(sh, g.dtype()),
        np.asarray([int(g.random.integers(1, 8)) for _ in ax],
                   g.pick(np.int64, np.int32))
    ],
                at,
                const=[1] if g.chance(.7) else [])
