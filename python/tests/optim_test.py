# SPDX-License-Identifier: Apache-2.0
"""Optimizers against their formulas; schedules, clipping, resuming."""
import math
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, optim

STEPS = 5


def gradients():
    rng = np.random.default_rng(1)
    return [rng.normal(size=(3, 2)) for _ in range(STEPS)]


START = np.random.default_rng(0).normal(size=(3, 2))


def run(make):
    """Parameters after each step of `make`'s optimizer."""
    p = sy.tensor(START, requires_grad=True)
    optimizer, seen = make([p]), []
    for gradient in gradients():
        p.grad = sy.tensor(gradient)
        optimizer.step()
        seen.append(p.numpy().copy())
    return seen


class FormulaTest(unittest.TestCase):

    def check(self, make, step):
        p, state = START.copy(), {}
        for count, (g, got) in enumerate(zip(gradients(), run(make)), 1):
            p = step(p, g, state, count)
            # The operators' coefficients are float32, 1 - 0.999 to 5e-6.
            np.testing.assert_allclose(got, p, rtol=1e-5, atol=2e-6)

    def test_sgd(self):
        self.check(lambda ps: optim.SGD(ps, 0.1), lambda p, g, s, t: p - 0.1 * g)
        self.check(lambda ps: optim.SGD(ps, 0.1, weight_decay=0.5),
                   lambda p, g, s, t: p - 0.1 * (g + 0.5 * p))

    def test_momentum(self):
        for nesterov in (False, True):
            for decay in (0.0, 0.25):
                def step(p, g, s, t):
                    g = g + decay * p
                    s["v"] = 0.9 * s.get("v", 0) + g
                    return p - 0.1 * (g + 0.9 * s["v"] if nesterov else s["v"])
                self.check(lambda ps: optim.Momentum(
                    ps, 0.1, nesterov=nesterov, weight_decay=decay), step)

    @staticmethod
    def adam(p, g, s, t):
        s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
        s["v"] = 0.999 * s.get("v", 0) + 0.001 * g * g
        rate = 0.1 * math.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        epsilon = 1e-8 * math.sqrt(1 - 0.999**t)
        return p - rate * s["m"] / (np.sqrt(s["v"]) + epsilon)

    def test_adam(self):
        self.check(lambda ps: optim.Adam(ps, 0.1), self.adam)
        self.check(lambda ps: optim.Adam(ps, 0.1, weight_decay=0.5),
                   lambda p, g, s, t: self.adam(p, g + 0.5 * p, s, t))

    def test_amsgrad(self):
        def step(p, g, s, t):
            s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
            s["v"] = 0.999 * s.get("v", 0) + 0.001 * g * g
            s["top"] = np.maximum(s.get("top", 0), s["v"])
            rate = 0.1 * math.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            epsilon = 1e-8 * math.sqrt(1 - 0.999**t)
            return p - rate * s["m"] / (np.sqrt(s["top"]) + epsilon)
        self.check(lambda ps: optim.Adam(ps, 0.1, amsgrad=True), step)

    def test_adamw(self):
        self.check(lambda ps: optim.AdamW(ps, 0.1, weight_decay=0.5),
                   lambda p, g, s, t: self.adam(p * (1 - 0.1 * 0.5), g, s, t))


