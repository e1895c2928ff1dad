# SPDX-License-Identifier: Apache-2.0
"""Losses that are sums over all paths through a sequence, against searches through all paths."""
import itertools
import unittest

import numpy as np

from tests.samples import sequence_cases as cases
from tests.samples.sequence_cases import LENGTHS, Seq, parts, sequences, values
import switchyard as sy


def score_of(path, emission, transition):
    between = sum(transition[2 + a, b] for a, b in zip(path, path[1:]))
    return (transition[0, path[0]] + transition[1, path[-1]] + between
            + sum(row[tag] for row, tag in zip(emission, path)))


def crf_loss(emission, transition, label):
    if not len(emission):
        return 0.0
    paths = itertools.product(range(emission.shape[1]), repeat=len(emission))
    total = sum(np.exp(score_of(path, emission, transition)) for path in paths)
    return np.log(total) - score_of(label, emission, transition)


def shares_of(emission, transition):
    """Alpha: of each row the shares of the tags in the sums over all beginnings."""
    rows = []
    for length in range(1, len(emission) + 1):
        sums = np.zeros(emission.shape[1])
        for path in itertools.product(range(emission.shape[1]), repeat=length):
            score = transition[0, path[0]] + sum(row[tag] for row, tag in zip(emission, path))
            score += sum(transition[2 + a, b] for a, b in zip(path, path[1:]))
            sums[path[-1]] += np.exp(score)
        rows.append(sums / sums.sum())
    return np.array(rows).reshape(emission.shape)


def transducer_loss(log, label, blank):
    """log: [steps, labels + 1, classes]"""
    steps, count, total = len(log), len(label), 0.0
    for places in itertools.combinations_with_replacement(range(steps), count):
        score, u = 0.0, 0
        for t in range(steps):
            while u < count and places[u] == t:
                score += log[t, u, label[u]]
                u += 1
            score += log[t, u, blank]
        total += np.exp(score)
    return -np.log(total)


def crf_call(lengths, dtype=np.float64):
    label = np.random.default_rng(3).integers(0, 3, (sum(lengths), 1))
    return {"emission": sequences(lengths, 3, dtype=dtype),
            "transition": values(5, 3, seed=2, dtype=dtype), "label": Seq(label, [list(lengths)])}


def transducer_call(dtype=np.float64, **attrs):
    log = values(3, 4, 3, 3, dtype=dtype) - 2
    return {"input": log.astype(dtype), "label": np.array([[1, 2], [2, 2], [1, 1]]),
            "input_lengths": np.array([4, 1, 3]), "label_lengths": np.array([2, 1, 0]), **attrs}


class ConditionalFieldTest(unittest.TestCase):

    def test_sequences(self):
        for lengths in LENGTHS:
            call = crf_call(lengths)
            transition, emission = call["transition"], call["emission"]
            tags = [part[:, 0] for part in parts(call["label"])]
            rows = parts(emission)
            loss = np.array([[crf_loss(row, transition, tag)]
                             for row, tag in zip(rows, tags)]).reshape(-1, 1)
            cases.check(self, "linear_chain_crf", call, loss)
            cases.check_gradient(self, "linear_chain_crf", call, ["emission", "transition"])

    def test_what_old_programs_keep(self):
        call = crf_call([2, 1, 3])
        slots = {name.capitalize(): sy.tensor(getattr(value, "array", value),
                                              lod=getattr(value, "lod", None))
                 for name, value in call.items()}
        found = sy.legacy.run("linear_chain_crf", slots, {})
        transition, emission = call["transition"], call["emission"]
        alpha = np.concatenate([shares_of(row, transition) for row in parts(emission)])
        exps = np.exp(emission.array - emission.array.max(1, keepdims=True))
        for slot, want in (("Alpha", alpha), ("EmissionExps", exps),
                           ("TransitionExps", np.exp(transition))):
            np.testing.assert_allclose(found[slot].numpy(), want, rtol=1e-12)
        self.assertEqual(found["Alpha"].lod, emission.lod)

    def test_a_batch_with_lengths(self):
        emission, transition = values(3, 4, 3), values(5, 3, seed=2)
        label = np.random.default_rng(3).integers(0, 3, (3, 4))
        length = np.array([4, 0, 2])
        loss = [[crf_loss(row[:n], transition, tags[:n])]
                for row, tags, n in zip(emission, label, length)]
        label[1, 0] = label[2, 3] = -1  # After the lengths nothing is read.
        emission[2, 3] = np.nan
        call = {"emission": emission, "transition": transition, "label": label, "length": length}
        outputs, _ = cases.run("linear_chain_crf", call)
        np.testing.assert_allclose(outputs[0].numpy(), loss, rtol=1e-12, atol=1e-12)

    def test_large_weights_do_not_overflow(self):
        call = crf_call([4])
        call["transition"] *= 1e4
        outputs, _ = cases.run("linear_chain_crf", call)
        self.assertTrue(np.isfinite(outputs[0].numpy()).all())


class TransducerTest(unittest.TestCase):

    def slopes(self, call):
        """(losses, gradients of their sum)"""
        outputs, tensors = cases.run("warprnnt", call, ["input"])
        (grad,) = sy.grad([outputs[0]], [tensors["input"]], [sy.tensor(np.ones(3))])
        return outputs[0].numpy(), grad.numpy()

    def test_loss_and_gradient(self):
        for blank in (0, 3):
            call = transducer_call()
            if blank:
                call["input"], call["blank"] = values(3, 4, 3, 4) - 2, 3
                call["label"] = np.array([[0, 2], [2, 2], [1, 1]], np.int32)
            want = [transducer_loss(log[:t, :u + 1], label[:u], blank) for log, label, t, u in zip(
                call["input"], call["label"], call["input_lengths"], call["label_lengths"])]
            outputs, _ = cases.run("warprnnt", call)
            np.testing.assert_allclose(outputs[0].numpy(), want, rtol=1e-12)
            cases.check_gradient(self, "warprnnt", call, ["input"])

    def test_labels_gain_by_fastemit(self):
        plain, more = (self.slopes(transducer_call(fastemit_lambda=factor))[1]
                       for factor in (0.0, 0.5))
        np.testing.assert_allclose(more[..., 1:], plain[..., 1:] * 1.5, rtol=1e-12)
        np.testing.assert_array_equal(more[..., 0], plain[..., 0])

    def test_what_is_impossible_costs_without_end(self):
        call = transducer_call()
        call["input"][1] = -np.inf
        loss, slopes = self.slopes(call)
        self.assertEqual(loss[1], np.inf)
        self.assertEqual(np.abs(slopes[1]).max(), 0)
        self.assertGreater(np.abs(slopes[0]).max(), 0)


class SamplesTest(unittest.TestCase):

    def test_invalid(self):
        self.assertEqual(cases.check_invalid(self, "path_losses"), 19)

    def test_every_kernel(self):
        calls = []
        for dtype in (np.float32, np.float64):
            calls.append(("linear_chain_crf", crf_call([2], dtype), ["emission", "transition"]))
            calls.append(("warprnnt", transducer_call(dtype), ["input"]))
        self.assertEqual(cases.missing_kernels("path_losses", calls), ([], 8))


if __name__ == "__main__":
    unittest.main()
