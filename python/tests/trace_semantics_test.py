# SPDX-License-Identifier: Apache-2.0
"""Tracing regards regions without gradients, hooks, phases, random numbers and eager tensors.

Eager and static training are compared bit for bit.
"""
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static

STEPS = 3


def batch(seed=0, rows=6):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, 4)).astype(np.float32), rng.integers(0, 3, rows)


def weights(model):
    return {name: tensor.numpy().tobytes() for name, tensor in model.named_parameters()}


class TwoLayers(nn.Module):

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 3)


class Frozen(TwoLayers):
    """A backbone without gradients."""

    def forward(self, x):
        with sy.no_grad():
            features = sy.relu(self.first(x))
        return self.second(features)


class Detached(TwoLayers):

    def forward(self, x):
        return self.second(sy.relu(self.first(x)).detach())


class StraightThrough(TwoLayers):
    """Rounds forward; its gradient is the identity's."""

    def forward(self, x):
        hidden = self.first(x)
        return self.second(hidden + (sy.round(hidden) - hidden).detach())


class TargetNetwork(TwoLayers):
    """One head is the other's target, which does not move."""

    def __init__(self):
        super().__init__()
        self.target = nn.Linear(8, 3)

    def forward(self, x):
        hidden = self.first(x)
        with sy.no_grad():
            wanted = self.target(hidden)
        return self.second(hidden) - wanted


class Advantage(TwoLayers):
    """The critic's estimate weighs the actor's loss and gets nothing from it."""

    def __init__(self):
        super().__init__()
        self.critic = nn.Linear(8, 1)

    def forward(self, x):
        hidden = self.first(x)
        value = self.critic(hidden)
        advantage = (1.0 - value).detach()
        return self.second(hidden) * advantage + value


class Branches(TwoLayers):
    """Control flow without gradients."""

    def forward(self, x):
        hidden = self.first(x)
        with sy.no_grad():
            scale = static.cond(sy.sum(hidden) > 0, lambda: hidden * 2.0, lambda: hidden * 0.5)
            steps, = static.while_loop(lambda h: sy.sum(h * h) > 1.0, lambda h: (h * 0.5,), (hidden,))
        return self.second(hidden + scale + steps)


class Noisy(TwoLayers):
    """Draws numbers that depend on no value."""

    def forward(self, x):
        hidden = self.first(x)
        noise = sy.randn(8) + sy.rand(1) + sy.ops.cast(sy.ops.randint(0, 5, [8]), "float32")
        return self.second(hidden + noise * 0.1)


class Captured(TwoLayers):
    """Uses eager tensors made beside and inside of it."""

    def __init__(self):
        super().__init__()
        self.scale = [sy.tensor([0.5, 1.0, 2.0])]

    def forward(self, x):
        return self.second(self.first(x)) * self.scale[0] + sy.arange(3).astype("float32")


MODELS = (Frozen, Detached, StraightThrough, TargetNetwork, Advantage, Branches, Noisy, Captured)


class TrainingTest(unittest.TestCase):

    def train_eagerly(self, model, x, y, steps=STEPS):
        loss = nn.CrossEntropyLoss()
        optimizer = sy.optim.SGD(model.parameters(), learning_rate=0.1)
        losses = []
        for _ in range(steps):
            optimizer.zero_grad()
            value = loss(model(sy.tensor(x)), sy.tensor(y))
            value.backward()
            optimizer.step()
            losses.append(value.numpy().tobytes())
        return losses

    def train_statically(self, model, x, y, steps=STEPS):
        optimizer = sy.optim.SGD(model.parameters(), learning_rate=0.1)
        step = static.train_step(model, nn.CrossEntropyLoss(), optimizer)
        return [step(x, y).numpy().tobytes() for _ in range(steps)], step

    def test_eager_and_static_agree(self):
        for kind in MODELS:
            with self.subTest(kind.__name__):
                x, y = batch()
                sy.seed(3)
                eager = kind()
                sy.seed(3)
                traced = kind()
                sy.seed(7)
                losses = self.train_eagerly(eager, x, y)
                sy.seed(7)
                got, _ = self.train_statically(traced, x, y)
                self.assertEqual(got, losses)
                self.assertEqual(weights(traced), weights(eager))

    def test_what_is_frozen_stays(self):
        for kind in (Frozen, Detached):
            with self.subTest(kind.__name__):
                model = kind()
                before = weights(model)
                self.train_statically(model, *batch())
                after = weights(model)
                self.assertEqual(after["first.weight"], before["first.weight"])
                self.assertNotEqual(after["second.weight"], before["second.weight"])

    def test_generator_stays_while_the_discriminator_learns(self):

        class Both(nn.Module):

            def __init__(self):
                super().__init__()
                self.generator, self.discriminator = nn.Linear(4, 4), nn.Linear(4, 3)

            def forward(self, x):
                return self.discriminator(self.generator(x).detach())

        sy.seed(1)
        eager = Both()
        sy.seed(1)
        traced = Both()
        x, y = batch()
        self.assertEqual(self.train_statically(traced, x, y)[0], self.train_eagerly(eager, x, y))
        self.assertEqual(weights(traced), weights(eager))


