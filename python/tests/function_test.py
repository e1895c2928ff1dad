# SPDX-License-Identifier: Apache-2.0
"""sy.autograd.Function: gradients of one's own, eager and in programs."""

import unittest

import numpy as np

import switchyard as sy

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)


class Cube(sy.autograd.Function):
    """factor * x ** 3."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return factor * x ** 3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3.0 * ctx.factor * x * x * grad, None


class Reversed(sy.autograd.Function):
    """The identity, with the gradient turned around."""

    @staticmethod
    def forward(ctx, x):
        return x * 1.0

    @staticmethod
    def backward(ctx, grad):
        return grad * -1.0


class RowSums(sy.autograd.Function):
    """Sums and products of rows: other shapes, two results, two tensors."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return (x + y).sum(1), x @ y.T

    @staticmethod
    def backward(ctx, sums, products):
        x, y = ctx.saved_tensors
        sums = sy.unsqueeze(sums, 1)
        return sums + products @ y, sums + products.T @ x


class FunctionTest(unittest.TestCase):

    def test_eager(self):
        for factor in (2.0, 0.5):
            x = sy.tensor(X, requires_grad=True)
            y = Cube.apply(x, factor)
            np.testing.assert_allclose(y.numpy(), factor * X**3, rtol=1e-6)
            y.sum().backward()
            np.testing.assert_allclose(x.grad.numpy(), 3 * factor * X**2,
                                       rtol=1e-6)

    def test_several(self):
        x, y = (sy.tensor(a, requires_grad=True) for a in (X, X + 1))
        sums, products = RowSums.apply(x, y)
        self.assertEqual((sums.shape, products.shape), ((2,), (2, 2)))
        (sums.sum() + (products * products).sum()).backward()
        g = 2 * (X @ (X + 1).T)
        np.testing.assert_allclose(x.grad.numpy(), 1 + g @ (X + 1), rtol=1e-5)
        np.testing.assert_allclose(y.grad.numpy(), 1 + g.T @ X, rtol=1e-5)

    def test_programs(self):
        def function(x):
            sums, _ = RowSums.apply(Cube.apply(x, 2.0), x)
            return sums
        program = sy.static.trace(function, X)
        for rows in (X, X[:1], np.concatenate([X, X])):
            np.testing.assert_array_equal(program.run({"x0": rows})["out"],
                                          function(sy.tensor(rows)).numpy())

    def test_training_eager_and_static(self):
        class Model(sy.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = sy.nn.Linear(3, 2)

            def forward(self, x):
                return Cube.apply(Reversed.apply(self.linear(x)), 0.5)
        model, loss = Model(), sy.nn.MSELoss()
        label, begin, ends = np.zeros((2, 2), np.float32), model.state_dict(), []
        for static in (False, True):
            model.load_state_dict(begin)
            optimizer = sy.optim.SGD(model.named_parameters(), 0.01)
            step = sy.static.train_step(model, loss, optimizer)
            for _ in range(3):
                if static:
                    step(X, label)
                    continue
                optimizer.zero_grad()
                loss(model(sy.tensor(X)), sy.tensor(label)).backward()
                optimizer.step()
            ends.append(model.linear.weight.numpy().copy())
        np.testing.assert_array_equal(*ends)
        self.assertFalse(np.array_equal(ends[0], begin["linear.weight"].numpy()))

    def test_wrong_functions(self):
        class Short(sy.autograd.Function):
            @staticmethod
            def forward(ctx, x, y):
                return x + y

            @staticmethod
            def backward(ctx, grad):
                return grad
        x = sy.tensor(X, requires_grad=True)
        with self.assertRaisesRegex(TypeError, "Short: backward must return a "
                                    "gradient for each of 2 arguments, got 1"):
            Short.apply(x, x).sum().backward()
        with self.assertRaisesRegex(TypeError, "Cube: an argument must be a tensor"):
            Cube.apply(1.0, 2.0)


if __name__ == "__main__":
    unittest.main()
