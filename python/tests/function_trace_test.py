# SPDX-License-Identifier: Apache-2.0
"""sy.autograd.Function in programs: traced once, forward and backward, with
eager code's bits; in branches and loops; gradients of gradients."""

import os
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard import _core, nn
from switchyard.static import InputSpec

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


class Scaled(sy.autograd.Function):
    """x * w with ten times its gradients, so that they show."""

    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx, grad):
        x, w = ctx.saved_tensors
        return 10.0 * grad * w, 10.0 * grad * x


class Positive(sy.autograd.Function):
    """The elements above 0: how many shows when it runs."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return sy.masked_select(x, x > 0)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        (numbers,) = sy.nonzero(x > 0)
        return sy.scatter(sy.zeros_like(x), 0, numbers, 2.0 * grad)


class Model(nn.Module):
    """A weight that a function takes."""

    def __init__(self, function, shape=(2, 3)):
        super().__init__()
        self.function = function
        self.w = nn.Parameter(sy.tensor(np.full(shape, 0.5, np.float32)))

    def forward(self, x):
        return self.function(x, self.w)


def trained(function, static, steps=4, shape=(2, 3), x=X):
    """The weight after some steps; drawn from the same numbers."""
    sy.seed(5)
    model = Model(function, shape)
    optimizer = sy.optim.SGD(model.parameters(), 0.125)
    def loss(out, _):
        return out.sum()
    step = sy.static.train_step(model, loss, optimizer)
    for _ in range(steps):
        if static:
            step(x, np.zeros(1, np.float32))
        else:
            optimizer.zero_grad()
            loss(model(sy.tensor(x)), None).backward()
            optimizer.step()
    return model.w.numpy()


class ProgramTest(unittest.TestCase):

    def check(self, function, **options):
        eager, static = (trained(function, one, **options)
                         for one in (False, True))
        np.testing.assert_array_equal(eager, static)
        self.assertFalse((eager == 0.5).all())
        return static

    def test_one_draw_a_step(self):
        Drop.runs = 0
        self.check(lambda x, w: Drop.apply(w * x))
        self.assertEqual(Drop.runs, 4 + 1)  # Eager, and the trace.
        # A masked element has no gradient: one step.
        sy.seed(5)
        out = Drop.apply(sy.tensor(X) * 0.5).numpy()
        moved = trained(lambda x, w: Drop.apply(w * x), True, 1) != 0.5
        np.testing.assert_array_equal(moved, out != 0)

    def test_draws_of_runs_are_eager_ones(self):
        program = sy.static.trace(Drop.apply, InputSpec([None, 3]))
        for rows in (X, np.ones((5, 3), np.float32)):
            sy.seed(9)
            got = program(rows).numpy()
            sy.seed(9)
            np.testing.assert_array_equal(got, Drop.apply(sy.tensor(rows)).numpy())

    def test_results_in_gradients(self):
        for kept in ("saved", "attribute"):
            self.check(lambda x, w: Exp.apply(x * w, kept))

    def test_in_a_branch(self):
        def function(x, w):
            return sy.static.cond(x.sum() > 0, lambda: Scaled.apply(x, w),
                                  lambda: w * 2.0)
        for x in (X, -X):
            self.check(function, x=x)
        np.testing.assert_array_equal(trained(function, True, 1),
                                      0.5 - 0.125 * 10 * X)

    def test_in_a_loop(self):
        def function(x, w):
            def body(i, v):
                return i + 1, Scaled.apply(v, w)
            start = sy.zeros([1], "int64") + (x.sum() * 0.0).to("int64")
            return sy.static.while_loop(lambda i, v: i < 3, body, (start, x))[1]
        self.check(function, steps=2)
        # d(x w^3) = 10 + 10 * 10 + 10 * 10 * 10 times x w^2.
        np.testing.assert_allclose(
            trained(function, True, 1), 0.5 - 0.125 * 1110 * X * 0.25, rtol=1e-6)

    def test_a_mask_drawn_around_a_loop(self):
        def function(x, w):
            dropped = Drop.apply(w * x)
            start = sy.zeros([1], "int64") + (x.sum() * 0.0).to("int64")
            return sy.static.while_loop(
                lambda i, v: i < 2,
                lambda i, v: (i + 1, Exp.apply(v, "saved") * dropped),
                (start, dropped))[1]
        self.check(function, x=X * 0.1)

    def test_shapes_that_change(self):
        def function(x, w):
            return Positive.apply(x * w)
        x = X.reshape(-1)
        self.check(function, shape=(6,), x=x, steps=2)
        np.testing.assert_array_equal(
            trained(function, True, 1, (6,), x), 0.5 - 0.125 * 2 * x * (x > 0))

    def test_a_parameter_that_the_loss_reads(self):
        ends = []
        for static in (False, True):
            model = Model(lambda x, w: x * w)
            optimizer = sy.optim.SGD(model.parameters(), 0.125)
            def loss(out, _, model=model):
                return Scaled.apply(out, model.w).sum()
            step = sy.static.train_step(model, loss, optimizer)
            for _ in range(3):
                if static:
                    step(X, np.zeros(1, np.float32))
                else:
                    optimizer.zero_grad()
                    loss(model(sy.tensor(X)), None).backward()
                    optimizer.step()
            ends.append(model.w.numpy())
        np.testing.assert_array_equal(*ends)

    def test_open_extents(self):
        class Columns(sy.autograd.Function):
            @staticmethod
            def forward(ctx, x, w):
                ctx.save_for_backward(x, w)
                return (x * w).sum(1)

            @staticmethod
            def backward(ctx, grad):
                x, w = ctx.saved_tensors
                grad = sy.unsqueeze(grad, 1)
                return grad * w, (grad * x).sum(0)

        builder = _core.GraphBuilder("p")
        x = builder.feed("x", [None, 3], "float32")
        w = builder.feed("w", [3], "float32")
        with _core.TracingBlock(builder):
            y = Columns.apply(x, w)
        for name, grad in zip(("dx", "dw"), builder.gradients(y.sum(), [x, w])):
            builder.fetch(name, grad)
        program, v = builder.finish(), np.float32([1, 2, 4])
        for rows in (X, X[:1], np.concatenate([X, X])):
            got = program.run({"x": rows, "w": v})
            np.testing.assert_array_equal(got["dx"], v + 0 * rows)
            np.testing.assert_array_equal(got["dw"], rows.sum(0))
        with self.assertRaisesRegex(TypeError, r"Scaled: backward must return "
                                    r"float32\[3\] as the gradient of argument 1, "
                                    r"got float32\[\?, 3\]"):
            sy.static.trace(Scaled.apply, InputSpec([None, 3]), InputSpec([3]))

    def test_second_order(self):
        builder = _core.GraphBuilder("p")
        x = builder.feed("x", [2, 3], "float32")
        for kept in ("saved", "attribute"):
            with _core.TracingBlock(builder):
                y = Exp.apply(x, kept)
            (g,) = builder.gradients((y * sy.sin(x)).sum(), [x])
            (gg,) = builder.gradients(g.sum(), [x])
            builder.fetch(kept, gg)
        program = builder.finish()
        for got in program.run({"x": X}).values():
            np.testing.assert_allclose(got, 2 * np.exp(X) * np.cos(X), rtol=2e-5,
                                       atol=1e-6)

    def test_results_may_be_written(self):
        def function(x, w):
            y = Scaled.apply(x, w)
            y.mul_(2.0)
            return y
        self.check(function)

    def test_an_argument_as_a_result(self):
        class Turned(sy.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x

            @staticmethod
            def backward(ctx, grad):
                return -grad
        moved = self.check(lambda x, w: Turned.apply(w * x), steps=1)
        np.testing.assert_array_equal(moved, 0.5 + 0.125 * X)

    def test_without_grad_mode(self):
        def function(x, w):
            with sy.no_grad():
                kept = Scaled.apply(x, w)
            return kept * w
        moved = self.check(function, steps=1)
        np.testing.assert_array_equal(moved, 0.5 - 0.125 * X * 0.5)

    def test_mixed_precision(self):
        """Forward's operators are cast, as any others; backward's are not."""
        class Product(sy.autograd.Function):
            @staticmethod
            def forward(ctx, x, w):
                ctx.save_for_backward(x, w)
                return (x @ w).to("float32")

            @staticmethod
            def backward(ctx, grad):
                x, w = ctx.saved_tensors
                return grad @ w.T, x.T @ grad

        def function(x, w):
            with sy.amp.autocast():
                return Product.apply(x, w)
        self.check(function, shape=(3, 2))

    def test_saved_programs(self):
        program = sy.static.trace(lambda x: Exp.apply(x, "saved"), X)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "p.sy")
            program.save(path)
            np.testing.assert_array_equal(sy.load(path)(X).numpy(),
                                          Exp.apply(sy.tensor(X), "saved").numpy())

    def test_a_backward_that_draws(self):
        class Noisy(sy.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 1.0

            @staticmethod
            def backward(ctx, grad):
                return grad * sy.rand_like(grad)
        with self.assertRaisesRegex(NotImplementedError, "a random operator must "
                                    "be outside of the backward of a Function"):
            sy.static.trace(Noisy.apply, X)
        with sy.no_grad():
            sy.static.trace(Noisy.apply, X)


if __name__ == "__main__":
    unittest.main()
