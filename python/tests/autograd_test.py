# SPDX-License-Identifier: Apache-2.0
"""Gradients from Python: backward, grad, grad modes, hooks."""
import gc
import threading
import unittest
import weakref

import numpy as np

import switchyard as sy


def leaf(*values):
    return sy.tensor(list(values), dtype="float64", requires_grad=True)


class AutogradTest(unittest.TestCase):

    def test_backward_accumulates(self):
        x = leaf(1.0, 2.0)
        (x * x).sum().backward()
        self.assertEqual(x.grad.tolist(), [2.0, 4.0])
        (x * 3.0).sum().backward()
        self.assertEqual(x.grad.tolist(), [5.0, 7.0])
        x.grad = None
        self.assertIsNone(x.grad)

    def test_grad_of_tensors_and_lists(self):
        x, y = leaf(2.0), leaf(3.0)
        out = x * x * y
        self.assertEqual(sy.grad(out, x, retain_graph=True)[0].tolist(), [12.0])
        gx, gy = sy.grad([out], [x, y])
        self.assertEqual((gx.item(), gy.item()), (12.0, 4.0))
        self.assertIsNone(x.grad)

    def test_retain_graph_is_off_by_default(self):
        x = leaf(2.0)
        out = x * x
        sy.grad(out, x)
        with self.assertRaisesRegex(RuntimeError, "retain_graph"):
            sy.grad(out, x)

    def test_create_graph_gives_second_order(self):
        x = leaf(2.0)
        (first,) = sy.grad(x * x * x, x, create_graph=True)
        (second,) = sy.grad(first, x, create_graph=True)
        (third,) = sy.grad(second, x)
        self.assertEqual((first.item(), second.item(), third.item()),
                         (12.0, 12.0, 6.0))

    def test_clip_gives_at_its_ends_and_between_them(self):
        x = leaf(-2.0, -1.0, 0.0, 1.0, 2.0)
        (g,) = sy.grad(sy.ops.clip(x, -1.0, 1.0).sum(), x)
        self.assertEqual(g.tolist(), [0.0, 1.0, 1.0, 1.0, 0.0])
        factors = sy.tensor([np.inf, 2.0, 3.0, 4.0, np.nan], "float64")
        (g,) = sy.grad(sy.ops.clip(x, -1.0, 1.0), x, factors)
        self.assertEqual(g.tolist(), [0.0, 2.0, 3.0, 4.0, 0.0])

    def test_powers_of_zero(self):
        x, y = leaf(0.0, 0.0, 0.0, 2.0), leaf(0.0, 1.0, 3.0, 0.0)
        gx, gy = sy.grad(sy.ops.elementwise_pow(x, y).sum(), [x, y],
                         create_graph=True)
        self.assertEqual(gx.tolist(), [0.0, 1.0, 0.0, 0.0])
        np.testing.assert_allclose(gy.numpy(),
                                   [0.0, 0.0, 0.0, np.log(2.0)])
        # The second derivative by x is y (y - 1) x^(y - 2).
        (second,) = sy.grad(gx.sum(), x)
        self.assertEqual(second.tolist(), [0.0, 0.0, 0.0, 0.0])

    def test_activations_of_what_overflows_in_their_formulas(self):
        """Large and infinite x, by the kernel and by the composite gradient."""
        cases = {
            "gelu": sy.gelu,
            "gelu by tanh": lambda x: sy.gelu(x, approximate=True),
            "hardswish": sy.ops.hardswish,
        }
        bounds = {"float32": (9e6, 1e20, 3e38), "float64": (1e42, 1e200, 1e308),
                  "bfloat16": (1e7, 1e20, 3e38), "float16": (200, 3e4, 6e4)}
        for name, activation in cases.items():
            for dtype, large in bounds.items():
                values = [*large, np.inf]
                values += [-v for v in values]
                for create_graph in False, True:
                    with self.subTest(name, dtype=dtype, again=create_graph):
                        x = sy.tensor(np.array(values)).astype(dtype)
                        x.requires_grad = True
                        (g,) = sy.grad(activation(x).sum(), x,
                                       create_graph=create_graph)
                        self.assertEqual(g.astype("float64").tolist(),
                                         [1.0] * 4 + [0.0] * 4)
                        if create_graph:
                            (second,) = sy.grad(g.sum(), x)
                            self.assertEqual(
                                second.astype("float64").tolist(), [0.0] * 8)

    def test_quotients_by_tiny_numbers(self):
        """g / y is infinite, out / y is not; PyTorch gives these values."""
        x = sy.tensor(np.array([0.0, 1e-40], np.float32), requires_grad=True)
        y = sy.tensor(np.array([1e-39, 1e-20], np.float32), requires_grad=True)
        gx, gy = sy.grad((x / y).sum(), [x, y])
        self.assertEqual(gx.tolist()[0], np.inf)
        np.testing.assert_allclose(gy.numpy(), [0.0, -1.0], rtol=1e-5)

    def test_grad_outputs(self):
        x = leaf(1.0, 2.0)
        (g,) = sy.grad(x * 2.0, x, sy.tensor([1.0, 10.0], "float64"))
        self.assertEqual(g.tolist(), [2.0, 20.0])
        with self.assertRaisesRegex(ValueError, r"^grad: grad_outputs\[0\] must be given"):
            sy.grad(x * 2.0, x)

    def test_allow_unused(self):
        x, y = leaf(1.0), leaf(1.0)
        with self.assertRaisesRegex(ValueError, r"^grad: the outputs do not depend on inputs\[1\]"):
            sy.grad(x * 2.0, [x, y])
        self.assertIsNone(sy.grad(x * 2.0, [x, y], allow_unused=True)[1])

    def test_wrong_arguments(self):
        with self.assertRaisesRegex(TypeError, "^grad: outputs must be tensors, got float"):
            sy.grad([1.0], [leaf(1.0)])
        with self.assertRaisesRegex(RuntimeError,
                                    r"^backward: outputs\[0\] must be a tensor that requires grad"):
            sy.tensor([1.0]).backward()

    def test_no_grad_block_and_function(self):
        x = leaf(1.0)
        with sy.no_grad():
            self.assertFalse((x * 2.0).requires_grad)
            with sy.enable_grad():
                self.assertTrue((x * 2.0).requires_grad)
            self.assertFalse(sy.is_grad_enabled())

        @sy.no_grad()
        def evaluate():
            """Its text."""
            return x * 2.0
        self.assertFalse(evaluate().requires_grad)
        self.assertEqual(evaluate.__doc__, "Its text.")

        @sy.no_grad
        def bare():
            return x * 2.0
        self.assertFalse(bare().requires_grad)
        with self.assertRaisesRegex(TypeError, "callable"):
            sy.no_grad(False)
        self.assertTrue(sy.is_grad_enabled())

    def test_no_grad_ends_with_an_error_and_stays_in_its_thread(self):
        with self.assertRaises(KeyError), sy.no_grad():
            raise KeyError
        self.assertTrue(sy.is_grad_enabled())
        seen = []
        with sy.no_grad():
            thread = threading.Thread(
                target=lambda: seen.append(sy.is_grad_enabled()))
            thread.start()
            thread.join()
        self.assertEqual(seen, [True])

    def test_hooks(self):
        x = leaf(1.0)
        y = x * 2.0
        handle = y.register_hook(lambda grad: grad * 10.0)
        (y * 1.0).sum().backward(retain_graph=True)
        self.assertEqual(x.grad.tolist(), [20.0])
        handle.remove()

        def fail(grad):
            raise LookupError("in a hook")
        x.register_hook(fail)
        with self.assertRaisesRegex(Exception, "in a hook"):
            (x * 2.0).sum().backward()

    def test_grad_mode_blocks_are_nested_and_ended_once(self):
        block = sy.no_grad()
        with block, sy.enable_grad(), block:
            self.assertFalse(sy.is_grad_enabled())
        self.assertTrue(sy.is_grad_enabled())
        with self.assertRaisesRegex(RuntimeError, "block must be open"):
            block.__exit__(None, None, None)

    def test_hooks_that_hold_their_tensor_are_collected(self):
        def hooked(make, keep_handle=False):
            """A weak reference to what the hook of such a tensor captures."""
            canary = type("Canary", (), {})()
            y = make()
            handle = y.register_hook(
                lambda grad: grad * y.detach().sum() if canary else handle)
            if y.is_leaf:
                (y * 1.0).sum().backward()
            else:
                y.sum().backward()
            if not keep_handle:
                handle = None
            return weakref.ref(canary)

        x = leaf(1.0, 2.0)
        for name, make in (("computed", lambda: x * 2.0),
                           ("leaf", lambda: leaf(3.0))):
            for keep_handle in (False, True):
                with self.subTest(name, keep_handle=keep_handle):
                    gone = hooked(make, keep_handle)
                    self.assertIsNotNone(gone())
                    gc.collect()
                    self.assertIsNone(gone())

    def test_hooks_in_use_are_not_collected(self):
        x = leaf(3.0)
        runs = []

        def computed():
            y = x * 2.0

            def hook(grad):
                gc.collect()  # While it runs, too.
                runs.append(y.item())
                return grad * y.item()
            y.register_hook(hook)
            return y * 1.0
        z = computed()
        # Only z's graph leads to the hook, which leads to y.
        gc.collect()
        z.backward()
        self.assertEqual((runs, x.grad.item()), ([6.0], 12.0))

        other = leaf(1.0)
        other.register_hook(lambda grad: runs.append(other.item()))
        gc.collect()
        other.sum().backward()
        self.assertEqual(runs, [6.0, 1.0])

    def test_indexed_methods_and_numpy_agree(self):
        a = np.random.default_rng(0).normal(size=(3, 4))
        x = sy.tensor(a, requires_grad=True)
        (x.T @ x).sum().backward()
        want = 2 * a.sum(1, keepdims=True) * np.ones((1, 4))
        np.testing.assert_allclose(x.grad.numpy(), want)


