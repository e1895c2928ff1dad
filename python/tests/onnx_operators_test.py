# SPDX-License-Identifier: Apache-2.0
"""Operators of ONNX that several of ours compute, against NumPy."""
import unittest

import numpy as np
import onnx_models as onnx
from onnx_checks import RNG, OnnxCase, floats

import switchyard as sy

_SEQUENCE = 4  # The field of TypeProto.


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class OnnxLoopsTest(OnnxCase):
    """Sequences, and the results that loops collect, are tensor arrays."""

    def test_sequences(self):
        """Positions say where tensors are put in, taken out and erased."""
        a, b, c = floats(2, 3), floats(1, 3), floats(3, 3)
        nodes = [
            onnx.node("SequenceEmpty", [], ["none"]),
            onnx.node("SequenceInsert", ["none", "a"], ["one"]),
            onnx.node("SequenceInsert", ["one", "b"], ["two"]),
            onnx.node("SequenceInsert", ["two", "c", "at"], ["three"]),
            onnx.node("SequenceLength", ["three"], ["length"]),
            onnx.node("ConcatFromSequence", ["three"], ["all"], axis=0),
            onnx.node("SequenceErase", ["three", "at"], ["left"]),
            onnx.node("ConcatFromSequence", ["left"], ["rest"], axis=0),
            onnx.node("SequenceAt", ["three", "at"], ["y"]),
        ]
        for at in (0, 1, -1):
            feeds = {"a": a, "b": b, "c": c, "at": np.array(at)}
            every = [a, b]
            every.insert(at, c)
            length, joined, rest, y = self.run_both(
                nodes, feeds, ["length", "all", "rest", "y"])
            self.assertEqual(length, 3)
            np.testing.assert_array_equal(joined, np.concatenate(every))
            np.testing.assert_array_equal(y, every[at])
            del every[at]
            np.testing.assert_array_equal(rest, np.concatenate(every))

    def test_split_to_sequence(self):
        x = floats(7, 2)
        for split, sizes in ((None, [1] * 7), (np.array(3), [3, 3, 1]),
                             (np.array([2, 0, 5]), [2, 0, 5])):
            feeds = {"x": x} if split is None else {"x": x, "split": split}
            nodes = [
                onnx.node("SplitToSequence", list(feeds), ["s"], axis=0),
                onnx.node("SequenceLength", ["s"], ["n"]),
                onnx.node("SequenceAt", ["s", "last"], ["y"]),
            ]
            count, last = self.run_both(nodes, feeds, ["n", "y"],
                                        tensors=[("last", np.array(-1))])
            self.assertEqual(count, len(sizes))
            np.testing.assert_array_equal(last, x[7 - sizes[-1]:])

    def test_lists_are_fed_to_sequences(self):
        """A body sees an element of each, and its results are a sequence."""
        body = onnx.graph([onnx.node("Add", ["p", "q"], ["sum"])],
                          [onnx.port("p", "float32", (None,)),
                           onnx.port("q", "float32", (None,))], ["sum"])
        element = onnx.message(1, onnx.message(1, onnx.number(
            1, 1) + onnx.message(2, onnx.message(1, b""))))
        ports = [onnx.message(1, name) + onnx.message(
            2, onnx.message(_SEQUENCE, element)) for name in ("a", "b")]
        graph = onnx.graph(
            [onnx.node("SequenceMap", ["a", "b"], ["s"], body=body)], ports,
            ["s"])
        with open(self.path, "wb") as file:
            file.write(onnx.model(graph, 17))
        program = sy.load(self.path)
        a, b = [floats(n) for n in (2, 5)], [floats(n) for n in (2, 5)]
        array = program(a, b)
        self.assertEqual(sy.array_length(array).item(), 2)
        for i in range(2):
            np.testing.assert_array_equal(sy.array_read(array, i).numpy(),
                                          a[i] + b[i])

    def test_ranks_that_the_file_does_not_say(self):
        """One with which the model has a meaning; none of many."""
        def sequence(name, shape):
            tensor = onnx.number(1, 1) + shape
            return onnx.message(1, name) + onnx.message(2, onnx.message(
                _SEQUENCE, onnx.message(1, onnx.message(1, tensor))))

        def load(node, shape):
            ports = [sequence("s", shape), onnx.port("x", "float32", (None, 3)), onnx.port("i", "int64", ())]
            with open(self.path, "wb") as file:
                file.write(onnx.model(onnx.graph([node], ports, ["r"]), 17))
            return sy.load(self.path)

        unsaid, no_axes = b"", onnx.message(2, b"")
        elements, x = [floats(2, 3), floats(4, 3)], floats(1, 3)
        insert = onnx.node("SequenceInsert", ["s", "x", "i"], ["r"])
        for shape in (unsaid, no_axes):
            program = load(insert, shape)
            for given in (elements, []):
                got = program.run({"s": given, "x": x, "i": np.array(0)})["r"]
                self.assertEqual(sy.array_length(got).item(), len(given) + 1)
                for i, wanted in enumerate([x] + given):
                    np.testing.assert_array_equal(sy.array_read(got, i).numpy(), wanted)
        with self.assertRaisesRegex(ValueError, "sequence 's' must be described with the shape of its elements, "
                                                "or used where one rank is right, got no shape"):
            load(onnx.node("Identity", ["s"], ["r"]), unsaid)
        # Numbers without axes are what it says, if they have a meaning.
        program = load(onnx.node("SequenceAt", ["s", "i"], ["r"]), no_axes)
        got = program.run({"s": [np.float32(3), np.float32(4)], "x": x, "i": np.array(1)})["r"]
        self.assertEqual(got.item(), 4)

    def test_scan(self):
        """Sums so far, forwards and backwards, stacked along another axis."""
        body = onnx.graph(
            [onnx.node("Add", ["s", "x"], ["t"]),
             onnx.node("Identity", ["t"], ["u"])],
            [onnx.port("s", "float32", (2,)), onnx.port("x", "float32", (2,))],
            ["t", "u"])
        start, x = floats(2), floats(2, 4)
        for back in (0, 1):
            last, sums = self.one("Scan", start, x, outputs=2, body=body,
                                  num_scan_inputs=1, scan_input_axes=[1],
                                  scan_input_directions=[back],
                                  scan_output_axes=[1])
            turned = x[:, ::-1] if back else x
            wanted = start[:, None] + np.cumsum(turned, 1)
            np.testing.assert_allclose(sums, wanted, 1e-5, 1e-5)
            np.testing.assert_allclose(last, wanted[:, -1], 1e-5, 1e-5)

    def test_gru_with_an_early_reset(self):
        """The reset gate stands before the product with the state; lengths cut."""
        steps, batch, width, size = 4, 2, 3, 5
        x, w = floats(steps, batch, width), floats(1, 3 * size, width)
        r, bias = floats(1, 3 * size, size), floats(1, 6 * size)
        lengths = np.array([4, 2], np.int32)
        for direction in ("forward", "reverse"):
            y, last = self.one("GRU", x, w, r, bias, lengths, outputs=2,
                               hidden_size=size, direction=direction)
            h = np.zeros((batch, size))
            wanted = np.zeros((steps, batch, size))
            order = range(steps)
            for t in order if direction == "forward" else reversed(order):
                gate = x[t] @ w[0].T + bias[0, :3 * size]
                old = h @ r[0].T + bias[0, 3 * size:]
                z = sigmoid(gate[:, :size] + old[:, :size])
                reset = sigmoid(gate[:, size:2 * size]
                                + old[:, size:2 * size])
                n = np.tanh(gate[:, 2 * size:] + (reset * h) @ r[0, 2 * size:].T
                            + bias[0, 5 * size:])
                there = (t < lengths)[:, None]
                new = (1 - z) * n + z * h
                h = np.where(there, new, h)
                wanted[t] = np.where(there, new, 0)
            np.testing.assert_allclose(y[:, 0], wanted, 1e-4, 1e-5)
            np.testing.assert_allclose(last[0], h, 1e-4, 1e-5)

    def test_lstm_with_peepholes(self):
        x, w, r = floats(3, 2, 4), floats(1, 12, 4), floats(1, 12, 3)
        bias, peep = floats(1, 24), floats(1, 9)
        y, _, cell = self.one("LSTM", x, w, r, bias, None, None, None, peep,
                              outputs=3, hidden_size=3, clip=2.0)
        h, c = np.zeros((2, 3)), np.zeros((2, 3))
        bound = lambda value: np.clip(value, -2, 2)
        for t in range(3):
            all_gates = (x[t] @ w[0].T + h @ r[0].T + bias[0, :12]
                         + bias[0, 12:])
            i, o, f, g = np.split(all_gates, 4, axis=1)
            i = sigmoid(bound(i + peep[0, :3] * c))
            f = sigmoid(bound(f + peep[0, 6:] * c))
            c = f * c + i * np.tanh(bound(g))
            h = sigmoid(bound(o + peep[0, 3:6] * c)) * np.tanh(bound(c))
            np.testing.assert_allclose(y[t, 0], h, 1e-4, 1e-5)
        np.testing.assert_allclose(cell[0], c, 1e-4, 1e-5)

    def test_non_max_suppression(self):
        boxes = np.array([[[0, 0, 1, 1], [0, .1, 1, 1.1], [0, -.1, 1, .9],
                           [0, 10, 1, 11], [0, 10.1, 1, 11.1],
                           [0, 100, 1, 101]]], np.float32)
        scores = np.array([[[.9, .75, .6, .95, .5, .3]]], np.float32)
        for most, least, wanted in ((3, 0.0, [3, 0, 5]), (2, 0.0, [3, 0]),
                                    (6, 0.4, [3, 0]), (0, 0.0, [])):
            got = self.one("NonMaxSuppression", boxes, scores,
                           np.array([most]), np.array([.5], np.float32),
                           np.array([least], np.float32))
            np.testing.assert_array_equal(
                got, np.array([[0, 0, i] for i in wanted]).reshape(-1, 3))


