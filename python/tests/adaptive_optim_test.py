# SPDX-License-Identifier: Apache-2.0
"""Optimizers with a rate an element, groups, clipping, averages: formulas."""
import math
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, optim

STEPS = 7
RNG = np.random.default_rng(1)
START = np.random.default_rng(0).normal(size=(3, 2))
GRADIENTS = [RNG.normal(size=(3, 2)) for _ in range(STEPS)]


def rmsprop(p, g, s, t, momentum=0.0, centered=False):
    s["ms"] = 0.99 * s.get("ms", 0) + 0.01 * g * g
    s["mg"] = 0.99 * s.get("mg", 0) + 0.01 * g
    below = s["ms"] - (s["mg"]**2 if centered else 0)
    s["m"] = momentum * s.get("m", 0) + 0.1 * g / np.sqrt(below + 1e-8)
    return p - s["m"]


def adagrad(p, g, s, t):
    s["m"] = s.get("m", 0.1) + g * g
    return p - 0.1 * g / (np.sqrt(s["m"]) + 1e-10)


def adadelta(p, g, s, t):
    s["g"] = 0.9 * s.get("g", 0) + 0.1 * g * g
    step = np.sqrt(s.get("u", 0) + 1e-6) / np.sqrt(s["g"] + 1e-6) * g
    s["u"] = 0.9 * s.get("u", 0) + 0.1 * step * step
    return p - 1.0 * step


def adamax(p, g, s, t):
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["n"] = np.maximum(np.abs(g), 0.999 * s.get("n", 0) + 1e-8)
    return p - 0.1 / (1 - 0.9**t) * s["m"] / s["n"]


def nadam(p, g, s, t):
    mu = 0.9 * (1 - 0.5 * 0.96**(t * 0.004))
    ahead = 0.9 * (1 - 0.5 * 0.96**((t + 1) * 0.004))
    s["mu"] = s.get("mu", 1.0) * mu
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["v"] = 0.999 * s.get("v", 0) + 0.001 * g * g
    m = ahead * s["m"] / (1 - s["mu"] * ahead) + (1 - mu) * g / (1 - s["mu"])
    return p - 0.1 * m / (np.sqrt(s["v"] / (1 - 0.999**t)) + 1e-8)


def radam(p, g, s, t):
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["v"] = 0.999 * s.get("v", 0) + 0.001 * g * g
    top = 2 / (1 - 0.999) - 1
    rho = top - 2 * t * 0.999**t / (1 - 0.999**t)
    m = s["m"] / (1 - 0.9**t)
    if rho <= 5:
        return p - 0.1 * m
    factor = math.sqrt((rho - 4) * (rho - 2) * top
                       / ((top - 4) * (top - 2) * rho))
    root = math.sqrt(1 - 0.999**t) / (np.sqrt(s["v"]) + 1e-8)
    return p - 0.1 * m * factor * root


def lamb(p, g, s, t):
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["v"] = 0.999 * s.get("v", 0) + 0.001 * g * g
    step = s["m"] / (1 - 0.9**t) / (np.sqrt(s["v"] / (1 - 0.999**t)) + 1e-6)
    step = step + 0.01 * p
    return p - 0.1 * step * np.linalg.norm(p) / np.linalg.norm(step)


CASES = (
    (lambda ps: optim.RMSprop(ps, 0.1), rmsprop),
    (lambda ps: optim.RMSprop(ps, 0.1, momentum=0.5),
     lambda *a: rmsprop(*a, momentum=0.5)),
    (lambda ps: optim.RMSprop(ps, 0.1, centered=True),
     lambda *a: rmsprop(*a, centered=True)),
    (lambda ps: optim.RMSprop(ps, 0.1, weight_decay=0.5),
     lambda p, g, s, t: rmsprop(p, g + 0.5 * p, s, t)),
    (lambda ps: optim.Adagrad(ps, 0.1, initial_accumulator_value=0.1), adagrad),
    (optim.Adadelta, adadelta),
    (lambda ps: optim.Adamax(ps, 0.1), adamax),
    (lambda ps: optim.NAdam(ps, 0.1), nadam),
    (lambda ps: optim.RAdam(ps, 0.1), radam),
    (lambda ps: optim.Lamb(ps, 0.1), lamb),
)
KINDS = (optim.RMSprop, optim.Adagrad, optim.Adadelta, optim.Adamax, optim.NAdam,
         optim.RAdam, optim.Lamb)