class HalvesTest(unittest.TestCase):

    def test_steps_are_those_of_float32_rounded(self):
        for dtype, tolerance in (("float16", 4e-3), ("bfloat16", 3e-2)):
            for kind in (optim.SGD, optim.Momentum, optim.Adam, optim.AdamW):
                with self.subTest(kind.__name__, dtype=dtype):
                    half = sy.tensor(START, dtype, requires_grad=True)
                    whole = sy.tensor(half.numpy(), "float32",
                                      requires_grad=True)
                    clip = optim.ClipGradByGlobalNorm(1.0)
                    for p in (half, whole):
                        optimizer = kind([p], 0.125, clip=clip)
                        for gradient in gradients():
                            gradient = sy.tensor(gradient, dtype)
                            p.grad = gradient.astype(p.dtype)
                            optimizer.step()
                        for state in optimizer.state["0"].values():
                            self.assertEqual(state.dtype, "float32")
                    self.assertEqual(half.dtype, dtype)
                    np.testing.assert_allclose(half.numpy(), whole.numpy(),
                                               rtol=tolerance, atol=tolerance)


    def test_master_weights_add_up_small_steps(self):
        for dtype in ("float16", "bfloat16"):
            for kind in (optim.Adam, optim.AdamW):
                with self.subTest(kind.__name__, dtype=dtype):
                    p = sy.tensor(np.ones(3), dtype, requires_grad=True)
                    optimizer = kind([p], 1e-4, multi_precision=True,
                                     weight_decay=0.0)
                    p.grad = sy.tensor(np.ones(3), dtype)
                    for _ in range(200):
                        optimizer.step()
                    np.testing.assert_allclose(p.numpy(), 0.98, atol=4e-3)
                    master = optimizer.state["0"]["master_param"]
                    np.testing.assert_allclose(master.numpy(), 0.98, atol=1e-4)
                    other = kind([sy.tensor(np.ones(3), dtype)], 1e-4,
                                 multi_precision=True)
                    other.load_state_dict(optimizer.state_dict())
                    np.testing.assert_array_equal(
                        other.state["0"]["master_param"].numpy(),
                        master.numpy())
        whole = optim.Adam([sy.ones(1)], multi_precision=True)
        self.assertNotIn("master_param", whole.state["0"])


class OptimizerTest(unittest.TestCase):

    def test_parameters(self):
        with self.assertRaisesRegex(ValueError, "empty"):
            optim.SGD([])
        with self.assertRaisesRegex(TypeError, "tensor"):
            optim.SGD([np.zeros(2)])
        with self.assertRaisesRegex(ValueError, "differ"):
            optim.SGD([("a", sy.ones(1)), ("a", sy.ones(1))])
        once = sy.ones(1)
        with self.assertRaisesRegex(ValueError, "once"):
            optim.SGD([once, once])
        leaf = sy.tensor([1.0], requires_grad=True)
        for wrong, words, parameters in [
                (TypeError, "list of tensors", leaf),
                (ValueError, "leaf", [leaf * 2.0]),
                (TypeError, "floating", [sy.tensor([1])]),
                (TypeError, "float64", [leaf, sy.ones(1, "float64")])]:
            with self.assertRaisesRegex(wrong, words):
                optim.SGD(parameters)
        self.assertEqual(repr(optim.SGD([sy.ones(1)], 0.5)),
                         "SGD(1 parameters, learning_rate=0.5)")

    def test_parameters_without_gradient_stay(self):
        a, b = (sy.tensor([1.0], requires_grad=True) for _ in range(2))
        optimizer = optim.SGD([a, b], 0.5)
        (a * 2.0).sum().backward()
        optimizer.step()
        self.assertEqual((a.tolist(), b.tolist()), ([0.0], [1.0]))
        optimizer.zero_grad()
        self.assertIsNone(a.grad)

    def test_learning_rate(self):
        a = sy.tensor([1.0], requires_grad=True)
        optimizer = optim.SGD([a], 0.5)
        optimizer.learning_rate = 2.0
        self.assertEqual(optimizer.learning_rate, 2.0)
        for wrong in (-1.0, math.nan):
            with self.assertRaisesRegex(ValueError, "learning_rate"):
                optimizer.learning_rate = wrong
        a.grad = sy.tensor([1.0])
        optimizer.step()
        self.assertEqual(a.tolist(), [-1.0])


    def test_two_written_arguments_must_be_apart(self):
        p, g = sy.ones([4]), sy.ones([2])
        rate, powers = sy.tensor([0.1]), [sy.tensor([0.9]) for _ in range(2)]
        moment = sy.zeros([2])
        for moments in ((moment, moment), (p[:2], p[1:3])):
            with self.assertRaisesRegex(
                    ValueError, "adam_: moment1 and moment2 overlap in memory, "
                    "but the operator writes both"):
                sy.ops.adam_(sy.ones([2]), g, rate, *moments, *powers)
        self.assertEqual(p.tolist(), [1.0] * 4)
        # Parts of one memory that don't touch each other.
        sy.ops.adam_(sy.ones([2]), g, rate, p[:2], p[2:], *powers)
        # An argument that is only read may be the one that is written.
        sy.ops.sgd_(g, rate, g)
        np.testing.assert_allclose(g.numpy(), [0.9, 0.9], rtol=1e-6)


