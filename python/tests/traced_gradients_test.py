# SPDX-License-Identifier: Apache-2.0
"""sy.grad and sy.autograd.functional in traced functions: eager's bits."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn
from switchyard.autograd import functional
from switchyard.static import InputSpec, trace

X = np.linspace(-1.0, 1.0, 6, dtype=np.float32).reshape(2, 3)
W = np.linspace(0.5, 2.0, 6, dtype=np.float32).reshape(2, 3)


def wave(x):
    return sy.tanh(x) * x + sy.sin(x)


def energy(x):
    return (wave(x) * x).sum()


FUNCTIONS = {
    "jacobian": lambda x: functional.jacobian(wave, x),
    "hessian": lambda x: functional.hessian(energy, x),
    "vjp": lambda x: functional.vjp(wave, x, sy.tensor(W)),
    "jvp": lambda x: functional.jvp(wave, x, sy.tensor(W)),
    "hvp": lambda x: functional.hvp(energy, x, sy.tensor(W)),
    "vhp": lambda x: functional.vhp(energy, x, sy.tensor(W)),
    "pair": lambda x: functional.jacobian(lambda a, b: a * sy.exp(b), (x, x + 1)),
    "constant": lambda x: functional.jacobian(lambda a: sy.ones([2]), x),
}


def flat(found):
    if isinstance(found, tuple):
        return [x for part in found for x in flat(part)]
    return [np.asarray(found.numpy())]


class TracedGradientsTest(unittest.TestCase):

    def test_functional(self):
        for name, function in FUNCTIONS.items():
            with self.subTest(name):
                got = trace(function, InputSpec([2, 3]))(X)
                got = got if isinstance(got, tuple) else (got,)
                want = flat(function(sy.tensor(X)))
                for a, b in zip(flat(got), want, strict=True):
                    np.testing.assert_array_equal(a, b)

    def test_grad_of_a_step(self):
        """A penalty on gradients, in a compiled step and in eager code."""
        def losses(compiled):
            sy.seed(0)
            model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
            optimizer = sy.optim.SGD(model.parameters(), 0.1)

            def step(x):
                if not compiled:
                    x.requires_grad = True
                (slope,) = sy.grad(model(x).sum(), x, create_graph=True)
                loss = ((slope * slope).sum() - 1.0)**2
                optimizer.minimize(loss)
                return loss
            run = sy.static.train_function(step, [model], [optimizer]) if (
                compiled) else step
            return [run(sy.tensor(X)).item() for _ in range(4)]
        self.assertEqual(losses(True), losses(False))

    def test_grad_of_captured_tensors(self):
        weight = sy.tensor(W, requires_grad=True)
        program = trace(lambda x: sy.grad((x * weight).sum(), [weight, x]), X)
        got = program(X)
        np.testing.assert_array_equal(got[0].numpy(), X)
        np.testing.assert_array_equal(got[1].numpy(), W)

    def test_feeds_of_any_extent(self):
        for call in (lambda v: sy.grad(v.sum(), v), lambda v: sy.grad([v.sum()], [v])):
            np.testing.assert_array_equal(
                trace(call, np.ones(3, np.float32))(np.ones(5, np.float32)).numpy(),
                np.ones(5))

    def test_no_gradient_flows_through_gradients(self):
        """Unless create_graph: of x² that leaves 2 x, of x³ + slope 3 x²."""
        def twice(x):
            (slope,) = sy.grad((x * x * x).sum(), x)
            return sy.grad((x * x * x + slope).sum(), x)
        np.testing.assert_array_equal(trace(twice, X)(X).numpy(), 3 * X * X)

    def test_unused(self):
        def unused(x, y):
            found = sy.grad(x.sum(), [x, y], allow_unused=True)
            self.assertIsNone(found[1])
            return found[0]
        trace(unused, X, X)
        with self.assertRaisesRegex(ValueError, r"grad: inputs\[1\] is not used"):
            trace(lambda x, y: sy.grad(x.sum(), [x, y]), X, X)

    def test_errors(self):
        cases = {
            "grad: outputs must have one element": lambda x: sy.grad(x * x, x),
            "grad: grad_outputs must have the outputs' shapes":
                lambda x: sy.grad(x * x, x, sy.ones([3])),
            "grad: grad_outputs must have one for each of 1":
                lambda x: sy.grad(x.sum(), x, [sy.ones([]), sy.ones([])]),
            "has no 'backward' while it is traced: sy.grad": lambda x: x.sum().backward(),
            "has no 'requires_grad_' while": lambda x: x.requires_grad_(),
            "has no 'numpy' while it is traced: results": lambda x: x.numpy(),
        }
        for message, function in cases.items():
            with self.subTest(message), self.assertRaisesRegex(
                    (ValueError, AttributeError), message):
                trace(function, InputSpec([2, 3]))
        with self.assertRaisesRegex(TypeError, "jacobian: the extents of what func"):
            trace(FUNCTIONS["jacobian"], X)
        kept = []
        trace(lambda x: kept.append(x) or x.sum(), X)
        with self.assertRaisesRegex(RuntimeError, "grad: values can be used while"):
            sy.grad(kept[0], kept[0])

    def test_products_by_finite_differences(self):
        """jvp and vhp, in float64, beside differences."""
        x, v = X.astype(np.float64), W.astype(np.float64)
        step = 1e-6
        ends = [wave(sy.tensor(x + s * step * v)).numpy() for s in (1, -1)]
        _, got = functional.jvp(wave, sy.tensor(x), sy.tensor(v))
        np.testing.assert_allclose(got.numpy(), (ends[0] - ends[1]) / (2 * step), rtol=1e-7)
        slopes = [functional.vjp(energy, sy.tensor(x + s * step * v))[1].numpy()
                  for s in (1, -1)]
        want = (slopes[0] - slopes[1]) / (2 * step)
        for product in (functional.vhp, functional.hvp):
            np.testing.assert_allclose(
                product(energy, sy.tensor(x), sy.tensor(v))[1].numpy(), want, rtol=1e-6)

    def test_refusals_of_products(self):
        x = sy.tensor(X)
        for name, function in (("jvp", functional.jvp), ("vhp", functional.vhp)):
            with self.assertRaisesRegex(ValueError, f"{name}: v must be given"):
                function(energy, x)
            with self.assertRaisesRegex(ValueError, f"{name}: v must have the shape"):
                function(energy, x, sy.ones([3]))
            with self.assertRaisesRegex(ValueError, f"{name}: .* strict"):
                function(lambda a: sy.ones([]), x, x, strict=True)


if __name__ == "__main__":
    unittest.main()
