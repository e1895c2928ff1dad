# SPDX-License-Identifier: Apache-2.0
"""Writes through views and to their bases while gradients are recorded.

NumPy's views share memory in the same way, so a program of views and writes is
run on float64 arrays too, and its gradients are central differences of that."""

import unittest

import numpy as np

import switchyard as sy

SHAPE = (4, 6)
VIEWS = (
    lambda t: t[1], lambda t: t[1:3], lambda t: t[:, 2], lambda t: t[::2],
    lambda t: t[:, 1::2], lambda t: t[1:, ::3], lambda t: t[-1, 1:5:2],
    lambda t: t.T, lambda t: t.reshape(24), lambda t: t.reshape(2, 12)[1],
    lambda t: t[2:][:, :3], lambda t: t[None, 3],
)


class Arrays:
    """The writes on NumPy's arrays."""

    @staticmethod
    def add(t, other):
        t += other

    @staticmethod
    def multiply(t, other):
        t *= other

    @staticmethod
    def sigmoid(t):
        t[...] = 1 / (1 + np.exp(-t))

    @staticmethod
    def assign(t, value):
        t[...] = value


class Tensors(Arrays):
    """Writes on tensors."""

    @staticmethod
    def sigmoid(t):
        t.sigmoid_()


def program(w, v, choices, module):
    """A random program of views and writes; v has the shape of the base."""
    base = w * 1.5
    kept = [base]
    for view, write, of in choices:
        t = kept[of % len(kept)]
        if len(t.shape) != 2 or tuple(t.shape) != SHAPE:
            t = base
        part, other = VIEWS[view](t), VIEWS[view](v)
        kept.append(part)
        if write == 0:
            module.add(part, other)
        elif write == 1:
            module.multiply(part, other * other)
        elif write == 2:
            module.sigmoid(part)
        elif write == 3:
            module.assign(part, other * 0.5)
        else:
            module.add(base, v)
    total = 0.0
    for i, t in enumerate(kept):
        total = total + (t * t * (0.1 * i + 0.2)).sum()
    return total


def differences(function, x):
    """Central differences of a number by each element."""
    grad, step = np.empty_like(x), 1e-5
    for i in np.ndindex(*x.shape):
        at = x[i]
        x[i] = at + step
        above = function()
        x[i] = at - step
        grad[i] = (above - function()) / (2 * step)
        x[i] = at
    return grad