class ClipTest(unittest.TestCase):

    def test_formulas(self):
        grads = [np.array([3.0, -4.0]), np.array([[12.0]])]
        for clip, want in [
                (optim.ClipGradByValue(3.5), [[3.0, -3.5], [[3.5]]]),
                (optim.ClipGradByNorm(5.0), [[3.0, -4.0], [[5.0]]]),
                (optim.ClipGradByGlobalNorm(6.5), [[1.5, -2.0], [[6.0]]]),
                (optim.ClipGradByGlobalNorm(20.0), grads)]:
            got = clip([sy.tensor(g) for g in grads])
            for g, w in zip(got, want):
                np.testing.assert_allclose(g.numpy(), w, rtol=1e-12)
        self.assertEqual(optim.global_norm([sy.tensor(g) for g in grads]), 13.0)
        # Their squares are beyond the largest float16.
        large = sy.tensor([3000.0, 4000.0], "float16")
        for clip in (optim.ClipGradByNorm(5.0), optim.ClipGradByGlobalNorm(5.0)):
            (got,) = clip([large])
            self.assertEqual(got.dtype, "float16")
            np.testing.assert_allclose(got.numpy(), [3.0, 4.0], rtol=1e-3)
        with self.assertRaisesRegex(ValueError, "positive"):
            optim.ClipGradByNorm(0)


class ScheduleTest(unittest.TestCase):

    def rates(self, make, steps=5, base=1.0):
        optimizer = optim.SGD([sy.ones(1)], base)
        schedule = make(optimizer)
        rates = [optimizer.learning_rate]
        for _ in range(steps):
            schedule.step()
            rates.append(optimizer.learning_rate)
        return rates

    def test_formulas(self):
        for make, want in [
                (lambda o: optim.StepDecay(o, 2, 0.5),
                 [1, 1, 0.5, 0.5, 0.25, 0.25]),
                (lambda o: optim.MultiStepDecay(o, [4, 1], 0.5),
                 [1, 0.5, 0.5, 0.5, 0.25, 0.25]),
                (lambda o: optim.ExponentialDecay(o, 0.5),
                 [1, 0.5, 0.25, 0.125, 0.0625, 0.03125]),
                (lambda o: optim.CosineDecay(o, 4, 0.2),
                 [1, 0.6 + 0.4 * math.cos(math.pi / 4), 0.6,
                  0.6 - 0.4 * math.cos(math.pi / 4), 0.2, 0.2]),
                (lambda o: optim.LinearWarmup(o, 4),
                 [0.25, 0.5, 0.75, 1, 1, 1]),
                (lambda o: optim.LinearWarmup(o, 2, lambda b, t: b / (t + 1)),
                 [0.5, 1, 1, 0.5, 1 / 3, 0.25])]:
            np.testing.assert_allclose(self.rates(make), want, rtol=1e-6)

    def test_resumes(self):
        optimizer = optim.SGD([sy.ones(1)], 1.0)
        schedule = optim.ExponentialDecay(optimizer, 0.9)
        for _ in range(3):
            schedule.step()
        state = schedule.state_dict()
        other = optim.SGD([sy.ones(1)], 5.0)
        resumed = optim.ExponentialDecay(other, 0.9)
        resumed.load_state_dict(state)
        self.assertEqual(other.learning_rate, optimizer.learning_rate)
        with self.assertRaises(KeyError):
            resumed.load_state_dict({})

    def test_wrong_arguments(self):
        for make in (lambda o: optim.StepDecay(o, 0),
                     lambda o: optim.CosineDecay(o, 0),
                     lambda o: optim.LinearWarmup(o, 0)):
            with self.assertRaises(ValueError):
                self.rates(make)


