# SPDX-License-Identifier: Apache-2.0
"""Methods of tensors are chosen: those of sy.*, and the few of these lists."""

import inspect
import pickle
import unittest

import numpy as np

import switchyard as sy
from switchyard import _core, functions
from switchyard.static import Value

X = np.array([[3.0, -1.0, 2.0], [0.5, -4.0, 2.0]], np.float32)

# Attributes and methods that are no functions of sy.*: PyTorch's and NumPy's.
OF_BOTH = {
    "T", "bfloat16", "bool", "clone", "contiguous", "copy_", "detach", "dim", "double",
    "dtype", "expand_as", "float", "half", "int", "is_floating_point",
    "is_selected_rows", "kind", "long", "mT", "mH", "H", "byte", "char", "short",
    "cfloat", "cdouble", "ndim", "new_empty", "new_full",
    "new_ones", "new_empty_strided",
    "new_zeros", "numel", "reshape_as", "shape", "size", "t", "to", "to_dense", "type_as",
    "view", "view_as"}
OF_TENSORS = {
    "backward", "coalesce", "cpu", "data", "device", "grad", "is_leaf", "item", "lod",
    "nbytes", "numpy", "place", "register_hook", "requires_grad", "requires_grad_",
    "retain_grad", "rows", "to_device", "tolist", "values"}


def public(kind):
    return {name for name in vars(kind) if not name.startswith("_")}


