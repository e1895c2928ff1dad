# SPDX-License-Identifier: Apache-2.0
"""sy.legacy: operators by their old names from Python."""
import unittest

import numpy as np

import switchyard as sy


class LegacyApiTest(unittest.TestCase):

    def test_has_knows_types_and_their_gradients(self):
        for kind in ("matmul_v2", "reshape2", "softmax_grad"):
            self.assertTrue(sy.legacy.has(kind), kind)
        self.assertFalse(sy.legacy.has("no_such_operator"))

    def test_old_defaults_hold(self):
        # reduce_sum reduces axis 0 unless told otherwise.
        x = sy.tensor(np.ones((2, 3), np.float32))
        out = sy.legacy.run("reduce_sum", {"X": x})["Out"]
        np.testing.assert_array_equal(out.numpy(), np.full(3, 2.0))
        out = sy.legacy.run("reduce_sum", {"X": x}, {"reduce_all": True})["Out"]
        self.assertEqual(out.numpy(), 6.0)

    def test_arrays_and_lists_are_inputs(self):
        parts = [np.zeros((1, 2), np.float32), np.ones((2, 2), np.float32)]
        out = sy.legacy.run("concat", {"X": parts}, {"axis": 0})["Out"]
        np.testing.assert_array_equal(out.numpy(), np.concatenate(parts))

    def test_duplicable_slots_come_back_as_lists(self):
        x = sy.tensor(np.arange(6, dtype=np.float32))
        out = sy.legacy.run("split", {"X": x}, {"num": 3})["Out"]
        self.assertEqual([part.numpy().tolist() for part in out],
                         [[0, 1], [2, 3], [4, 5]])
        out = sy.legacy.run("split", {"X": x}, {"num": 1})["Out"]
        self.assertIsInstance(out, list)

    def test_tensors_supply_attributes(self):
        x = sy.tensor(np.arange(6, dtype=np.float32))
        for supplier in ({"Shape": np.array([2, 3], np.int32)},
                         {"ShapeTensor": [np.array([3], np.int32),
                                          np.array([2], np.int64)]}):
            out = sy.legacy.run("reshape2", {"X": x, **supplier},
                                {"shape": [6, 1]})
            self.assertEqual(out["Out"].numpy().ndim, 2)
            self.assertNotIn("XShape", out)
            self.assertNotEqual(out["Out"].numpy().shape, (6, 1))

    def test_calls_are_differentiable(self):
        x = sy.tensor(np.array([[1.0, 2.0], [3.0, 4.0]]), requires_grad=True)
        y = sy.tensor(np.array([10.0, 20.0]), requires_grad=True)
        out = sy.legacy.run("elementwise_mul", {"X": x, "Y": y}, {"axis": 0})
        out["Out"].backward(sy.tensor(np.ones((2, 2))))
        np.testing.assert_array_equal(x.grad.numpy(), [[10, 10], [20, 20]])
        np.testing.assert_array_equal(y.grad.numpy(), [3, 7])

    def test_sequences_pass_through(self):
        ids = sy.tensor(np.array([[1], [0], [1]]), lod=[[1, 2]])
        w = np.array([[1.0, 2.0], [3.0, 4.0]])
        out = sy.legacy.run("lookup_table", {"W": w, "Ids": ids})["Out"]
        np.testing.assert_array_equal(out.numpy(), [[3, 4], [1, 2], [3, 4]])
        self.assertEqual(out.lod, [[1, 2]])

    def test_attributes_without_a_meaning_are_dropped(self):
        x = sy.tensor(np.ones(2, np.float32))
        sy.legacy.run("relu", {"X": x}, {"use_mkldnn": True, "op_role": 1,
                                         "op_role_var": ["a", "b"]})

    def test_errors_name_what_is_wrong(self):
        x = np.ones((2, 3), np.float32)
        for call, exception, words in [
            (("no_such_operator", {}), NotImplementedError, "no_such_operator"),
            (("softmax", {}), ValueError, "softmax: X must be given, got none"),
            (("softmax", {"x": x}), ValueError,
             "softmax: inputs must be of X, got x"),
            (("softmax", {"X": [x, x]}), ValueError,
             "softmax: X must be one tensor, got 2"),
            (("softmax", {"X": x}, {"dim": 1}), ValueError,
             "softmax: attributes must be of axis, got dim"),
            (("softmax", {"X": x}, {"axis": "last"}), TypeError,
             "softmax: axis must be int, got str"),
            (("softmax", {"X": x}, {"axis": 2}), IndexError,
             "softmax: axis must be in"),
            (("matmul_v2", {"X": x, "Y": x}), ValueError,
             "matmul_v2: matmul: y must"),
            (("elementwise_sub", {"X": x, "Y": x[0]}, {"axis": 5}), IndexError,
             "elementwise_sub: axis must be -1 or in"),
            (("equal", {"X": x, "Y": x}, {"axis": 0}), ValueError,
             "equal: axis must be -1, got 0"),
        ]:
            with self.subTest(words), self.assertRaises(exception) as caught:
                sy.legacy.run(*call)
            self.assertIn(words, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
