# SPDX-License-Identifier: Apache-2.0
"""com.microsoft's DynamicQuantizeLSTM against its equations in NumPy: products of integers with
the sequences, or the state of a step, as bytes of one range."""
import itertools
import unittest

import numpy as np
from onnx_checks import RNG, OnnxCase, floats

STEPS, BATCH, WIDTH, SIZE = 5, 3, 4, 6


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def as_bytes(x):
    """(bytes, their zero point, their scale) of a range with 0 in it."""
    low, high = np.minimum(x.min(), 0), np.maximum(x.max(), 0)
    scale = (high - low) / np.float32(255) or np.float32(1)
    zero = np.clip(np.rint(-low / scale), 0, 255)
    return np.clip(np.rint(x / scale) + zero, 0, 255).astype(int), int(zero), scale


def product(x, matrix, scale, zero):
    codes, point, step = as_bytes(x)
    return ((codes - point) @ (matrix.astype(int) - zero)).astype(np.float32) * (step * scale)


def one_direction(x, lengths, h, c, w, r, bias, peep, backwards):
    reached = np.where(np.arange(STEPS)[:, None, None] < lengths.max(), x, 0)
    inputs = product(reached.reshape(-1, WIDTH), *w).reshape(STEPS, BATCH, -1)
    y = np.zeros((STEPS, BATCH, SIZE), np.float32)
    for t in range(STEPS)[::-1 if backwards else 1]:
        gates = inputs[t] + product(h, *r) + bias
        i, o, f, g = np.split(gates, 4, 1)
        i, f = sigmoid(i + peep[0] * c), sigmoid(f + peep[2] * c)
        cell = f * c + i * np.tanh(g)
        state = sigmoid(o + peep[1] * cell) * np.tanh(cell)
        on = (t < lengths)[:, None]
        y[t], h, c = np.where(on, state, 0), np.where(on, state, h), np.where(on, cell, c)
    return y, h, c


class OnnxQuantisedLstmTest(OnnxCase):

    def check(self, directions, dtype, by_column, optional, direction):
        limits = np.iinfo(dtype)
        shape = (directions, 4 * SIZE) if by_column else (directions,)
        x = floats(STEPS, BATCH, WIDTH)
        w, r = (RNG.integers(limits.min, limits.max, (directions, n, 4 * SIZE), endpoint=True).astype(dtype)
                for n in (WIDTH, SIZE))
        scales = [RNG.uniform(0.001, 0.01, shape).astype(np.float32) for _ in range(2)]
        zeros = [RNG.integers(limits.min // 2, limits.max // 2, shape).astype(dtype) for _ in range(2)]
        bias, peep = floats(directions, 8 * SIZE), floats(directions, 3 * SIZE)
        h, c = floats(directions, BATCH, SIZE), floats(directions, BATCH, SIZE)
        lengths = np.array([4, 2, 3], np.int32)
        given = [x, w, r, bias, lengths, h, c, peep, scales[0], zeros[0], scales[1], zeros[1]]
        if not optional:
            given[3:8] = [None] * 5
            bias, peep, h, c = bias * 0, peep * 0, h * 0, c * 0
            lengths = np.full(BATCH, STEPS)
        got = self.one("DynamicQuantizeLSTM", *given, outputs=3, domain="com.microsoft", hidden_size=SIZE,
                       direction=direction)
        wanted = [one_direction(x, lengths, h[d], c[d], (w[d], scales[0][d], zeros[0][d].astype(int)),
                                (r[d], scales[1][d], zeros[1][d].astype(int)),
                                bias[d, :4 * SIZE] + bias[d, 4 * SIZE:], np.split(peep[d], 3),
                                d == 1 or direction == "reverse") for d in range(directions)]
        for i, axis in enumerate((1, 0, 0)):
            np.testing.assert_allclose(got[i], np.stack([each[i] for each in wanted], axis), 1e-4, 1e-4)

    def test_equations(self):
        for dtype, by_column, optional in itertools.product(("uint8", "int8"), (False, True), (False, True)):
            for directions, direction in ((1, "forward"), (1, "reverse"), (2, "bidirectional")):
                with self.subTest(dtype, by_column=by_column, optional=optional, direction=direction):
                    self.check(directions, dtype, by_column, optional, direction)


if __name__ == "__main__":
    unittest.main()
