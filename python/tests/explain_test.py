# SPDX-License-Identifier: Apache-2.0
"""sy.explain takes what a call takes, and says what the call would do."""
import json
import re
import unittest

import numpy as np

import switchyard as sy


def chosen(text):
    """The file and line that `text` says is chosen."""
    return re.findall(r"^ *chosen: .*\((.*)\)$", text, re.MULTILINE)


def ran(function):
    """The files and lines of the kernels that ran."""
    with sy.record_selections() as log:
        function()
    return [re.search(r"-> .*? \((.*?)\)", line)[1] for line in log]


class ExplainTest(unittest.TestCase):

    def test_strides_of_a_tensor_count(self):
        x = sy.tensor(np.ones((4, 6), np.float32))
        for value in (x, x.T):
            text = sy.explain("softmax", x=value, axis=1)
            self.assertEqual(chosen(text),
                             ran(lambda: sy.ops.softmax(value, axis=1)))
        self.assertIn("transforms: none", sy.explain("softmax", x=x))
        self.assertIn("transforms: contiguous x", sy.explain("softmax", x=x.T))

    def test_the_policy_is_the_threads(self):
        x = sy.tensor(np.ones((64, 1000), np.float32))
        self.assertIn("policy: default", sy.explain("softmax", x=x))
        with sy.policy(backends=["cpu"]):
            text = sy.explain("softmax", x=x)
            self.assertIn("policy: backend=cpu\n", text)
            self.assertEqual(chosen(text), ran(lambda: sy.ops.softmax(x)))
            self.assertIn("policy: default",
                          sy.explain("softmax", x=x, policy="default"))

    def test_an_operator_made_of_others(self):
        x = sy.tensor(np.ones((2, 3, 4), np.float32))
        y = sy.tensor(np.ones(3, np.float32))
        text = sy.explain("elementwise_sub", x=x, y=y, axis=1)
        self.assertIn("it runs as 2 calls", text)
        self.assertEqual(
            chosen(text), ran(lambda: sy.ops.elementwise_sub(x, y, axis=1)))
        facts = json.loads(sy.explain("zeros_like", json=True, x=x))
        self.assertTrue(facts["composed"])
        self.assertEqual([call["op"] for call in facts["calls"]],
                         ["full_like"])
        self.assertIsNotNone(facts["calls"][0]["chosen"])

    def test_a_composite_follows_the_strides_of_views(self):
        x = sy.tensor(np.ones((4, 4, 2, 4), np.float32)).transpose(2, 3, 0, 1)
        explained = sy.explain("space_to_depth", x=x, blocksize=2)
        self.assertEqual(chosen(explained),
                         ran(lambda: sy.ops.space_to_depth(x, blocksize=2)))
        with sy.record_selections() as log:
            sy.ops.space_to_depth(x, blocksize=2)
        self.assertEqual(re.findall("transforms: .*", explained),
                         [re.search("transforms: .*", line)[0] for line in log])
        self.assertIn("transforms: contiguous x", explained)

    def test_rows_values_and_what_is_absent(self):
        weight = sy.tensor(np.ones((5, 2), np.float32))
        weight.requires_grad = True
        rows = sy.tensor(np.array([1, 3], np.int64))
        sy.ops.embedding(rows, weight, sparse=True).sum().backward()
        text = sy.explain("sgd_", param=weight.detach(), grad=weight.grad,
                          learning_rate=sy.tensor(np.float32(1)))
        self.assertIn("selected_rows", text)
        self.assertIn("chosen: cpu", text)
        self.assertIn("layer_norm float32[2, 3]",
                      sy.explain("layer_norm", x="float32[2, 3]", scale=None))

    def test_kinds_decide(self):
        matrix, rows = "float32[5, 2]", "selected_rows float32[5, 2]"
        for x, y, chosen in ((matrix, matrix, "cpu float32 ("),
                             (rows, rows, "cpu float32 add_selected_rows ("),
                             (matrix, rows, "cpu float32 add_rows_to_dense ("),
                             (rows, matrix, "cpu float32 add_dense_to_rows (")):
            text = sy.explain("add", place="cpu", x=x, y=y)
            self.assertIn(f"chosen: {chosen}", text)
            if rows in (x, y):
                name = "x" if x == rows else "y"
                self.assertIn(
                    f"refused: {name} must be dense, got selected_rows", text)

    def test_in_place_form(self):
        self.assertIn("relu float32[2]", sy.explain("relu_", x="float32[2]"))
        x = sy.tensor(np.ones((4, 6), np.float32))
        self.assertEqual(chosen(sy.explain("add_", x=x, y=2.0)),
                         ran(lambda: sy.ops.add_(x, 2.0)))

    def test_what_an_in_place_call_refuses(self):
        x = sy.tensor(np.ones((4, 6), np.float32))
        leaf = sy.tensor(np.ones(2, np.float32), requires_grad=True)
        row = sy.tensor(np.ones(6, np.float32))
        whole = sy.tensor(np.ones((4, 6), np.int32))
        for op, arguments, message in (
                ("sgd_", {"param": x.T, "grad": x.T, "learning_rate": sy.tensor(np.float32(1))},
                 "param must be contiguous to be written"),
                ("relu_", {"x": leaf}, "a leaf that requires grad"),
                ("add_", {"x": row, "y": x},
                 r"x must be \[4, 6\] to be written in place, got \[6\]"),
                ("add_", {"x": whole, "y": 2.5},
                 "x must be float32 to be written in place, got int32")):
            with self.subTest(op=op, message=message):
                for call in (lambda: sy.explain(op, **arguments),
                             lambda: getattr(sy.ops, op)(**arguments)):
                    with self.assertRaisesRegex(
                            (ValueError, TypeError, RuntimeError), message):
                        call()
        with self.assertRaisesRegex(ValueError, r"x must be \[4, 6\]"):
            sy.explain("add_", x="float32[6]", y="float32[4, 6]")
        with sy.no_grad():
            self.assertIn("chosen", sy.explain("relu_", x=leaf))

    def test_attributes_that_tensors_give(self):
        x = sy.tensor(np.ones((4, 6), np.float32))
        shape = sy.tensor(np.array([6, 4]))
        text = sy.explain("reshape", x=x, shape=shape)
        self.assertEqual(text, sy.explain("reshape", x=x, shape=[6, 4]))
        # Before it runs, the elements are read.
        self.assertEqual(chosen(text),
                         ran(lambda: sy.ops.reshape(x, shape))[-1:])
        count = sy.tensor(np.int64(7))
        self.assertEqual(sy.explain("full", shape=[2, count], value=1.0),
                         sy.explain("full", shape=[2, 7], value=1.0))

    def test_attributes_that_values_of_a_program_supply(self):
        seen = []

        def function(x, n):
            rows = x.shape[0]
            seen.append(sy.explain("reshape", x=x, shape=[n, 2]))
            seen.append(sy.explain("reshape", x=x, shape=[rows * 1, -1]))
            seen.append(sy.explain("full", shape=[rows, 3], value=1.0))
            return sy.reshape(x, [n, 2])

        sy.static.trace(function, sy.static.InputSpec([None, 4]),
                        sy.static.InputSpec([], "int64"))
        self.assertIn("[?, 2]", seen[0])
        for text in seen:
            self.assertEqual(len(chosen(text)), 1, text)
        self.assertIn("shape=[?, 4]",
                      sy.explain("reshape", x="float32[8]", shape=["?", 4]))
        with self.assertRaisesRegex(ValueError, "shape must be"):
            sy.explain("reshape", x="float32[8]", shape=["two", 4])

    def test_numbers_and_lists_for_tensors(self):
        for x, y in ((sy.tensor(np.ones((2, 3), np.float32)), 2.0),
                     (sy.tensor(np.ones((2, 3), np.int64)), 2.5),
                     (sy.tensor(np.ones(3, np.float64)), [1.0, 2.0, 3.0]),
                     (sy.tensor(np.ones(3, np.float32)), np.ones(3))):
            with self.subTest(y=y):
                text = sy.explain("multiply", x=x, y=y)
                log = ran(lambda: sy.ops.multiply(x, y))
                self.assertEqual(chosen(text), log[-1:])
                # A cast that promotion makes is said, and is no call.
                self.assertEqual("promoted" in text, len(log) == 2, text)
        text = sy.explain("multiply", x="float64[2, 3]", y=2)
        self.assertIn("multiply float64[2, 3], float64[]", text)

    def test_the_default_place(self):
        place = sy.default_place()
        self.assertIn(f"on {place}", sy.explain("full", shape=[2], value=1.0))
        self.assertEqual(
            chosen(sy.explain("full", shape=[2], value=1.0)),
            ran(lambda: sy.ops.full([2], 1.0)))
        self.assertIn("on cpu", sy.explain("full", place="cpu", shape=[2],
                                           value=1.0))
        x = sy.tensor(np.ones(2, np.float32))
        self.assertEqual(chosen(sy.explain("add", x=x, y=1.0)),
                         ran(lambda: x + 1.0))

    def test_a_random_operator_draws_its_state(self):
        x = sy.tensor(np.ones((2, 3), np.float32))
        self.assertEqual(
            chosen(sy.explain("dropout", x=x, p=0.5)),
            ran(lambda: sy.ops.dropout(x, p=0.5)))

    def test_backward_operators(self):
        x = sy.tensor(np.ones((64, 100), np.float32), requires_grad=True)
        out = sy.softmax(x, axis=1)
        out_grad = sy.tensor(np.ones((64, 100), np.float32))
        self.assertEqual(
            chosen(sy.explain("softmax_grad", out=out.detach(),
                              out_grad=out_grad, axis=1)),
            ran(lambda: out.backward(out_grad)))
        y = x.detach()
        y.requires_grad = True
        product = sy.ops.multiply(y, out_grad)
        self.assertEqual(
            chosen(sy.explain("multiply_grad", x=y.detach(), y=out_grad,
                              out_grad=out_grad))[:1],
            ran(lambda: product.backward(out_grad))[:1])

    def test_mistakes(self):
        for arguments, message in (
                ({"op": "softmx", "x": "float32[2]"}, "did you mean 'softmax'?"),
                ({"op": "softmax"}, "softmax: x must be given, got none"),
                ({"op": "softmax", "x": "float32[2]", "axis": [1, 2]},
                 r"softmax: axis must be an integer, got \[1, 2\]"),
                ({"op": "softmax", "x": "float32[2]", "y": 1},
                 "softmax: argument must be one of x, axis, got 'y'"),
                ({"op": "elementwise_sub", "x": "float32[2]"},
                 "elementwise_sub: y must be given, got none"),
                ({"op": "zeros_like", "x": object()}, "zeros_like: x must")):
            with self.subTest(**arguments):
                with self.assertRaisesRegex((ValueError, TypeError), message):
                    sy.explain(**arguments)


if __name__ == "__main__":
    unittest.main()
