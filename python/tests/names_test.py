# SPDX-License-Identifier: Apache-2.0
"""Names of sy.* are chosen, and functions agree with methods."""

import inspect
import itertools
import unittest

import numpy as np

import switchyard as sy
from switchyard import functions
from switchyard.static import Value

MODULES = {"amp", "autograd", "cuda", "distributed", "distributions", "fft", "io", "legacy",
           "linalg", "nn", "ops", "optim", "plugins", "signal", "sparse", "special", "static", "strings", "utils"}
X = np.array([[3.0, -1.0, 2.0], [0.5, -4.0, 2.0]], np.float32)


class NamesTest(unittest.TestCase):

    def test_legacy_forms_and_inner_modules_are_not_there(self):
        for name in ("elementwise_add", "flatten2", "legacy_crop", "lookup_table",
                     "indexing", "tensor_methods", "creation", "functions"):
            self.assertNotIn(name, dir(sy))
        modules = {name for name in dir(sy)
                   if inspect.ismodule(getattr(sy, name))}
        self.assertEqual(modules, MODULES)
        self.assertEqual(len(set(sy.__all__)), len(sy.__all__))
        self.assertTrue(hasattr(sy.ops, "elementwise_add"))

    def test_functions_are_the_methods(self):
        for name, function in functions.methods().items():
            for kind in (sy.Tensor, Value):
                method = vars(kind)[name]
                self.assertIs(method, function, name)
        for name, operator in functions.operator_methods().items():
            method = vars(sy.Tensor)[name]
            if name in functions.methods():
                continue  # add_(y, alpha=) is more than the operator.
            self.assertIs(method.__func__, operator, name)
            if not name.endswith("_"):
                self.assertIs(operator, getattr(sy, name), name)

    def test_what_differed(self):
        x = sy.ones([2, 3, 4])
        self.assertEqual(sy.flatten(x, 1).shape, (2, 12))
        self.assertEqual(x.flatten(1).shape, (2, 12))
        self.assertEqual(sy.flatten(x, start_dim=1, end_dim=2).shape, (2, 12))
        for leaky in (sy.leaky_relu, sy.Tensor.leaky_relu, sy.nn.LeakyReLU()):
            np.testing.assert_allclose(leaky(sy.tensor([-1.0])).numpy(), [-0.01])
        for hard in (sy.hardsigmoid, sy.Tensor.hardsigmoid, sy.nn.Hardsigmoid()):
            np.testing.assert_allclose(hard(sy.tensor([1.0])).numpy(), [2 / 3],
                                       rtol=1e-6)

    def test_inplace(self):
        for relu in (lambda x: sy.relu(x, inplace=True),
                     lambda x: x.relu(inplace=True), sy.nn.ReLU(inplace=True)):
            x = sy.tensor(X)
            self.assertIs(relu(x), x)
            np.testing.assert_array_equal(x.numpy(), np.maximum(X, 0))
        x = sy.tensor(X)
        self.assertIsNot(sy.relu(x, inplace=False), x)
        with self.assertRaisesRegex(TypeError, "matmul: has no argument 'inplace'"):
            sy.matmul(x, x, inplace=True)
        w = sy.tensor(X, requires_grad=True)
        sy.sum(sy.relu(w * 2.0, inplace=True)).backward()
        np.testing.assert_array_equal(w.grad.numpy(), 2.0 * (X > 0))

    def test_names_of_pytorch(self):
        x = sy.tensor(X)
        np.testing.assert_array_equal(x.sum(dim=1, keepdim=True).numpy(),
                                      X.sum(1, keepdims=True))
        np.testing.assert_array_equal(sy.softmax(x, dim=0).numpy(),
                                      sy.softmax(x, axis=0).numpy())
        for name in ("max", "min"):
            found = getattr(x, name)(dim=0)
            np.testing.assert_array_equal(found.values.numpy(),
                                          getattr(X, name)(0))
            np.testing.assert_array_equal(found.indices.numpy(),
                                          getattr(X, f"arg{name}")(0))
            np.testing.assert_array_equal(getattr(x, name)(axis=0).numpy(),
                                          getattr(X, name)(0))
        with self.assertRaisesRegex(TypeError, "softmax: got two values for "
                                    "'dim'"):
            sy.softmax(x, 0, dim=1)

    def test_statistics(self):
        x = sy.tensor(X)
        for name in ("var", "std", "mean", "median", "argmax", "prod", "cumsum",
                     "cumprod"):
            for axis in (None, 0, 1):
                expected = getattr(np, name)(X, axis)
                for got in (getattr(sy, name)(x, axis),
                            getattr(x, name)(axis)):
                    np.testing.assert_allclose(got.numpy(), expected, rtol=2e-6)
        np.testing.assert_allclose(x.var(0, correction=1).numpy(),
                                   X.var(0, ddof=1), rtol=1e-6)
        np.testing.assert_allclose(x.norm().item(), np.linalg.norm(X), rtol=1e-6)
        np.testing.assert_allclose(
            sy.logsumexp(x, 1).numpy(), np.log(np.exp(X).sum(1)), rtol=1e-6)
        for dtype in ("bool", "uint8", "int32", "int64"):
            mean = sy.mean(sy.tensor(np.array([1, 0, 1], dtype)))
            self.assertEqual(mean.dtype, "float32")
            self.assertAlmostEqual(mean.item(), 2 / 3, 6)
        self.assertTrue(np.isnan(sy.median(sy.tensor([1.0, np.nan])).item()))

    def test_gradients(self):
        """Against differences; of float64."""
        calls = (lambda x: sy.var(x, 1, correction=1), lambda x: sy.std(x, 0),
                 lambda x: sy.norm(x, axis=1), lambda x: sy.median(x, 1),
                 lambda x: sy.sort(x, 1), lambda x: sy.logsumexp(x, 0),
                 lambda x: sy.clamp(x, min=0.1), lambda x: sy.roll(x, 1, 1),
                 lambda x: sy.repeat(x, 2, axis=1), lambda x: sy.cumprod(x, 1),
                 lambda x: sy.einsum("ij,kj->ik", x, x),
                 lambda x: sy.hypot(x, x * 0.5 + 1.0),
                 lambda x: sy.concat(sy.chunk(x, 2, 1), 1),
                 lambda x: sy.masked_fill(x, x.detach() > 0.0, 2.0))
        weight = np.random.default_rng(1).normal(size=64)
        for i, call in enumerate(calls):
            def loss(x):
                y = call(x)
                return sy.sum(y * sy.tensor(weight[:y.size]).reshape(y.shape))
            x = X.astype("float64")
            leaf = sy.tensor(x, requires_grad=True)
            loss(leaf).backward()
            for at in itertools.product(range(2), range(3)):
                step = np.zeros_like(x)
                step[at] = 1e-6
                slope = (loss(sy.tensor(x + step)).item()
                         - loss(sy.tensor(x - step)).item()) / 2e-6
                self.assertAlmostEqual(leaf.grad.numpy()[at], slope, 5, (i, at))

    def test_shapes_and_choice(self):
        x = sy.tensor(X)
        self.assertEqual([p.shape for p in sy.chunk(x, 2, 1)], [(2, 2), (2, 1)])
        self.assertEqual([p.shape for p in x.split(2, dim=1)], [(2, 2), (2, 1)])
        self.assertEqual([r.tolist() for r in sy.unbind(x)], X.tolist())
        np.testing.assert_array_equal(
            sy.repeat_interleave(x, 2, dim=0).numpy(), X.repeat(2, 0))
        np.testing.assert_array_equal(sy.clamp(x, max=1.0).numpy(),
                                      np.minimum(X, 1))
        for got, expected in zip(sy.meshgrid(sy.arange(2), sy.arange(3)),
                                 np.meshgrid(np.arange(2), np.arange(3))):
            np.testing.assert_array_equal(got.numpy(), expected)
        for got, expected in zip(sy.nonzero(x > 1), np.nonzero(X > 1)):
            np.testing.assert_array_equal(got.numpy(), expected)
        values, counts = sy.unique(x, return_counts=True)
        for got, expected in zip((values, counts),
                                 np.unique(X, return_counts=True)):
            np.testing.assert_array_equal(got.numpy(), expected)
        np.testing.assert_array_equal(sy.diag(sy.arange(3)).numpy(),
                                      np.diag(np.arange(3)))
        self.assertTrue(sy.allclose(x, x + 1e-9))

    def test_methods(self):
        x = sy.tensor(X)
        self.assertEqual(x.view(3, 2).shape, (3, 2))
        with self.assertRaisesRegex(ValueError, "view: x must be of strides"):
            x.T.view(6)
        self.assertEqual(x.permute(1, 0).shape, (3, 2))
        self.assertEqual((x.numel(), x.dim(), x.mT.shape), (6, 2, (3, 2)))
        self.assertEqual(x.swapaxes(0, 1).shape, (3, 2))
        self.assertEqual([x.long().dtype, x.double().dtype, x.half().dtype,
                          x.to("int32").dtype, x.to(np.float64).dtype],
                         ["int64", "float64", "float16", "int32", "float64"])
        np.testing.assert_array_equal(x.repeat(2, axis=0).numpy(),
                                      X.repeat(2, 0))
        self.assertEqual(x.new_zeros(2, 2).tolist(), [[0, 0], [0, 0]])
        y = sy.tensor(X)
        self.assertIs(y.mul_(2.0), y)
        np.testing.assert_array_equal(y.numpy(), X * 2)
        self.assertEqual(y.fill_(3.0).tolist(), np.full((2, 3), 3.0).tolist())
        self.assertEqual(y.zero_().tolist(), np.zeros((2, 3)).tolist())
        y.data = x
        np.testing.assert_array_equal(y.numpy(), X)
        w = sy.tensor(X, requires_grad=True)
        w.data.mul_(0.5)
        np.testing.assert_array_equal(w.numpy(), X * 0.5)
        self.assertFalse(w.data.requires_grad)

    def test_values_of_a_graph_have_them_too(self):
        def function(x):
            y = x.view(x.shape[0], 3).float().permute(0, 1)
            return {"std": y.std(1), "sorted": sy.sort(y, 1),
                    "norm": y.norm(dim=1), "dim": y.clamp(min=0.0).mT,
                    "var": y.var(0, correction=1)}
        program = sy.static.trace(function, X)
        for rows in (X, X[:1], np.concatenate([X, X])):
            with np.errstate(all="ignore"):
                results = program.run({"x0": rows})
            for name, expected in function(sy.tensor(rows)).items():
                np.testing.assert_array_equal(np.asarray(results[name]),
                                              expected.numpy(), name)

    def test_random(self):
        sy.seed(3)
        draws = sy.multinomial(sy.tensor([0.1, 0.0, 0.9]), 1000, True).numpy()
        self.assertEqual(set(draws.tolist()), {0, 2})
        self.assertAlmostEqual((draws == 2).mean(), 0.9, 1)
        self.assertEqual(sorted(sy.multinomial(sy.tensor([[1.0, 2.0]] * 3), 2)
                                .numpy()[1].tolist()), [0, 1])
        self.assertEqual(sorted(sy.randperm(5).tolist()), list(range(5)))
        self.assertEqual(sy.randint(3, (2, 2)).shape, (2, 2))
        self.assertLess(sy.randint(0, 3, [100]).max().item(), 3)
        ones = sy.bernoulli(sy.full([1000], 0.25)).mean().item()
        self.assertAlmostEqual(ones, 0.25, 1)


if __name__ == "__main__":
    unittest.main()
