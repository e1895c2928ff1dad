# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's own operators, those without quantised numbers, in forms that
it runs on a CPU. Each function draws a case of an operator from draws `g`."""

import numpy as np
from draws import Case


def unary(g):
    """Without infinities: there the formula is 0 * inf."""
    at = g.attr(alpha=g.fraction(.5, 2)) if g.chance() else {}
    return Case([g.array(g.shape(), "float32", 0)], at)


def biased(g):
    """x and a bias of its last axis."""
    shape = g.shape(1, 4)
    return Case([g.array(shape, "float32", 0),
                 g.array(shape[-1:], "float32", 0)])


def perhaps_biased(g):
    case = biased(g)
    if g.chance():
        case.inputs.pop()
    return case


def product(g):
    m, k, n = (g.extent() for _ in range(3))
    batch = g.shape(0, 2, zeros=False)
    a, b = batch + (m, k), (batch if g.chance() else ()) + (k, n)
    at = g.attr(alpha=g.fraction(-2, 2)) if g.chance() else {}
    if g.chance():
        a, at["transA"] = a[:-2] + (k, m), 1
    if g.chance():
        b, at["transB"] = b[:-2] + (n, k), 1
    return Case([g.array(a, "float32", special=.1),
                 g.array(b, "float32", special=.1)], at)


def _activation(g, *more):
    """One that ONNX Runtime fuses, and its numbers."""
    return g.pick(("Relu", []), ("Tanh", []), ("Sigmoid", []),
                  ("LeakyRelu", [g.fraction(.01, .5)]),
                  ("HardSigmoid", [g.fraction(.1, .4), .4]), *more)


def fused_gemm(g):
    m, k, n = (g.extent() for _ in range(3))
    at = g.attr(transA=g.pick(0, 1), transB=g.pick(0, 1),
                alpha=g.fraction(-2, 2), beta=g.pick(.5, -1., 2.))
    inputs = [g.array((k, m) if at["transA"] else (m, k), "float32", 0),
              g.array((n, k) if at["transB"] else (k, n), "float32", 0)]
    if g.chance(.7):
        inputs.append(g.array(g.pick((m, n), (n,), (1, n), (m, 1)), "float32",
                              0))
    at["activation"], numbers = _activation(g)
    at.update(zip(("activation_alpha", "activation_beta"), numbers))
    return Case(inputs, at)


def fused_conv(g):
    rank = g.pick(1, 2, 2)
    group, inner, outer = g.pick(1, 2), g.pick(1, 2), g.pick(1, 2)
    kernel = [g.pick(1, 2, 3) for _ in range(rank)]
    at = {"group": group, "kernel_shape": kernel,
          "pads": [g.pick(0, 1) for _ in range(2 * rank)],
          "strides": [g.pick(1, 2) for _ in range(rank)]}
    channels = group * inner
    x = (g.pick(1, 2), channels) + tuple(g.pick(4, 5, 6) for _ in range(rank))
    inputs = [g.array(x, "float32", 0),
              g.array((group * outer, inner, *kernel), "float32", 0)]
    if g.chance(.7):
        inputs.append(g.array((group * outer,), "float32", 0))
    name, numbers = _activation(g, ("", []), ("Clip", [-.5, g.fraction(0, 2)]))
    if name:
        at["activation"] = name
        if numbers:
            at["activation_params"] = numbers
    elif len(inputs) == 3 and rank == 2:
        extents = [
            (x[2 + i] + at["pads"][i] + at["pads"][rank + i] - kernel[i])
            // at["strides"][i] + 1 for i in range(rank)]
        inputs.append(g.array((x[0], group * outer, *extents), "float32", 0))
    return Case(inputs, at)


def embed(g):
    batch, steps, size = g.pick(1, 2), g.extent(), g.pick(2, 4)
    number = lambda rows: np.asarray(
        g.random.integers(0, rows, (batch, steps)), np.int32)
    table = lambda *shape: g.array(shape, "float32", 0)
    inputs = [number(7), None, table(7, size), table(6, size), None,
              table(size), table(size), None]
    if g.chance():
        inputs[1], inputs[4] = number(2), table(2, size)
    if g.chance():
        lengths = g.random.integers(1, steps + 1, (batch, 1))
        inputs[7] = np.asarray(np.arange(steps) < lengths, np.int32)
    if g.chance(.4):
        inputs.append(number(6))
    at = g.attr(epsilon=1e-3) if g.chance() else {}
    return Case(inputs, at, 2)


def skip_norm(g, shift=True):
    """The sum is the last of four outputs; the CPU has no means."""
    shape = (g.pick(1, 2), g.extent(), g.pick(1, 3, 8))
    ones = lambda: g.array(shape[-1:], "float32", 0)
    inputs = [g.array(shape, "float32", 0), g.array(shape, "float32", 0),
              ones()]
    if shift:
        inputs.append(ones() if g.chance() else None)
    if g.chance():
        inputs.append(ones())
    at = g.attr(epsilon=g.pick(1e-3, 1e-6)) if g.chance() else {}
    case = Case(inputs, at)
    if g.chance():
        case.outputs = ["y0", "", "", "y3"]
    return case


def skip_simplified_norm(g):
    return skip_norm(g, False)


def simplified_norm(g):
    shape = g.shape(1, 4, zeros=False)
    axis = g.axis(len(shape))
    at = {"axis": axis}
    if g.chance():
        at["epsilon"] = 1e-3
    return Case([g.array(shape, "float32", 0),
                 g.array(shape[axis % len(shape):], "float32", 0)], at)


def _mask(g, batch, steps, keys):
    """None, lengths, or a number for each key, or each key of each query."""
    kind = g.pick("none", "lengths", "keys", "pairs")
    if kind == "none":
        return None
    if kind == "lengths":
        return np.asarray(g.random.integers(1, keys + 1, batch), np.int32)
    shape = (batch, keys) if kind == "keys" else (batch, steps, keys)
    mask = np.asarray(g.random.integers(0, 2, shape), np.int32)
    mask[..., 0] = 1
    return mask


class _Sizes:
    """Extents of an attention of one text to itself, with past keys or not."""

    def __init__(self, g):
        self.batch, self.steps = g.pick(1, 2), g.pick(1, 2, 4)
        self.heads, self.size = g.pick(1, 2), g.pick(2, 4)
        self.hidden = self.heads * self.size
        self.past = g.pick(0, 0, 1, 3)
        self.keys = self.past + self.steps


def self_attention(g):
    s, inner = _Sizes(g), g.pick(3, 4)
    float_ = lambda *shape: g.array(shape, "float32", 0)
    inputs = [float_(s.batch, s.steps, inner), float_(inner, 3 * s.hidden),
              float_(3 * s.hidden), _mask(g, s.batch, s.steps, s.keys)]
    inputs.append(float_(2, s.batch, s.heads, s.past, s.size) if s.past
                  else None)
    inputs.append(float_(s.batch, s.heads, s.steps, s.keys)
                  if not s.past and g.chance() else None)
    return Case(inputs, attention_numbers(g, s), 2)


def attention_numbers(g, s):
    at = {"num_heads": s.heads}
    if g.chance(.3):
        at["unidirectional"] = 1
    if g.chance(.3):
        at["scale"] = g.fraction(.2, 1)
    if g.chance(.3):
        at["mask_filter_value"] = -5000.
    return at


def multi_head(g):
    s = _Sizes(g)
    float_ = lambda *shape: g.array(shape, "float32", 0)
    inputs = [float_(s.batch, s.steps, s.hidden) for _ in range(3)]
    inputs.append(float_(3 * s.hidden) if g.chance() else None)
    mask = _mask(g, s.batch, s.steps, s.keys)
    inputs.append(mask if mask is None or mask.ndim < 3 else None)
    inputs.append(float_(g.pick(1, s.batch), s.heads, s.steps, s.keys)
                  if g.chance(.3) else None)
    past = (s.batch, s.heads, s.past, s.size)
    inputs += [float_(*past), float_(*past)] if s.past else []
    return Case(inputs, attention_numbers(g, s), 3 if s.past else 1)


def grouped(g):
    batch, steps, size = g.pick(1, 2), g.pick(1, 3), 16
    shared, kv = g.pick(1, 2), g.pick(1, 2)
    past = g.pick(0, 2, 4)
    float_ = lambda *shape: g.array(shape, "float32", 0)
    # A prompt of several steps has no past.
    steps = 1 if past else steps
    total = past + steps
    inputs = [float_(batch, steps, shared * kv * size),
              float_(batch, steps, kv * size), float_(batch, steps, kv * size),
              float_(batch, kv, past, size), float_(batch, kv, past, size),
              np.full(batch, total - 1, np.int32), np.int32(total).reshape(())]
    if not past:
        inputs[3:5] = [None, None]
    at = {"num_heads": shared * kv, "kv_num_heads": kv}
    if g.chance():
        at["do_rotary"] = 1
        if g.chance():
            at["rotary_interleaved"] = 1
        angles = g.random.uniform(-3, 3, (8, size // 2))
        inputs += [np.cos(angles).astype(np.float32),
                   np.sin(angles).astype(np.float32)]
    if g.chance(.3):
        at["local_window_size"] = g.pick(1, 2)
    if g.chance(.3):
        at["softcap"] = 5.
    if g.chance(.3):
        at["scale"] = g.fraction(.2, 1)
    return Case(inputs, at, 3)


def rotary(g):
    batch, steps, heads, size = (g.pick(1, 2), g.pick(1, 3), g.pick(1, 2),
                                 g.pick(4, 8))
    angles = g.random.uniform(-3, 3, (6, size // 2))
    places = (np.asarray([g.pick(0, 2)], np.int64) if g.chance() else np.asarray(
        g.random.integers(0, 6, (batch, steps)), np.int64))
    x = (batch, heads, steps, size) if g.chance() else (batch, steps,
                                                        heads * size)
    return Case([g.array(x, "float32", 0), places,
                 np.cos(angles).astype(np.float32),
                 np.sin(angles).astype(np.float32)],
                {"interleaved": g.pick(0, 1)})
