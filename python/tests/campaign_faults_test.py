# SPDX-License-Identifier: Apache-2.0
"""Faults that random calls and programs found, as their smallest cases, each with
its right value. Writers of other threads are in concurrent_writer_test.py, gradients of
a loop's first value in control_flow_test.py, modules in themselves in
lenient_numbers_test.py, resampling beside NaN in interpolate_test.py."""

import math
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

F = nn.functional
INF, NAN = math.inf, math.nan
f32 = np.float32


def traced(function, *arrays):
    """function's results, eager and by a program."""
    tensors = [sy.tensor(x) for x in arrays]
    program = sy.static.trace(function, *arrays)
    return function(*tensors).tolist(), program(*[sy.tensor(x) for x in arrays]).tolist()


class TracedTest(unittest.TestCase):

    def test_augmented_assignment_reaches_every_alias(self):
        def function(p):
            y = p * 1
            h = y
            y += p
            return (h * y).sum()
        self.assertEqual(traced(function, f32([1, -2])), (20.0, 20.0))

    def test_reshapes_of_transposed_values_are_copies(self):
        """Where the extent is open, what is a copy depends on the run: refused."""
        for shape in (sy.flatten, lambda x: sy.reshape(x, [-1])):
            def function(x, shape=shape):
                y = x * 1
                shape(y.T).square_()
                return y
            x = f32([[2, 2], [3, 3]])
            self.assertEqual(function(sy.tensor(x)).tolist(), x.tolist())
            with self.assertRaisesRegex(ValueError, "write to a copy"):
                sy.static.trace(function, x)

    def test_an_empty_slice_of_an_open_extent(self):
        program = sy.static.trace(lambda x: x[1, 2:], np.ones((4, 1), f32))
        self.assertEqual(program(np.ones((4, 1), f32)).shape, (0,))


class ValuesTest(unittest.TestCase):

    def test_halves_in_compositions(self):
        high, low = sy.tensor([300.0, 300.0], "float16"), sy.tensor([2e-4, -2e-4], "float16")
        for norm in (sy.norm, sy.linalg.vector_norm,
                     lambda x: sy.linalg.matrix_norm(x.reshape(1, 2))):
            self.assertEqual(norm(high).item(), float(np.float16(math.hypot(300, 300))))
        self.assertEqual(sy.std(sy.tensor([300.0, -300.0], "float16")).item(), 300)
        self.assertEqual(sy.std(low).item(), float(np.float16(2e-4)))

    def test_gradients_of_zero_vectors(self):
        for function in (lambda x: F.normalize(x, axis=0), sy.norm,
                         lambda x: sy.linalg.vector_norm(x, 3),
                         lambda x: sy.linalg.vector_norm(x, 0.5)):
            x = sy.zeros([3], requires_grad=True)
            found = sy.grad(function(x).sum(), [x])[0].numpy()
            self.assertTrue(np.isfinite(found).all(), found)

    def test_negation_of_complex_numbers(self):
        for value in (complex(INF, 1), 1 + 0j, complex(-0.0, 2)):
            found = (-sy.tensor(np.array([value]))).numpy()
            np.testing.assert_array_equal(found.view(np.float64), [-value.real, -value.imag])
            self.assertEqual(np.signbit(found.view(np.float64)).tolist(),
                             [bool(np.signbit(-value.real)), bool(np.signbit(-value.imag))])
        z = sy.tensor(np.array([1 + 0j]))
        np.testing.assert_allclose(sy.sqrt(-z).numpy(), [-1j])

    def test_numbers_out_of_a_dtype(self):
        for call in (lambda: sy.full([1], 300, "uint8"), lambda: sy.full([1], NAN, "int64"),
                     lambda: sy.full_like(sy.zeros([1], "int8"), 200),
                     lambda: sy.tensor([1], "int32").fill_(2**31)):
            with self.assertRaises(ValueError):
                call()
        self.assertEqual((sy.tensor([2], "int32") ** 2**40).tolist(), [0])

    def test_weights_of_another_length(self):
        for loss in (nn.CrossEntropyLoss, nn.NLLLoss):
            with self.assertRaises(ValueError):
                loss(sy.ones([2]))(sy.zeros([1, 3]), sy.tensor([0]))
        with self.assertRaisesRegex(ValueError, "padding_idx"):
            F.embedding(sy.tensor([0]), sy.ones([3, 2]), padding_idx=3)

    def test_legal_calls(self):
        self.assertEqual(nn.LayerNorm(3)(sy.ones([3])).tolist(), [0, 0, 0])
        self.assertEqual(sy.linalg.matrix_rank(sy.zeros([2, 0, 3])).tolist(), [0, 0])
        self.assertEqual(len(sy.chunk(sy.zeros([0]), 4)), 4)
        for loss in (lambda: F.cross_entropy(sy.zeros([0, 3]), sy.zeros([0], "int64")),
                     lambda: F.nll_loss(sy.zeros([0, 3]), sy.zeros([0], "int64")),
                     lambda: F.mse_loss(sy.zeros([0]), sy.zeros([0]))):
            self.assertEqual(loss().item(), 0)

    def test_cosine_similarity_of_shapes_that_broadcast(self):
        random = np.random.default_rng(1)
        x, y = random.normal(size=(1, 2, 3)), random.normal(size=(2, 1, 3))
        found = F.cosine_similarity(sy.tensor(x), sy.tensor(y), axis=-2).numpy()
        a, b = np.broadcast_arrays(x, y)
        np.testing.assert_allclose(
            found, (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1))
        self.assertEqual(sy.logsumexp(sy.tensor(1029.0)).item(), 1029)


class ErrorsTest(unittest.TestCase):

    def test_endless_arguments(self):
        long = sy.expand(sy.ones([1], "int64"), [2**40])
        for call in (lambda: sy.permute(sy.ones([2, 2]), long),
                     lambda: nn.ParameterList(long),
                     lambda: nn.LSTM(2, 3, num_layers=2**31)):
            with self.assertRaises((TypeError, ValueError, MemoryError)):
                call()

    def test_sentences(self):
        """Errors that Python's own operations would give without a word of ours."""
        for call in (lambda: F.relu(5), lambda: F.softmax("x"), lambda: F.linear(1, 2),
                     lambda: sy.ones([1]).view_as(2), lambda: sy.rand_like(3),
                     lambda: sy.result_type(object()), lambda: nn.LSTM(2, 0),
                     lambda: nn.GRU(2, 0), lambda: nn.RNN(2, 0), lambda: nn.LSTMCell(2, 0),
                     lambda: nn.MultiHeadAttention(4, 0),
                     lambda: nn.init.trunc_normal_(sy.zeros([2]), std=0),
                     lambda: nn.NLLLoss(sy.tensor(1.0))(sy.zeros([1, 3]), sy.tensor([0])),
                     lambda: sy.arange(0, 3, 0.1, dtype="int64"),
                     lambda: sy.utils.data.random_split([1, 2], [NAN, .5]),
                     lambda: sy.tensor([1]).__setitem__(0, 2**63)):
            try:
                call()
            except (TypeError, ValueError) as error:
                self.assertNotIn("object has no attribute", str(error))
                self.assertNotIn("cannot convert", str(error))
            except (AttributeError, ZeroDivisionError, RecursionError, OverflowError) as e:
                self.fail(repr(e))

    def test_counts_of_views(self):
        x = sy.expand(sy.ones([1], "bool"), [2**26])
        self.assertEqual(sy.count_nonzero(x).item(), 2**26)


if __name__ == "__main__":
    unittest.main()