class ViewWriteTest(unittest.TestCase):

    def compare(self, choices, rng):
        w, v = rng.uniform(-1, 1, SHAPE), rng.uniform(0.5, 1.5, SHAPE)
        tw, tv = (sy.tensor(a, requires_grad=True) for a in (w, v))
        total = program(tw, tv, choices, Tensors)
        want = program(w, v, choices, Arrays)
        np.testing.assert_allclose(total.item(), want, rtol=1e-12)
        try:
            total.backward()
        except RuntimeError as error:
            # A saved tensor that was written since is an error, as sigmoid's result.
            self.assertRegex(str(error), "as saved for the gradient")
            return False
        for t, a in ((tw, w), (tv, v)):
            grad = differences(lambda: program(w, v, choices, Arrays), a)
            got = np.zeros(SHAPE) if t.grad is None else t.grad.numpy()
            np.testing.assert_allclose(got, grad, atol=2e-7, rtol=1e-6)
        return True

    def test_one_write(self):
        rng = np.random.default_rng(0)
        for view in range(len(VIEWS)):
            for write in range(5):
                with self.subTest(view=view, write=write):
                    self.assertTrue(self.compare([(view, write, 0)], rng))

    def test_several_writes(self):
        rng, right = np.random.default_rng(1), 0
        for case in range(60):
            choices = rng.integers(0, (len(VIEWS), 5, 4), (3, 3)).tolist()
            with self.subTest(choices):
                right += self.compare(choices, rng)
        self.assertGreater(right, 30)

    def test_every_operator_in_place_on_a_view(self):
        """relu_ and the others on columns: base and gradient follow."""
        x = np.random.default_rng(2).uniform(0.2, 0.9, SHAPE)
        for name in ("relu", "sigmoid", "tanh", "exp", "sqrt", "leaky_relu",
                     "square", "abs", "sin", "log"):
            with self.subTest(name):
                if not hasattr(sy.Tensor, name + "_"):
                    continue
                w = sy.tensor(x, requires_grad=True)
                base = w * 1.0
                part = base[:, 1::2]
                self.assertIs(getattr(part, name + "_")(), part)
                u = sy.tensor(x, requires_grad=True)
                apart = getattr(u * 1.0, name)()
                mask = np.zeros(SHAPE)
                mask[:, 1::2] = 1
                want = np.where(mask, apart.numpy(), x)
                np.testing.assert_array_equal(base.numpy(), want)
                (base * base).sum().backward()
                (apart * apart * sy.tensor(mask)).sum().backward()
                np.testing.assert_allclose(
                    w.grad.numpy(), np.where(mask, u.grad.numpy(), 2 * x))

    def test_gradients_of_gradients(self):
        x = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        w = sy.tensor(x, requires_grad=True)
        base = w * w
        base[:, 1].multiply_(w[:, 1])
        base[0] = w[0] * w[0] * 2.0
        (first,) = sy.grad((base * base).sum(), w, create_graph=True)
        # The function is c w^p.
        c, p = np.array([[4.0], [1.0]]), np.array([[4.0, 4.0, 4.0], [4.0, 6.0, 4.0]])
        np.testing.assert_allclose(first.numpy(), c * p * x ** (p - 1))
        (second,) = sy.grad(first.sum(), w)
        np.testing.assert_allclose(second.numpy(), c * p * (p - 1) * x ** (p - 2))

    def test_expanded_views(self):
        w = sy.tensor(np.arange(3.0), requires_grad=True)
        base = w * 2.0
        wide = base.expand([4, 3])
        base.add_(w)
        (wide * wide).sum().backward()
        np.testing.assert_allclose(w.grad.numpy(), 4 * 2 * 9 * np.arange(3.0))
        with self.assertRaisesRegex(ValueError, "an expanded view: clone"):
            wide.add_(w)

    def test_diagonals(self):
        def write(base, w):
            y = base[..., :3]
            y.diagonal(0, -2, -1).fill_(0.5)
            y.diagonal(1, -1, -2).mul_(w)
            above = sy.linalg.diagonal(y, offset=1)
            above.copy_(w.expand(above.shape))
            return y * y

        for shape in ((3, 4), (2, 3, 3)):
            with self.subTest(shape):
                array = np.arange(1.0, np.prod(shape) + 1).reshape(shape)
                x = sy.tensor(array, requires_grad=True)
                w = sy.tensor([3.0, 5.0], dtype="float64", requires_grad=True)
                out = write(x * 2.0, w)
                out.sum().backward()
                want, slope, of_w = 2 * array[..., :3], np.zeros(shape), np.zeros(2)
                slope[..., :3] = 8 * array[..., :3]
                for i in range(3):
                    want[..., i, i], slope[..., i, i] = 0.5, 0
                for i, factor in enumerate((3.0, 5.0)):
                    below = array[..., i + 1, i]
                    of_w[i] = (8 * factor * below**2 + 2 * factor).sum()
                    want[..., i + 1, i] *= factor
                    slope[..., i + 1, i] *= factor**2
                    want[..., i, i + 1], slope[..., i, i + 1] = factor, 0
                np.testing.assert_allclose(out.numpy(), want**2)
                np.testing.assert_allclose(x.grad.numpy(), slope)
                np.testing.assert_allclose(w.grad.numpy(), of_w)
                traced = sy.static.trace(
                    lambda a, b: write(a * 2.0, b),
                    sy.static.InputSpec(shape, "float64", name="a"),
                    sy.static.InputSpec([2], "float64", name="b"))
                again = traced(x.detach(), w.detach())
                np.testing.assert_array_equal(again.numpy(), out.numpy())

    def test_copies_are_recorded(self):
        a, b = (sy.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
        x = a * 2.0
        self.assertIs(x.copy_(b * 3.0), x)
        (x * x).sum().backward()
        self.assertEqual(b.grad.tolist(), [18.0, 36.0])
        self.assertEqual(a.grad.tolist(), [0.0, 0.0])
        plain = sy.zeros((2,))
        plain.copy_(b)
        self.assertTrue(plain.requires_grad)
        with sy.no_grad():
            a.copy_(b * 3.0)
            plain = sy.zeros((2,)).copy_(b)
        self.assertEqual(a.tolist(), [3.0, 6.0])
        self.assertFalse(plain.requires_grad)
        with self.assertRaisesRegex(RuntimeError, r"copy_: x must be .* under no_grad\(\)"):
            a.copy_(b)
        for other in (sy.zeros((3,)), sy.zeros((2,), "float64")):
            with self.assertRaisesRegex(ValueError, "copy_: other must be"):
                x.copy_(other)
        with self.assertRaisesRegex(TypeError, "copy_: other must be a tensor, got float"):
            x.copy_(0.5)
        self.assertEqual(a.tolist(), [3.0, 6.0])

    def test_hooks_and_kept_gradients(self):
        w = sy.tensor(np.ones((2, 2)), requires_grad=True)
        base = w * 2.0
        row, seen = base[0], []
        base.retain_grad()
        base.register_hook(lambda grad: seen.append(grad.numpy().copy()))
        row.multiply_(sy.tensor([3.0, 4.0], dtype="float64"))
        base.sum().backward()
        np.testing.assert_array_equal(seen[0], [[3, 4], [1, 1]])  # The old value.
        np.testing.assert_array_equal(base.grad.numpy(), np.ones((2, 2)))
        np.testing.assert_array_equal(w.grad.numpy(), [[6, 8], [2, 2]])

    def test_refusals(self):
        w = sy.tensor(np.ones((2, 3)), requires_grad=True)
        with self.assertRaisesRegex(RuntimeError, "a view of a leaf that requires"):
            w[0].relu_()
        with self.assertRaisesRegex(RuntimeError, "a view of a leaf that requires"):
            w[0][1] = 1.0
        base = w * 1.0
        with sy.no_grad():
            row = base[0]
        for write in (row.relu_, lambda: row.__setitem__(0, 1.0)):
            with self.assertRaisesRegex(RuntimeError, r"made under no_grad\(\)"):
                write()
        base[0] = 2.0
        with self.assertRaisesRegex(RuntimeError, r"made under no_grad\(\), but"):
            (row * w).sum().backward()
        square = base * base
        base[1].add_(w[1])
        with self.assertRaisesRegex(RuntimeError, "written|in-place"):
            square.sum().backward()


if __name__ == "__main__":
    unittest.main()