class ChosenTest(unittest.TestCase):

    def test_every_method_is_chosen(self):
        inplace = set(functions.inplace.__all__)
        of_functions = set(functions.methods()) - inplace
        natives = functions.operator_methods()
        variants = {name for name in natives if name.endswith("_")}
        self.assertLessEqual(of_functions | set(natives) - variants,
                             set(sy.__all__))
        for name in variants | inplace - {"fill_", "fill_diagonal_", "normal_",
                                          "uniform_", "zero_"}:
            self.assertIn(name[:-1], sy.__all__)
        chosen = of_functions | inplace | set(natives)
        self.assertEqual(public(sy.Tensor), chosen | OF_BOTH | OF_TENSORS)
        self.assertEqual(public(Value), chosen | OF_BOTH)

    def test_operators_that_were_not_chosen_are_no_methods(self):
        rest = set(sy.ops.__all__) - set(sy.__all__) - OF_BOTH - OF_TENSORS
        self.assertGreater(len(rest), 250)
        for name in ("elementwise_add", "flatten2", "legacy_crop", "batch_norm",
                     "lookup_table", "scale", "cast"):
            self.assertIn(name, rest)
        for kind in (sy.Tensor, Value):
            left = rest - {name + "_" for name in sy.__all__}
            self.assertEqual(left & public(kind) - set(
                functions.inplace.__all__), set())
        with self.assertRaisesRegex(AttributeError, "elementwise_mul"):
            sy.tensor(X).elementwise_mul(X)

    def test_a_function_of_a_tensor_is_a_method(self):
        for name in sy.__all__:
            function = getattr(sy, name)
            if not inspect.isfunction(function) or function.__module__.split(
                    ".")[:2] != ["switchyard", "functions"]:
                continue
            first = next(iter(inspect.signature(function).parameters))
            self.assertEqual(first == "x", name in public(sy.Tensor), name)

    def test_products_are_of_elements(self):
        x = sy.tensor(X)
        np.testing.assert_array_equal(x.mul(x).numpy(), X * X)
        for name, expected in (("sub", X - 2), ("div", X / 2), ("eq", X == 2),
                               ("ne", X != 2), ("lt", X < 2), ("le", X <= 2),
                               ("gt", X > 2), ("ge", X >= 2)):
            np.testing.assert_array_equal(getattr(x, name)(2.0).numpy(), expected)
            np.testing.assert_array_equal(getattr(sy, name)(x, 2.0).numpy(),
                                          expected)
        np.testing.assert_array_equal(x.mm(x.t()).numpy(), X @ X.T)

    def test_in_place(self):
        def check(call, expected):
            x = sy.tensor(X)
            self.assertIs(call(x), x)
            np.testing.assert_allclose(x.numpy(), expected, rtol=1e-6)
        check(lambda x: x.add_(sy.tensor(X), alpha=2), 3 * X)
        check(lambda x: x.sub_(1.0, alpha=0.5), X - 0.5)
        check(lambda x: x.mul_(2.0).div_(4.0), X / 2)
        check(lambda x: x.clamp_(min=0.0), np.maximum(X, 0))
        check(lambda x: x.clamp_(-1.0, 1.0), np.clip(X, -1, 1))
        check(lambda x: x.clip_(max=sy.tensor(1.0)), np.minimum(X, 1))
        check(lambda x: x.masked_fill_(x < 0, 7.0), np.where(X < 0, 7, X))
        check(lambda x: x.leaky_relu_(), np.where(X < 0, 0.01 * X, X))
        check(lambda x: x.hardtanh_(), np.clip(X, -1, 1))
        check(lambda x: x.addcmul_(x * 1.0, x * 1.0, value=0.5), X + 0.5 * X * X)
        check(lambda x: x.addcdiv_(x * 1.0, x * 2.0, value=-0.5), X - 0.25)
        check(lambda x: x.scatter_(1, [[2], [0]], 9.0),
              np.where([[0, 0, 1], [1, 0, 0]], 9.0, X))
        check(lambda x: x.scatter_add_(1, [[2], [0]], 9.0),
              X + np.array([[0, 0, 9], [9, 0, 0]]))
        check(lambda x: x.index_add_(0, sy.tensor([1]), sy.ones(1, 3)),
              X + [[0], [1]])
        check(lambda x: x.fill_diagonal_(5.0),
              np.where(np.eye(2, 3) == 1, 5.0, X))
        check(lambda x: x.lerp_(sy.zeros(2, 3), 0.25), 0.75 * X)
        np.testing.assert_allclose(
            sy.addcdiv(sy.tensor(X), 1.0, sy.tensor(X), value=2.0).numpy(),
            X + 2 / X, rtol=1e-6)
        np.testing.assert_allclose(
            sy.addcmul(sy.tensor(X), sy.tensor(X), 3.0).numpy(), 4 * X, rtol=1e-6)
        check(lambda x: x.fill_(2.0), np.full_like(X, 2))
        check(lambda x: x.zero_(), 0 * X)
        with self.assertRaisesRegex(ValueError, "fill_diagonal_: x must have two"):
            sy.ones(3).fill_diagonal_(1.0)
        leaf = sy.tensor(X, requires_grad=True)
        (leaf * 1.0).scatter_(1, [[0], [1]], 7.0).sum().backward()
        np.testing.assert_array_equal(leaf.grad.numpy(), [[0, 1, 1], [1, 0, 1]])
        leaf.grad = None
        (leaf * 1.0).clamp_(min=0.0).masked_fill_(leaf > 2.5, 0.0).sum().backward()
        np.testing.assert_array_equal(leaf.grad.numpy(), (X > 0) & (X <= 2.5))
        for dtype in ("float32", "bfloat16"):
            x = sy.zeros(100, 100, dtype=dtype)
            self.assertIs(x.normal_(1.0, 2.0), x)
            values = x.float().numpy()
            self.assertAlmostEqual(values.mean(), 1.0, 1)
            self.assertAlmostEqual(values.std(), 2.0, 1)
            values = x.uniform_(-1.0, 3.0).float().numpy()
            self.assertLess(values.max(), 3.01)
            self.assertAlmostEqual(values.mean(), 1.0, 1)

    def test_integers_have_operators_of_bits(self):
        x = np.array([[5, -3], [12, 7]])
        for dtype in ("int32", "int64"):
            a, b = sy.tensor(x, dtype), sy.tensor(x.T.copy(), dtype)
            for got, expected in (
                    (a & b, x & x.T), (a | b, x | x.T), (a ^ b, x ^ x.T), (~a, ~x),
                    (a & 6, x & 6), (a << 2, x << 2), (a >> 1, x >> 1),
                    (1 << sy.abs(a), 1 << abs(x))):
                self.assertEqual(got.dtype, dtype)
                np.testing.assert_array_equal(got.numpy(), expected)
            a &= b
            np.testing.assert_array_equal(a.numpy(), x & x.T)
        self.assertEqual((~sy.tensor([True])).tolist(), [False])
        with self.assertRaisesRegex(TypeError, "between bools or integers"):
            sy.tensor(X) & sy.tensor(X)
        with self.assertRaisesRegex(TypeError, "of a bool or integer tensor"):
            ~sy.tensor(X)
        program = sy.static.trace(lambda v: (v & 6) >> 1, x)
        np.testing.assert_array_equal(program(x).numpy(), (x & 6) >> 1)


