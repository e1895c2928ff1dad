# SPDX-License-Identifier: Apache-2.0
"""RNN, GRU and LSTM by the equations of their schemas in NumPy, in float64:
ONNX's reference leaves out lengths, clips and activations, and ONNX Runtime
layouts, and the clip before the last activation of an LSTM."""

import numpy as np
from onnx import helper, numpy_helper

_DEFAULTS = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"],
             "LSTM": ["Sigmoid", "Tanh", "Tanh"]}
_ACTIVATIONS = {
    "Tanh": np.tanh,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Relu": lambda x: np.maximum(x, 0),
    "HardSigmoid": lambda x: np.clip(.2 * x + .5, 0, 1),
    "Softsign": lambda x: x / (1 + np.abs(x)),
}


class _Cell:
    """One direction of a layer: `step` makes the next state."""

    def __init__(self, kind, functions, attributes, weights):
        self.kind, self.attributes = kind, attributes
        clip = attributes.get("clip")
        self.f = [lambda x, one=_ACTIVATIONS[name]: one(
            x if clip is None else np.clip(x, -clip, clip))
                  for name in functions]
        self.w, self.r, self.b, self.p = weights

    def _gates(self, count, x, h):
        """Each gate's sum; Wb and Rb lie one after the other in B."""
        w, r, b = (np.split(one, parts) for one, parts in (
            (self.w, count), (self.r, count), (self.b, 2 * count)))
        return [(x @ w[i].T + b[i], h @ r[i].T + b[count + i], r[i])
                for i in range(count)]

    def step(self, x, h, c):
        if self.kind == "RNN":
            (in_, back, _), = self._gates(1, x, h)
            return self.f[0](in_ + back), c
        if self.kind == "GRU":
            return self._gru(x, h), c
        return self._lstm(x, h, c)

    def _gru(self, x, h):
        update, reset, new = self._gates(3, x, h)
        z, r = (self.f[0](gate[0] + gate[1]) for gate in (update, reset))
        if self.attributes.get("linear_before_reset"):
            back = r * new[1]
        else:
            back = (r * h) @ new[2].T + (new[1] - h @ new[2].T)
        return (1 - z) * self.f[1](new[0] + back) + z * h

    def _lstm(self, x, h, c):
        i, o, f, g = (in_ + back for in_, back, _ in self._gates(4, x, h))
        pi, po, pf = np.split(self.p, 3)
        i = self.f[0](i + pi * c)
        f = (1 - i if self.attributes.get("input_forget") else
             self.f[0](f + pf * c))
        c = f * c + i * self.f[1](g)
        return self.f[0](o + po * c) * self.f[2](c), c


def _directions(cell_of, x, lengths, h, c, way):
    """Y of [steps, directions, batch, hidden], Y_h and Y_c."""
    steps, batch = x.shape[:2]
    ways = {"forward": [False], "reverse": [True],
            "bidirectional": [False, True]}[way]
    y = np.zeros((steps, len(ways)) + h.shape[1:])
    for d, backwards in enumerate(ways):
        cell = cell_of(d)
        for n in range(batch):
            order = range(lengths[n])
            for t in reversed(order) if backwards else order:
                h[d, n], c[d, n] = cell.step(x[t, n], h[d, n], c[d, n])
                y[t, d, n] = h[d, n]
    return y, h, c


def outputs(model, feeds):
    """None for another operator."""
    node = model.graph.node[0]
    if node.op_type not in _DEFAULTS:
        return None
    held = {one.name: numpy_helper.to_array(one)
            for one in model.graph.initializer}
    ports = [held.get(name, feeds.get(name)) for name in node.input]
    ports += [None] * (8 - len(ports))
    x, w, r, b, lengths, h, c, p = (
        one.astype(np.float64) if one is not None and one.dtype.kind == "f"
        else one for one in ports)
    attributes = {one.name: helper.get_attribute_value(one)
                  for one in node.attribute}
    batch_first = attributes.get("layout", 0)
    if batch_first:
        x = x.swapaxes(0, 1)
        h, c = (one if one is None else one.swapaxes(0, 1) for one in (h, c))
    count, hidden = len(w), r.shape[2]
    state = (count, x.shape[1], hidden)
    h, c = (np.zeros(state) if one is None else one.copy() for one in (h, c))
    b = np.zeros((count, 2 * w.shape[1])) if b is None else b
    p = np.zeros((count, 3 * hidden)) if p is None else p
    lengths = [len(x)] * x.shape[1] if lengths is None else lengths
    names = [name.decode() for name in attributes.get("activations", [])]
    names = names or _DEFAULTS[node.op_type] * count
    each = len(names) // count
    y, h, c = _directions(
        lambda d: _Cell(node.op_type, names[d * each:(d + 1) * each],
                        attributes, (w[d], r[d], b[d], p[d])),
        x, lengths, h, c, attributes.get("direction", b"forward").decode())
    if batch_first:
        y = y.transpose(2, 0, 1, 3)
        h, c = h.swapaxes(0, 1), c.swapaxes(0, 1)
    return [one.astype(np.float32) for one in (y, h, c)][:len(node.output)]
