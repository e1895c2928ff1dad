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

    def test_a_dtype_of_minus_one_is_none(self):
        x = np.array([[1, 3, 2]], np.float32)
        for dtype, want in ((-1, "int64"), (2, "int32"), (3, "int64")):
            out = sy.legacy.run("arg_max", {"X": x}, {"axis": 1, "dtype": dtype})["Out"]
            self.assertEqual((out.tolist(), str(out.dtype)), ([1], want))

    def test_attributes_without_a_meaning_are_dropped(self):
        x = sy.tensor(np.ones(2, np.float32))
        sy.legacy.run("relu", {"X": x}, {"use_mkldnn": True, "op_role": 1,
                                         "op_role_var": ["a", "b"]})

    def test_attributes_that_change_a_result_are_honoured_or_refused(self):
        x = np.ones((2, 3), np.float32)
        w = sy.tensor(np.arange(6.0).reshape(3, 2), requires_grad=True)
        ids = np.array([[2], [0]])
        table = {"W": w, "Ids": ids}
        for call, words in [
            (("relu", {"X": x}, {"use_quantizer": True}),
             "relu: use_quantizer must be false, got true"),
            (("elementwise_add", {"X": x, "Y": x}, {"Scale_x": 0.5}),
             "elementwise_add: Scale_x must be 1.0, got 0.5"),
            (("lookup_table", table, {"epmap": ["10.0.0.1:80"]}),
             'lookup_table: epmap must be [], got ["10.0.0.1:80"]'),
            (("lookup_table_v2", table, {"epmap": ["10.0.0.1:80"]}),
             'lookup_table_v2: epmap must be [], got ["10.0.0.1:80"]'),
            (("reduce_max", {"X": x}, {"out_dtype": 6}),
             "reduce_max: out_dtype must be undefined, got float64"),
        ]:
            with self.subTest(words), self.assertRaises(ValueError) as caught:
                sy.legacy.run(*call)
            self.assertIn(words, str(caught.exception))
        for kind in "lookup_table", "lookup_table_v2":
            sy.legacy.run(kind, table, {
                "is_distributed": True, "remote_prefetch": True, "epmap": [],
                "table_names": []})
        sparse = {"is_sparse": True}
        with self.assertRaisesRegex(
                ValueError, "lookup_table: is_sparse must be false where there "
                            "is a gradient, which is dense, got true"):
            sy.legacy.run("lookup_table", table, sparse)
        with self.assertRaisesRegex(ValueError, "lookup_table_grad: is_sparse"):
            sy.legacy.run("lookup_table_grad", {
                **table, "Out@GRAD": np.ones((2, 2))}, sparse)
        with sy.no_grad():
            sy.legacy.run("lookup_table", table, sparse)
        out = sy.legacy.run("lookup_table_v2", table, sparse)["Out"]
        out.sum().backward()
        self.assertEqual(w.grad.rows.tolist(), [2, 0])

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
             "softmax: dim must be absent or neutral (the form has axis), got 1"),
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