class LinearOperatorsTest(unittest.TestCase):
    """The gradient of an operator that is linear in x is linear in the gradient that comes
    in, and the derivative of that is the operator again."""

    def cases(self):
        F, ops = sy.nn.functional, sy.ops

        def pad(mode):
            return lambda x: F.pad(x, [1, 2, 0, 1], mode=mode)
        return {
            "bilinear": ((1, 2, 3, 4), lambda x: F.interpolate(x, (5, 7), mode="bilinear")),
            "bicubic": ((1, 2, 3, 4), lambda x: F.interpolate(x, scale_factor=2, mode="bicubic")),
            "nearest": ((1, 2, 3, 4), lambda x: F.interpolate(x, (5, 7), mode="nearest")),
            "linear": ((1, 2, 4), lambda x: F.interpolate(x, 7, mode="linear")),
            "unfold": ((1, 2, 4, 5), lambda x: F.unfold(x, 2, stride=2, padding=1)),
            "fold": ((1, 8, 6), lambda x: F.fold(x, (4, 3), 2)),
            "frame": ((7,), lambda x: ops.frame(x, 3, 2, -1)),
            "overlap_add": ((3, 3), lambda x: ops.overlap_add(x, 2, -1)),
            "strided_slice": ((5, 4), lambda x: ops.strided_slice(x, [0, 1], [4, 0], [0, 3], [-2, 1])),
            "diagonal": ((3, 4), lambda x: sy.diagonal(x, 1)),
            "diag of a list": ((3,), lambda x: sy.diag(x, -1)),
            "diag of a matrix": ((3, 4), lambda x: sy.diag(x, 1)),
            "channel_shuffle": ((1, 4, 2, 2), lambda x: F.channel_shuffle(x, 2)),
            "pixel_shuffle": ((1, 4, 2, 2), lambda x: F.pixel_shuffle(x, 2)),
            "constant": ((1, 1, 3, 4), pad("constant")), "reflect": ((1, 1, 3, 4), pad("reflect")),
            "replicate": ((1, 1, 3, 4), pad("replicate")), "circular": ((1, 1, 3, 4), pad("circular")),
        }

    def test_second_derivatives(self):
        draw = np.random.default_rng(0).normal
        for name, (shape, f) in self.cases().items():
            with self.subTest(name):
                x = sy.tensor(draw(size=shape), requires_grad=True)
                w = sy.tensor(draw(size=f(x).shape), requires_grad=True)
                v = sy.tensor(draw(size=shape))
                (first,) = sy.grad((f(x) * w).sum(), [x], create_graph=True)
                (second,) = sy.grad((first * v).sum(), [w])
                np.testing.assert_allclose(second.numpy(), f(v).numpy(), rtol=1e-12, atol=1e-12)


if __name__ == "__main__":
    unittest.main()
