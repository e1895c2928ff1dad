# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks over sequences, what decodes them, and padded batches, against step by step
NumPy, with gradients."""
import itertools
import unittest

import numpy as np

from tests.samples import sequence_cases as cases
from tests.samples.sequence_cases import LENGTHS, Seq, joined, parts, sequences, values
import switchyard as sy

ACTIVATIONS = {
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0),
    "identity": lambda x: x,
}


def unrolled(x, step, is_reverse, *states):
    """The states after each row of x, sequence by sequence; `states` are the initial ones."""
    rows = [[] for _ in states]
    for i, part in enumerate(parts(x)):
        now = [state[i] for state in states]
        seen = []
        for row in part[::-1] if is_reverse else part:
            now = step(row, *now)
            seen.append(now)
        for out, kept in zip(rows, zip(*(seen[::-1] if is_reverse else seen))):
            out += kept
    return [np.reshape(out, (-1, state.shape[1])) for out, state in zip(rows, states)]


def gru(x, h0, weight, bias, activation, gate, is_reverse, origin_mode):
    width = len(weight)
    both = weight.reshape(-1)[:2 * width * width].reshape(width, 2 * width)
    last = weight.reshape(-1)[2 * width * width:].reshape(width, width)
    act, gate = ACTIVATIONS[activation], ACTIVATIONS[gate]

    def step(row, h):
        row = row + bias[0]
        u, r = np.split(gate(row[:2 * width] + h @ both), 2)
        c = act(row[2 * width:] + (r * h) @ last)
        return [u * h + (1 - u) * c if origin_mode else u * c + (1 - u) * h]
    return unrolled(x, step, is_reverse, h0)[0]


def lstm(x, h0, c0, weight, bias, peepholes, is_reverse, gate, cell, candidate):
    width = len(weight)
    gate, cell, candidate = (ACTIVATIONS[name] for name in (gate, cell, candidate))
    ic, fc, oc = (np.split(bias[0, 4 * width:], 3) if peepholes else [np.zeros(width)] * 3)

    def step(row, h, c):
        new, i, f, o = np.split(row + h @ weight + bias[0, :4 * width], 4)
        c = gate(f + fc * c) * c + gate(i + ic * c) * candidate(new)
        return [gate(o + oc * c) * cell(c), c]
    return unrolled(x, step, is_reverse, h0, c0)


def best_path(emission, transition):
    """Tries all paths."""
    tags = emission.shape[1]
    begin, end, between = transition[0], transition[1], transition[2:]
    paths = list(itertools.product(range(tags), repeat=len(emission)))
    scores = [begin[p[0]] + end[p[-1]] + sum(emission[i, t] for i, t in enumerate(p))
              + sum(between[a, b] for a, b in zip(p, p[1:])) for p in paths]
    return np.array(paths[int(np.argmax(scores))], np.int64)


class NetworkTest(unittest.TestCase):

    def test_gru(self):
        for lengths in LENGTHS:
            x, weight = sequences(lengths, 6), values(2, 6, seed=2)
            bias, h0 = values(1, 6, seed=3), values(len(lengths), 2, seed=4)
            for is_reverse, origin_mode, act, gate in (
                    (False, False, "tanh", "sigmoid"), (True, False, "relu", "sigmoid"),
                    (False, True, "identity", "sigmoid"), (True, True, "tanh", "relu")):
                attrs = {"activation": act, "gate_activation": gate, "is_reverse": is_reverse,
                         "origin_mode": origin_mode}
                want = gru(x, h0, weight, bias, act, gate, is_reverse, origin_mode)
                cases.check(self, "gru", {"input": x, "h0": h0, "weight": weight, "bias": bias,
                                          **attrs}, Seq(want, x.lod))
                want = gru(x, 0 * h0, weight, 0 * bias, act, gate, is_reverse, origin_mode)
                cases.check(self, "gru", {"input": x, "weight": weight, **attrs},
                            Seq(want, x.lod))

    def test_gru_gradients(self):
        call = {"input": sequences([2, 0, 3], 6), "weight": values(2, 6, seed=2)}
        full = {**call, "h0": values(3, 2, seed=4), "bias": values(1, 6, seed=3)}
        cases.check_gradient(self, "gru", call, ["input", "weight"])
        for attrs in ({}, {"is_reverse": True}, {"origin_mode": True, "activation": "sigmoid"},
                      {"gate_activation": "tanh", "activation": "identity"}):
            cases.check_gradient(self, "gru", {**full, **attrs},
                                 ["input", "h0", "weight", "bias"])

    def test_lstm(self):
        for lengths in LENGTHS:
            x, weight = sequences(lengths, 8), values(2, 8, seed=2)
            h0, c0 = values(len(lengths), 2, seed=4), values(len(lengths), 2, seed=5)
            for peepholes, is_reverse, acts in (
                    (True, False, ("sigmoid", "tanh", "tanh")),
                    (True, True, ("sigmoid", "sigmoid", "relu")),
                    (False, False, ("tanh", "identity", "sigmoid"))):
                bias = values(1, 14 if peepholes else 8, seed=3)
                attrs = {"use_peepholes": peepholes, "is_reverse": is_reverse,
                         **dict(zip(("gate_activation", "cell_activation",
                                     "candidate_activation"), acts))}
                for given in (True, False):
                    states = {"h0": h0, "c0": c0} if given else {}
                    want = lstm(x, h0 * given, c0 * given, weight, bias, peepholes, is_reverse,
                                *acts)
                    cases.check(self, "lstm", {"input": x, "weight": weight, "bias": bias,
                                               **states, **attrs},
                                *(Seq(one, x.lod) for one in want))

    def test_lstm_gradients(self):
        call = {"input": sequences([2, 0, 3], 8), "weight": values(2, 8, seed=2),
                "bias": values(1, 14, seed=3), "h0": values(3, 2, seed=4),
                "c0": values(3, 2, seed=5)}
        names = ["input", "h0", "c0", "weight", "bias"]
        for attrs in ({}, {"is_reverse": True}, {"gate_activation": "tanh",
                                                 "cell_activation": "sigmoid",
                                                 "candidate_activation": "identity"}):
            cases.check_gradient(self, "lstm", {**call, **attrs}, names)
        plain = {"input": call["input"], "weight": call["weight"], "bias": values(1, 8, seed=3),
                 "use_peepholes": False}
        cases.check_gradient(self, "lstm", plain, ["input", "weight", "bias"])

    def test_fused(self):
        wide, tall = values(3, 6, seed=6), values(3, 8, seed=7)
        for lengths in LENGTHS:
            x, h0, c0 = sequences(lengths, 3), values(len(lengths), 2, seed=4), values(len(lengths), 2)
            weight, bias = values(2, 6, seed=2), values(1, 6, seed=3)
            call = {"x": x, "h0": h0, "weight_x": wide, "weight_h": weight, "bias": bias}
            want = gru(Seq(x.array @ wide, x.lod), h0, weight, bias, "tanh", "relu", True, True)
            cases.check(self, "fusion_gru", {**call, "gate_activation": "relu", "is_reverse": True,
                                             "origin_mode": True}, Seq(want, x.lod))
            weight, bias = values(2, 8, seed=2), values(1, 14, seed=3)
            call = {"x": x, "weight_x": tall, "weight_h": weight, "bias": bias, "h0": h0, "c0": c0}
            want = lstm(Seq(x.array @ tall, x.lod), h0, c0, weight, bias, True, True, "tanh",
                        "sigmoid", "relu")
            acts = {"gate_activation": "tanh", "cell_activation": "sigmoid",
                    "candidate_activation": "relu"}
            cases.check(self, "fusion_lstm", {**call, "is_reverse": True, **acts},
                        *(Seq(one, x.lod) for one in want))
            kernel, bias = values(6, 4), values(4, seed=2)
            want = [np.concatenate([part, np.pad(part[1:], ((0, 1), (0, 0)))], 1)
                    if len(part) else np.zeros((0, 6)) for part in parts(x)]
            want = np.maximum(joined(want, np.zeros((0, 6))) @ kernel + bias, 0)
            cases.check(self, "fusion_seqconv_eltadd_relu",
                        {"x": x, "filter": kernel, "bias": bias,
                         "context_length": 2}, Seq(want, x.lod))
        call = {"x": sequences([2, 0, 3], 3), "weight_x": wide, "weight_h": values(2, 6, seed=2)}
        cases.check_gradient(self, "fusion_gru", call, ["x", "weight_x", "weight_h"])

    def test_units(self):
        x, h, weight = values(3, 6), values(3, 2, seed=2), values(2, 6, seed=3)
        bias = values(1, 6, seed=4)
        for act, gate, origin_mode in (("tanh", "sigmoid", False), ("relu", "tanh", True)):
            attrs = {"activation": act, "gate_activation": gate, "origin_mode": origin_mode}
            call = {"input": x, "hidden_prev": h, "weight": weight, "bias": bias, **attrs}
            outputs, _ = cases.run("gru_unit", call)
            want = gru(Seq(x, [[1, 1, 1]]), h, weight, bias, act, gate, False, origin_mode)
            np.testing.assert_allclose(outputs[2].numpy(), want, rtol=1e-12)
            reset = outputs[0].numpy()[:, 2:4]
            np.testing.assert_allclose(outputs[1].numpy(), reset * h, rtol=1e-12)
        call["activation"] = "identity"

        def hidden(**changed):
            return sy.ops.gru_unit(**{**call, **changed})[2]
        leaves = {name: sy.tensor(call[name], requires_grad=True)
                  for name in ("input", "hidden_prev", "weight", "bias")}
        weights = values(3, 2, seed=9)
        (hidden(**leaves) * sy.tensor(weights)).sum().backward()
        for name, leaf in leaves.items():
            array, grad = call[name], leaf.grad.numpy()
            for at in np.ndindex(array.shape):
                sides = []
                for step in (1e-6, -1e-6):
                    moved = array.copy()
                    moved[at] += step
                    sides.append((hidden(**{name: sy.tensor(moved)}).numpy() * weights).sum())
                self.assertAlmostEqual(grad[at], (sides[0] - sides[1]) / 2e-6, places=6)
        x, c = values(3, 8), values(3, 2, seed=2)
        i, f, o, g = np.split(x, 4, 1)
        sigmoid = ACTIVATIONS["sigmoid"]
        cell = sigmoid(f + 0.5) * c + sigmoid(i) * np.tanh(g)
        call = {"x": x, "c_prev": c, "forget_bias": 0.5}
        cases.check(self, "lstm_unit", call, cell, sigmoid(o) * np.tanh(cell))
        cases.check_gradient(self, "lstm_unit", call, ["x", "c_prev"])

    def test_row_conv(self):
        filter = values(3, 2, seed=2)
        for lengths in LENGTHS:
            x = sequences(lengths, 2)
            want = np.zeros_like(x.array)
            for to, part in zip(parts(Seq(want, x.lod)), parts(x)):
                for t in range(len(part)):
                    ahead = part[t:t + 3]
                    to[t] = (ahead * filter[:len(ahead)]).sum(0)
            cases.check(self, "row_conv", {"x": x, "filter": filter}, Seq(want, x.lod))
        call = {"x": sequences([2, 0, 4], 2), "filter": filter}
        cases.check_gradient(self, "row_conv", call, ["x", "filter"])
        batch = {"x": values(2, 4, 2), "filter": filter}
        rows = Seq(batch["x"].reshape(8, 2), [[4, 4]])
        want = cases.run("row_conv", {"x": rows, "filter": filter})[0][0].numpy()
        cases.check(self, "row_conv", batch, want.reshape(2, 4, 2))
        cases.check_gradient(self, "row_conv", batch, ["x", "filter"])

    def test_one_state_for_each_sequence(self):
        call = {"input": sequences([1, 2], 6), "weight": values(2, 6), "h0": values(3, 2)}
        with self.assertRaisesRegex(ValueError, r"gru: h0 must be of 2 rows.*, got \[3, 2\]"):
            cases.run("gru", call)


class CrfTest(unittest.TestCase):

    def test_values(self):
        transition = values(5, 3, seed=2)
        for lengths in LENGTHS:
            emission = sequences(lengths, 3)
            paths = [best_path(part, transition) if len(part) else np.zeros(0, np.int64)
                     for part in parts(emission)]
            want = joined(paths, np.zeros(0, np.int64)).reshape(-1, 1)
            call = {"emission": emission, "transition": transition}
            cases.check(self, "crf_decoding", call, Seq(want, emission.lod))
            label = np.full_like(want, 1)
            cases.check(self, "crf_decoding", {**call, "label": label},
                        Seq((want == 1).astype(np.int64), emission.lod))

    def test_padded(self):
        emission, transition = values(3, 4, 3), values(5, 3, seed=2)
        want = np.zeros((3, 4), np.int64)
        lengths = np.array([[4, 0, 2]])
        for i, n in enumerate(lengths[0]):
            want[i, :n] = best_path(emission[i, :n], transition) if n else []
        call = {"emission": emission, "transition": transition, "length": lengths}
        cases.check(self, "crf_decoding", call, want)
        label = np.full_like(want, 2)
        within = np.arange(4) < lengths.reshape(3, 1)
        cases.check(self, "crf_decoding", {**call, "label": label},
                    ((want == 2) & within).astype(np.int64))


class SequencesTest(unittest.TestCase):

    def test_lod_reset(self):
        x = sequences([2, 1, 3], 2)
        cases.check(self, "lod_reset", {"x": x, "target_lod": [0, 4, 6]},
                    Seq(x.array, [[4, 2]]))
        cases.check(self, "lod_reset", {"x": x, "y": sequences([0, 6], 1)},
                    Seq(x.array, [[0, 6]]))
        two = Seq(values(6, 1), [[1, 1], [2, 4]])
        cases.check(self, "lod_reset", {"x": x, "y": two}, Seq(x.array, two.lod))
        for dtype in (np.int32, np.int64):
            cases.check(self, "lod_reset", {"x": x, "y": np.array([0, 1, 6], dtype)},
                        Seq(x.array, [[1, 5]]))
        one = Seq(x.array, [[6]])
        with self.assertRaisesRegex(ValueError, "lod must be of offsets that end at 6"):
            cases.run("lod_reset", {"x": one, "target_lod": [0, 1, 2, 3, 4, 4, 5], "append": True})
        appended = {"x": Seq(x.array, [[1, 5]]), "target_lod": [0, 1, 2, 3, 4, 5, 6]}
        cases.check(self, "lod_reset", {**appended, "append": True},
                    Seq(x.array, [[1, 5], [1] * 6]))
        cases.check_gradient(self, "lod_reset", {"x": x, "target_lod": [0, 6]}, ["x"])
        for target in ([0, 2, 5], []):
            with self.assertRaisesRegex(ValueError, "lod_reset: lod must be "):
                cases.run("lod_reset", {"x": x, "target_lod": target})
        with self.assertRaisesRegex(TypeError, "y must be int32 or int64 without sequences"):
            cases.run("lod_reset", {"x": x, "y": values(3)})

    def test_pad_and_unpad(self):
        for lengths in LENGTHS:
            for row in ((), (2,), (2, 2)):
                x = sequences(lengths, *row)
                counts = np.array(lengths, np.int64)
                for padded in (-1, 5):
                    most = padded if padded > 0 else max(lengths, default=0)
                    for pad in (values(1, seed=7), values(*row, seed=8) if row else values(1)):
                        want = np.broadcast_to(pad.reshape(-1)[0] if pad.size == 1 else pad,
                                               (len(lengths), most, *row)).copy()
                        for i, part in enumerate(parts(x)):
                            want[i, :len(part)] = part
                        cases.check(self, "sequence_pad",
                                    {"x": x, "pad_value": pad, "padded_length": padded},
                                    want, counts)
                    back = x.array if row else x.array.reshape(-1, 1)
                    cases.check(self, "sequence_unpad", {"x": want, "length": counts},
                                Seq(back, x.lod))
        x = sequences([2, 0, 3], 2)
        with self.assertRaisesRegex(ValueError, "padded_length must be -1 or at least 3"):
            cases.run("sequence_pad", {"x": x, "pad_value": values(1), "padded_length": 2})
        with self.assertRaisesRegex(ValueError, "pad_value must be of 1 element or 2"):
            cases.run("sequence_pad", {"x": x, "pad_value": values(3)})
        cases.check_gradient(self, "sequence_pad", {"x": x, "pad_value": values(1)}, ["x"])
        cases.check_gradient(self, "sequence_unpad",
                             {"x": values(2, 3, 2), "length": np.array([3, 1])}, ["x"])

    def test_mask(self):
        for dtype in (np.int32, np.int64):
            x = np.array([[0, 2], [5, -1]], dtype)
            for maxlen in (-1, 0, 4):
                most = maxlen if maxlen >= 0 else 5
                for out in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16",
                            "float32", "float64"):
                    want = (np.arange(most) < x[..., None]).astype(out)
                    cases.check(self, "sequence_mask",
                                {"x": x, "maxlen": maxlen, "out_dtype": out}, want)
        outputs, _ = cases.run("sequence_mask", {"x": np.array([1]), "out_dtype": "bfloat16"})
        self.assertEqual(outputs[0].astype("float32").tolist(), [[1.0]])
        cases.check(self, "sequence_mask", {"x": np.zeros(0, np.int64)},
                    np.zeros((0, 0), np.int64))


class SamplesTest(unittest.TestCase):

    def test_invalid(self):
        self.assertGreater(cases.check_invalid(self, "recurrent"), 40)
        self.assertGreater(cases.check_invalid(self, "fused"), 6)

    def test_sequences_are_needed(self):
        cases.check_sequences_are_needed(self, "recurrent",
                                         ("gru", "lstm", "crf_decoding", "sequence_pad"))

    def test_every_kernel(self):
        def calls():
            for dtype in (np.int32, np.int64, np.float32, np.float64):
                x = sequences([2, 0, 4], 2, dtype=dtype)
                grad = ["x"] if np.dtype(dtype).kind == "f" else []
                yield "lod_reset", {"x": x, "target_lod": [0, 6]}, grad
                yield "sequence_pad", {"x": x, "pad_value": values(1, dtype=dtype)}, grad
                yield "sequence_unpad", {"x": values(2, 3, dtype=dtype),
                                         "length": np.array([3, 1])}, grad
                if not grad:
                    yield "sequence_mask", {"x": np.array([1, 2], dtype)}, []
                    continue
                yield "gru", {"input": sequences([1, 2], 6, dtype=dtype),
                              "weight": values(2, 6, dtype=dtype)}, ["input", "weight"]
                yield "lstm", {"input": sequences([1, 2], 8, dtype=dtype),
                               "weight": values(2, 8, dtype=dtype),
                               "bias": values(1, 14, dtype=dtype)}, ["input", "weight"]
                yield "gru_unit", {"input": values(2, 6, dtype=dtype),
                                   "hidden_prev": values(2, 2, dtype=dtype),
                                   "weight": values(2, 6, dtype=dtype)}, ["input", "weight"]
                yield "lstm_unit", {"x": values(2, 8, dtype=dtype),
                                    "c_prev": values(2, 2, dtype=dtype)}, ["x", "c_prev"]
                yield "row_conv", {"x": x, "filter": values(2, 2, dtype=dtype)}, ["x"]
                yield "crf_decoding", {"emission": x,
                                       "transition": values(4, 2, dtype=dtype)}, []
        missing, count = cases.missing_kernels("recurrent", calls())
        self.assertGreater(count, 25)
        self.assertEqual([], missing)


if __name__ == "__main__":
    unittest.main()