class LegacyFormsTest(unittest.TestCase):
    """Forms that old programs use beside the common ones, with Paddle's values."""

    def test_one_hot_gives_zeros_out_of_range_if_allowed(self):
        ids = np.array([[3], [-1], [0], [9]])
        expected = [[0, 0, 0, 1], [0] * 4, [1, 0, 0, 0], [0] * 4]
        attrs = {"depth": 4, "allow_out_of_range": True}
        for kind, x in [("one_hot", ids), ("one_hot_v2", ids[:, 0]),
                        ("one_hot_v2", ids[:, 0].astype(np.int32))]:
            out = sy.legacy.run(kind, {"X": x}, attrs)["Out"]
            self.assertEqual(out.tolist(), expected)
            with self.assertRaisesRegex(IndexError, r"x must be in \[0, 4\)"):
                sy.legacy.run(kind, {"X": x}, {"depth": 4})

    def test_batch_of_sequences_is_their_number(self):
        x = sy.tensor(np.ones((6, 2), np.float32), lod=[[2, 1, 3]])
        attrs = {"shape": [7, 4], "value": 0.5}
        for index, shape in (0, (3, 4)), (1, (2, 4)):
            out = sy.legacy.run("fill_constant_batch_size_like", {"Input": x},
                                {**attrs, "input_dim_idx": index})["Out"]
            np.testing.assert_array_equal(out.numpy(), np.full(shape, 0.5))
            self.assertFalse(out.lod)

    def test_values_of_a_tensor_have_an_attribute_for_each_kind(self):
        for name, dtype, values in [
            ("fp32_values", 5, [0.5, -2.0]), ("int32_values", 2, [3, -4]),
            ("int64_values", 3, [2**53 + 1, 4]), ("bool_values", 0, [0, 1]),
            ("values", 6, [0.25, 3.0]),
        ]:
            attrs = {"shape": [2], "dtype": dtype, "fp32_values": [],
                     "int32_values": [], name: values}
            out = sy.legacy.run("assign_value", {}, attrs)["Out"]
            self.assertEqual(out.tolist(), values, name)

    def test_quantised_models_keep_their_scale(self):
        x = np.array([[0.1, -0.26], [5.0, -7.0]], np.float32)
        for kind, step in [
            ("fake_quantize_dequantize_moving_average_abs_max", 2 / 127),
            ("fake_quantize_range_abs_max", 1.0),
        ]:
            out = sy.legacy.run(
                kind, {"X": x, "InScale": np.array([2.0], np.float32)},
                {"is_test": True, "bit_length": 8})
            self.assertEqual(out["OutScale"].tolist(), [2.0])
            np.testing.assert_allclose(
                out["Out"].numpy(), np.array([[6, -17], [127, -127]]) * step,
                rtol=1e-6)

    def test_adam_skips_an_update(self):
        one = np.array([1.0], np.float32)
        state = {"Param": 2 * one, "Moment1": 3 * one, "Moment2": 4 * one,
                 "Beta1Pow": 0.5 * one, "Beta2Pow": 0.25 * one}
        for kind in "adam", "adamw":
            for skip in False, True:
                out = sy.legacy.run(kind, {
                    **{name: sy.tensor(value) for name, value in state.items()},
                    "Grad": one, "LearningRate": one,
                    "SkipUpdate": np.array([skip])})
                for name, value in state.items():
                    same = out[name + "Out"].tolist() == value.tolist()
                    self.assertEqual(same, skip, (kind, name))
            with self.assertRaisesRegex(TypeError, "skip_update must be bool"):
                sy.legacy.run(kind, {**state, "Grad": one, "LearningRate": one,
                                     "SkipUpdate": one})

    def test_labels_of_any_integer_dtype(self):
        logits = np.random.default_rng(1).normal(size=(4, 5))
        labels = np.array([[4], [0], [3], [1]])
        attrs = {"ignore_index": 3}
        log_softmax = logits - np.log(np.exp(logits).sum(1, keepdims=True))
        loss = -np.take_along_axis(log_softmax, labels, 1)
        loss[2] = 0
        grad = np.exp(log_softmax) - np.eye(5)[labels[:, 0]]
        grad[2] = 0
        for dtype in "int8", "uint8", "int32", "int64":
            with self.subTest(dtype):
                x = sy.tensor(logits, requires_grad=True)
                out = sy.legacy.run(
                    "softmax_with_cross_entropy",
                    {"Logits": x, "Label": labels.astype(dtype)}, attrs)
                np.testing.assert_allclose(out["Loss"].numpy(), loss,
                                           rtol=1e-12)
                out["Loss"].sum().backward()
                np.testing.assert_allclose(x.grad.numpy(), grad, atol=1e-14)

    def test_scatter_and_gather_take_columns_and_negative_indices(self):
        x = np.arange(8.0).reshape(4, 2)
        updates = np.array([[10.0, 11.0], [12.0, 13.0]])
        for ids in np.array([-1, 1]), np.array([[-1], [1]], np.int32):
            expected = x.copy()
            expected[[3, 1]] = updates
            a = sy.tensor(x, requires_grad=True)
            b = sy.tensor(updates, requires_grad=True)
            out = sy.legacy.run("scatter", {"X": a, "Ids": ids, "Updates": b})
            np.testing.assert_array_equal(out["Out"].numpy(), expected)
            out["Out"].backward(sy.tensor(x))
            np.testing.assert_array_equal(b.grad.numpy(), x[[3, 1]])
            np.testing.assert_array_equal(a.grad.numpy(),
                                          [[0, 1], [0, 0], [4, 5], [0, 0]])
            a = sy.tensor(x, requires_grad=True)
            out = sy.legacy.run("gather", {"X": a, "Index": ids})["Out"]
            np.testing.assert_array_equal(out.numpy(), x[[3, 1]])
            out.backward(sy.tensor(updates))
            np.testing.assert_array_equal(
                a.grad.numpy(), [[0, 0], [12, 13], [0, 0], [10, 11]])
        for ids in np.array([4, 0]), np.array([-5, 0]):
            with self.assertRaisesRegex(IndexError, r"in \[-4, 4\)"):
                sy.legacy.run("scatter", {"X": x, "Ids": ids,
                                          "Updates": updates})
        with self.assertRaisesRegex(ValueError, r"of shape \[n, 1\]"):
            sy.legacy.run("scatter", {"X": x, "Ids": np.array([[0, 1]]),
                                      "Updates": updates})

    def test_lookup_table_of_int8(self):
        table = np.arange(-6, 6, dtype=np.int8).reshape(4, 3)
        ids = sy.tensor(np.array([[3], [0], [1]]), lod=[[1, 2]])
        out = sy.legacy.run("lookup_table", {"W": table, "Ids": ids},
                            {"padding_idx": 0})["Out"]
        self.assertEqual(out.dtype, "int8")
        self.assertEqual(out.tolist(), [[3, 4, 5], [0, 0, 0], [-3, -2, -1]])
        self.assertEqual(out.lod, [[1, 2]])

    def test_flatten_of_a_scalar_is_a_list(self):
        x = np.array(3.0)
        for kind in "flatten", "flatten2":
            out = sy.legacy.run(kind, {"X": x}, {"axis": 0})["Out"]
            self.assertEqual(out.tolist(), [3.0])
        out = sy.legacy.run("flatten_contiguous_range", {"X": x},
                            {"start_axis": 0, "stop_axis": -1})["Out"]
        self.assertEqual(out.tolist(), [3.0])


if __name__ == "__main__":
    unittest.main()
