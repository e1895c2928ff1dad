# SPDX-License-Identifier: Apache-2.0
"""Schedules that are more than a formula of one kind."""
import math
import unittest

import numpy as np

import switchyard as sy
from switchyard import optim

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


if __name__ == "__main__":
    unittest.main()
