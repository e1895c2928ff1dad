# SPDX-License-Identifier: Apache-2.0
"""``linear`` is one operator: the layer and the function call it, its bits and
gradients are those of a product and a sum (of halves with a bias in float32, rounded
once), and a program has one operation."""
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static
from switchyard.nn import functional as F

# Shapes of x, weight and bias.
SHAPES = (((4, 5), (5, 3), (3,)),
          ((4, 5), (5, 3), None),
          ((2, 3, 5), (5, 3), (3,)),
          ((5,), (5, 3), (3,)),
          ((4, 5), (5,), None),
          ((2, 4, 5), (2, 5, 3), (3,)),
          ((0, 5), (5, 3), (3,)),
          ((4, 0), (0, 3), (3,)),
          ((70, 200), (200, 150), (150,)))
DTYPES = ("float32", "float64", "float16", "bfloat16", "complex64")


def product_and_sum(x, weight, bias=None):
    if bias is None:
        return sy.matmul(x, weight)
    dtype = str(x.dtype)
    wide = "float32" if dtype in ("float16", "bfloat16") else dtype
    y = sy.matmul(x.astype(wide), weight.astype(wide)) + bias.astype(wide)
    return y.astype(dtype)


def elements(shape, seed):
    """Some that are no numbers to be summed, too."""
    values = np.random.default_rng(seed).standard_normal(shape)
    if values.ndim == 2 and min(values.shape) > 2:
        values[0, 0], values[1, 1], values[2, 2] = np.inf, np.nan, -0.0
    return values


def bits(tensor):
    return str(tensor.dtype), tensor.shape, tensor.detach().numpy().tobytes()


class LinearOpTest(unittest.TestCase):

    def results(self, call, shapes, dtype):
        """The bits of the result and of the gradients."""
        given = [sy.tensor(elements(shape, seed)).astype(dtype).detach()
                 for seed, shape in enumerate(shapes) if shape is not None]
        for tensor in given:
            tensor.requires_grad = True
        y = call(*given)
        y.backward(sy.tensor(elements(y.shape, 9)).astype(dtype).detach())
        return [bits(y)] + [bits(tensor.grad) for tensor in given]

    def test_bits_and_gradients_are_those_of_a_product_and_a_sum(self):
        for dtype in DTYPES:
            for shapes in SHAPES:
                with self.subTest(dtype=dtype, shapes=shapes):
                    self.assertEqual(self.results(F.linear, shapes, dtype),
                                     self.results(product_and_sum, shapes, dtype))

    def test_second_derivatives_are_those_of_a_product_and_a_sum(self):
        def second(call):
            given = [sy.tensor(np.random.default_rng(3).standard_normal(shape))
                     for shape in ((4, 2), (2, 2), (2,))]
            for tensor in given:
                tensor.requires_grad = True
            first = sy.autograd.grad((call(*given) ** 2).sum(), given, create_graph=True)
            return sy.autograd.grad(sum((g ** 2).sum() for g in first), given)

        # Terms of a gradient are summed in the order of nodes, which differs.
        for got, expected in zip(second(F.linear), second(product_and_sum)):
            np.testing.assert_allclose(got.numpy(), expected.numpy(), 1e-13)

    def test_only_the_gradients_that_are_wanted(self):
        for wanted in range(3):
            with self.subTest(wanted=wanted):
                given = [sy.tensor(np.ones(s, "float32")) for s in ((4, 5), (5, 3), (3,))]
                given[wanted].requires_grad = True
                F.linear(*given).sum().backward()
                self.assertEqual([t.grad is not None for t in given],
                                 [i == wanted for i in range(3)])

    def test_a_frozen_weight_saves_no_x(self):
        x = sy.tensor(np.ones((4, 5), "float32"))
        layer = nn.Linear(5, 3)
        layer.weight.requires_grad = False
        hidden = x * 1.0
        y = layer(hidden)
        hidden.zero_()               # Nothing that the gradient needs.
        y.sum().backward()
        np.testing.assert_array_equal(layer.bias.grad.numpy(), np.full(3, 4, "float32"))

    def test_operands_are_promoted(self):
        for dtypes, result in ((("float32", "float64", "float32"), "float64"),
                               (("float32", "float32", "float64"), "float64"),
                               (("float16", "float16", "float32"), "float32")):
            for recorded in (False, True):
                with self.subTest(dtypes=dtypes, recorded=recorded):
                    given = [sy.tensor(np.ones(s)).astype(d).detach()
                             for s, d in zip(((4, 5), (5, 3), (3,)), dtypes)]
                    for tensor in given:
                        tensor.requires_grad = recorded
                    y = F.linear(*given)
                    self.assertEqual(str(y.dtype), result)
                    if recorded:
                        y.sum().backward()
                        self.assertEqual([str(t.grad.dtype) for t in given], list(dtypes))

    def test_autocast_narrows_all_operands_of_both_forms(self):
        layer = nn.Linear(5, 3)
        x = sy.tensor(np.ones((4, 5), "float32"))
        with sy.amp.autocast("bfloat16"):
            results = [layer(x), F.linear(x, layer.weight, layer.bias)]
        self.assertEqual([str(y.dtype) for y in results], ["bfloat16"] * 2)
        self.assertEqual(bits(results[0]), bits(results[1]))
        results[0].sum().backward()
        self.assertEqual(str(layer.bias.grad.dtype), "float32")

    def test_a_program_has_one_operation(self):
        layer = nn.Linear(5, 3)
        for call in (layer, lambda x: F.linear(x, layer.weight, layer.bias)):
            program = static.trace(call, static.InputSpec([None, 5], "float32", "x"))
            text = program.text()
            self.assertEqual(text.count("= op."), 1, text)
            self.assertIn("op.linear(", text)

    def test_errors_name_the_argument(self):
        x, w = np.ones((4, 5), "float32"), np.ones((5, 3), "float32")
        for call, said in (
                (lambda: F.linear(x, w.T), "linear: weight must be of 5 rows"),
                (lambda: F.linear(x, w, np.ones(4, "float32")),
                 r"linear: bias must be of shape \[3\], got \[4\]"),
                (lambda: F.linear(x, w, np.ones((4, 3), "float32")),
                 r"linear: bias must be of shape \[3\], got \[4, 3\]"),
                (lambda: F.linear(x, w[:, 0], np.ones(4, "float32")),
                 r"linear: bias must be absent with a weight of one axis, got \[4\]"),
                (lambda: F.linear(1.0, w), "linear: x must be of rank 1 or more")):
            with self.assertRaisesRegex(ValueError, said):
                call()


if __name__ == "__main__":
    unittest.main()
