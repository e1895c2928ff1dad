# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's own operators of quantised numbers. Each function draws a case
of an operator from draws `g`. Numbers of products stay so small that ONNX
Runtime's kernels do not saturate between them, as they do on processors without
the instructions for them."""

import contributed
import numpy as np
from draws import Case


def _scale(g, *shape):
    """Such that no result lies just between two steps: there a last bit
    decides."""
    return np.asarray(g.random.choice([.2311, .1093, .0677, .4711], shape),
                      np.float32)


def _bytes(g, shape, dtype=None):
    """Those of a factor."""
    dtype = dtype or g.pick("uint8", "int8")
    low = 0 if dtype == "uint8" else -60
    return np.asarray(g.random.integers(low, 60, shape), dtype)


def _number(g, shape, dtype):
    """Elements, their scale and their zero point, which ONNX Runtime needs."""
    return [g.array(shape, dtype), _scale(g), g.array((), dtype)]


def _result(g, dtype):
    """Its scale is no multiple of another."""
    return [np.float32(g.pick(.3137, .1993)).reshape(()), g.array((), dtype)]


def binary(g):
    dtype = g.pick("uint8", "int8")
    shape = g.shape(1, 3, zeros=False)
    other = tuple(one if g.chance(.7) else 1 for one in shape)
    return Case(_number(g, shape, dtype) + _number(g, other, dtype)
                + _result(g, dtype))


def where(g):
    dtype = g.pick("uint8", "int8")
    shape = g.shape(1, 3, zeros=False)
    other = tuple(one if g.chance(.7) else 1 for one in shape)
    return Case([g.array(shape, "bool")] + _number(g, shape, dtype)
                + _number(g, other, dtype) + _result(g, dtype))


def unary(g):
    """ONNX Runtime's table of results takes constants."""
    dtype = g.pick("uint8", "int8")
    at = g.attr(alpha=g.fraction(.05, .6)) if g.chance() else {}
    return Case(_number(g, g.shape(1, 4), dtype)
                + _result(g, dtype), at,
                const=[1, 2, 3, 4] if g.chance() else [])


def softmax(g):
    dtype = g.pick("uint8", "int8")
    shape = g.shape(1, 3, zeros=False)
    x = _number(g, shape, dtype)
    scale = np.asarray(1 / 256, np.float32)
    zero = np.asarray(0 if dtype == "uint8" else -128, dtype)
    return Case(x + [scale, zero], {"opset": 13, "axis": g.axis(len(shape))})


def _last(g, x):
    """Moves channels of x to the last axis, and says so, or not."""
    last = g.pick(0, 1)
    return (np.ascontiguousarray(np.moveaxis(x, 1, -1)) if last else x,
            {"channels_last": last})


def _planes(g):
    return (g.pick(1, 2), g.pick(1, 3), g.pick(3, 5), g.pick(3, 4))


def average_pool(g):
    dtype = g.pick("uint8", "int8")
    x, at = _last(g, g.array(_planes(g), dtype))
    at.update(kernel_shape=[g.pick(1, 2), g.pick(2, 3)],
              strides=[g.pick(1, 2), g.pick(1, 2)])
    if g.chance():
        at["pads"] = [g.pick(0, 1) if at["kernel_shape"][i % 2] > 1 else 0
                      for i in range(4)]
    elif g.chance():
        at["auto_pad"] = g.pick("SAME_UPPER", "SAME_LOWER", "VALID")
    if g.chance(.3):
        at["ceil_mode"] = 1
    if g.chance(.3):
        at["count_include_pad"] = 1
    return Case([x] + _number(g, (), dtype)[1:] + _result(g, dtype), at)


def global_pool(g):
    dtype = g.pick("uint8", "int8")
    x, at = _last(g, g.array(_planes(g), dtype))
    return Case([x] + _number(g, (), dtype)[1:] + _result(g, dtype), at)