class IndicesTest(unittest.TestCase):

    def test_gather(self):
        index = np.array([[2, 0], [1, 1]])
        x = sy.tensor(X, requires_grad=True)
        got = sy.gather(x, 1, sy.tensor(index))
        expected = np.take_along_axis(X, index, 1)
        np.testing.assert_array_equal(got.numpy(), expected)
        (got * sy.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), [[2, 0, 1], [0, 7, 0]])
        # Shorter along another axis.
        np.testing.assert_array_equal(
            x.gather(-1, index[:1]).numpy(), expected[:1])
        with self.assertRaisesRegex(ValueError, "gather: index must have 2 axes"):
            x.gather(1, np.array([0]))
        with self.assertRaisesRegex(ValueError, "at most 2 elements along axis 0"):
            x.gather(1, np.zeros((3, 1), np.int64))

    def test_scatter(self):
        index, source = np.array([[2, 0], [1, 1]]), np.array(
            [[10.0, 20.0], [30.0, 40.0]], np.float32)
        x = sy.tensor(X)
        expected = X.copy()
        np.put_along_axis(expected, index[:1], source[:1], 1)
        got = x.scatter(1, sy.tensor(index[:1]), sy.tensor(source))
        np.testing.assert_array_equal(got.numpy(), [expected[0], X[1]])
        leaf = sy.tensor(X, requires_grad=True)
        (leaf.scatter(1, index[:1], source) * 2.0).sum().backward()
        np.testing.assert_array_equal(leaf.grad.numpy(), [[0, 2, 0], [2, 2, 2]])
        with self.assertRaisesRegex(ValueError, "scatter: index must have at most 2 "
                                    "elements along axis 0, got 3"):
            x.scatter(1, np.zeros((3, 1), np.int64), 1.0)
        added = X.copy()
        np.add.at(added, (np.arange(2)[:, None], index), source)
        np.testing.assert_array_equal(
            sy.scatter_add(x, 1, index, source).numpy(), added)
        hot = sy.zeros(2, 3).scatter(1, np.array([[2], [0]]), 1.0)
        np.testing.assert_array_equal(hot.numpy(), np.eye(3)[[2, 0]])
        with self.assertRaisesRegex(TypeError, "src must be float32"):
            x.scatter(1, index, source.astype(np.float64))

    def test_slices(self):
        x = sy.tensor(X)
        np.testing.assert_array_equal(
            x.index_select(1, sy.tensor([2, 0])).numpy(), X[:, [2, 0]])
        np.testing.assert_array_equal(
            x.index_add(0, sy.tensor([1]), sy.ones(1, 3)).numpy(),
            X + [[0], [1]])
        np.testing.assert_array_equal(x.narrow(1, -2, 2).numpy(), X[:, 1:])
        np.testing.assert_array_equal(x.select(-1, 1).numpy(), X[:, 1])
        with self.assertRaisesRegex(ValueError, "narrow: start and length"):
            x.narrow(1, 2, 2)

    def test_values_of_a_graph(self):
        index = np.array([[2, 0], [1, 1]])

        def function(x, at):
            return x.gather(1, at), x.scatter_add(1, at, x.gather(1, at)), (
                x.select(0, 1)), x.narrow(1, 1, 2), x.add_(1.0, alpha=2.0)
        program = sy.static.trace(function, X, index)
        got = program(X, index)
        for mine, expected in zip(got, function(sy.tensor(X), sy.tensor(index))):
            np.testing.assert_array_equal(np.asarray(mine), expected.numpy())


