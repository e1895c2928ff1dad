# SPDX-License-Identifier: Apache-2.0
"""sy.autograd.Function: one run of forward, its ctx, and gradients of
gradients, eager and in programs."""

import gc
import unittest
import weakref

import numpy as np

import switchyard as sy

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)


class Drop(sy.autograd.Function):
    """A dropout whose gradient is that of the mask that forward drew."""

    runs = 0

    @staticmethod
    def forward(ctx, x):
        Drop.runs += 1
        mask = (sy.rand_like(x) < 0.5).to(x.dtype)
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx, grad):
        (mask,) = ctx.saved_tensors
        return grad * mask


class Exp(sy.autograd.Function):
    """Its gradient uses its result: saved, or as an attribute."""

    @staticmethod
    def forward(ctx, x, kept):
        y = sy.exp(x)
        if kept == "saved":
            ctx.save_for_backward(y)
        else:
            ctx.y = y
        return y

    @staticmethod
    def backward(ctx, grad):
        y = ctx.saved_tensors[0] if ctx.saved_tensors else ctx.y
        return grad * y, None


class Cube(sy.autograd.Function):

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3.0 * x * x * grad


class Positive(sy.autograd.Function):
    """The elements above 0: how many shows when it runs."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return sy.masked_select(x, x > 0)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        numbers = sy.nonzero(sy.flatten(x) > 0)[0]
        zeros = sy.flatten(sy.zeros_like(x))
        return sy.reshape(sy.scatter(zeros, 0, numbers, 2.0 * grad),
                          list(X.shape))


def leaf(array=X):
    return sy.tensor(np.array(array), requires_grad=True)


class EagerTest(unittest.TestCase):

    def test_the_mask_of_the_gradient_is_that_of_forward(self):
        Drop.runs = 0
        for _ in range(5):
            x = sy.tensor(np.ones(64, np.float32), requires_grad=True)
            y = Drop.apply(x)
            y.sum().backward()
            np.testing.assert_array_equal(x.grad.numpy(), y.numpy())
            self.assertIn(0.0, y.numpy())
        self.assertEqual(Drop.runs, 5)

    def test_gradients_of_gradients(self):
        for kept in ("saved", "attribute"):
            x = leaf()
            (g,) = sy.grad(Exp.apply(x, kept).sum(), x, create_graph=True)
            (gg,) = sy.grad((g * g).sum(), x)
            np.testing.assert_allclose(gg.numpy(), 2 * np.exp(2.0 * X),
                                       rtol=1e-6)

    def test_third_order(self):
        x = leaf()
        y = Cube.apply(x).sum()
        for expected in (3 * X * X, 6 * X, np.full_like(X, 6)):
            (y,) = sy.grad(y.sum(), x, create_graph=True)
            np.testing.assert_allclose(y.numpy(), expected, rtol=1e-6)

    def test_second_order_against_differences(self):
        x = np.linspace(-1, 1, 6)
        def slope(at):
            t = leaf(at)
            z = Exp.apply(Cube.apply(t), "saved") * sy.sin(t)
            return sy.grad(z.sum(), t, create_graph=True)[0], t
        g, t = slope(x)
        (gg,) = sy.grad(g.sum(), t)
        h = 1e-5
        numeric = (slope(x + h)[0].numpy() - slope(x - h)[0].numpy()) / (2 * h)
        np.testing.assert_allclose(gg.numpy(), numeric, rtol=1e-7, atol=1e-7)

    def test_freed_and_kept_graphs(self):
        x = leaf()
        y, ones = Cube.apply(x), sy.tensor(np.ones_like(X))
        y.backward(ones, retain_graph=True)
        y.backward(ones)
        np.testing.assert_allclose(x.grad.numpy(), 6 * X * X, rtol=1e-6)
        with self.assertRaisesRegex(RuntimeError, "Cube: graph must be run "
                                    "backward once"):
            y.backward(ones)

    def test_ctx_is_freed_with_the_graph(self):
        x = leaf()
        y = Held.apply(x)
        probe = weakref.ref(Held.last)
        Held.last = None
        self.assertIsNotNone(probe())
        del y
        gc.collect()
        self.assertIsNone(probe())

    def test_a_saved_tensor_that_is_written_is_an_error(self):
        x = leaf()
        h = x * 1.0
        y = Cube.apply(h)
        h.mul_(2.0)
        with self.assertRaisesRegex(RuntimeError, "Cube: saved tensor 0 must "
                                    "be at version 0 .*, got version 1"):
            y.sum().backward()

    def test_results_may_be_written(self):
        x = leaf()
        y = Cube.apply(x)
        y.mul_(2.0)
        y.sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), 6 * X * X, rtol=1e-6)

    def test_an_argument_as_a_result(self):
        class Turned(sy.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x

            @staticmethod
            def backward(ctx, grad):
                return -grad
        x = leaf()
        y = Turned.apply(x)
        self.assertTrue(x.is_leaf)
        y.sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), -np.ones_like(X))
        w = sy.tensor(X)
        self.assertFalse(Turned.apply(w).requires_grad)

    def test_needs_input_grad_and_results_without_gradients(self):
        class Top(sy.autograd.Function):
            @staticmethod
            def forward(ctx, x, y, k):
                Top.needs = ctx.needs_input_grad
                mask = (x > 0).to(x.dtype)
                ctx.mark_non_differentiable(mask)
                ctx.save_for_backward(mask, None)
                return x * mask, mask, sy.argmax(x, -1)

            @staticmethod
            def backward(ctx, grad, of_mask, of_numbers):
                Top.zeros = of_mask
                return grad * ctx.saved_tensors[0], None, None
        x, y = leaf(), sy.tensor(X)
        kept, mask, numbers = Top.apply(x, y, 2)
        self.assertEqual(Top.needs, (True, False, False))
        self.assertEqual((kept.requires_grad, mask.requires_grad,
                          numbers.requires_grad), (True, False, False))
        kept.sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), X > 0)
        np.testing.assert_array_equal(Top.zeros.numpy(), np.zeros_like(X))
        with sy.no_grad():
            self.assertFalse(Top.apply(x, y, 2)[0].requires_grad)
            self.assertEqual(Top.needs, (False, False, False))

    def test_results_whose_number_is_late(self):
        x = leaf()
        y = Positive.apply(x)
        np.testing.assert_array_equal(y.numpy(), X[X > 0])
        y.sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), 2.0 * (X > 0))


class Held(sy.autograd.Function):
    """Its ctx holds its result."""

    last = None

    @staticmethod
    def forward(ctx, x):
        ctx.y = x * 2.0
        Held.last = ctx
        return ctx.y

    @staticmethod
    def backward(ctx, grad):
        return grad * 2.0


class ErrorsTest(unittest.TestCase):

    def check(self, returned, message):
        class Wrong(sy.autograd.Function):
            @staticmethod
            def forward(ctx, k, x):
                return x * 1.0

            @staticmethod
            def backward(ctx, grad):
                return returned(grad)
        with self.assertRaisesRegex((TypeError, AttributeError), message):
            Wrong.apply(2, leaf()).sum().backward()
        with self.assertRaisesRegex((TypeError, AttributeError), message):
            sy.static.trace(lambda v: Wrong.apply(2, v),
                            sy.static.InputSpec([2, 3]))

    def test_gradients_that_do_not_fit(self):
        self.check(lambda g: (None, g.sum(1)),
                   r"Wrong: backward must return float32\[2, 3\] as the "
                   r"gradient of argument 1, got float32\[2\]")
        self.check(lambda g: (None, g.to("float64")),
                   r"argument 1, got float64\[2, 3\]")
        self.check(lambda g: (g, g, g), "a gradient for each of 2 arguments, "
                   "got 3")

    def test_errors_of_backward_leave_it(self):
        self.check(lambda g: g.nothing, "nothing")

    def test_forward_that_writes_its_argument(self):
        class Written(sy.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.mul_(2.0)

            @staticmethod
            def backward(ctx, grad):
                return grad
        h = leaf() * 1.0
        with self.assertRaisesRegex(RuntimeError, "Written: forward must leave "
                                    "an argument"):
            Written.apply(h)
        np.testing.assert_array_equal(Written.apply(sy.tensor(X)).numpy(), 2 * X)

    def test_what_is_saved(self):
        class Saved(sy.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(3)
                return x
        with self.assertRaisesRegex(TypeError, "Saved: save_for_backward must "
                                    "get tensors, got int"):
            Saved.apply(leaf())


if __name__ == "__main__":
    unittest.main()
