# SPDX-License-Identifier: Apache-2.0
"""Places: tensors made on one, moved to another, and the errors where there is
no such device. That elements live elsewhere is tested on the simulated device
(tests/sim) and on a GPU (gpu/gpu_places_test.py)."""
import copy
import pickle
import unittest

import numpy as np

import switchyard as sy


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
        y = sy.ops.copy(x, "cpu")
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
                         lambda: sy.ops.copy(x, place),
                         lambda: sy.synchronize(place)):
                with self.assertRaisesRegex(
                        ValueError, r"place must be the name of a place \(.*\"cpu\".*\), "
                                    "got "):
                    call()

    def test_no_such_gpu(self):
        x = sy.tensor([1.0])
        beyond = "gpu:%d" % sum(d["place"].startswith("gpu:")
                                for d in sy.devices())
        for call in (lambda: x.to(beyond),
                     lambda: sy.tensor([1.0], place=beyond),
                     lambda: sy.ops.copy(x, beyond),
                     lambda: sy.synchronize(beyond)):
            with self.assertRaisesRegex(RuntimeError,
                                        "place must be .*, got " + beyond):
                call()
        self.assertEqual(x.tolist(), [1.0])


if __name__ == "__main__":
    unittest.main()