class FormulaTest(unittest.TestCase):

    def test_steps(self):
        for i, (make, step) in enumerate(CASES):
            with self.subTest(i):
                p = sy.tensor(START, requires_grad=True)
                optimizer, want, state = make([p]), START.copy(), {}
                for count, g in enumerate(GRADIENTS, 1):
                    p.grad = sy.tensor(g)
                    optimizer.step()
                    want = step(want, g, state, count)
                    np.testing.assert_allclose(p.numpy(), want, 2e-4, 2e-5)

    def test_eager_and_static_to_the_bit(self):
        x = RNG.normal(size=(8, 3)).astype(np.float32)
        y = RNG.integers(0, 2, 8)
        for kind in KINDS:
            with self.subTest(kind.__name__):
                model, loss = nn.Linear(3, 2), nn.CrossEntropyLoss()
                begin, ends = model.state_dict(), []
                for static in (False, True):
                    model.load_state_dict(begin)
                    optimizer = kind(model.named_parameters(), 0.05)
                    step = sy.static.train_step(model, loss, optimizer)
                    for _ in range(4):
                        if static:
                            step(x, y)
                            continue
                        optimizer.zero_grad()
                        loss(model(sy.tensor(x)), sy.tensor(y)).backward()
                        optimizer.step()
                    state = {**model.state_dict(), **optimizer.state_dict()}
                    ends.append({n: t.numpy() for n, t in state.items()})
                for name, eager in ends[0].items():
                    np.testing.assert_array_equal(ends[1][name], eager, name)
                self.assertFalse(np.array_equal(ends[0]["weight"],
                                                begin["weight"].numpy()))

    def test_master_weights_add_up_small_steps(self):
        for kind in (*KINDS, optim.SGD, optim.Momentum):
            with self.subTest(kind.__name__):
                p = sy.tensor(np.ones(3), "float16", requires_grad=True)
                optimizer = kind([p], 1e-5, multi_precision=True)
                p.grad = sy.tensor(np.ones(3), "float16")
                for _ in range(20):
                    optimizer.step()
                master = optimizer.state["0"]["master_param"]
                self.assertEqual(master.dtype, "float32")
                self.assertTrue((master.numpy() < 1.0).all())

    def test_wrong_arguments(self):
        p = [sy.tensor(START, requires_grad=True)]
        for make, text in (
                (lambda: optim.NAdam(p, betas=(0.9, 2.0)), "NAdam: beta2 must be"),
                (lambda: optim.RMSprop(p, alpha=-1), "RMSprop: alpha must be"),
                (lambda: optim.Adadelta(p, rho=3), "Adadelta: rho must be"),
                (lambda: optim.SGD(p, weight_decay=-1), "weight_decay must be"),
                (lambda: optim.Momentum(p, momentum=-1), "momentum must be"),
                (lambda: optim.AdamW(p, weight_decay=-1), "weight_decay must be"),
                (lambda: optim.Lamb(p, weight_decay=-1), "weight_decay must be")):
            with self.assertRaisesRegex(ValueError, text):
                make()


class GroupsTest(unittest.TestCase):

    def test_each_group_as_an_optimizer_of_its_own(self):
        def parameters():
            return [sy.tensor(START, requires_grad=True),
                    sy.tensor(START * 2, requires_grad=True)]
        for kind, options in ((optim.SGD, {"weight_decay": 0.5}),
                              (optim.Adam, {"beta1": 0.5}),
                              (optim.AdamW, {"weight_decay": 0.0}),
                              (optim.Rprop, {"etas": (0.4, 1.5)}),
                              (optim.ASGD, {"lambd": 0.1}),
                              (optim.RMSprop, {"momentum": 0.9})):
            a, b = parameters()
            grouped = kind([{"params": [a]},
                            {"params": b, "learning_rate": 0.05, **options}], 0.1)
            c, d = parameters()
            alone = kind([c], 0.1), kind([d], 0.05, **options)
            for g in GRADIENTS:
                for p in (a, b, c, d):
                    p.grad = sy.tensor(g)
                for optimizer in (grouped, *alone):
                    optimizer.step()
            np.testing.assert_array_equal(a.numpy(), c.numpy())
            np.testing.assert_allclose(b.numpy(), d.numpy(), 1e-12, 1e-12)
            if kind in (optim.RMSprop, optim.Rprop, optim.ASGD):
                continue  # What they remember of earlier steps goes on without a rate.
            grouped.learning_rate = 0.0
            before = b.numpy().copy()
            grouped.step()
            np.testing.assert_array_equal(b.numpy(), before)

    def test_in_a_program(self):
        x = RNG.normal(size=(8, 3)).astype(np.float32)
        y = RNG.integers(0, 2, 8)
        model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
        loss, begin, ends = nn.CrossEntropyLoss(), model.state_dict(), []
        for static in (False, True):
            model.load_state_dict(begin)
            optimizer = optim.AdamW([
                {"params": model[0].parameters(), "weight_decay": 0.0},
                {"params": model[2].parameters(), "learning_rate": 0.2}], 0.05)
            step = sy.static.train_step(model, loss, optimizer)
            for _ in range(3):
                if static:
                    step(x, y)
                    continue
                optimizer.zero_grad()
                loss(model(sy.tensor(x)), sy.tensor(y)).backward()
                optimizer.step()
            ends.append([t.numpy().copy() for t in model.parameters()])
        for eager, traced in zip(*ends):
            np.testing.assert_array_equal(eager, traced)

    def test_wrong_groups(self):
        p = sy.tensor(START, requires_grad=True)
        with self.assertRaisesRegex(TypeError, "SGD: a group has no argument "
                                    "'beta1'"):
            optim.SGD([{"params": [p], "beta1": 0.9}])
        with self.assertRaisesRegex(TypeError, "group 0 must be a dict with "
                                    "'params'"):
            optim.SGD([{"weights": [p]}])
        with self.assertRaisesRegex(ValueError, "beta1 must be"):
            optim.Adam([{"params": [p], "beta1": 1.5}])