class OnnxOperatorsTest(OnnxCase):

    def test_fourier_transforms(self):
        x = floats(2, 10, 3, 1)
        wanted = np.fft.fft(x[..., 0].astype(np.float64), axis=1)
        got = self.one("DFT", x, axis=1)
        np.testing.assert_allclose(got[..., 0] + 1j * got[..., 1], wanted,
                                   1e-5, 1e-5)
        got = self.one("DFT", x, np.array(7), axis=1, onesided=1)
        wanted = np.fft.rfft(x[..., 0].astype(np.float64), 7, axis=1)
        np.testing.assert_allclose(got[..., 0] + 1j * got[..., 1], wanted,
                                   1e-5, 1e-5)
        signal, window = floats(1, 32, 1), floats(8)
        got = self.one("STFT", signal, np.array(4), window)
        frames = np.stack([signal[0, i:i + 8, 0] * window
                           for i in range(0, 25, 4)])
        np.testing.assert_allclose(
            got[0, ..., 0] + 1j * got[0, ..., 1],
            np.fft.rfft(frames.astype(np.float64)), 1e-5, 1e-5)

    def test_unique(self):
        x = np.array([[1, 0, 0], [1, 0, 0], [2, 3, 4], [0, 9, 9]], np.float32)
        y, first, inverse, counts = self.one("Unique", x, outputs=4, axis=0)
        np.testing.assert_array_equal(y, x[[3, 0, 2]])
        np.testing.assert_array_equal(first, [3, 0, 2])
        np.testing.assert_array_equal(inverse, [1, 1, 2, 0])
        np.testing.assert_array_equal(counts, [1, 2, 1])
        row = np.array([2, 1, 1, 3, 4, 3], np.float32)
        y, first, inverse, counts = self.one("Unique", row, outputs=4,
                                             sorted=0)
        np.testing.assert_array_equal(y, [2, 1, 3, 4])
        np.testing.assert_array_equal(first, [0, 1, 3, 4])
        np.testing.assert_array_equal(inverse, [0, 1, 1, 2, 3, 2])
        np.testing.assert_array_equal(counts, [1, 2, 2, 1])

    def test_integers_of_eight_bits(self):
        """Sums are exact, and halves go to the even number."""
        a = RNG.integers(0, 256, (4, 300), np.uint8)
        b = RNG.integers(-128, 128, (300, 5), np.int8)
        wide = (a.astype(np.int64) - 7) @ (b.astype(np.int64) + 3)
        got = self.one("MatMulInteger", a, b, np.array(7, np.uint8),
                       np.array(-3, np.int8))
        np.testing.assert_array_equal(got, wide)
        scale = lambda value: np.array(value, np.float32)
        got = self.one("QLinearMatMul", a, scale(.5), np.array(7, np.uint8), b,
                       scale(.25), np.array(-3, np.int8), scale(1024),
                       np.array(9, np.int8))
        wanted = np.clip(np.rint(wide * (.125 / 1024)) + 9, -128, 127)
        np.testing.assert_array_equal(got, wanted)
        x = RNG.integers(0, 256, (1, 2, 5, 5), np.uint8)
        w = RNG.integers(0, 256, (3, 2, 3, 3), np.uint8)
        zeros = np.array([1, 2, 3], np.uint8)
        got = self.one("ConvInteger", x, w, np.array(5, np.uint8), zeros,
                       pads=[1, 1, 1, 1])
        padded = np.pad(x.astype(np.int64) - 5, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3),
                                                           axis=(2, 3))
        exact = np.einsum("nchwij,ocij->nohw", windows,
                          w.astype(np.int64) - zeros[:, None, None, None])
        np.testing.assert_array_equal(got, exact)

    def test_operators_of_onnx_runtime(self):
        x, y, gain, shift = floats(2, 3, 8), floats(2, 3, 8), floats(8), floats(8)
        total = x.astype(np.float64) + y
        got = self.one("SkipLayerNormalization", x, y, gain, shift,
                       domain="com.microsoft", epsilon=1e-3)
        centred = total - total.mean(-1, keepdims=True)
        wanted = centred / np.sqrt(
            (centred ** 2).mean(-1, keepdims=True) + 1e-3) * gain + shift
        np.testing.assert_allclose(got, wanted, 1e-4, 1e-5)
        got = self.one("SkipSimplifiedLayerNormalization", x, y, gain,
                       domain="com.microsoft", epsilon=1e-3)
        wanted = total / np.sqrt((total ** 2).mean(-1, keepdims=True)
                                 + 1e-3) * gain
        np.testing.assert_allclose(got, wanted, 1e-4, 1e-5)
        got = self.one("QuickGelu", x, domain="com.microsoft", alpha=1.5)
        np.testing.assert_allclose(got, x * sigmoid(1.5 * x), 1e-5, 1e-6)
        a, b = floats(2, 4, 3), floats(2, 5, 3)
        got = self.one("FusedMatMul", a, b, domain="com.microsoft", transB=1,
                       alpha=0.5)
        np.testing.assert_allclose(got, 0.5 * a @ b.transpose(0, 2, 1), 1e-5,
                                   1e-5)

    def test_n_grams(self):
        """Pairs of a row, one after the other or with one between them."""
        x = np.array([[1, 1, 3, 3, 3, 7], [8, 6, 7, 5, 6, 8]], np.int32)
        got = self.one("TfIdfVectorizer", x, mode="TF", min_gram_length=1,
                       max_gram_length=2, max_skip_count=1,
                       ngram_counts=[0, 2], ngram_indexes=[2, 0, 1],
                       pool_int64s=[3, 6, 3, 3])
        np.testing.assert_array_equal(got, [[0, 3, 3], [2, 0, 0]])

    def test_windows_with_gaps_and_their_places(self):
        """Maxima of any batch, and where they are in the whole tensor."""
        x = floats(3, 2, 7, 6)
        graph = onnx.graph(
            [onnx.node("MaxPool", ["x"], ["y"], kernel_shape=[3, 2],
                       dilations=[2, 3], strides=[1, 2]),
             onnx.node("MaxPool", ["x"], ["z", "at"], kernel_shape=[2, 2],
                       strides=[2, 2])],
            [onnx.port("x", "float32", ("n", 2, 7, 6))], ["y", "z", "at"])
        with open(self.path, "wb") as file:
            file.write(onnx.model(graph))
        program = sy.load(self.path)
        got = program.run({"x": x})
        windows = np.lib.stride_tricks.sliding_window_view(
            x, (5, 4), axis=(2, 3))[:, :, :, ::2, ::2, ::3]
        np.testing.assert_array_equal(got["y"], windows.max((4, 5)))
        np.testing.assert_array_equal(x.reshape(-1)[got["at"]], got["z"])
        for name, array in program.run_eagerly({"x": x}).items():
            np.testing.assert_array_equal(got[name], array)

    def test_random_numbers(self):
        """A seed gives the same ones in each run, and none gives others."""
        for seed in (None, 2.0):
            options = {} if seed is None else {"seed": seed}
            program = self.load(
                [onnx.node("RandomUniform", [], ["y"], shape=[2000], low=1.0,
                           high=3.0, **options)], {}, ["y"])
            first, second = program.run({})["y"], program.run({})["y"]
            self.assertEqual((first == second).all(), seed is not None)
            self.assertTrue(((first >= 1) & (first < 3)).all())
            self.assertAlmostEqual(first.mean(), 2, delta=0.1)

    def test_dropout_in_training(self):
        x = np.ones((50, 40), np.float32)
        y, mask = self.one("Dropout", x, np.array(.25, np.float32),
                           np.array(True), outputs=2, seed=3)
        np.testing.assert_array_equal(y, np.where(mask, x / np.float32(.75), 0))
        self.assertAlmostEqual(mask.mean(), 0.75, delta=0.05)
        y, mask = self.one("Dropout", x, np.array(.25, np.float32),
                           np.array(False), outputs=2, seed=3)
        np.testing.assert_array_equal(y, x)
        self.assertTrue(mask.all())

    def test_weights_in_constants_are_states(self):
        """Several numbers of a Constant are a weight, one is a number."""
        w = floats(3, 4)
        program = self.load(
            [onnx.node("Constant", [], ["w"], value=w),
             onnx.node("Constant", [], ["half"],
                       value=np.array([.5], np.float32)),
             onnx.node("MatMul", ["x", "w"], ["p"]),
             onnx.node("Mul", ["p", "half"], ["y"])],
            {"x": floats(2, 3)}, ["y"])
        self.assertEqual(list(program.state.keys()), ["w"])
        x = floats(2, 3)
        np.testing.assert_allclose(program.run({"x": x})["y"], x @ w * .5,
                                   1e-5, 1e-5)


if __name__ == "__main__":
    unittest.main()