class RetraceTest(unittest.TestCase):

    def setUp(self):
        sy.seed(5)
        self.model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 3))
        self.optimizer = sy.optim.SGD(self.model.parameters(), learning_rate=0.1)
        self.step = static.train_step(self.model, nn.CrossEntropyLoss(), self.optimizer)
        self.x, self.y = batch()

    def test_the_phase_counts(self):
        self.step(self.x, self.y)
        self.model.eval()
        with sy.no_grad():
            want = nn.CrossEntropyLoss()(self.model(sy.tensor(self.x)), sy.tensor(self.y)).item()
        self.assertEqual(self.step(self.x, self.y).item(), want)
        self.model.train()
        self.step(self.x, self.y)
        self.assertEqual(self.step.traces, 2)

    def test_a_parameter_may_be_frozen_later(self):
        self.step(self.x, self.y)
        first = self.model[0]
        first.weight.requires_grad_(False)
        before = weights(self.model)
        self.step(self.x, self.y)
        after = weights(self.model)
        self.assertEqual(after["0.weight"], before["0.weight"])
        self.assertNotEqual(after["0.bias"], before["0.bias"])
        first.weight.requires_grad_(True)
        self.step(self.x, self.y)
        self.assertNotEqual(weights(self.model)["0.weight"], before["0.weight"])
        self.assertEqual(self.step.traces, 2)

    def test_hooks_change_gradients(self):
        self.step(self.x, self.y)
        handle = self.model[2].bias.register_hook(lambda grad: grad * 0.0)
        before = weights(self.model)
        self.step(self.x, self.y)
        after = weights(self.model)
        self.assertEqual(after["2.bias"], before["2.bias"])
        self.assertNotEqual(after["2.weight"], before["2.weight"])
        handle.remove()
        self.step(self.x, self.y)
        self.assertNotEqual(weights(self.model)["2.bias"], before["2.bias"])
        self.assertEqual(self.step.traces, 2)

    def test_a_hook_that_needs_numbers_raises(self):
        self.model[2].bias.register_hook(lambda grad: grad.numpy())
        with self.assertRaises(AttributeError):
            self.step(self.x, self.y)

    def test_a_hook_must_return_a_value(self):
        self.model[2].bias.register_hook(lambda grad: sy.zeros([3]))
        with self.assertRaisesRegex(TypeError, "a hook must return a value of the graph or None"):
            self.step(self.x, self.y)

    def test_few_programs_are_kept(self):
        handles = []
        for _ in range(static.TrainStep.KEPT + 2):
            self.step(self.x, self.y)
            handles.append(self.model[2].bias.register_hook(lambda grad: None))
        self.assertEqual(self.step.traces, static.TrainStep.KEPT + 2)
        self.assertEqual(len(self.step._programs), static.TrainStep.KEPT)


