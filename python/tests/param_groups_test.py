# SPDX-License-Identifier: Apache-2.0
"""optimizer.param_groups and add_param_group, by formula; eager and traced."""

import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, optim

A = np.array([[1.0, -2.0], [0.5, 3.0]], np.float32)
B = np.array([2.0, -1.0], np.float32)


def leaf(values):
    return sy.tensor(values, requires_grad=True)


def step(optimizer, *gradients):
    tensors = list(optimizer.parameters.values())
    for tensor, gradient in zip(tensors, gradients):
        tensor.grad = sy.tensor(np.full(tensor.shape, gradient, np.float32))
    optimizer.step()


class ParamGroupsTest(unittest.TestCase):

    def test_one_group_unless_groups_are_given(self):
        a, b = leaf(A), leaf(B)
        optimizer = optim.Adam([a, b], lr=0.01, eps=1e-6, betas=(0.8, 0.9))
        (group,) = optimizer.param_groups
        self.assertEqual([id(p) for p in group["params"]], [id(a), id(b)])
        self.assertAlmostEqual(group["lr"], 0.01)
        self.assertEqual(group["lr"], group["learning_rate"])
        self.assertEqual(group["betas"], (0.8, 0.9))
        self.assertEqual((group["eps"], group["epsilon"]), (1e-6, 1e-6))
        self.assertEqual(group["weight_decay"], 0.0)
        self.assertEqual(list(group)[:2], ["params", "lr"])
        self.assertEqual(len(dict(group)), len(group))
        self.assertNotIn("clip", group)
        self.assertIn("params", repr(group))

    def test_rates(self):
        a, b = leaf(A), leaf(B)
        optimizer = optim.SGD([{"params": [a]}, {"params": [b], "lr": 0.5}], 0.1)
        step(optimizer, 1.0, 1.0)
        np.testing.assert_allclose(a.numpy(), A - 0.1, rtol=1e-6)
        np.testing.assert_allclose(b.numpy(), B - 0.5, rtol=1e-6)
        for group in optimizer.param_groups:  # As schedules are written.
            group["lr"] = group["lr"] * 0.1
        step(optimizer, 1.0, 1.0)
        np.testing.assert_allclose(a.numpy(), A - 0.11, rtol=1e-6)
        np.testing.assert_allclose(b.numpy(), B - 0.55, rtol=1e-6)
        # The proportions of groups stay when the optimizer's rate is set.
        rates = [group["lr"] for group in optimizer.param_groups]
        np.testing.assert_allclose(rates, [0.01, 0.05], rtol=1e-6)
        optimizer.learning_rate = 0.2
        optimizer.param_groups[1]["lr"] = 0.3
        optimizer.learning_rate = 0.0
        optimizer.learning_rate = 0.4
        self.assertEqual([round(group["lr"], 5) for group in
                          optimizer.param_groups[1:]], [0.6])
        with self.assertRaisesRegex(ValueError, "learning_rate must be a number"):
            optimizer.param_groups[0]["lr"] = -1.0

    def test_the_first_groups_rate_is_the_optimizers_if_it_is_alone(self):
        optimizer = optim.SGD([leaf(A)], lr=0.1)
        optimizer.param_groups[0]["lr"] = 0.25
        self.assertEqual(optimizer.learning_rate, 0.25)
        schedule = optim.StepDecay(optimizer, 1, 0.5)
        schedule.step()
        self.assertEqual(schedule.get_last_lr(), [0.125])

    def test_arguments(self):
        a, b = leaf(A), leaf(B)
        optimizer = optim.Momentum([{"params": a}, {"params": b}], 0.1, 0.5)
        step(optimizer, 1.0, 1.0)
        optimizer.param_groups[1]["momentum"] = 0.0
        optimizer.param_groups[0]["weight_decay"] = 0.5
        step(optimizer, 1.0, 1.0)
        first, second = A - 0.1, B - 0.1
        velocity = 0.5 + 1.0 + 0.5 * first
        np.testing.assert_allclose(a.numpy(), first - 0.1 * velocity, rtol=1e-5)
        np.testing.assert_allclose(b.numpy(), second - 0.1, rtol=1e-5)
        self.assertEqual(optimizer.param_groups[0]["momentum"], 0.5)

    def test_betas(self):
        optimizer = optim.AdamW([leaf(A)], betas=(0.5, 0.75))
        group = optimizer.param_groups[0]
        group["beta1"] = 0.25
        self.assertEqual(group["betas"], (0.25, 0.75))
        group["betas"] = (0.1, 0.2)
        self.assertEqual((group.rule.beta1, group.rule.beta2), (0.1, 0.2))

    def test_betas_that_change_on_the_way(self):
        """The means are corrected by powers of the new ones, as PyTorch's."""
        a = leaf(A)
        optimizer = optim.Adam([a], lr=0.1, betas=(0.8, 0.9), eps=1e-3)
        p, m, v, betas = A.astype(np.float64), 0.0, 0.0, (0.8, 0.9)
        for t in range(1, 6):
            if t == 3:
                betas = optimizer.param_groups[0]["betas"] = (0.5, 0.6)
            step(optimizer, 2.0)
            m = betas[0] * m + (1 - betas[0]) * 2.0
            v = betas[1] * v + (1 - betas[1]) * 4.0
            p = p - 0.1 * (m / (1 - betas[0]**t)) / (
                np.sqrt(v / (1 - betas[1]**t)) + 1e-3)
            np.testing.assert_allclose(a.numpy(), p, rtol=1e-5)

    def test_adding(self):
        a, b = leaf(A), leaf(B)
        optimizer = optim.Adam([a], lr=0.1)
        step(optimizer, 1.0)
        optimizer.add_param_group({"params": [b], "lr": 0.01})
        self.assertEqual(len(optimizer.param_groups), 2)
        before = a.numpy().copy()
        step(optimizer, 1.0, 4.0)
        # The first step of Adam has the length of the rate.
        np.testing.assert_allclose(b.numpy(), B - 0.01, rtol=1e-4)
        np.testing.assert_allclose(a.numpy(), before - 0.1, rtol=1e-4)
        for wrong, error, text in (
                ({"params": [b]}, ValueError, "there once each"),
                ({"params": [leaf(B)], "momentum": 0.1}, TypeError,
                 "a group has no argument 'momentum'"),
                ({"lr": 0.1}, TypeError, "must be a dict with 'params'"),
                ({"params": []}, ValueError, "must have parameters")):
            with self.assertRaisesRegex(error, text):
                optimizer.add_param_group(wrong)
        self.assertEqual(len(optimizer.param_groups), 2)
        self.assertEqual(len(optimizer.parameters), 2)

    def test_state_is_saved_with_the_rates(self):
        def make():
            return optim.Adam([{"params": [leaf(A)]},
                               {"params": [leaf(B)], "lr": 0.5}], lr=0.1)
        first, second = make(), make()
        first.param_groups[1]["lr"] = 0.25
        second.load_state_dict(first.state_dict())
        self.assertEqual(second.param_groups[1]["lr"], 0.25)
        second.learning_rate = 0.2
        self.assertAlmostEqual(second.param_groups[1]["lr"], 0.5)

    def test_refusals(self):
        group = optim.Adam([leaf(A)]).param_groups[0]
        for key in ("params", "momentum", "clip"):
            with self.assertRaisesRegex(KeyError, "no argument .* can be set"):
                group[key] = 1.0
        with self.assertRaisesRegex(ValueError, "beta1 must be in"):
            group["beta1"] = 2.0
        with self.assertRaisesRegex(ValueError, "amsgrad must stay"):
            group["amsgrad"] = True
        self.assertFalse(group["amsgrad"])
        with self.assertRaisesRegex(KeyError, "keeps its argument"):
            del group["lr"]
        with self.assertRaisesRegex(TypeError, "Adam: has no argument 'momentum': "
                                    "use sy.optim.Momentum"):
            optim.Adam([leaf(A)], lr=0.1, momentum=0.9)
        with self.assertRaisesRegex(TypeError, "SGD: arguments after learning_rate "
                                    "must be given by name, got 0.9"):
            optim.SGD([leaf(A)], 0.1, 0.9)
        with self.assertRaisesRegex(TypeError, "got two values for "
                                    "'learning_rate'"):
            optim.SGD([leaf(A)], lr=0.1, learning_rate=0.1)

    def test_own_class(self):
        class Scaled(optim.Optimizer):
            def __init__(self, params, lr=0.1, factor=1.0):
                self.factor = factor
                super().__init__(params, lr)

            def update(self, param, grad, learning_rate, state):
                return param - learning_rate * grad * self.factor, {}
        a, b = leaf(A), leaf(B)
        optimizer = Scaled([{"params": a, "factor": 2.0},
                            {"params": b, "lr": 0.5}], lr=0.25)
        step(optimizer, 1.0, 1.0)
        np.testing.assert_allclose(a.numpy(), A - 0.5)
        np.testing.assert_allclose(b.numpy(), B - 0.5)
        optimizer.param_groups[0]["factor"] = 4.0
        step(optimizer, 1.0, 1.0)
        np.testing.assert_allclose(a.numpy(), A - 1.5)


