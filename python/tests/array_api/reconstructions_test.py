# SPDX-License-Identifier: Apache-2.0
"""Decompositions, whose vectors are not unique, give back what was decomposed."""

import unittest

import numpy as np

import switchyard as sy

RNG = np.random.default_rng(3)
SHAPES = ((3, 3), (2, 4, 4), (0, 3, 3))


class ReconstructionsTest(unittest.TestCase):

    def test_eigh(self):
        for shape in SHAPES:
            x = RNG.normal(size=shape)
            x = x + np.swapaxes(x, -1, -2)
            values, vectors = sy.linalg.eigh(sy.tensor(x))
            self.assertEqual(values.shape, shape[:-1])
            self.assertTrue((np.diff(values.numpy(), axis=-1) >= 0).all())
            again = (vectors * sy.unsqueeze(values, -2)) @ vectors.mT
            np.testing.assert_allclose(again.numpy(), x, atol=1e-12)

    def test_qr(self):
        for shape in ((3, 2), (2, 3), (2, 4, 3)):
            x = RNG.normal(size=shape)
            q, r = sy.linalg.qr(sy.tensor(x))
            np.testing.assert_allclose((q @ r).numpy(), x, atol=1e-12)
            np.testing.assert_array_equal(r.numpy(), np.triu(r.numpy()))

    def test_svd(self):
        for shape in ((3, 2), (2, 3), (2, 4, 3)):
            x = RNG.normal(size=shape)
            u, s, vh = sy.linalg.svd(sy.tensor(x), full_matrices=False)
            again = (u * sy.unsqueeze(s, -2)) @ vh
            np.testing.assert_allclose(again.numpy(), x, atol=1e-12)
            u, s, vh = sy.linalg.svd(sy.tensor(x))
            self.assertEqual(u.shape, shape[:-1] + shape[-2:-1])
            self.assertEqual(vh.shape, shape[:-2] + shape[-1:] * 2)


if __name__ == "__main__":
    unittest.main()