def make_model():
    sy.seed(5)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Dropout(0.3),
                         nn.Linear(8, 3))


X = np.random.default_rng(2).normal(size=(40, 4)).astype(np.float32)
Y = np.argmax(X[:, :3], axis=1)

OPTIMIZERS = {
    "sgd": lambda ps: optim.SGD(ps, 0.1, weight_decay=0.01),
    "momentum": lambda ps: optim.Momentum(
        ps, 0.1, nesterov=True, weight_decay=0.01,
        clip=optim.ClipGradByGlobalNorm(0.5)),
    "adam": lambda ps: optim.Adam(ps, 0.01, clip=optim.ClipGradByNorm(0.1)),
    "adamw": lambda ps: optim.AdamW(ps, 0.01, amsgrad=True,
                                    clip=optim.ClipGradByValue(0.01)),
}


class Trainer:
    """A model with optimizer, schedule and data: one step at a time."""

    def __init__(self, kind, static):
        self.model = make_model()
        self.optimizer = OPTIMIZERS[kind](self.model.parameters())
        self.schedule = optim.CosineDecay(self.optimizer, 20)
        self.loader = sy.io.DataLoader(sy.io.ArrayDataset(X, Y), 8,
                                       shuffle=True, seed=1)
        self.loss = nn.CrossEntropyLoss()
        self.static = sy.static.train_step(
            self.model, self.loss, self.optimizer) if static else None

    def epoch(self):
        losses = []
        for x, y in self.loader:
            if self.static is not None:
                losses.append(self.static(x, y).item())
            else:
                self.optimizer.zero_grad()
                loss = self.loss(self.model(x), y)
                loss.backward()
                self.optimizer.step()
                losses.append(loss.item())
            self.schedule.step()
        return losses

    def bits(self):
        return [t.numpy().tobytes()
                for part in (self.model, self.optimizer)
                for t in part.state_dict().values()]

    def parts(self):
        return {"model": self.model, "optimizer": self.optimizer,
                "schedule": self.schedule, "loader": self.loader}


class TrainingTest(unittest.TestCase):

    def test_eager_and_static_have_the_same_bits(self):
        for kind in OPTIMIZERS:
            with self.subTest(kind):
                runs = []
                for static in (False, True):
                    trainer = Trainer(kind, static)
                    runs.append((trainer.epoch() + trainer.epoch(),
                                 trainer.bits()))
                self.assertEqual(runs[0], runs[1])
                losses = runs[0][0]
                self.assertLess(sum(losses[5:]), sum(losses[:5]))

    def test_resumes_to_the_bit_from_a_file(self):
        for kind in OPTIMIZERS:
            for static in (False, True):
                with self.subTest(kind, static=static), (
                        tempfile.TemporaryDirectory()) as folder:
                    self.check_resume(kind, static, f"{folder}/checkpoint")

    def check_resume(self, kind, static, path):
        trainer = Trainer(kind, static)
        trainer.epoch()
        state = {name: part.state_dict()
                 for name, part in trainer.parts().items()}
        state["rng"] = np.array(sy.rng_state())
        sy.save(state, path)
        want = trainer.epoch(), trainer.bits()

        resumed = Trainer(kind, static)
        resumed.epoch()  # So that there is something else to replace.
        state = sy.load_state(path)
        for name, part in resumed.parts().items():
            part.load_state_dict(state[name])
        sy.set_rng_state(*state["rng"].tolist())
        self.assertEqual((resumed.epoch(), resumed.bits()), want)

    def test_load_state_dict_refuses_as_a_whole(self):
        optimizer = Trainer("adam", False).optimizer
        before = [t.numpy().tobytes() for t in optimizer.state_dict().values()]
        state = optimizer.state_dict()
        state["0.moment1"] = sy.ones([1])
        with self.assertRaises(ValueError):
            optimizer.load_state_dict(state)
        del state["0.moment1"]
        with self.assertRaises(KeyError):
            optimizer.load_state_dict(state)
        self.assertEqual(before, [t.numpy().tobytes() for t in
                                  optimizer.state_dict().values()])


if __name__ == "__main__":
    unittest.main()
