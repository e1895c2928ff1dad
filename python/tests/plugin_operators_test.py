# SPDX-License-Identifier: Apache-2.0
"""Operators of plugins: eager, traced, with gradients, in explain."""
import pathlib
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard import static

PLUGIN = sy.plugins.load(pathlib.Path("phi/capi/testdata/operators.so"))
X = np.array([[-1, 2, 0.5], [-3, 4, 1]], np.float32)
Y = np.array([[5, 0, 1], [2, 2, -1]], np.float32)


def gradient(function, x):
    """The gradient of the sum of function(x)**2."""
    x = sy.tensor(x, requires_grad=True)
    out = function(x)
    (out * out).sum().backward()
    return x.grad.numpy()


class Applied(sy.nn.Module):
    """function(weight) of a parameter."""

    def __init__(self, function, weight):
        super().__init__()
        self.function, self.weight = function, sy.nn.Parameter(sy.tensor(weight))

    def forward(self, scale):
        return self.function(self.weight) * scale


def traced_gradient(function, x):
    """Returns what a step of SGD with rate 1, as a program, takes from x."""
    model = Applied(function, x)
    step = static.train_step(model, lambda out, _: (out * out).sum(),
                             sy.optim.SGD(model.parameters(), 1.0))
    one = np.ones(1, np.float32)
    step(one, one)
    return x - model.weight.numpy()


class PluginOperatorsTest(unittest.TestCase):

    def test_says_what_it_brings(self):
        self.assertEqual(PLUGIN.operators[:3],
                         ("tested_square", "tested_square_grad",
                          "tested_row_sums"))
        self.assertIn("  operator tested_blend", str(PLUGIN))
        self.assertIn("A weighted sum", sy.ops.tested_blend.__doc__)

    def test_with_a_kernel(self):
        square = sy.ops.tested_square
        np.testing.assert_array_equal(square(sy.tensor(X)).numpy(), X * X)
        with sy.record_selections() as log:
            square(sy.tensor(X))
        self.assertIn("-> tested float32", log[0])
        np.testing.assert_allclose(gradient(square, X), 4 * X ** 3, rtol=1e-6)
        traced = static.trace(square, X)
        np.testing.assert_array_equal(traced(X).numpy(), X * X)
        np.testing.assert_array_equal(traced(X[:1]).numpy(), X[:1] * X[:1])
        np.testing.assert_allclose(traced_gradient(square, X), 4 * X ** 3,
                                   rtol=1e-6)
        self.assertIn("chosen: tested float32",
                      sy.explain("tested_square", x=sy.tensor(X)))
        with self.assertRaisesRegex(
                TypeError, "tested_square: x must be float32, got float64"):
            square(sy.tensor(X.astype("float64")))

    def test_infers_what_the_plugin_says(self):
        rows = sy.ops.tested_row_sums
        np.testing.assert_allclose(rows(sy.tensor(X)).numpy(), X.sum(1))
        traced = static.trace(rows, X)
        np.testing.assert_allclose(traced(X[:1]).numpy(), X[:1].sum(1))
        with self.assertRaisesRegex(
                ValueError, "tested_row_sums: plugin operators: x must have 2"):
            rows(sy.tensor(X[0]))

    def test_made_of_others(self):
        blend = sy.ops.tested_blend
        expected = 0.25 * X + 0.75 * Y
        both = lambda x: blend(x, sy.tensor(Y), weight=0.25)
        np.testing.assert_allclose(both(sy.tensor(X)).numpy(), expected)
        np.testing.assert_allclose(
            blend(sy.tensor(X), sy.tensor(Y), minus=True).numpy(),
            (X - Y) / 2)
        np.testing.assert_allclose(gradient(both, X), 0.5 * expected,
                                   rtol=1e-6)
        traced = static.trace(lambda x, y: blend(x, y, weight=0.25), X, Y)
        np.testing.assert_allclose(traced(X, Y).numpy(), expected)
        text = sy.explain("tested_blend", x=sy.tensor(X), y=sy.tensor(Y))
        self.assertIn("scale", text)
        self.assertIn("chosen: ", text)

    def test_is_saved_and_loaded(self):
        program = static.trace(sy.ops.tested_square, X)
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/program.sy"
            program.save(path)
            np.testing.assert_array_equal(sy.load(path)(X).numpy(), X * X)

    def test_errors_name_operator_and_plugin(self):
        for name, kind, message in (
                ("calls_nothing", NotImplementedError,
                 "plugin operators: there is no operator named 'no_such_op'"),
                ("calls_wrongly", IndexError, "plugin operators: softmax: axis"),
                ("silent", RuntimeError, "inference has not set out"),
                ("confused", IndexError, "number of an output must be")):
            function = getattr(sy.ops, f"tested_{name}")
            for run in (lambda: function(sy.tensor(X)),
                        lambda: static.trace(function, X)):
                with self.subTest(name):
                    with self.assertRaisesRegex(
                            kind, f"^tested_{name}: .*{message}"):
                        run()


if __name__ == "__main__":
    unittest.main()
