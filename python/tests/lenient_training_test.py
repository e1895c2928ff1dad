# SPDX-License-Identifier: Apache-2.0
"""Training drops, clamps, turns round and divides by zero nothing in silence:
scalers, clipping, schedules, optimizers and batches, each with its right value."""
import math
import time
import unittest
import warnings

import numpy as np

import switchyard as sy
from switchyard import nn, optim

inf, nan = math.inf, math.nan


def with_gradient(gradient, dtype="float32"):
    p = sy.zeros(np.shape(gradient), dtype=dtype, requires_grad=True)
    p.grad = sy.tensor(gradient, dtype)
    return p


class Product(nn.Module):
    """sum(weight * x), whose gradient is x."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(sy.zeros([2]))

    def forward(self, x):
        return (self.weight * x).sum()


def steps(static, x, optimizer_of, count=1, scaler=None):
    """The weight after ``count`` steps."""
    model = Product()
    optimizer = optimizer_of(model.parameters())
    if static:
        step = sy.static.train_step(model, lambda y, _: y, optimizer,
                                    scaler=scaler)
    for _ in range(count):
        if static:
            step(np.array(x, np.float32), np.zeros(1, np.float32))
        else:
            optimizer.minimize(model(sy.tensor(x)), scaler)
            if scaler is not None:
                scaler.update()
    return model.weight.detach().numpy()


class ScalerTest(unittest.TestCase):

    def test_the_scale_stays_finite(self):
        for static in (False, True):
            scaler = sy.amp.GradScaler(2.0**126, growth_interval=1)
            weight = steps(static, [0.0, 1e-38], lambda ps: optim.SGD(ps, 1.0),
                           5, scaler)
            self.assertEqual(scaler.get_scale(), 2.0**127, static)
            np.testing.assert_allclose(weight, [0.0, -5e-38], rtol=1e-3)

    def test_the_scale_stays_above_zero(self):
        for static in (False, True):
            scaler = sy.amp.GradScaler(2.0**-120, backoff_factor=2.0**-10)
            steps(static, [inf, 1.0], lambda ps: optim.SGD(ps, 1.0), 3, scaler)
            self.assertEqual(scaler.get_scale(), 2.0**-120, static)

    def test_what_float32_does_not_hold_is_refused(self):
        for name, value in (("init_scale", 1e39), ("init_scale", nan),
                            ("init_scale", 1e-40), ("growth_factor", inf),
                            ("growth_factor", nan), ("backoff_factor", nan)):
            with self.assertRaisesRegex(ValueError, f"GradScaler: {name}"):
                sy.amp.GradScaler(**{name: value})


class ClipTest(unittest.TestCase):

    def test_max_norm_is_a_number_from_0(self):
        for wrong in (-1.0, nan, -inf):
            p = with_gradient([3.0, 4.0])
            with self.assertRaisesRegex(ValueError, "clip_grad_norm_: max_norm"):
                nn.utils.clip_grad_norm_([p], wrong)
            self.assertEqual(p.grad.tolist(), [3.0, 4.0])
        p = with_gradient([3.0, 4.0])
        nn.utils.clip_grad_norm_([p], 0.0)
        self.assertEqual(p.grad.tolist(), [0.0, 0.0])

    def test_no_elements_have_norm_0(self):
        for order in (2.0, inf, -inf, 1.0):
            p = with_gradient([])
            self.assertEqual(nn.utils.clip_grad_norm_([p], 1.0, order).item(), 0)
        self.assertEqual(nn.utils.clip_grad_norm_([], 1.0).item(), 0.0)

    def test_norms_of_the_whole_range_are_found(self):
        for dtype, sizes in (("float32", (1e-30, 1e-20, 1.0, 1e20, 3e37)),
                             ("float64", (1e-300, 1e-200, 1e200, 1e307))):
            for size in sizes:
                for order in (1.0, 2.0, 3.0, inf, -inf):
                    g = np.array([3.0, 4.0]) * size
                    p = with_gradient(g, dtype)
                    total = nn.utils.clip_grad_norm_([p], size, order).item()
                    want = size * np.linalg.norm([3.0, 4.0], order)
                    self.assertTrue(math.isclose(total, want, rel_tol=2e-6),
                                    (dtype, size, order, total))
                    if size >= 1.0:
                        np.testing.assert_allclose(
                            p.grad.numpy(), g * (size / want), rtol=1e-5)

    def test_the_classes_find_them_too(self):
        large = np.float32([3e25, 4e25])
        for static in (False, True):
            for kind in (optim.ClipGradByNorm, optim.ClipGradByGlobalNorm):
                weight = steps(static, large, lambda ps: optim.SGD(
                    ps, 1.0, clip=kind(5.0)))
                np.testing.assert_allclose(weight, [-3.0, -4.0], rtol=1e-5)
                kept = steps(static, [3e-25, 4e-25], lambda ps: optim.SGD(
                    ps, 1.0, clip=kind(5.0)))
                np.testing.assert_allclose(kept, [-3e-25, -4e-25], rtol=1e-5)
        far = sy.tensor([3e200, 4e200], "float64")
        self.assertAlmostEqual(optim.global_norm([far]) / 5e200, 1.0, 12)

    def test_eager_and_static_have_the_same_bits(self):
        x = np.random.default_rng(0).normal(size=2).astype(np.float32)
        for size in (1.0, 1e-25, 1e25):
            both = [steps(static, x * np.float32(size), lambda ps: optim.SGD(
                ps, 1.0, clip=optim.ClipGradByGlobalNorm(0.5 * size)))
                for static in (False, True)]
            self.assertEqual(both[0].tobytes(), both[1].tobytes())

    def test_limits_that_are_no_limits_are_refused(self):
        for kind in (optim.ClipGradByNorm, optim.ClipGradByGlobalNorm,
                     optim.ClipGradByValue):
            for wrong in (0.0, -1.0, nan):
                with self.assertRaisesRegex(ValueError, kind.__name__):
                    kind(wrong)


class ScheduleTest(unittest.TestCase):

    def optimizer(self, rate=0.5):
        return optim.SGD([sy.zeros([1], requires_grad=True)], rate)

    def rates(self, schedule, count):
        return [schedule.rate(n) for n in range(count)]

    def test_a_cycle_without_a_rise(self):
        for steps_, share in ((10, 0.1), (2, 0.5), (4, 0.25)):
            rates = self.rates(optim.OneCycle(self.optimizer(), 0.1, steps_, share),
                               steps_ + 1)
            self.assertEqual(rates[0], 0.1)
            self.assertEqual(rates, sorted(rates, reverse=True))
            self.assertAlmostEqual(rates[-1], 0.1 / 25 / 1e4)

    def test_divisors_of_zero_are_refused(self):
        for name in ("div", "final_div"):
            with self.assertRaisesRegex(ValueError, f"OneCycle: {name} must be"):
                optim.OneCycle(self.optimizer(), 0.1, 10, **{name: 0})
        with self.assertRaisesRegex(ValueError, "learning_rate must be positive"):
            optim.Chained([optim.StepDecay(self.optimizer(0.0), 2)])
        with self.assertRaisesRegex(ValueError, "power must be from 0"):
            optim.PolynomialDecay(self.optimizer(), 2, power=-1.0)

    def test_milestones_ascend(self):
        optimizer = self.optimizer()
        three = [optim.StepDecay(optimizer, 2) for _ in range(3)]
        with self.assertRaisesRegex(ValueError, "InTurn: milestones must ascend"):
            optim.InTurn(three, [5, 2])
        with self.assertRaisesRegex(TypeError, "MultiStepDecay: milestones"):
            optim.MultiStepDecay(optimizer, [1.5])

    def test_a_rate_that_leaves_the_range_is_an_error(self):
        schedule = optim.ExponentialDecay(self.optimizer(), 1e10)
        schedule.count = 100
        with self.assertRaisesRegex(ValueError, "learning_rate must be"):
            schedule.step()

    def test_a_warm_restart_takes_no_loop(self):
        for multiply in (1, 2, 3):
            schedule = optim.CosineWarmRestarts(self.optimizer(), 10, multiply)
            begin, length = 0, 10
            for _ in range(5):
                for n in (0, 1, length - 1):
                    share = (1.0 + math.cos(math.pi * n / length)) / 2.0
                    self.assertEqual(schedule.rate(begin + n), 0.5 * share)
                begin, length = begin + length, length * multiply
        schedule = optim.CosineWarmRestarts(self.optimizer(), 10)
        start = time.process_time()
        self.assertEqual(schedule.rate(10**15 + 3), schedule.rate(3))
        self.assertLess(time.process_time() - start, 1.0)  # Else it never ends.

    def test_rates_print_as_they_were_given(self):
        optimizer = self.optimizer(1.0)
        schedule = optim.LambdaDecay(optimizer, lambda n: (0.001, 1 / 3, 0.1)[n])
        self.assertEqual(schedule.get_last_lr(), [0.001])
        schedule.step()
        self.assertEqual(schedule.get_last_lr(), [1 / 3])
        self.assertEqual(optimizer.learning_rate, 1 / 3)
        self.assertEqual(optimizer.param_groups[0]["lr"], 1 / 3)
        other = self.optimizer(0.001)
        other.load_state_dict(optimizer.state_dict())
        # The state is float32: the shortest number that it rounds.
        self.assertEqual(other.learning_rate, 0.33333334)
        groups = optim.SGD([{"params": [sy.zeros([1], requires_grad=True)],
                             "lr": 0.003},
                            {"params": [sy.zeros([1], requires_grad=True)]}], 0.1)
        self.assertEqual([g["lr"] for g in groups.param_groups], [0.003, 0.1])


class OptimizerTest(unittest.TestCase):

    def test_sgd_takes_names(self):
        p = [sy.zeros([1], requires_grad=True)]
        with self.assertRaisesRegex(
                TypeError, "SGD: arguments after learning_rate must be given by "
                "name, got 0.9"):
            optim.SGD(p, 0.1, 0.9)
        self.assertEqual(optim.SGD(p, 0.1, weight_decay=0.9).weight_decay, 0.9)

    def test_a_beta_of_0_changes(self):
        p = [sy.zeros([1], requires_grad=True)]
        optimizer = optim.RAdam(p, betas=(0.0, 0.9))
        optimizer.param_groups[0]["betas"] = (0.5, 0.9)
        self.assertEqual(optimizer.param_groups[0]["betas"], (0.5, 0.9))


class BatchTest(unittest.TestCase):

    def refused(self, items, text):
        with self.assertRaisesRegex(ValueError, f"collate: items must be {text}"):
            sy.io.collate(items)
        with self.assertRaisesRegex(ValueError, f"collate: items must be {text}"):
            list(sy.io.DataLoader(items, batch_size=len(items)))

    def test_nothing_is_left_out(self):
        self.refused([(1, 2), (3, 4, 5)], "tuples of one length")
        self.refused([(1, 2, 3), (4, 5)], "tuples of one length")
        self.refused([(1, (2, 3)), (4, (5, 6, 7))], "tuples of one length")
        self.refused([{"a": 1}, {"a": 2, "b": 3}], "dicts of the same keys")
        self.refused([{"a": 1, "b": 3}, {"a": 2}], "dicts of the same keys")
        self.refused([(1, 2), {"a": 1}], "tuples of one length")
        self.refused([np.zeros(2), np.zeros(3)], "arrays of one shape")
        with self.assertRaisesRegex(ValueError, "items must be one or more"):
            sy.io.collate([])
        a, b = sy.io.collate([(1, {"x": 2.0}), (3, {"x": 4.0})])
        self.assertEqual((a.tolist(), b["x"].tolist()), ([1, 3], [2.0, 4.0]))

    def test_shares_are_numbers(self):
        for lengths in ([nan, 0.5], [-0.5, 1.5], [0.5, 0.4]):
            with self.assertRaisesRegex(ValueError, "random_split"):
                sy.io.random_split(list(range(4)), lengths)
        with self.assertRaisesRegex(TypeError, "random_split"):
            sy.io.random_split(list(range(4)), ["a"])


class MomentumTest(unittest.TestCase):

    def test_a_batch_norm_of_pytorchs_momentum_warns_with_the_line(self):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("default")
            for _ in range(2):
                nn.BatchNorm2D(3, momentum=0.1)
            nn.BatchNorm1D(3)
        self.assertEqual(len(seen), 1)
        self.assertEqual(seen[0].filename, __file__)
        self.assertRegex(str(seen[0].message),
                         "BatchNorm2D: momentum .* is momentum=0.9 here")


if __name__ == "__main__":
    unittest.main()
