# SPDX-License-Identifier: Apache-2.0
"""Gathers, scatters and selections. Each function draws a
case of an operator from draws `g`."""

import numpy as np
from draws import Case


def gather(g):
    sh = g.shape(1, 4, zeros=False)
    ax = g.axis(len(sh))
    d = sh[ax]
    neg = g.version >= 11
    idx = np.asarray(g.random.integers(-d if neg else 0, d, g.shape(0, 3)),
                     g.pick(np.int64, np.int32))
    return Case([g.array(sh, g.dtype()), idx],
                {"axis": ax} if ax or g.chance() else {},
                const=[1] if g.chance(.4) else [])


def gather_elements(g):
    sh = g.shape(1, 4, zeros=False)
    ax = g.axis(len(sh))
    d = sh[ax]
    ish = tuple(int(g.random.integers(1, s + 1)) for s in sh)
    ish = list(ish)
    ish[ax] = int(g.random.integers(1, 5))
    return Case([
        g.array(sh, g.dtype()),
        np.asarray(g.random.integers(-d, d, ish), g.pick(np.int64, np.int32))
    ], {"axis": ax})


def scatter_elements(g):
    sh = g.shape(1, 4, zeros=False)
    ax = g.axis(len(sh))
    d = sh[ax]
    ish = [int(g.random.integers(1, s + 1)) for s in sh]
    dt = g.dtype()
    neg = g.version >= 11
    at = {"axis": ax}
    if "reduction" in g.known and g.chance(.7) and dt != "bool":
        at["reduction"] = g.pick("none", "add", "mul",
                                 *(["max", "min"] if g.version >= 18 else []))
    if at.get("reduction", "none") == "none":
        k = np.argsort(g.random.random(
            [d if i == ax % len(sh) else s for i, s in enumerate(ish)]),
                       axis=ax)
        idx = k[tuple(slice(0, s) for s in ish)]
        if neg and g.chance():
            idx = np.where(g.random.random(idx.shape) < .4, idx - d, idx)
    else:
        idx = g.random.integers(-d, d, ish)
    return Case([
        g.array(sh, dt),
        np.asarray(idx, g.pick(np.int64, np.int32)),
        g.array(ish, dt)
    ], at)


def gather_nd(g):
    sh = g.shape(1, 4, zeros=False)
    r = len(sh)
    b = int(g.random.integers(0, r)) if g.version >= 12 and g.chance(.5) else 0
    k = int(g.random.integers(1, r - b + 1))
    mid = g.shape(0, 2, zeros=False)
    idx = np.stack([
        g.random.integers(-sh[b + i] if g.version >= 11 else 0, sh[b + i],
                          sh[:b] + mid) for i in range(k)
    ], -1)
    return Case([g.array(sh, g.dtype()),
                 np.asarray(idx, np.int64)], {"batch_dims": b} if b else {})


def scatter_nd(g):
    sh = g.shape(1, 4, zeros=False)
    r = len(sh)
    k = int(g.random.integers(1, r + 1))
    dt = g.dtype()
    at = {}
    if "reduction" in g.known and g.chance(.7) and dt != "bool":
        at["reduction"] = g.pick("none", "add", "mul",
                                 *(["max", "min"] if g.version >= 18 else []))
    total = int(np.prod(sh[:k]))
    n = int(g.random.integers(1,
                              min(total, 5) + 1))
    flat = g.random.permutation(total)[:n] if at.get(
        "reduction", "none") == "none" else g.random.integers(0, total, n)
    idx = np.stack(np.unravel_index(flat, sh[:k]), -1)
    if g.chance(.4):
        idx = np.where(
            g.random.random(idx.shape) < .4, idx - np.asarray(sh[:k]), idx)
    return Case([
        g.array(sh, dt),
        np.asarray(idx, np.int64),
        g.array((n,) + sh[k:], dt)
    ], at)


