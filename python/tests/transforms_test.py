# SPDX-License-Identifier: Apache-2.0
"""Transforms of distributions: inverses, jacobians by sy.grad, and constraints."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import distributions as d
from switchyard.autograd.functional import jacobian
from switchyard.distributions import constraints, transforms

RNG = np.random.default_rng(0)
X = RNG.normal(size=(4, 3)) * 0.8


def of_numbers():
    """{name: a transform of numbers}."""
    return {
        "exp": d.ExpTransform(), "affine": d.AffineTransform(0.5, -2.0),
        "sigmoid": d.SigmoidTransform(), "tanh": d.TanhTransform(),
        "softplus": d.SoftplusTransform(), "identity": d.identity_transform,
        "inverse": d.ComposeTransform([d.ExpTransform(), d.PowerTransform(1.5).inv]),
        "composed": d.ComposeTransform([d.TanhTransform(), d.AffineTransform(1.0, 3.0)]),
        "cumulative": d.CumulativeDistributionTransform(d.Normal(np.array(0.3), 1.2)),
        "quantile": d.ComposeTransform([d.SigmoidTransform(), d.CumulativeDistributionTransform(
            d.Laplace(np.array(0.3), 1.2)).inv]),
        "cat": d.CatTransform([d.ExpTransform(), d.TanhTransform()], 1, [1, 2]),
        "stack": d.StackTransform([d.ExpTransform(), d.TanhTransform(), d.SigmoidTransform()], 1),
    }


def log_det(transform, x, size=None):
    """The logarithm of the determinant, by the matrix of derivatives."""
    def flat(v):
        y = transform(v).reshape(-1)
        return y if size is None else y[np.array(size)]
    matrix = jacobian(flat, sy.tensor(x)).numpy().reshape(-1, x.size)
    return np.linalg.slogdet(matrix)[1]


class TransformsTest(unittest.TestCase):

    def check(self, transform, x, size=None):
        x = sy.tensor(x)
        y = transform(x)
        np.testing.assert_allclose(transform.inv(y).numpy(), x.numpy(), 1e-7, 1e-9)
        self.assertTrue(constraints.within(transform.codomain, y).numpy().all())
        found = transform.log_abs_det_jacobian(x, y)
        np.testing.assert_allclose(
            found.numpy().sum(), sum(log_det(transform, row, size) for row in x.numpy())
            if transform.event_rank else log_det(transform, x.numpy()), 1e-7, 1e-9)
        back = transform.inv.log_abs_det_jacobian(y, x)
        np.testing.assert_array_equal(back.numpy(), -found.numpy())
        self.assertEqual(transform.forward_shape(x.shape), tuple(y.shape))
        self.assertEqual(transform.inverse_shape(y.shape), tuple(x.shape))
        self.assertIs(transform.inv.inv, transform)

    def test_of_numbers(self):
        for name, transform in of_numbers().items():
            with self.subTest(name):
                self.check(transform, X)

    def test_of_vectors(self):
        self.check(d.StickBreakingTransform(), X, [0, 1, 2])
        # Below the diagonal of a factor of 3 x 3.
        self.check(d.CorrCholeskyTransform(), X, [3, 6, 7])
        self.check(d.IndependentTransform(d.ExpTransform(), 1), X)
        self.check(d.AffineTransform(np.array([1.0, 2.0, 3.0]), 0.5, event_dim=1), X)
        self.check(d.ReshapeTransform((3,), (3, 1)), X)
        both = d.ComposeTransform([d.TanhTransform(), d.StickBreakingTransform()])
        self.check(both, X, [0, 1, 2])

    def test_of_matrices(self):
        x = RNG.normal(size=(2, 3, 3))
        lower = d.LowerCholeskyTransform()
        x = np.tril(x)
        y = lower(sy.tensor(x))
        np.testing.assert_allclose(lower.inv(y).numpy(), x, 1e-12, 1e-12)
        self.assertTrue(constraints.lower_cholesky.check(y).numpy().all())
        np.testing.assert_allclose(
            lower.log_abs_det_jacobian(sy.tensor(x), y).numpy(),
            np.trace(x, axis1=1, axis2=2))
        positive = d.PositiveDefiniteTransform()
        y = positive(sy.tensor(x))
        self.assertTrue(constraints.positive_definite.check(y).numpy().all())
        np.testing.assert_allclose(positive.inv(y).numpy(), x, 1e-9, 1e-9)

    def test_without_a_density(self):
        x = sy.tensor(X)
        np.testing.assert_array_equal(d.AbsTransform()(x).numpy(), np.abs(X))
        shares = d.SoftmaxTransform()(x)
        self.assertTrue(constraints.simplex.check(shares).numpy().all())
        for transform in (d.AbsTransform(), d.SoftmaxTransform()):
            self.assertFalse(transform.bijective)
            with self.assertRaisesRegex(NotImplementedError, "log_abs_det_jacobian"):
                transform.log_abs_det_jacobian(x, x)

    def test_constraints(self):
        nan = float("nan")
        for constraint, inside, outside in (
                (constraints.real, [1.0], [nan]), (constraints.boolean, [0.0, 1.0], [0.5]),
                (constraints.positive, [0.1], [0.0]), (constraints.nonnegative, [0.0], [-1.0, nan]),
                (constraints.unit_interval, [0.0, 1.0], [1.1]),
                (constraints.interval(1.0, 2.0), [1.0, 2.0], [0.9]),
                (constraints.half_open_interval(0, 1), [0.0], [1.0]),
                (constraints.less_than(2.0), [1.0], [2.0]), (constraints.greater_than(2.0), [3.0], [2.0]),
                (constraints.integer_interval(0, 3), [0.0, 3.0], [1.5, 4.0]),
                (constraints.positive_integer, [1.0], [0.0, 1.5]),
                (constraints.nonnegative_integer, [0.0], [-1.0])):
            with self.subTest(constraint):
                self.assertTrue(constraint.check(inside).numpy().all())
                self.assertFalse(constraint.check(outside).numpy().any())
        for constraint, inside, outside in (
                (constraints.simplex, [0.3, 0.7], [0.3, 0.8]),
                (constraints.one_hot, [0.0, 1.0], [1.0, 1.0]),
                (constraints.multinomial(3), [1.0, 2.0], [2.0, 2.0]),
                (constraints.real_vector, [1.0, 2.0], [nan, 2.0]),
                (constraints.cat([constraints.positive, constraints.real]), [1.0, -1.0], None),
                (constraints.stack([constraints.positive, constraints.real]), [1.0, -1.0], None),
                (constraints.square, [[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0]]),
                (constraints.lower_triangular, [[1.0, 0.0], [3.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]]),
                (constraints.lower_cholesky, [[1.0, 0.0], [3.0, 4.0]], [[1.0, 0.0], [3.0, -4.0]]),
                (constraints.symmetric, [[1.0, 2.0], [2.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]]),
                (constraints.positive_definite, [[2.0, 1.0], [1.0, 2.0]], [[1.0, 2.0], [2.0, 1.0]]),
                (constraints.positive_semidefinite, [[1.0, 0.0], [0.0, 0.0]],
                 [[1.0, 2.0], [2.0, 1.0]]),
                (constraints.corr_cholesky, [[1.0, 0.0], [0.6, 0.8]], [[1.0, 0.0], [0.6, 0.9]])):
            with self.subTest(constraint):
                self.assertTrue(constraint.check(inside).numpy().all())
                if outside is not None:
                    self.assertFalse(constraint.check(outside).numpy().any())
        self.assertEqual(constraints.independent(constraints.real, 2).event_dim, 2)
        self.assertTrue(constraints.is_dependent(constraints.dependent))
        with self.assertRaisesRegex(ValueError, "dependent: where values lie"):
            constraints.dependent.check([1.0])

    def test_transforms_to_constraints(self):
        x = sy.tensor(X)
        for registry in (d.biject_to, d.transform_to):
            for constraint in (
                    constraints.real, constraints.positive, constraints.greater_than(2.0),
                    constraints.less_than(-1.0), constraints.unit_interval,
                    constraints.interval(-1.0, 4.0), constraints.simplex,
                    constraints.corr_cholesky, constraints.independent(constraints.positive, 1)):
                y = registry(constraint)(x)
                self.assertTrue(constraint.check(y).numpy().all(), constraint)
            matrix = sy.tensor(np.tril(X[:3]))
            for constraint in (constraints.lower_cholesky, constraints.positive_definite):
                self.assertTrue(constraint.check(registry(constraint)(matrix)).numpy().all())
            with self.assertRaisesRegex(NotImplementedError, "no transform to"):
                registry(constraints.boolean)
        with self.assertRaisesRegex(TypeError, "biject_to: constraint must be"):
            d.biject_to(3)

    def test_ones_own(self):
        """A transform by PyTorch's methods, and one by __call__ and inv."""
        class Cube(d.Transform):
            def _call(self, x):
                return x**3.0

            def _inverse(self, y):
                return y**(1.0 / 3.0)

            def log_abs_det_jacobian(self, x, y):
                return sy.log(3.0 * x * x)

        class Cubed(d.Transform):
            codomain = (0.0, float("inf"))

            def __call__(self, x):
                return x**3.0

            def inv(self, y):
                return y**(1.0 / 3.0)

            log_abs_det_jacobian = Cube.log_abs_det_jacobian

        x = np.array([0.5, 2.0])
        base = d.Exponential(np.array(1.0))
        want = -np.cbrt(x) - np.log(3 * np.cbrt(x)**2)
        for transform in (Cube(), Cubed()):
            one = d.TransformedDistribution(base, transform)
            np.testing.assert_allclose(one.log_prob(x).numpy(), want, 1e-9)
        self.assertTrue(np.isneginf(one.log_prob(-x).numpy()).all())

    def test_refusals(self):
        for message, call in {
                "ReshapeTransform: in_shape and out_shape must have one number":
                    lambda: d.ReshapeTransform((2,), (3,)),
                "CorrCholeskyTransform: the last extent": lambda: d.CorrCholeskyTransform()(
                    sy.ones([2])),
                "CatTransform: lengths must be one for": lambda: d.CatTransform(
                    [d.ExpTransform()], 0, [1, 2]),
                "StackTransform: tseq must be one or more": lambda: d.StackTransform([]),
                "ComposeTransform: parts must be Transforms": lambda: d.ComposeTransform([3]),
                "TransformedDistribution: base must have draws of 1 axes":
                    lambda: d.TransformedDistribution(
                        d.Normal(0.0, 1.0), d.StickBreakingTransform()),
                "IndependentTransform: base_transform": lambda: d.IndependentTransform(3, 1)}.items():
            with self.subTest(message), self.assertRaisesRegex((TypeError, ValueError), message):
                call()

    def test_names(self):
        self.assertEqual(dir(transforms), transforms.__all__)
        for name in transforms.__all__:
            self.assertIs(getattr(d, name), getattr(transforms, name))


if __name__ == "__main__":
    unittest.main()
