# SPDX-License-Identifier: Apache-2.0
"""Every operator's samples, in every floating dtype: the kernels that run,
forward and backward, against the reference ones."""
import collections
import unittest

import numpy as np

from tests.samples import samples
import switchyard as sy

# Relative and absolute tolerance by dtype, of results that are not exact.
TOLERANCE = {"float16": (1e-2, 1e-3), "bfloat16": (2e-2, 1e-2),
             "float32": (2e-5, 2e-5), "float64": (1e-12, 1e-13),
             "complex64": (2e-5, 2e-5), "complex128": (1e-12, 1e-13)}
# A gradient sums what rounding made of the outputs before it: the largest
# entry is the measure, as in the check against central differences.
GRADIENT_TOLERANCE = {"float16": 1e-2, "bfloat16": 5e-2, "float32": 2e-5,
                      "float64": 1e-12, "complex64": 2e-5,
                      "complex128": 1e-12}
# The backends of the kernels that run.
BACKENDS = (["cpu"], ["cpu", "onednn"])


def inputs_of(sample, requires_grad):
    """(arguments by name, those that take a gradient)."""
    tensors = samples.tensors_of(sample, samples.arrays_of(sample), sy)
    leaves = [t for t in samples.flat(list(tensors.values()))
              if t.dtype in samples.DIFFERENTIABLE] if requires_grad else []
    for leaf in leaves:
        leaf.requires_grad = True
    return tensors, leaves


def run(sample, **policy):
    """Outputs of a sample under a policy."""
    sy.seed(11)
    tensors, _ = inputs_of(sample, False)
    with sy.policy(**policy):
        return samples.flat(getattr(sy.ops, sample.op)(**tensors,
                                                       **sample.attributes()))


def gradients(sample, **policy):
    """Gradients of a sample's weighed outputs, None where there is none."""
    sy.seed(11)
    tensors, leaves = inputs_of(sample, True)
    with sy.policy(**policy):
        outputs = samples.flat(getattr(sy.ops, sample.op)(
            **tensors, **sample.attributes()))
        outputs = [o for o in outputs if o.requires_grad]
        if not outputs:
            return []
        weights = [sy.tensor(samples.weights_for(o), dtype=o.dtype)
                   for o in outputs]
        return sy.grad(outputs, leaves, weights, allow_unused=True)


def sample_dtype(sample):
    """The floating or complex dtype of a sample's tensors, or none."""
    return next((spec.dtype for value in sample.tensors().values()
                 for spec in samples.flat(value)
                 if spec.dtype in samples.DIFFERENTIABLE), None)


class ReferenceTest(unittest.TestCase):

    def compare(self, got, want):
        self.assertEqual(got.dtype, want.dtype)
        self.assertEqual(got.shape, want.shape)
        rtol, atol = TOLERANCE.get(got.dtype, (0, 0))
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol, atol)

    def compare_gradients(self, got, want):
        self.assertEqual(got is None, want is None)
        if got is None:
            return
        self.assertEqual(got.dtype, want.dtype)
        scale = max(1.0, float(np.max(np.abs(want.numpy()), initial=0)))
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=0,
                                   atol=GRADIENT_TOLERANCE[got.dtype] * scale)

    def check_refused(self, call, sample, error):
        """The error is about the dtype, and every backend raises it."""
        dtypes = {spec.dtype for value in sample.tensors().values()
                  for spec in samples.flat(value)}
        self.assertTrue(any(dtype in str(error) for dtype in dtypes), error)
        for backends in BACKENDS:
            with self.assertRaises(ValueError) as raised:
                call(sample, backends=backends)
            self.assertEqual(str(raised.exception), str(error))

    def check_all(self, call, compare, rows, counts):
        """Each variant of each sample on the reference, then on the others."""
        for row, sample in ((r, v) for r in rows for v in samples.variants(r)):
            try:
                expected = call(sample, backends=["reference"])
            except (NotImplementedError, TypeError):
                # As it stands in the list, a sample must run.
                self.assertNotEqual(row, sample, str(sample))
                continue
            except ValueError as error:
                # Nor need a dtype hold the numbers of its attributes.
                self.assertNotEqual(row, sample, str(sample))
                self.check_refused(call, sample, error)
                continue
            if not expected:
                continue
            for backends in BACKENDS:
                with self.subTest(str(sample), backends=backends):
                    got = call(sample, backends=backends)
                    self.assertEqual(len(got), len(expected))
                    for pair in zip(got, expected):
                        compare(*pair)
                    counts[sample_dtype(sample)] += 1

    def test_samples(self):
        counts = collections.Counter()
        for op, rows in samples.load("valid").items():
            self.check_all(run, self.compare, rows, counts)
        for dtype in samples.FLOATS:
            samples.check_count(self, counts[dtype], 200)
        for dtype in samples.COMPLEX:
            samples.check_count(self, counts[dtype], 90)

    def test_gradients(self):
        counts = collections.Counter()
        for op, rows in samples.load("valid").items():
            if op[-1] == "_":
                continue
            self.check_all(gradients, self.compare_gradients,
                           [row for row in rows if row.gradient], counts)
        for dtype in samples.FLOATS:
            samples.check_count(self, counts[dtype], 100)
        for dtype in samples.COMPLEX:
            samples.check_count(self, counts[dtype], 50)


if __name__ == "__main__":
    unittest.main()