def mean(g):
    """A mean, of which ONNX Runtime has no kernel on a CPU (witnesses.py)."""
    dtype = g.pick("uint8", "int8")
    shape = g.shape(1, 4, zeros=False)
    inputs = _number(g, shape, dtype) + _result(g, dtype)
    for i in (2, 4):
        if g.chance(.3):
            inputs[i] = None
    return Case(inputs, {"axes": g.axes(len(shape)), "keepdims": g.pick(0, 1)})


def concat(g):
    dtype = g.pick("uint8", "int8")
    shape = list(g.shape(1, 3, zeros=False))
    axis = g.axis(len(shape))
    inputs = _result(g, dtype)
    for _ in range(g.pick(1, 2, 3)):
        shape[axis] = g.extent()
        inputs += _number(g, tuple(shape), dtype)
    return Case(inputs, {"axis": axis},
                const=[i for i in range(len(inputs)) if i < 2 or i % 3 != 2])


def convolution(g):
    group, inner, outer = g.pick(1, 2), g.pick(1, 2), g.pick(1, 2)
    kernel = [g.pick(1, 2), g.pick(1, 3)]
    dtype, other = g.pick("uint8", "int8"), g.pick("uint8", "int8")
    if dtype == "int8":
        other = "int8"  # Of the other pair ONNX Runtime has no kernel.
    x = _bytes(g, (g.pick(1, 2), group * inner, 5, 4), dtype)
    x, at = _last(g, x)
    at.update(group=group, kernel_shape=kernel,
              pads=[g.pick(0, 1) for _ in range(4)],
              strides=[g.pick(1, 2) for _ in range(2)])
    channels = group * outer
    inputs = [x, _scale(g), _bytes(g, (), dtype),
              _bytes(g, (channels, inner, *kernel), other)]
    each = g.pick((), (channels,))
    zero = np.zeros(each, other) if each else _bytes(g, (), other)
    inputs += [_scale(g, *each), zero, np.float32(2).reshape(()),
               g.array((), dtype)]
    if g.chance():
        inputs.append(np.asarray(g.random.integers(-99, 99, channels),
                                 np.int32))
    return Case(inputs, at, const=range(1, len(inputs)))


def gemm(g):
    m, k, n = (g.extent() for _ in range(3))
    a, b = g.pick("uint8", "int8"), g.pick("uint8", "int8")
    if a == "int8":
        b = "int8"
    at = {"transA": g.pick(0, 1), "transB": g.pick(0, 1)}
    if g.chance():
        at["alpha"] = g.pick(.5, 2.)
    inputs = [_bytes(g, (k, m) if at["transA"] else (m, k), a), _scale(g),
              _bytes(g, (), a),
              _bytes(g, (n, k) if at["transB"] else (k, n), b), _scale(g),
              _bytes(g, (), b)]
    inputs.append(np.asarray(g.random.integers(-99, 99, g.pick((n,), (m, n))),
                             np.int32) if g.chance() else None)
    if g.chance():
        inputs += [np.float32(2).reshape(()), g.array((), a)]
    return Case(inputs, at, const=[3, 4, 5])


def product(g):
    """MatMulIntegerToFloat."""
    m, k, n = (g.extent() for _ in range(3))
    a, b = g.pick("uint8", "int8"), g.pick("uint8", "int8")
    if a == "int8":
        b = "int8"
    batch = g.shape(0, 1, zeros=False)
    each = g.pick((), (n,))
    return Case([_bytes(g, batch + (m, k), a), _bytes(g, (k, n), b), _scale(g),
                 _scale(g, *each), _bytes(g, (), a) if g.chance() else None,
                 _bytes(g, each, b) if g.chance() else None,
                 g.array((n,), "float32", 0) if g.chance() else None])


def dynamic_product(g):
    m, k, n = (g.extent() for _ in range(3))
    b = g.pick("uint8", "int8")
    batch = g.shape(0, 1, zeros=False)
    each = g.pick((), (n,))
    return Case([g.array(batch + (m, k), "float32", 0), _bytes(g, (k, n), b),
                 _scale(g, *each), _bytes(g, each, b) if g.chance() else None,
                 g.array((n,), "float32", 0) if g.chance() else None],
                const=[1, 2, 3] if g.chance() else [])