class LbfgsTest(unittest.TestCase):

    def minimum(self, function, start, **how):
        """Where LBFGS ends, and the number of calls of the loss."""
        x = sy.tensor(start, dtype="float64", requires_grad=True)
        optimizer, calls = optim.LBFGS([x], **how), []

        def closure():
            optimizer.zero_grad()
            loss = function(x)
            loss.backward()
            calls.append(loss.item())
            return loss
        first = optimizer.step(closure)
        self.assertEqual(first.item(), calls[0])
        for _ in range(8):
            optimizer.step(closure)
        return x.numpy(), len(calls)

    def test_minima(self):
        matrix = np.array([[3.0, 1.0, 0.0], [1.0, 4.0, 1.0], [0.0, 1.0, 2.0]])
        right = np.array([1.0, -2.0, 0.5])

        def square(x):
            return ((sy.tensor(matrix) @ x) * x).sum() * 0.5 - (
                sy.tensor(right) * x).sum()

        def rosenbrock(x):
            return (1.0 - x[0])**2.0 + 100.0 * (x[1] - x[0]**2.0)**2.0
        for search in (None, "strong_wolfe"):
            got, calls = self.minimum(square, [0.0, 0.0, 0.0],
                                      line_search=search)
            np.testing.assert_allclose(got, np.linalg.solve(matrix, right), 1e-4)
            self.assertLess(calls, 60)
        got, calls = self.minimum(rosenbrock, [-1.2, 1.0],
                                  line_search="strong_wolfe")
        np.testing.assert_allclose(got, [1.0, 1.0], 1e-5)

    def test_refusals(self):
        p = sy.tensor(START, requires_grad=True)
        with self.assertRaisesRegex(ValueError, "line_search must be None or"):
            optim.LBFGS([p], line_search="best")
        with self.assertRaisesRegex(ValueError, "max_iter must be"):
            optim.LBFGS([p], max_iter=0)
        with self.assertRaisesRegex(NotImplementedError, "not part of a program"):
            optim.LBFGS([p]).update(p, p, 1.0, {})


class ClippingTest(unittest.TestCase):

    def test_norm_that_is_returned(self):
        for order in (2.0, 1.0, math.inf):
            ps = [sy.tensor(START, requires_grad=True) for _ in range(3)]
            ps[0].grad, ps[1].grad = map(sy.tensor, GRADIENTS[:2])
            both = np.concatenate([g.reshape(-1) for g in GRADIENTS[:2]])
            norm = np.linalg.norm(both, order)
            got = optim.clip_grad_norm_(ps, 0.5, order)
            self.assertAlmostEqual(got.item(), norm, 5)
            for p, g in zip(ps[:2], GRADIENTS):
                np.testing.assert_allclose(p.grad.numpy(), g * 0.5 / norm, 1e-4)
            self.assertIsNone(ps[2].grad)
            optim.clip_grad_norm_(ps, 100.0, order)
            np.testing.assert_allclose(ps[0].grad.numpy(),
                                       GRADIENTS[0] * 0.5 / norm, 1e-4)

    def test_norms_that_are_refused(self):
        p = sy.tensor([1.0, 2.0], requires_grad=True)
        p.grad = sy.tensor([1.0, float("nan")])
        with self.assertRaisesRegex(RuntimeError, "must be finite, got nan"):
            optim.clip_grad_norm_([p], 1.0, error_if_nonfinite=True)
        self.assertEqual(p.grad.tolist()[0], 1.0)
        with self.assertRaisesRegex(ValueError, "norm_type must be another"):
            optim.clip_grad_norm_([p], 1.0, 0.0)

    def test_value(self):
        p = sy.tensor(START, requires_grad=True)
        p.grad = sy.tensor(GRADIENTS[0])
        optim.clip_grad_value_([p], 0.3)
        np.testing.assert_allclose(p.grad.numpy(),
                                   GRADIENTS[0].clip(-0.3, 0.3))


class AverageTest(unittest.TestCase):

    def test_averages(self):
        model = nn.Linear(2, 2, bias=False)
        weights = [model.weight.numpy().copy()]
        average = optim.EMA(model, 0.75)
        want = weights[0].copy()
        for _ in range(3):
            with sy.no_grad():
                model.weight.copy_(model.weight * 2.0 + 1.0)
            average.update()
            want = 0.75 * want + 0.25 * model.weight.numpy()
        last = model.weight.numpy().copy()
        with average.averaged():
            np.testing.assert_allclose(model.weight.numpy(), want, rtol=1e-6)
        np.testing.assert_array_equal(model.weight.numpy(), last)
        other = optim.EMA(nn.Linear(2, 2, bias=False))
        other.load_state_dict(average.state_dict())
        np.testing.assert_array_equal(other.averages["weight"].numpy(),
                                      average.averages["weight"].numpy())


if __name__ == "__main__":
    unittest.main()
