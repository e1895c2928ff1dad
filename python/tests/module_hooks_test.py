# SPDX-License-Identifier: Apache-2.0
"""Hooks of modules in backward, and the names inside of modules."""

import collections
import gc
import unittest
import weakref

import numpy as np

import switchyard as sy
from switchyard import nn

X = np.array([[1.0, -2.0, 0.5], [3.0, 1.0, -1.0]], np.float32)


class Two(nn.Module):
    """Takes two arguments and gives two results."""

    def forward(self, a, b, factor=2.0):
        return a * b, a * factor


class BackwardHooksTest(unittest.TestCase):

    def test_gradients_of_arguments_and_results(self):
        layer, seen = nn.Linear(3, 2), []
        handle = layer.register_full_backward_hook(
            lambda module, given, back: seen.append((module, given, back)))
        x = sy.tensor(X, requires_grad=True)
        weight = sy.tensor([[1.0, 2.0], [3.0, 4.0]])
        plain = (layer.forward(sy.tensor(X)) * weight).sum().item()
        loss = (layer(x) * weight).sum()
        self.assertEqual(loss.item(), plain)
        loss.backward()
        ((module, given, back),) = seen
        self.assertIs(module, layer)
        np.testing.assert_array_equal(back[0].numpy(), weight.numpy())
        expected = weight.numpy() @ layer.weight.numpy().T
        np.testing.assert_allclose(given[0].numpy(), expected, rtol=1e-6)
        np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-6)
        np.testing.assert_allclose(layer.weight.grad.numpy(),
                                   X.T @ weight.numpy(), rtol=1e-6)
        handle.remove()
        (layer(x) * weight).sum().backward()
        self.assertEqual(len(seen), 1)

    def test_what_a_hook_returns_goes_on(self):
        layer = Two()
        a, b = (sy.tensor(X, requires_grad=True) for _ in range(2))
        order = []

        def before(module, back):
            order.append("before")
            return back[0] * 10.0, back[1]

        def after(module, given, back):
            order.append("after")
            np.testing.assert_array_equal(back[0].numpy(), np.full((2, 3), 10.0))
            return given[0] + 1.0, given[1] * 0.0
        layer.register_full_backward_pre_hook(before)
        layer.register_full_backward_hook(after)
        product, double = layer(a, b)
        (product.sum() + double.sum()).backward()
        self.assertEqual(order, ["before", "after"])
        np.testing.assert_allclose(a.grad.numpy(), 10.0 * X + 2.0 + 1.0)
        np.testing.assert_array_equal(b.grad.numpy(), 0.0 * X)

    def test_arguments_without_gradients(self):
        layer, seen = nn.Linear(3, 2), []
        layer.register_full_backward_hook(lambda *given: seen.append(given[1:]))
        layer(sy.tensor(X)).sum().backward()
        ((given, back),) = seen
        self.assertEqual(given, (None,))
        np.testing.assert_array_equal(back[0].numpy(), np.ones((2, 2)))
        with sy.no_grad():
            layer(sy.tensor(X))
        self.assertEqual(len(seen), 1)
        two = Two()
        two.register_full_backward_hook(lambda *given: seen.append(given[1:]))
        first, _ = two(sy.tensor(X), sy.tensor(X, requires_grad=True), factor=1.0)
        first.sum().backward()
        (given, _) = seen[-1]
        self.assertIsNone(given[0])
        np.testing.assert_array_equal(given[1].numpy(), X)

    def test_nested_and_repeated(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
        seen = []
        for layer in model.modules():
            layer.register_full_backward_hook(
                lambda module, *_: seen.append(type(module).__name__))
        loss = model(sy.tensor(X, requires_grad=True)).sum()
        loss.backward(retain_graph=True)
        self.assertEqual(seen, ["Linear", "ReLU", "Linear", "Sequential"])
        loss.backward()
        self.assertEqual(len(seen), 8)

    def test_nothing_is_kept(self):
        layer = nn.Linear(3, 2)
        layer.register_full_backward_hook(lambda *_: None)
        y = layer(sy.tensor(X, requires_grad=True))
        from switchyard.nn import hooks
        count = len(hooks._calls)
        self.assertGreater(count, 0)
        gone = weakref.ref(next(iter(hooks._calls.values())))
        y.sum().backward()
        del y
        gc.collect()
        self.assertIsNone(gone())

    def test_refusals(self):
        layer = nn.Linear(3, 2)
        with self.assertRaisesRegex(TypeError, "hook must be callable"):
            layer.register_full_backward_hook(3)
        handle = layer.register_full_backward_hook(lambda *_: (None, None))
        with self.assertRaisesRegex(Exception, "must return 1 gradients, got 2"):
            layer(sy.tensor(X, requires_grad=True)).sum().backward()
        with self.assertRaisesRegex(RuntimeError, "Linear: a full backward hook is "
                                    "for eager code"):
            sy.static.trace(layer, X)
        handle.remove()
        sy.static.trace(layer, X)

    def test_a_hook_after_the_first_step_is_no_secret(self):
        layer = nn.Linear(3, 1)
        step = sy.static.train_step(layer, nn.MSELoss(), sy.optim.SGD(
            layer.parameters(), lr=0.1))
        step(X, sy.ones(2, 1))
        layer.register_full_backward_hook(lambda *_: None)
        with self.assertRaisesRegex(RuntimeError, "a full backward hook"):
            step(X, sy.ones(2, 1))


class HandlesTest(unittest.TestCase):

    def test_hooks_whose_handles_nobody_keeps(self):
        layer, seen = nn.ReLU(), []
        for i in range(4):
            layer.register_forward_hook(lambda *_, i=i: seen.append(i))
        layer(sy.tensor(X))
        self.assertEqual(seen, [0, 1, 2, 3])


class NamesTest(unittest.TestCase):

    def setUp(self):
        self.model = nn.Sequential(collections.OrderedDict(
            first=nn.Linear(3, 4), body=nn.Sequential(nn.ReLU(), nn.Linear(4, 1))))

    def test_modules_by_name(self):
        self.assertEqual([name for name, _ in self.model.named_children()],
                         ["first", "body"])
        self.assertIs(self.model.get_submodule("body.1"), self.model.body[1])
        self.assertIs(self.model.get_submodule(""), self.model)
        with self.assertRaisesRegex(AttributeError, "Sequential has no module '2'"):
            self.model.get_submodule("body.2")

    def test_weights_are_tied_by_assignment(self):
        first, second = nn.Linear(3, 3), nn.Linear(3, 3)
        second.weight = first.weight
        both = nn.Sequential(first, second)
        self.assertEqual(len(both.parameters()), 3)
        both(sy.tensor(X)).sum().backward()
        self.assertIs(second.weight, first.weight)
        with self.assertRaisesRegex(TypeError, "weight is a parameter"):
            second.weight = sy.ones(3, 3)

    def test_dtypes(self):
        for name, dtype in (("double", "float64"), ("half", "float16"),
                            ("bfloat16", "bfloat16"), ("float", "float32")):
            self.assertIs(getattr(self.model, name)(), self.model)
            self.assertEqual({p.dtype for p in self.model.parameters()}, {dtype})
        self.assertIs(self.model.cpu(), self.model)

    def test_buffers_that_are_not_saved(self):
        self.model.register_buffer("mask", sy.ones(2), persistent=False)
        self.model.register_buffer("scale", sy.ones(1))
        state = self.model.state_dict()
        self.assertIn("scale", state)
        self.assertNotIn("mask", state)
        self.assertEqual(len(self.model.buffers()), 2)
        state.pop("scale")
        keys = self.model.load_state_dict({**state, "other": sy.ones(1)},
                                          strict=False)
        self.assertEqual(keys, (["scale"], ["other"]))
        self.assertEqual(keys.missing_keys, ["scale"])

    def test_gradients_are_forgotten_or_zero(self):
        self.model(sy.tensor(X)).sum().backward()
        self.model.zero_grad(set_to_none=False)
        self.assertEqual(self.model.first.weight.grad.numpy().any(), False)
        self.model.zero_grad()
        self.assertIsNone(self.model.first.weight.grad)


if __name__ == "__main__":
    unittest.main()
