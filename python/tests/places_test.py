# SPDX-License-Identifier: Apache-2.0
"""Places: tensors made on one, moved to another, and the errors where there is
no such device. That elements live elsewhere is tested on the simulated device
(tests/sim)."""
import copy
import pickle
import unittest

import numpy as np

import switchyard as sy


def gpus():
    return [d for d in sy.devices() if d["place"].startswith("gpu:")]


class PlacesTest(unittest.TestCase):

    def test_the_host_is_a_device(self):
        (cpu,) = [d for d in sy.devices() if d["place"] == "cpu"]
        self.assertGreater(cpu["memory"], 1 << 20)
        self.assertEqual(cpu["model"], "cpu")
        sy.synchronize("cpu")

    def test_tensors_are_made_where_they_are_told(self):
        for place in ("cpu", None):
            self.assertEqual(sy.tensor([1.0], place=place).place, "cpu")

    def test_to_the_place_of_the_tensor_is_the_tensor(self):
        x = sy.tensor([1.0, 2.0], requires_grad=True)
        self.assertIs(x.to("cpu"), x)
        y = sy.copy(x, "cpu")
        self.assertIsNot(y, x)
        (y * y).sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), [2, 4])

    def test_copies_keep_the_place(self):
        x = sy.tensor([1.0, 2.0])
        self.assertEqual(pickle.loads(pickle.dumps(x)).place, "cpu")
        self.assertEqual(copy.deepcopy(x).place, "cpu")

    def test_text_that_is_no_place(self):
        x = sy.tensor([1.0])
        for place in ("nowhere", "cpu:0", "gpu:-1", "", 3):
            for call in (lambda: x.to(place),
                         lambda: sy.tensor([1.0], place=place),
                         lambda: sy.copy(x, place),
                         lambda: sy.synchronize(place)):
                with self.assertRaisesRegex(
                        ValueError, r"place must be a place \(.*\"cpu\".*\), "
                                    "got "):
                    call()

    @unittest.skipIf(gpus(), "this machine has a GPU")
    def test_no_gpu_here(self):
        x = sy.tensor([1.0])
        for call in (lambda: x.to("gpu:0"),
                     lambda: sy.tensor([1.0], place="gpu:0"),
                     lambda: sy.copy(x, "gpu"),
                     lambda: sy.synchronize("gpu:0")):
            with self.assertRaisesRegex(RuntimeError,
                                        "place must be .*, got gpu:0"):
                call()
        self.assertEqual(x.tolist(), [1.0])

    @unittest.skipUnless(gpus(), "no GPU")
    def test_to_a_gpu_and_back(self):
        x = sy.tensor([[1.0, -2.0], [3.0, 4.0]], place="gpu:0")
        self.assertEqual(x.place, "gpu:0")
        y = sy.relu(x)
        self.assertEqual(y.place, "gpu:0")
        np.testing.assert_array_equal(y.numpy(), [[1, 0], [3, 4]])
        self.assertEqual(y.to("cpu").tolist(), [[1, 0], [3, 4]])


if __name__ == "__main__":
    unittest.main()