class TracedTest(unittest.TestCase):

    def train(self, static):
        sy.seed(4)
        model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
        loss = nn.MSELoss()
        optimizer = optim.Adam([
            {"params": model[0].parameters()},
            {"params": [model[2].weight], "lr": 0.05}], lr=0.01)
        run = sy.static.train_step(model, loss, optimizer)
        x, y = sy.randn(8, 3), sy.randn(8, 1)
        traces = []

        def once():
            if static:
                run(x, y)
                traces.append(run.traces)
                return
            optimizer.zero_grad(set_to_none=True)
            loss(model(x), y).backward()
            optimizer.step()
        once()
        for group in optimizer.param_groups:
            group["lr"] *= 0.5
        once()
        optimizer.param_groups[0]["weight_decay"] = 0.1
        once()
        optimizer.add_param_group({"params": [model[2].bias], "lr": 0.5})
        once()
        once()
        return traces, [p.numpy().copy() for p in model.parameters()]

    def test_a_program_follows(self):
        _, eager = self.train(False)
        traces, traced = self.train(True)
        for mine, expected in zip(traced, eager):
            np.testing.assert_array_equal(mine, expected)
        # A rate is a state; another argument and more parameters are traced.
        self.assertEqual(traces, [1, 1, 2, 3, 3])

    def test_a_foreign_parameter_is_refused(self):
        model = nn.Linear(2, 1)
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        run = sy.static.train_step(model, nn.MSELoss(), optimizer)
        optimizer.add_param_group({"params": [leaf(B)]})
        with self.assertRaisesRegex(ValueError, "must hold the model's"):
            run(sy.ones(1, 2), sy.ones(1, 1))

    def test_a_closure(self):
        a = leaf(A)
        optimizer = optim.SGD([a], lr=0.1)

        def closure():
            optimizer.zero_grad()
            loss = (a * a).sum()
            loss.backward()
            return loss
        self.assertAlmostEqual(optimizer.step(closure).item(), (A * A).sum(), 4)
        np.testing.assert_allclose(a.numpy(), A * 0.8, rtol=1e-6)
        optimizer.zero_grad(set_to_none=False)
        self.assertEqual(a.grad.tolist(), [[0.0, 0.0], [0.0, 0.0]])


if __name__ == "__main__":
    unittest.main()
