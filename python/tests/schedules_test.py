# SPDX-License-Identifier: Apache-2.0
"""Schedules that are more than a formula of one kind."""
import math
import unittest
import warnings

import numpy as np

import switchyard as sy
from switchyard import nn, optim

START = np.random.default_rng(0).normal(size=(3, 2))


class ScheduleTest(unittest.TestCase):

    def setUp(self):
        self.optimizer = optim.SGD([sy.tensor(START, requires_grad=True)], 0.5)

    def rates(self, schedule, steps):
        seen = [self.optimizer.learning_rate]
        for _ in range(steps):
            schedule.step()
            seen.append(self.optimizer.learning_rate)
        return seen

    def check(self, schedule, expected):
        np.testing.assert_allclose(self.rates(schedule, len(expected) - 1),
                                   expected, rtol=1e-6, atol=1e-9)

    def test_formulas(self):
        self.check(optim.LambdaDecay(self.optimizer, lambda n: 0.5**n),
                   [0.5, 0.25, 0.125])

    def test_polynomial(self):
        self.check(optim.PolynomialDecay(self.optimizer, 4, 0.1, 2.0),
                   [0.1 + 0.4 * (1 - min(n, 4) / 4)**2 for n in range(6)])

    def test_warm_restarts(self):
        def cosine(done):
            return 0.5 * (1 + math.cos(math.pi * done)) / 2
        self.check(optim.CosineWarmRestarts(self.optimizer, 2, 2),
                   [cosine(d) for d in (0, 0.5, 0, 0.25, 0.5, 0.75, 0, 0.125)])

    def test_one_cycle(self):
        schedule = optim.OneCycle(self.optimizer, 1.0, 10)
        seen = self.rates(schedule, 12)
        self.assertAlmostEqual(seen[0], 1 / 25)
        self.assertAlmostEqual(seen[2], 1.0)
        self.assertEqual(max(range(13), key=seen.__getitem__), 2)
        self.assertAlmostEqual(seen[9], 1 / 25 / 1e4, 9)
        self.assertEqual(seen[9:], [seen[9]] * 4)

    def test_chained_and_in_turn(self):
        self.check(optim.Chained([
            optim.StepDecay(self.optimizer, 2, 0.1),
            optim.ExponentialDecay(self.optimizer, 0.5)]),
            [0.5, 0.25, 0.0125, 0.00625])

    def test_in_turn(self):
        self.check(optim.InTurn([
            optim.LinearWarmup(self.optimizer, 2),
            optim.ExponentialDecay(self.optimizer, 0.5)], [2]),
            [0.25, 0.5, 0.5, 0.25, 0.125])

    def test_resuming_several(self):
        def made():
            return optim.Chained([optim.StepDecay(self.optimizer, 2, 0.1),
                                  optim.ExponentialDecay(self.optimizer, 0.5)])
        schedule = made()
        for _ in range(3):
            schedule.step()
        state = schedule.state_dict()
        schedule.step()
        want = self.optimizer.learning_rate
        again = made()  # From the rate as it is, until the state is there.
        again.load_state_dict(state)
        again.step()
        self.assertAlmostEqual(self.optimizer.learning_rate, want, 9)
        other = optim.SGD([sy.tensor(START, requires_grad=True)], 0.5)
        with self.assertRaisesRegex(ValueError, "Chained: schedules must be of "
                                    "one optimizer"):
            optim.Chained([optim.StepDecay(other, 2),
                           optim.StepDecay(self.optimizer, 2)])

    def test_plateau(self):
        schedule = optim.ReduceLROnPlateau(self.optimizer, patience=1, factor=0.5,
                                           cooldown=1, min_rate=0.2)
        seen = []
        for metric in (1.0, 0.9, 0.95, 0.96, 0.97, 0.98, 0.99, 0.8):
            schedule.step(metric)
            seen.append(self.optimizer.learning_rate)
        np.testing.assert_allclose(
            seen, [0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.2, 0.2], rtol=1e-6)
        state = schedule.state_dict()
        other = optim.ReduceLROnPlateau(self.optimizer)
        other.load_state_dict(state)
        self.assertEqual(other.best, 0.8)
        for wrong in ({"mode": "most"}, {"factor": 2.0},
                      {"threshold_mode": "some"}):
            with self.assertRaisesRegex(ValueError, "ReduceLROnPlateau: "):
                optim.ReduceLROnPlateau(self.optimizer, **wrong)

    def test_what_is_better_than_the_best(self):
        """Counts by a part of it or by a difference, as PyTorch does."""
        for mode, kind, metrics, want in (
                ("min", "rel", (2.0, 1.85, 1.7), [0.5, 0.25, 0.25]),
                ("max", "rel", (2.0, 2.15, 2.3), [0.5, 0.25, 0.25]),
                ("min", "abs", (2.0, 1.85, 1.95), [0.5, 0.5, 0.25]),
                ("max", "abs", (2.0, 2.15, 2.2), [0.5, 0.5, 0.25]),
                ("min", "abs", (-2.0, -2.15, -2.2), [0.5, 0.5, 0.25])):
            self.optimizer.learning_rate = 0.5
            schedule = optim.ReduceLROnPlateau(
                self.optimizer, mode, 0.5, 0, threshold=0.1, threshold_mode=kind)
            seen = []
            for metric in metrics:
                schedule.step(metric)
                seen.append(self.optimizer.learning_rate)
            self.assertEqual(seen, want, (mode, kind))