def attention(g):
    s, inner = contributed._Sizes(g), g.pick(3, 4)
    weight = g.pick("uint8", "int8")
    each = g.pick((), (3 * s.hidden,))
    small = lambda *shape: np.asarray(g.random.choice([.01, .02, .015], shape),
                                      np.float32)
    mask = contributed._mask(g, s.batch, s.steps, s.keys)
    return Case([
        _bytes(g, (s.batch, s.steps, inner), "uint8"),
        _bytes(g, (inner, 3 * s.hidden), weight),
        g.array((3 * s.hidden,), "float32", 0), small(), small(*each), mask,
        _bytes(g, (), "uint8") if g.chance() else None,
        _bytes(g, each, weight) if g.chance() else None,
        g.array((2, s.batch, s.heads, s.past, s.size), "float32", 0)
        if s.past else None
    ], contributed.attention_numbers(g, s), 2, const=[1, 4, 7])


def packed_product(g):
    """MatMulNBits: each block of a row has a scale, and a zero point or not."""
    bits, block = g.pick(4, 4, 8), g.pick(16, 32)
    rows, columns = g.pick(1, 3, 5), g.pick(16, 24, 40)
    blocks = -(-columns // block)
    whole = lambda *shape: np.asarray(g.random.integers(0, 256, shape), np.uint8)
    inputs = [g.array((g.extent(), columns), "float32", 0),
              whole(rows, blocks, block * bits // 8),
              g.array((rows, blocks), "float32", 0)]
    if g.chance():
        inputs.append(whole(rows, -(-blocks * bits // 8)))
    return Case(inputs, {"N": rows, "K": columns, "bits": bits,
                         "block_size": block}, const=range(1, len(inputs)))


def quantize(g):
    shape = g.shape(1, 3, zeros=False)
    axis = g.axis(len(shape))
    each = g.pick((), (shape[axis],))
    to = g.pick("uint8", "int8", "uint16", "int16")
    x = g.array(shape, "float32", 0) * np.float32(g.pick(1, 40))
    return Case([x, _scale(g, *each), g.array(each, to)], {"axis": axis})


def dequantize(g):
    shape = g.shape(1, 3, zeros=False)
    axis = g.axis(len(shape))
    each = g.pick((), (shape[axis],))
    dtype = g.pick("uint8", "int8", "uint16", "int16", "int32")
    zero = np.zeros(each, dtype) if dtype == "int32" else g.array(each, dtype)
    return Case([g.array(shape, dtype), _scale(g, *each),
                 zero if g.chance(.7) else None], {"axis": axis})


def lstm(g):
    """Signed weights, one length and no clip: docs/onnx.md says why."""
    steps, batch, size, hidden = (g.pick(1, 3), g.pick(1, 2), g.pick(2, 3),
                                  g.pick(1, 2))
    direction = g.pick("forward", "reverse", "bidirectional")
    count = 2 if direction == "bidirectional" else 1
    float_ = lambda *shape: g.array(shape, "float32", 0)
    whole = lambda *shape: _bytes(g, shape, "int8")
    each = g.pick((count,), (count, 4 * hidden))
    scale = lambda: np.asarray(g.random.choice([.01, .02], each), np.float32)
    inputs = [float_(steps, batch, size), whole(count, size, 4 * hidden),
              whole(count, hidden, 4 * hidden),
              float_(count, 8 * hidden) if g.chance() else None, None,
              float_(count, batch, hidden) if g.chance() else None,
              float_(count, batch, hidden) if g.chance() else None, None,
              scale(), np.zeros(each, np.int8), scale(),
              np.zeros(each, np.int8)]
    return Case(inputs, {"hidden_size": hidden, "direction": direction}, 3,
                const=[1, 2, 8, 9, 10, 11])
