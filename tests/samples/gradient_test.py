# SPDX-License-Identifier: Apache-2.0
"""Every differentiable sample: gradients against central differences.

In float64, of sum(weight * output) with fixed random weights; the step is
1e-6, the tolerance 1e-6 relative to the largest entry.
"""
import unittest

import numpy as np

from tests.samples import samples
import switchyard as sy

STEP = 1e-6
TOLERANCE = 2e-6


class Objective(samples.FloatCall):
    """A sample as a function of its float arrays to one number."""

    def value(self):
        """Sums the outputs that take a gradient: not statistics, masks, indices."""
        _, outputs = self.outputs(False)
        return sum(samples.weighed(o)
                   for o, counts in zip(outputs, self.differentiable) if counts)

    def gradients(self):
        leaves, outputs = self.outputs(True)
        self.differentiable = [o.requires_grad for o in outputs]
        outputs = [o for o in outputs if o.requires_grad]
        if not outputs:
            return None
        return sy.grad(outputs, leaves,
                       [sy.tensor(samples.weights_for(o)) for o in outputs],
                       allow_unused=True)


def small_samples():
    """The samples whose gradients central differences can check."""
    for rows in samples.load("valid").values():
        for sample in rows:
            small = all(np.prod(s.shape) <= 200
                        for v in sample.tensors().values()
                        for s in samples.flat(v))
            if sample.gradient and small and sample.op[-1] != "_":
                yield sample


class GradientTest(unittest.TestCase):

    def check(self, sample):
        objective = Objective(sample, sy)
        gradients = objective.gradients()
        if gradients is None:
            return False
        for array, gradient in zip(objective.variables, gradients):
            if gradient is None:  # Not differentiable in it: a label.
                continue
            numeric = objective.numeric_gradient(array, STEP)
            scale = max(1.0, float(np.max(np.abs(numeric), initial=0)))
            np.testing.assert_allclose(
                objective.comparable(array, gradient.numpy()), numeric, rtol=0,
                atol=TOLERANCE * scale,
                err_msg="x is the operator's gradient, y the numeric one")
        return True

    def test_samples(self):
        count = 0
        for sample in small_samples():
            with self.subTest(str(sample)):
                count += self.check(sample)
        samples.check_count(self, count, 100)

    def test_samples_of_complex_numbers(self):
        """Those in float32, in complex128; by real and imaginary parts."""
        operators = set()
        for sample in small_samples():
            changed = samples.with_dtype(sample, "complex128")
            if changed == sample:
                continue
            with self.subTest(str(changed)):
                try:
                    checked = self.check(changed)
                except (NotImplementedError, TypeError):
                    continue  # No such kernel.
                operators |= {sample.op} if checked else set()
        samples.check_count(self, len(operators), 30)


if __name__ == "__main__":
    unittest.main()