def topk(g):
    sh = g.shape(1, 4, zeros=False)
    ax = g.axis(len(sh))
    d = sh[ax]
    k = int(g.random.integers(1, d + 1))
    dt = g.dtype()
    x = np.asarray(g.random.integers(
        0, 4, sh)).astype(dt) if g.chance() else g.array(sh, dt, special=0)
    at = {"axis": ax if g.version >= 11 else ax % len(sh)}
    if g.version >= 11:
        if g.chance():
            at["largest"] = g.pick(0, 1)
        at["sorted"] = 1
    if g.version < 10:
        return Case([x], {**at, "k": k}, 2)
    return Case([x, np.asarray([k], np.int64)],
                at,
                2,
                const=[1] if g.chance(.7) else [])


def one_hot(g):
    sh = g.shape(0, 3, zeros=False)
    depth = int(g.random.integers(1, 5))
    ti = g.dtype(0)
    td = g.dtype(1)
    tv = g.dtype(2)
    idx = g.array(sh,
                  ti,
                  special=0,
                  low=-depth - 1 if ti[0] != "u" else 0,
                  high=depth + 1)
    if np.dtype(ti).kind == "f":
        idx = np.trunc(idx)
    return Case([
        idx,
        np.asarray(g.pick(depth, [depth]), td),
        g.array((2,), tv, special=0)
    ], {"axis": g.axis(len(sh) + 1)} if g.chance(.7) else {},
                const=[1] if g.chance() else [])


def tensor_scatter(g):
    dt = g.dtype()
    B, S, n, D = g.pick(1, 2), 5, g.pick(1, 2, 3), g.pick(1, 2)
    r4 = g.chance()
    mid = (2,) if r4 else ()
    m = g.pick("linear", "circular")
    hi = S - n + 1 if m == "linear" else S
    at = {"mode": m} if g.chance(.8) else {}
    if at.get("mode") != "circular":
        hi = S - n + 1
    idx = np.asarray(g.random.integers(0, hi, B),
                     np.int64) if g.chance(.8) else None
    if g.chance(.3):
        at["axis"] = -2
    return Case([
        g.array((B,) + mid + (S, D), dt),
        g.array((B,) + mid + (n, D), dt), idx
    ], at)


def suppression(g):
    B, C, N = g.pick(1, 2), g.pick(1, 2), g.pick(3, 6)
    b = np.sort(g.random.uniform(0, 4, (B, N, 2, 2)),
                2).reshape(B, N, 4).astype(np.float32)
    cp = g.pick(0, 1)
    if cp:
        b = np.concatenate(
            [b[..., :2] + 1,
             np.abs(b[..., 2:] - b[..., :2]) + .5], -1).astype(np.float32)
    return Case([
        b,
        g.array((B, C, N), "float32", special=0, low=0, high=1),
        np.asarray(g.pick(1, 3, 9), np.int64),
        np.asarray(g.pick(.3, .6), np.float32),
        np.asarray(.2, np.float32) if g.chance() else None
    ], {"center_point_box": cp} if cp or g.chance() else {})


def roi_align(g):
    dt = g.dtype(0, only="fd")
    R = g.pick(1, 3)
    rois = np.sort(g.random.uniform(0, 7, (R, 2, 2)), 1).reshape(R,
                                                                 4).astype(dt)
    at = {
        k: v
        for k, v in g.attr(mode=g.pick("avg", "max"),
                           output_height=g.pick(1, 2, 3),
                           output_width=g.pick(1, 2),
                           sampling_ratio=g.pick(0, 1, 2),
                           spatial_scale=g.pick(.5, 1.),
                           coordinate_transformation_mode=g.pick(
                               "half_pixel", "output_half_pixel")).items()
        if g.chance(.7)
    }
    return Case([
        g.array((2, 2, 6, 7), dt, special=0), rois,
        np.asarray(g.random.integers(0, 2, R), np.int64)
    ], at)
