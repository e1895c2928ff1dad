# SPDX-License-Identifier: Apache-2.0
"""Every gradient that is made of operators: its own gradient against central
differences, in float64, of sum(direction * gradient)."""
import json
import pathlib
import unittest

import numpy as np

from tests.samples import samples
import switchyard as sy

STEP = 1e-5
TOLERANCE = 1e-5
MOST_ELEMENTS = 60


def composite_gradients():
    """Forward operators whose gradient is written as operators."""
    return {op["forward"]
            for path in pathlib.Path("docs/ops/generated").glob("*.json")
            for op in json.loads(path.read_text())
            if op["forward"] and op["composite"]}


class Gradients(samples.FloatCall):
    """The gradients of a sample's weighed outputs, as functions of its
    floating arrays."""

    def first(self, create_graph):
        """(leaves, a gradient or None for each)."""
        leaves, outputs = self.outputs(True)
        outputs = [o for o in outputs if o.requires_grad]
        if not outputs:
            return leaves, [None] * len(leaves)
        return leaves, sy.grad(
            outputs, leaves,
            [sy.tensor(samples.weights_for(o)) for o in outputs],
            create_graph=create_graph, allow_unused=True)

    def value(self):
        _, gradients = self.first(False)
        return sum(samples.weighed(g, 4 + i)
                   for i, g in enumerate(gradients) if g is not None)

    def second(self):
        """An array for each variable, None where the operator has no gradient
        (running statistics); None alone if nothing is differentiable."""
        leaves, gradients = self.first(True)
        if all(g is None for g in gradients):
            return None
        live = [(g, sy.tensor(samples.weights_for(g, 4 + i)))
                for i, g in enumerate(gradients)
                if g is not None and g.requires_grad]
        zeros = [None if g is None else np.zeros(leaf.shape)
                 for leaf, g in zip(leaves, gradients)]
        if not live:  # Piecewise linear.
            return zeros
        found = sy.grad([g for g, _ in live], leaves, [w for _, w in live],
                        allow_unused=True)
        return [zero if g is None or zero is None else g.numpy()
                for g, zero in zip(found, zeros)]


class SecondOrderTest(unittest.TestCase):

    def check(self, sample):
        gradients = Gradients(sample, sy)
        second = gradients.second()
        if second is None:
            return False
        for array, got in zip(gradients.variables, second):
            if got is None:
                continue
            numeric = gradients.numeric_gradient(array, STEP)
            scale = max(1.0, float(np.max(np.abs(numeric), initial=0)))
            np.testing.assert_allclose(gradients.comparable(array, got),
                                       numeric, rtol=0, atol=TOLERANCE * scale)
        return True

    def test_samples(self):
        composite = composite_gradients()
        count = 0
        for op, rows in samples.load("valid").items():
            for sample in rows if op in composite else []:
                small = all(np.prod(s.shape) <= MOST_ELEMENTS
                            for v in sample.tensors().values()
                            for s in samples.flat(v))
                if not sample.gradient or not small:
                    continue
                with self.subTest(str(sample)):
                    count += self.check(sample)
        samples.check_count(self, count, 100)


if __name__ == "__main__":
    unittest.main()