class Line(nn.Module):

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(sy.tensor(START))

    def forward(self, x):
        return x @ self.weight


class OneCycleLRTest(unittest.TestCase):
    """Rates and momentums by PyTorch's definition, and steps by the formula."""

    KINDS = ({}, {"base_momentum": 0.3, "max_momentum": 0.8, "pct_start": 0.5},
             {"three_phase": True, "anneal_strategy": "linear"},
             {"three_phase": True, "pct_start": 0.25})
    STEPS, RATE = 12, 0.05

    def wanted(self, count, base_momentum=0.85, max_momentum=0.95, pct_start=0.3,
               three_phase=False, anneal_strategy="cos"):
        """The rate and the momentum, by one phase after another."""
        top, first = pct_start * self.STEPS - 1, self.RATE / 25
        most, last = max_momentum, self.STEPS - 1
        phases = [(top, first, self.RATE, most, base_momentum),
                  (last, self.RATE, first / 1e4, base_momentum, most)]
        if three_phase:
            phases[1:] = [(2 * top, self.RATE, first, base_momentum, most),
                          (last, first, first / 1e4, most, most)]
        begin = 0.0
        for end, *ends in phases:
            if count <= end:
                break
            begin = end
        share = (count - begin) / (end - begin)
        if anneal_strategy == "cos":
            share = (1 - math.cos(math.pi * share)) / 2
        return (ends[0] + (ends[1] - ends[0]) * share,
                ends[2] + (ends[3] - ends[2]) * share)

    def steps(self, make, options, compiled):
        """Checks rates and momentums; yields the weight before and after steps."""
        model, x = Line(), sy.tensor(START.T)
        optimizer = make(model.parameters())
        schedule = optim.lr_scheduler.OneCycleLR(
            optimizer, max_lr=self.RATE, total_steps=self.STEPS, **options)
        loss = lambda y, _: (y * y).sum()
        step = sy.static.train_step(model, loss, optimizer) if compiled else None
        for count in range(self.STEPS - 1):
            group = optimizer.param_groups[0]
            momentum = group["betas"][0] if "betas" in group else group["momentum"]
            rate, wanted = self.wanted(count, **options)
            self.assertAlmostEqual(schedule.get_last_lr()[0], rate, 12)
            self.assertAlmostEqual(momentum, wanted, 12)
            before = model.weight.numpy().copy()
            if compiled:
                step(x, x)
            else:
                optimizer.zero_grad()
                loss(model(x), None).backward()
                optimizer.step()
            schedule.step()
            yield rate, wanted, before, model.weight.numpy()
        if compiled:
            self.assertEqual(step.traces, 1)

    def gradient(self, weight):
        return 2.0 * START @ (START.T @ weight)

    def test_descent(self):
        for options in self.KINDS:
            for kind in ({}, {"momentum": 0.5, "weight_decay": 0.1},
                         {"momentum": 0.9, "nesterov": True}):
                for compiled in (False, True):
                    velocity = 0.0
                    for rate, momentum, before, after in self.steps(
                            lambda p: optim.SGD(p, lr=0.1, **kind), options, compiled):
                        gradient = self.gradient(before) + (
                            kind.get("weight_decay", 0.0) * before)
                        velocity = momentum * velocity + gradient
                        move = velocity if not kind.get("nesterov") else (
                            gradient + momentum * velocity)
                        np.testing.assert_allclose(after, before - rate * move,
                                                   rtol=1e-9, atol=1e-12)

    def test_adam(self):
        for options in self.KINDS:
            for make, decay in ((optim.Adam, 0.0), (optim.AdamW, 0.01)):
                for compiled in (False, True):
                    first = second = 0.0
                    for i, (rate, beta, before, after) in enumerate(self.steps(
                            lambda p: make(p, betas=(0.8, 0.99)), options, compiled)):
                        gradient = self.gradient(before)
                        first = beta * first + (1 - beta) * gradient
                        second = 0.99 * second + 0.01 * gradient**2
                        move = first / (1 - beta**(i + 1)) / (
                            np.sqrt(second / (1 - 0.99**(i + 1))) + 1e-8)
                        np.testing.assert_allclose(
                            after, before * (1 - rate * decay) - rate * move,
                            rtol=1e-6, atol=1e-9)

    def test_others(self):
        for make in (optim.NAdam, lambda p: optim.RMSprop(p, momentum=0.5)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                eager, compiled = ([after.copy() for *_, after in self.take(
                    make, mode)] for mode in (False, True))
            np.testing.assert_array_equal(eager, compiled)
        for made, text in (
                (lambda o, c: c(o, 0.1, 9), "Adagrad: a group has no momentum"),
                (lambda o, c: c(o, 0.1, 9, base_momentum=1.0), "base_momentum must be"),
                (lambda o, c: c(o, 0.1, 9, anneal_strategy="up"), "must be 'cos' or")):
            with self.assertRaisesRegex(ValueError, text):
                made(optim.Adagrad(Line().parameters(), 0.1),
                     optim.lr_scheduler.OneCycleLR)

    def take(self, make, compiled):
        """The first steps: each of a compiled one is a trace."""
        model, x = Line(), sy.tensor(START.T)
        optimizer = make(model.parameters())
        schedule = optim.lr_scheduler.OneCycleLR(optimizer, 0.01, 5)
        loss = lambda y, _: (y * y).sum()
        step = sy.static.train_step(model, loss, optimizer) if compiled else None
        for _ in range(4):
            if compiled:
                step(x, x)
            else:
                optimizer.zero_grad()
                loss(model(x), None).backward()
                optimizer.step()
            schedule.step()
            yield None, model.weight.numpy()

    def test_resuming_and_setting_by_hand(self):
        def made():
            optimizer = optim.SGD(Line().parameters(), 0.1)
            return optimizer, optim.lr_scheduler.OneCycleLR(optimizer, 0.1, 10)
        optimizer, schedule = made()
        schedule.step()
        other, again = made()
        other.load_state_dict(optimizer.state_dict())
        again.load_state_dict(schedule.state_dict())
        group, wanted = other.param_groups[0], optimizer.param_groups[0]
        self.assertEqual(group["momentum"], wanted["momentum"])
        self.assertEqual(group.momentum.item(), wanted["momentum"])
        group["momentum"] = 0.5
        self.assertEqual((group["momentum"], group.momentum.item()), (0.5, 0.5))
        adam = optim.Adam(Line().parameters())
        optim.lr_scheduler.OneCycleLR(adam, 0.1, 10)
        adam.param_groups[0]["betas"] = (0.6, 0.7)
        self.assertEqual(adam.param_groups[0]["betas"], (0.6, 0.7))
        self.assertEqual(adam.param_groups[0].momentum.item(), 0.6)
        for wrong in (-0.1, 1.0):
            with self.assertRaisesRegex(ValueError, "Adam: beta1 must be in"):
                adam.param_groups[0].set_momentum(wrong)

    def test_an_update_of_ones_own_is_traced_again(self):
        class Own(optim.SGD):
            def step_of(self, param, grad, learning_rate, state):
                return super().step_of(param, grad, learning_rate, state)
        self.assertFalse(Own.reads_momentum)
        self.assertTrue(optim.Momentum.reads_momentum and optim.AdamW.reads_momentum)


if __name__ == "__main__":
    unittest.main()
