# SPDX-License-Identifier: Apache-2.0
"""Tests what custom operators refuse, and how exceptions reach the caller."""
import traceback
import unittest

import numpy as np

import switchyard as sy
from switchyard import static


@sy.custom_op
def cube(x, *, factor=1.0):
    return factor * x ** 3


class ErrorsTest(unittest.TestCase):

    def test_an_exception_keeps_its_type_and_names_the_operator(self):
        class Odd(Exception):
            def __init__(self, first, second):
                super().__init__(first, second)

        @sy.custom_op
        def raises(x):
            raise Odd(1, 2)

        @raises.backward
        def _(out_grad):
            raise KeyError("grad")

        x = sy.tensor([1.0])
        try:
            raises(x)
            self.fail("nothing was raised")
        except Odd as error:
            self.assertEqual(error.args, (1, 2))
            self.assertEqual(error.__notes__, ["in operator raises"])
            self.assertIn("in raises", "".join(traceback.format_exception(
                error)))
        program = static.trace(raises, static.InputSpec([1]))
        with self.assertRaises(Odd):
            program.run({"x0": np.ones(1, np.float32)})
        # The next call is as if nothing had happened.
        self.assertEqual(cube(x).tolist(), [1.0])

    def test_an_exception_in_backward_and_in_infer(self):
        @sy.custom_op
        def raises_later(x):
            return x

        @raises_later.backward
        def _(out_grad):
            raise KeyError("grad")

        y = raises_later(sy.tensor([1.0], requires_grad=True))
        with self.assertRaises(KeyError) as caught:
            y.backward()
        self.assertEqual(caught.exception.__notes__,
                         ["in operator raises_later_grad"])

        @raises_later.infer
        def _(x):
            raise LookupError("no rule")

        for call in (lambda: raises_later(sy.tensor([2.0])),
                     lambda: static.trace(raises_later,
                                          static.InputSpec([1]))):
            with self.assertRaisesRegex(LookupError, "no rule"):
                call()

    def test_a_large_call_releases_the_gil_and_still_raises(self):
        @sy.custom_op
        def raises_large(x):
            raise ValueError("large")

        with self.assertRaisesRegex(ValueError, "large"):
            raises_large(sy.ones([1 << 17]))

    def test_results_are_held_to_the_rule(self):
        results = {"shape": np.ones(3, np.float32),
                   "dtype": np.ones(2), "nothing": None, "text": "no",
                   "several": (np.ones(2, np.float32),) * 2}
        given = []

        @sy.custom_op
        def lies(x):
            return results[given[-1]]

        for case, message in (
                ("shape", r"lies: out must be float32\[2\] as its infer rule "
                          r"says, got float32\[3\]"),
                ("dtype", r"lies: out must be float32\[2\] as its infer rule "
                          r"says, got float64\[2\]"),
                ("nothing", "lies: out must be an array or a tensor, got None"),
                ("text", "lies: out must be"),
                ("several", "lies must return a tuple of out, got 2 results")):
            given.append(case)
            with self.assertRaisesRegex(TypeError, message):
                lies(sy.ones([2]))

    def test_backward_is_held_to_the_inputs(self):
        @sy.custom_op
        def wrong(x):
            return x

        @wrong.backward
        def _(out_grad):
            return out_grad[:1]

        y = wrong(sy.tensor([1.0, 2.0], requires_grad=True))
        with self.assertRaisesRegex(TypeError, r"x_grad must be float32\[2\]"):
            sy.sum(y).backward()

    def test_rules_that_are_none(self):
        @sy.custom_op
        def ruled(x):
            return x

        for rule, kind, message in (
                (lambda x: None, TypeError, "out must be a TensorSpec"),
                (lambda x: (x, x), TypeError, "must return a tuple of out"),
                (lambda x: sy.TensorSpec([-2], "float32"), ValueError,
                 "extents from 0"),
                (lambda x: sy.TensorSpec([1] * 40, "float32"), ValueError,
                 "axes"),
                (lambda x: sy.TensorSpec([1], "float31"), Exception, "out")):
            ruled.infer(rule)
            with self.assertRaisesRegex(kind, message):
                ruled(sy.ones([2]))

    def test_arrays_must_not_be_written(self):
        @sy.custom_op
        def writes(x):
            x += 1
            return x

        x = sy.ones([2])
        with self.assertRaisesRegex(ValueError, "read-only"):
            writes(x)
        self.assertEqual(x.tolist(), [1.0, 1.0])

    def test_definitions_that_are_refused(self):
        def tensors(x, y):
            return x

        for make, kind, message in (
                (lambda: sy.custom_op(tensors, name="relu"), ValueError,
                 "one that no operator has, got 'relu'"),
                (lambda: sy.custom_op(tensors, name="a b"), ValueError,
                 "identifier"),
                (lambda: sy.custom_op(tensors, takes="lists"), ValueError,
                 "takes must be"),
                (lambda: sy.custom_op(tensors, outputs="out"), TypeError,
                 "list of names"),
                (lambda: sy.custom_op(tensors, outputs=["x"]), ValueError,
                 "names of their own"),
                (lambda: sy.custom_op(lambda *x: x, name="stars"), TypeError,
                 r"got \*x"),
                (lambda: sy.custom_op(lambda: 0, name="empty"), TypeError,
                 "at least one tensor"),
                (lambda: sy.custom_op(lambda x, a={}: x, name="bad"), TypeError,
                 "a must be a tensor or of type"),
                (lambda: sy.custom_op(lambda x, a=1, *, y: x, name="bad"),
                 TypeError, "tensors must come before attributes")):
            with self.assertRaisesRegex(kind, message):
                make()
        with self.assertRaisesRegex(TypeError, "must take the parameters"):
            cube.infer(lambda y: y)
        with self.assertRaisesRegex(TypeError, "must take out_grad"):
            cube.backward(lambda x: x)

    def test_wrong_calls(self):
        with self.assertRaisesRegex(TypeError, "cube: has no argument 'y'"):
            cube(sy.ones([1]), y=1)
        with self.assertRaisesRegex(TypeError, "cube: factor must be a number"):
            cube(sy.ones([1]), factor="x")


if __name__ == "__main__":
    unittest.main()
