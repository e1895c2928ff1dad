# SPDX-License-Identifier: Apache-2.0
"""Convolutions, poolings, samples of images. Each function draws a
case of an operator from draws `g`."""

import numpy as np
from draws import Case


def spatial(g, op, n):
    at = {}
    k = [int(x) for x in g.random.integers(1, 4, n)]
    if g.chance(.6):
        at["strides"] = [int(x) for x in g.random.integers(1, 4, n)]
    if "dilations" in g.known and g.chance(.4):
        at["dilations"] = [int(x) for x in g.random.integers(1, 3, n)]
    m = g.pick(0, 1, 1, 2)
    if m == 1:
        at["pads"] = [int(g.random.integers(0, kk)) for kk in k + k]
    elif m == 2:
        at["auto_pad"] = g.pick("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")
    return k, at


def conv(g, op="Conv"):
    n = g.pick(1, 2, 2, 3)
    k, at = spatial(g, op, n)
    gr = g.pick(1, 1, 2, 3)
    cin = gr * g.pick(1, 2)
    dt = g.dtype()
    sp = tuple(int(x) for x in g.random.integers(5, 8, n))
    b = g.pick(1, 2)
    if gr > 1:
        at["group"] = gr
    if g.chance():
        at["kernel_shape"] = k
    if op == "Conv":
        w = (gr * g.pick(1, 2), cin // gr) + tuple(k)
        mo = w[0]
    else:
        w = (cin, g.pick(1, 2)) + tuple(k)
        mo = w[1] * gr
        st = at.get("strides", [1] * n)
        if any(s > kernel for s, kernel in zip(st, k)):
            # The pads would be negative; how they are halved is not said.
            at.pop("auto_pad", None)
        if g.chance(.3):
            at["output_padding"] = [int(g.random.integers(0, s)) for s in st]
        elif g.chance(.3) and "auto_pad" not in at:
            dl = at.get("dilations", [1] * n)
            at["output_shape"] = [
                st[i] * (sp[i] - 1) + (k[i] - 1) * dl[i] + 1 -
                int(g.random.integers(0, 2)) for i in range(n)
            ]
            at.pop("pads", None)
    ins = [g.array((b, cin) + sp, dt, special=0), g.array(w, dt, special=0)]
    if g.chance(.6):
        ins.append(g.array((mo,), dt, special=0))
    return Case(ins, at, const=[1, 2] if g.chance() else [])


def pool(g, op):
    n = g.pick(1, 2, 2, 3)
    k, at = spatial(g, op, n)
    at["kernel_shape"] = k
    sp = tuple(int(x) for x in g.random.integers(5, 9, n))
    dt = g.dtype()
    if "ceil_mode" in g.known and g.chance(.4):
        at["ceil_mode"] = 1
    if "count_include_pad" in g.known and g.chance(.5):
        at["count_include_pad"] = g.pick(0, 1)
    outs = 1
    if op == "MaxPool" and "storage_order" in g.known and g.chance(.4):
        outs = 2
        if g.chance(.3):
            at["storage_order"] = 1
    if op == "LpPool" and g.chance(.7):
        at["p"] = g.pick(1, 2, 3)
    x = g.array((g.pick(1, 2), g.pick(1, 2)) + sp, dt, special=.15)
    return Case([_plain_maxima(op, x)], at, outs)


def _plain_maxima(op, array):
    """Without NaN for a maximum: whether one is larger than numbers is not
    said, and ONNX Runtime and the reference differ."""
    if op in ("MaxPool", "GlobalMaxPool") and array.dtype.kind == "f":
        array = np.where(np.isnan(array), 0, array).astype(array.dtype)
    return array


def global_pool(g, op):
    return Case([
        _plain_maxima(op, g.array(
            (g.pick(1, 2), g.pick(1, 3)) + g.shape(1, 3, zeros=False),
            g.dtype(), special=.1))
    ], {"p": g.pick(1, 2, 3)} if op == "GlobalLpPool" and g.chance() else {})


def max_unpool(g):
    x = g.array((1, g.pick(1, 2), 2, 3), g.dtype(), special=0)
    k = [2, 2]
    n = 4 * 6
    idx = np.stack([
        g.random.permutation(n)[:6].reshape(2, 3) + c * n
        for c in range(x.shape[1])
    ])[None]
    return Case([x, np.asarray(idx, np.int64)],
                {"kernel_shape": k, "strides": [2, 2]})


def _whole(x, attributes):
    """Integers only by the nearest element: how a mean of them becomes an
    integer is not said, and ONNX Runtime and the reference differ."""
    if x.dtype.kind != "f" and attributes.get("mode", "nearest") != "nearest":
        attributes["mode"] = "nearest"
        for name in ("cubic_coeff_a", "exclude_outside", "antialias"):
            attributes.pop(name, None)
    return attributes


def upsample(g):
    sh = (1, g.pick(1, 2), g.pick(2, 3), g.pick(2, 4))
    sc = [1., 1., float(g.pick(1, 2, 1.5, 3)),
          float(g.pick(1, 2, 2.5))]
    x = g.array(sh, g.dtype(), special=0)
    at = {"mode": g.pick("nearest", "linear")} if g.chance(.7) else {}
    at = _whole(x, at)
    if g.version < 9:
        return Case([x], {**at, "scales": sc})
    return Case([x, np.asarray(sc, np.float32)], at, const=[1])


def resize(g):
    n = g.pick(1, 2, 2, 3)
    sh = (g.pick(1, 2), g.pick(1, 2)) + tuple(
        int(x) for x in g.random.integers(2, 6, n))
    dt = g.dtype()
    x = g.array(sh, dt, special=0)
    mode = g.pick("nearest", "linear",
                  "cubic" if n == 2 and g.version >= 11 else "linear")
    at = {"mode": mode}
    sizes = g.chance(.4)
    ts = [int(x) for x in g.random.integers(1, 9, n)]
    sc = [float(g.pick(.5, .6, 1., 1.5, 2., 2.3, 3.)) for _ in range(n)]
    if g.version < 11:
        return Case([x, np.asarray([1, 1] + sc, np.float32)],
                    _whole(x, {"mode": g.pick("nearest", "linear")}),
                    const=[1])
    if g.chance(.8):
        at["coordinate_transformation_mode"] = g.pick(
            "half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
            *(["half_pixel_symmetric"] if g.version >= 19 else []),
            *(["tf_half_pixel_for_nn"] if g.version < 13 else []))
    if mode == "nearest" and g.chance(.8):
        at["nearest_mode"] = g.pick("round_prefer_floor", "round_prefer_ceil",
                                    "floor", "ceil")
    if mode == "cubic":
        if g.chance():
            at["cubic_coeff_a"] = -.5
        if g.chance():
            at["exclude_outside"] = 1
    if g.version >= 18 and g.chance(.25) and mode != "nearest":
        at["antialias"] = 1
    at = _whole(x, at)
    roi = np.zeros((0,), np.float32) if g.version < 13 else None
    ax = None
    if g.version >= 18 and g.chance(.4):
        at["axes"] = list(range(2, 2 + n))
        p = []
    else:
        p = [1, 1]
    if g.version >= 18 and sizes and g.chance(.4):
        at["keep_aspect_ratio_policy"] = g.pick("stretch", "not_larger",
                                                "not_smaller")
    if g.version < 13 and not sizes:
        return Case([x, roi, np.asarray(p + sc, np.float32)], at, const=[1, 2])
    if sizes:
        full = (list(sh[:2]) if p else []) + ts
        return Case([
            x, roi if roi is not None else None,
            np.zeros((0,), np.float32) if g.version < 13 else None,
            np.asarray(full, np.int64)
        ],
                    at,
                    const=[1, 2, 3])
    return Case([x, roi, np.asarray(p + sc, np.float32)], at, const=[1, 2])


def grid_sample(g):
    n = g.pick(2, 2, 3) if g.version >= 20 else 2
    sh = (g.pick(1, 2), g.pick(1, 2)) + tuple(
        int(x) for x in g.random.integers(2, 5, n))
    dt = g.dtype(0, only="fd")
    modes = ("linear", "nearest",
             "cubic") if g.version >= 20 else ("bilinear", "nearest", "bicubic")
    m = g.pick(*modes) if n == 2 else g.pick(*modes[:2])
    grid = g.random.uniform(-1.4, 1.4, (sh[0],) +
                            tuple(int(x) for x in g.random.integers(1, 4, n)) +
                            (n,)).astype(dt)
    return Case(
        [g.array(sh, dt, special=0), grid], {
            "mode": m, "padding_mode": g.pick("zeros", "border", "reflection"),
            "align_corners": g.pick(0, 1)
        })


def affine_grid(g):
    n = g.pick(2, 3)
    N = g.pick(1, 2)
    return Case([
        g.array((N, n, n + 1), g.dtype(), special=0),
        np.asarray([N, 2] + [int(x) for x in g.random.integers(1, 5, n)],
                   np.int64)
    ], {"align_corners": g.pick(0, 1)},
                const=[1])


def col2im(g):
    bh, bw = g.pick(1, 2), g.pick(1, 2, 3)
    H, W = g.pick(4, 5), g.pick(4, 6)
    st = [g.pick(1, 2)] * 2 if g.chance() else [1, 1]
    pd = [g.pick(0, 1)] * 4 if g.chance() else [0] * 4
    dl = [g.pick(1, 2)] * 2 if g.chance() else [1, 1]
    oh = (H + pd[0] + pd[2] - dl[0] * (bh - 1) - 1) // st[0] + 1
    ow = (W + pd[1] + pd[3] - dl[1] * (bw - 1) - 1) // st[1] + 1
    return Case([
        g.array((g.pick(1, 2), g.pick(1, 2) * bh * bw, oh * ow),
                g.dtype(),
                special=0),
        np.asarray([H, W], np.int64),
        np.asarray([bh, bw], np.int64)
    ], {"strides": st, "pads": pd, "dilations": dl},
                const=[1, 2])


def deform_conv(g):
    n = 2
    dt = g.dtype(0, only="fd")
    gr = g.pick(1, 2)
    og = g.pick(1, 2)
    C = 2 * g.pick(1, 2)
    k = (g.pick(1, 2, 3), 2)
    M = gr * g.pick(1, 2)
    H, W = 5, 6
    st, dl = [g.pick(1, 2)] * 2, [1, 1]
    pd = [g.pick(0, 1)] * 4
    oh = (H + pd[0] + pd[2] - k[0]) // st[0] + 1
    ow = (W + pd[1] + pd[3] - k[1]) // st[1] + 1
    a = lambda *s: g.array(s, dt, special=0)
    return Case(
        [
            a(1, C, H, W),
            a(M, C // gr, *k),
            a(1, og * 2 * k[0] * k[1], oh, ow),
            a(M) if g.chance() else None,
            a(1, og * k[0] * k[1], oh, ow) if g.chance() else None
        ], {
            "group": gr, "offset_group": og, "strides": st, "pads": pd,
            "kernel_shape": list(k)
        })


def integer_convolution(g):
    n = 2
    k, at = spatial(g, "Conv", n)
    cin = g.pick(1, 2)
    a, b = g.pick("uint8", "int8"), g.pick("uint8", "int8")
    at.pop("dilations", None)
    return Case([
        g.array((1, cin, 5, 6), a),
        g.array((g.pick(1, 2), cin) + tuple(k), b),
        g.array((), a) if g.chance() else None,
        g.array((), b) if g.chance() else None
    ], at)


def quantized_convolution(g):
    k, at = spatial(g, "Conv", 2)
    cin = g.pick(1, 2)
    a, b, y = g.pick("uint8", "int8"), g.pick("uint8",
                                              "int8"), g.pick("uint8", "int8")
    m = g.pick(1, 2)
    s = lambda sh=(): np.asarray(g.random.uniform(.01, .1, sh), np.float32)
    pc = (m,) if g.chance() else ()
    ins = [
        g.array((1, cin, 5, 6), a),
        s(),
        g.array((), a),
        g.array((m, cin) + tuple(k), b),
        s(pc),
        np.zeros(pc, b) if pc else g.array((), b),
        s(),
        g.array((), y)
    ]
    if g.chance():
        ins.append(g.array((m,), "int32"))
    return Case(ins, at)
