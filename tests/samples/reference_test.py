# SPDX-License-Identifier: Apache-2.0
"""Every operator's samples: the kernels that run against the reference ones."""
import unittest

import numpy as np

from tests.samples import samples
import switchyard as sy

# Relative and absolute tolerance by dtype, of results that are not exact.
TOLERANCE = {"float16": (1e-2, 1e-3), "bfloat16": (2e-2, 1e-2),
             "float32": (2e-5, 2e-5), "float64": (1e-12, 1e-13)}


def run(sample, **policy):
    """Outputs of a sample under a policy."""
    sy.seed(11)
    tensors = samples.tensors_of(sample, samples.arrays_of(sample), sy)
    function = getattr(sy.ops, sample.op)
    with sy.policy(**policy):
        return samples.flat(function(**tensors, **sample.attributes()))


class ReferenceTest(unittest.TestCase):

    def check(self, sample, **policy):
        expected = run(sample, backends=["reference"])
        for got, want in zip(run(sample, **policy), expected):
            self.assertEqual(got.dtype, want.dtype)
            self.assertEqual(got.shape, want.shape)
            rtol, atol = TOLERANCE.get(got.dtype, (0, 0))
            np.testing.assert_allclose(got.numpy(), want.numpy(), rtol, atol)

    def test_samples(self):
        count = 0
        for op, rows in samples.load("valid").items():
            if op == "lookup_table":  # A guest alone: it has no reference.
                continue
            for sample in rows:
                for backends in (["cpu"], ["cpu", "onednn"]):
                    with self.subTest(str(sample), backends=backends):
                        self.check(sample, backends=backends)
                        count += 1
        self.assertGreater(count, 400)


if __name__ == "__main__":
    unittest.main()