class ShapesTest(unittest.TestCase):

    def test_size_is_a_number_and_pytorchs_method(self):
        x = sy.zeros(2, 3, 4)
        self.assertEqual(x.size, 24)
        self.assertEqual((x.size(), x.size(0), x.size(-1)), ((2, 3, 4), 2, 4))
        n, *rest = x.size()
        self.assertEqual((n, rest), (2, [3, 4]))
        self.assertIs(type(pickle.loads(pickle.dumps(x.size))), int)
        program = sy.static.trace(
            lambda v: v.view(v.size(0), -1) * float(v.size(1)), x)
        self.assertEqual(program(np.ones((5, 3, 4), np.float32)).shape, (5, 12))
        with self.assertRaises(IndexError):
            x.size(3)

    def test_two_numbers_exchange_two_axes(self):
        array = np.arange(24).reshape(2, 3, 4)
        x = sy.tensor(array)
        for got, expected in (
                (x.transpose(1, 2), array.swapaxes(1, 2)),
                (x.transpose(-1, 0), array.swapaxes(-1, 0)),
                (x[0].transpose(0, 1), array[0].T),
                (x[0].transpose([0, 1]), array[0]),
                (x.transpose(2, 0, 1), array.transpose(2, 0, 1)),
                (x.transpose((1, 0, 2)), array.transpose(1, 0, 2)),
                (sy.transpose(x), array.T)):
            np.testing.assert_array_equal(got.numpy(), expected)
        program = sy.static.trace(lambda v: v.transpose(1, 2), array)
        np.testing.assert_array_equal(program(array).numpy(), array.swapaxes(1, 2))

    def test_more_functions(self):
        x = sy.tensor(X)
        np.testing.assert_allclose(x.var(1, unbiased=True).numpy(), X.var(1, ddof=1),
                                   rtol=1e-6)
        np.testing.assert_allclose(x.std(unbiased=False).item(), X.std(), rtol=1e-6)
        np.testing.assert_array_equal(x.neg().numpy(), -X)
        for y in (1.5, -0.75):
            np.testing.assert_array_equal(sy.fmod(x, y).numpy(), np.fmod(X, y))
        np.testing.assert_array_equal(
            sy.diag_embed(x).numpy(), [np.diag(row) for row in X])
        leaf = sy.tensor(X, requires_grad=True)
        for call in (dict(gradient=sy.ones_like(leaf)), dict(grad=sy.ones_like(leaf))):
            leaf.grad = None
            (leaf * 2.0).backward(**call)
            self.assertEqual(leaf.grad.numpy().sum(), 12.0)


class CreationTest(unittest.TestCase):

    def test_spellings(self):
        for made in (sy.zeros(2, 3), sy.zeros((2, 3)), sy.zeros([2, 3], "float32")):
            self.assertEqual((made.shape, made.dtype), ((2, 3), "float32"))
        self.assertEqual(sy.ones(2, dtype=sy.long).dtype, "int64")
        self.assertEqual(sy.ones(2, 3, np.float64).dtype, "float64")
        self.assertEqual(sy.empty(4).shape, (4,))
        self.assertTrue(sy.randn(2, 3, requires_grad=True).is_leaf)
        self.assertTrue(sy.ones(2, requires_grad=True).requires_grad)
        self.assertEqual(sy.linspace(0, 1, steps=3).tolist(), [0.0, 0.5, 1.0])
        self.assertEqual(sy.randint(0, 5, size=(2, 2)).shape, (2, 2))
        with self.assertRaisesRegex(TypeError, "tile.. repeats the whole"):
            sy.ones(2, 2).repeat(2, 1)
        self.assertEqual(sy.rand(size=(2, 3)).shape, (2, 3))
        self.assertEqual(sy.tril_indices(3, 3, -1).tolist(), [[1, 2, 2], [0, 0, 1]])
        self.assertEqual(sy.triu_indices(2, 3, 1).tolist(), [[0, 0, 1], [1, 2, 2]])
        self.assertEqual(sy.normal(2.0, 1.0, (4, 5)).shape, (4, 5))
        self.assertAlmostEqual(
            sy.normal(sy.full([1000], 3.0), 0.1).mean().item(), 3.0, 1)
        array = np.zeros(3, np.float32)
        sy.from_numpy(array).fill_(2.0)
        self.assertEqual(array.tolist(), [2.0, 2.0, 2.0])
        self.assertEqual(sy.as_tensor([1, 2], dtype="float64").dtype, "float64")
        self.assertTrue(sy.is_tensor(sy.ones(1)) and not sy.is_tensor(array))
        x = sy.tensor(X)
        np.testing.assert_array_equal(sy.max(x, -x).numpy(), np.maximum(X, -X))
        np.testing.assert_array_equal(x.amax(dim=1).numpy(), X.max(1))
        self.assertTrue(_core.is_grad_enabled())
        with sy.set_grad_enabled(False):
            self.assertFalse(sy.is_grad_enabled())
        with sy.inference_mode():
            self.assertFalse(sy.is_grad_enabled())


if __name__ == "__main__":
    unittest.main()