class TraceTest(unittest.TestCase):

    def test_what_only_tensors_have_is_said(self):
        for name in ("numpy", "item", "tolist", "backward"):
            with self.assertRaisesRegex(
                    AttributeError, f"^a graph's value has no '{name}' while it is traced"):
                static.trace(lambda x: getattr(x, name)(), np.zeros(3, np.float32))
        with self.assertRaisesRegex(AttributeError, "^'Value' object has no attribute 'nump'"):
            static.trace(lambda x: x.nump(), np.zeros(3, np.float32))

    def test_random_numbers_differ_from_run_to_run(self):
        program = static.trace(lambda x: x + sy.randn(3), np.zeros(3, np.float32))
        first, second = (program.run({"x0": np.zeros(3, np.float32)})["out"] for _ in range(2))
        self.assertFalse(np.array_equal(first, second))

    def test_every_random_function_has_the_bits_of_eager(self):
        x = np.abs(np.random.default_rng(0).normal(size=(4, 3))).astype(np.float32) / 4
        functions = {
            "randn": lambda x: sy.randn(4, 3),
            "rand": lambda x: sy.rand(x.shape[0], x.shape[1]),
            "randn_like": sy.randn_like,
            "rand_like": sy.rand_like,
            "randint": lambda x: sy.randint(0, 9, [4, 3]),
            "randperm": lambda x: sy.randperm(5),
            "bernoulli": lambda x: sy.bernoulli(sy.clip(x, 0.0, 1.0)),
            "multinomial": lambda x: sy.multinomial(x, 2),
            "gaussian": lambda x: sy.ops.gaussian([x.shape[0], 2], 1.0, 2.0),
            "uniform": lambda x: sy.ops.uniform([4, 3]),
        }
        for name, function in functions.items():
            with self.subTest(name):
                program = static.trace(function, x)
                sy.seed(5)
                want = [function(sy.tensor(x)).numpy() for _ in range(2)]
                sy.seed(5)
                got = [program.run({"x0": x})["out"] for _ in range(2)]
                self.assertEqual([a.tobytes() for a in got], [a.tobytes() for a in want])
                self.assertFalse(np.array_equal(*got))

    def test_random_shapes_may_be_values(self):
        program = static.trace(lambda x: sy.randn(x.shape[0], 2), np.zeros((4, 3), np.float32))
        self.assertEqual(program.run({"x0": np.zeros((7, 3), np.float32)})["out"].shape, (7, 2))

    def test_eager_numbers_are_eager_behind_a_trace(self):
        static.trace(lambda x: x + sy.randn(3), np.zeros(3, np.float32))
        self.assertIsInstance(sy.randn(3), sy.Tensor)

    def test_indices_of_nothing_with_open_extents(self):
        none = np.array([], np.int64)

        def written(x):
            x = x + 0
            x[:, none] = 2
            return x
        for dtype in ("float32", "int8", "bfloat16", "bool"):
            x = sy.tensor(np.arange(12).reshape(4, 3) % 2, dtype)
            spec = static.InputSpec(["n", 3], dtype)
            for read in (lambda x: x[:, none], lambda x: x[none], lambda x: x[:, none, None]):
                got, want = static.trace(read, spec)(x), read(x)
                self.assertEqual((got.shape, got.dtype), (want.shape, want.dtype))
        np.testing.assert_array_equal(
            static.trace(written, static.InputSpec(["n", 3]))(
                np.ones((4, 3), np.float32)).numpy(), 1.0)

    def test_captured_tensors_are_states(self):
        scale = sy.tensor([1.0, 2.0, 3.0])
        program = static.trace(lambda x: x * (scale * 2.0) + sy.ones([3]), np.ones(3, np.float32))
        self.assertEqual(program.state.keys(), ["captured0"])
        np.testing.assert_array_equal(program.run({"x0": np.ones(3, np.float32)})["out"], [3, 5, 7])
        scale.copy_(sy.zeros([3]))
        np.testing.assert_array_equal(program.run({"x0": np.ones(3, np.float32)})["out"], [1, 1, 1])

    def test_captured_views_follow_their_memory(self):
        base = sy.tensor(np.arange(12, dtype=np.float32).reshape(3, 4))
        views = [base[1], base.T, base[:, 1:3], base[::2, ::3], base.reshape([12]), base[:1, :1].expand([2, 2])]
        x = np.ones(1, np.float32)
        for whole in (True, False):  # Whether the base is a state already.
            for view in views:
                program = static.trace(lambda v, t=view: ((base * v if whole else v), t * v[0]), x)
                for number in (1.0, 2.0):
                    base.copy_(sy.tensor(np.arange(12, dtype=np.float32).reshape(3, 4) * number))
                    np.testing.assert_array_equal(program.run({"x0": x})["out1"], view.numpy())

    def test_writes_to_captured_tensors_are_parts_of_the_program(self):
        total, doubled = sy.zeros([2]), sy.ones([2])

        def function(x):
            total.add_(x.detach())
            doubled.copy_(doubled * 2.0)
            return total + doubled

        program = static.trace(function, static.InputSpec([2]))
        self.assertEqual(total.tolist(), [0, 0])
        outs = [program.run({"x0": np.ones(2, np.float32)})["out"].tolist() for _ in range(2)]
        self.assertEqual(outs, [[3, 3], [6, 6]])
        self.assertEqual((total.tolist(), doubled.tolist()), ([2, 2], [4, 4]))

    def test_a_state_that_is_written_has_no_other_in_its_memory(self):
        base = sy.zeros([4])
        part = base[1:3]

        def function(x):
            y = part * x[0]
            base.copy_(base + x)
            return y

        with self.assertRaisesRegex(ValueError, "the step writes 'captured1', in whose memory 'captured0' lies"):
            static.trace(function, np.ones(4, np.float32))

    def test_a_captured_result_with_a_gradient_is_refused(self):
        weight = sy.tensor([1.0, 2.0, 3.0], requires_grad=True)
        program = static.trace(lambda x: x * weight, np.ones(3, np.float32))
        self.assertEqual(program.run({"x0": np.ones(3, np.float32)})["out"].tolist(), [1, 2, 3])
        computed = weight * 2.0
        with self.assertRaisesRegex(TypeError, "a tensor of outside that an operator computed must not require"):
            static.trace(lambda x: x * computed, np.ones(3, np.float32))
        static.trace(lambda x: x * computed.detach(), np.ones(3, np.float32))

    def test_writing_in_place_without_gradients(self):

        def function(x):
            y = x * 2.0
            with sy.no_grad():
                y.relu_()
            return y

        ones = np.ones(3, np.float32)
        np.testing.assert_array_equal(static.trace(function, -ones)(-ones).numpy(), np.zeros(3, np.float32))

    def test_detaching_costs_nothing_in_a_program(self):
        program = static.trace(lambda x: sy.exp(x.detach()).detach(), np.ones(3, np.float32))
        self.assertNotIn("detach", program.text())

    def test_extents_of_values_are_arguments(self):
        program = static.trace(lambda x: x.reshape(x.shape[0], -1), np.ones((2, 3, 4), np.float32))
        self.assertEqual(program.run({"x0": np.ones((5, 3, 4), np.float32)})["out"].shape, (5, 12))


if __name__ == "__main__":
    unittest.main()
