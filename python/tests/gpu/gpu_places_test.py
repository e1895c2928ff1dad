# SPDX-License-Identifier: Apache-2.0
"""Tensors on a GPU. Needs --config=cuda and a GPU."""
import unittest

import numpy as np

import switchyard as sy


class GpuPlacesTest(unittest.TestCase):

    def test_to_a_gpu_and_back(self):
        x = sy.tensor([[1.0, -2.0], [3.0, 4.0]], place="gpu:0")
        self.assertEqual(x.place, "gpu:0")
        y = sy.relu(x)
        self.assertEqual(y.place, "gpu:0")
        np.testing.assert_array_equal(y.numpy(), [[1, 0], [3, 4]])
        self.assertEqual(y.to("cpu").tolist(), [[1, 0], [3, 4]])


if __name__ == "__main__":
    unittest.main()
