# SPDX-License-Identifier: Apache-2.0
"""Python's numbers that a dtype does not hold, lists that have no end, lengths that
do not fit and modules in themselves: each an error with a sentence, or the right
value."""
import inspect
import math
import resource
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn

F = nn.functional
inf, nan = math.inf, math.nan
OUTSIDE = (("uint8", 300), ("uint8", -1), ("int8", 128), ("int16", -2**15 - 1),
           ("int32", 2**31), ("int64", 2**63), ("int64", nan), ("int32", inf),
           ("uint8", -1.0))


class NumbersTest(unittest.TestCase):

    def test_what_a_dtype_does_not_hold_is_refused(self):
        for dtype, number in OUTSIDE:
            x = sy.zeros([1], dtype)
            mask = sy.ones([1], "bool")
            for call in (lambda: sy.full([1], number, dtype),
                         lambda: sy.full_like(x, number),
                         lambda: sy.full_like(sy.ones([1]), number, dtype=dtype),
                         lambda: x.new_full([1], number),
                         lambda: x.fill_(number),
                         lambda: x.__setitem__(0, number),
                         lambda: x.__setitem__(slice(None), [number]),
                         lambda: sy.masked_fill(x, mask, number),
                         lambda: sy.pad(x, 1, number),
                         lambda: sy.scatter(x, 0, sy.zeros([1], "int64"), number),
                         lambda: nn.init.constant_(x, number),
                         lambda: sy.tensor(number, dtype),
                         lambda: sy.tensor([[number]], dtype),
                         lambda: sy.asarray([number], dtype=dtype)):
                with self.subTest(f"{dtype} {number} {inspect.getsource(call)}"):
                    with self.assertRaisesRegex(ValueError, "must be .*number"):
                        call()
            self.assertEqual(x.tolist(), [0])

    def test_what_a_dtype_holds_is_taken(self):
        for dtype, number, want in (("uint8", 255, 255), ("uint8", 255.5, 255),
                                    ("int8", -128, -128), ("int64", -2**63, -2**63),
                                    ("int64", 2**63 - 1, 2**63 - 1),
                                    ("bool", 7, True), ("float32", 2**63, 2.0**63),
                                    ("float64", 2**70, 2.0**70)):
            self.assertEqual(sy.tensor([number], dtype).tolist(), [want])
            if dtype[0] != "f":
                self.assertEqual(sy.full([1], number, dtype).tolist(), [want])
                x = sy.zeros([1], dtype)
                x[0] = number
                self.assertEqual(x.tolist(), [want])
        # An array is converted as NumPy converts it.
        self.assertEqual(sy.tensor(np.array([300]), "uint8").tolist(), [44])

    def test_exponents_are_not_cut(self):
        for dtype, bits in (("int8", 8), ("int16", 16), ("int32", 32)):
            wrap = 2**bits
            for exponent in (2**40, 2**40 + 1, 2**31, 300, 3, 0):
                x = [2, 3, -1, 0, 1, -7]
                want = [(pow(n, exponent, wrap) + wrap // 2) % wrap - wrap // 2
                        for n in x]
                got = sy.tensor(x, dtype)**exponent
                self.assertEqual(got.tolist(), want, (dtype, exponent))
            for exponent in (-1, -2, -2**40, -2**40 - 1):
                got = sy.tensor([2, -1, 1], dtype)**exponent
                self.assertEqual(got.tolist(), [0, (-1)**(exponent % 2), 1])
        with self.assertRaisesRegex(ValueError, "pow: y must be from 0 for uint8"):
            sy.tensor([2], "uint8")**-1


class ListsTest(unittest.TestCase):

    def test_lists_without_end_are_not_read(self):
        many = sy.expand(sy.ones([1], "int64"), [2**40])
        x = sy.ones([2, 3])
        for call in (lambda: sy.permute(x, many), lambda: sy.reshape(x, many),
                     lambda: sy.randint(0, 2, many), lambda: sy.flip(x, many),
                     lambda: nn.ParameterList(many), lambda: nn.ModuleList(many),
                     lambda: nn.LayerNorm(many), lambda: nn.Conv2D(2, 2, many),
                     lambda: nn.LSTM(2, 3, num_layers=2**31),
                     lambda: nn.TransformerEncoder(4, 2, 3, 2**31),
                     lambda: sy.optim.SGD(many), lambda: F.pad(x, many),
                     lambda: sy.io.collate(many), lambda: sy.fft.fftn(x, axes=many)):
            with self.subTest(inspect.getsource(call)):
                with self.assertRaises((TypeError, ValueError, IndexError)):
                    call()

    def test_class_weights_are_one_for_each_class(self):
        x, label = sy.ones([2, 3]), sy.tensor([0, 1])
        for kind in (nn.CrossEntropyLoss, nn.NLLLoss):
            for weight in (sy.ones([2]), sy.ones([4]), sy.ones([3, 1]), 1.0):
                with self.assertRaisesRegex(
                        ValueError, f"{kind.__name__}: weight must have shape"):
                    kind(weight)(x, label)
            kind(sy.ones([3]))(x, label)

        with self.assertRaisesRegex(ValueError, r"weight must have shape \(2,\)"):
            nn.MultiMarginLoss(weight=sy.ones([3]))(sy.ones([1, 2]), [0])
        with self.assertRaisesRegex(ValueError, r"weight must have shape \(2,\)"):
            nn.MultiLabelSoftMarginLoss(sy.ones([1]))(sy.ones([1, 2]), sy.ones([1, 2]))

    def test_weights_of_observations(self):
        x = sy.ones([5])
        for text, weights in (
                ("fweights must be integers", {"fweights": x}),
                ("fweights must be 5", {"fweights": sy.ones([1], "int64")}),
                ("fweights must be from 0", {"fweights": sy.full([5], -1)}),
                ("aweights must be 5", {"aweights": sy.ones([1])}),
                ("aweights must be from 0", {"aweights": -x})):
            with self.assertRaisesRegex((TypeError, ValueError), f"cov: {text}"):
                sy.cov(x, **weights)

    def test_what_would_be_dropped_is_refused(self):
        x, yes = sy.ones([2, 2]), sy.tensor(True)
        for text, call in (
                ("mask must be bool", lambda: sy.masked_fill(x, x, 1.0)),
                ("value must be a number or a scalar",
                 lambda: sy.masked_fill(x, yes, sy.ones([1]))),
                ("value must be real", lambda: sy.masked_fill(x, yes, sy.tensor(1j))),
                ("mask must be bool", lambda: sy.masked_scatter(x, x, x)),
                ("weight must be one slope", lambda: F.prelu(x, x)),
                ("margin must be positive",
                 lambda: F.triplet_margin_loss(x, x, x, margin=0.0)),
                ("ignore_index must stay",
                 lambda: F.cross_entropy(x, x, ignore_index=0)),
                ("x must have 2 axes", lambda: F.linear_cross_entropy(
                    x[0], sy.ones([2, 4, 2]), sy.ones([2, 4]))),
                ("index_copy: source must be of shape \\(2, 1\\), got \\(2, 2\\)",
                 lambda: sy.index_copy(x, 1, sy.tensor([1]), x)),
                ("index_reduce: source must be of shape \\(2, 1\\), got \\(2, 2\\)",
                 lambda: sy.index_reduce(x, 1, sy.tensor([1]), x, "amax")),
                ("must be an integer or a list", lambda: sy.hsplit(x, "ab")),
                ("x must have at most two axes", lambda: sy.t_copy(sy.ones([1, 2, 3]))),
                ("x must be matrices", lambda: sy.ormqr(x[0], x[0], x)),
                ("x must be floating", lambda: sy.ormqr(*[sy.ones([2, 2], "int64")] * 3))):
            with self.assertRaisesRegex((TypeError, ValueError), text):
                call()

    def test_the_padding_row_is_a_row(self):
        weight, index = sy.ones([3, 2]), sy.tensor([0, 2])
        for wrong in (3, -4):
            with self.assertRaisesRegex(ValueError, "embedding: padding_idx"):
                F.embedding(index, weight, padding_idx=wrong)
        got = F.embedding(index, weight, padding_idx=-1)
        self.assertEqual(got.tolist(), [[1.0, 1.0], [0.0, 0.0]])

    def test_sizes_of_zero(self):
        for call in (lambda: nn.LSTM(2, 0), lambda: nn.GRU(2, 0),
                     lambda: nn.RNN(2, 0), lambda: nn.LSTMCell(2, 0),
                     lambda: nn.MultiHeadAttention(4, 0)):
            with self.assertRaisesRegex(ValueError, "must be from 1, got 0"):
                call()
        x = nn.init.trunc_normal_(sy.zeros([3]), mean=0.5, std=0.0)
        self.assertEqual(x.tolist(), [0.5] * 3)


class EinsumTest(unittest.TestCase):

    def test_an_extent_of_1_broadcasts(self):
        random = np.random.default_rng(0)
        for equation, shapes in (
                ("i,i", [(2,), (1,)]), ("ij,jk->ik", [(2, 3), (1, 4)]),
                ("ij,jk", [(2, 3), (1, 1)]), ("bij,bjk->bik", [(1, 2, 3), (5, 3, 4)]),
                ("i,j,i->ij", [(1,), (4,), (3,)]), ("ij,ij->ji", [(2, 1), (1, 3)]),
                ("...i,i", [(2, 1), (3,)]), ("ii,i->i", [(3, 3), (1,)]),
                ("i,i,i->", [(1,), (2,), (1,)])):
            arrays = [random.normal(size=shape) for shape in shapes]
            tensors = [sy.tensor(a, requires_grad=True) for a in arrays]
            got, want = sy.einsum(equation, *tensors), np.einsum(equation, *arrays)
            np.testing.assert_allclose(got.detach().numpy(), want, rtol=1e-12)
            program = sy.static.trace(
                lambda *x, e=equation: sy.einsum(e, *x),
                *[sy.static.InputSpec(a.shape, "float64") for a in arrays])
            np.testing.assert_allclose(program(*arrays), want, rtol=1e-12)
            for gradient, a in zip(sy.grad(got.sum(), tensors), arrays):
                self.assertEqual(gradient.shape, a.shape)
        for wrong in (["ii", sy.ones([1, 3])], ["i,i", sy.ones([2]), sy.ones([3])]):
            with self.assertRaisesRegex(ValueError, "einsum: x must be of extent"):
                sy.einsum(*wrong)


class ModulesTest(unittest.TestCase):

    def test_a_module_in_itself_is_an_error(self):
        outer, inner = nn.Sequential(), nn.Sequential()
        outer.append(inner)
        inner.append(outer)
        for call in (outer.parameters, outer.state_dict, lambda: outer.apply(print),
                     lambda: list(outer.modules())):
            with self.assertRaisesRegex(ValueError, "must not contain itself"):
                call()
        outer.eval()
        self.assertFalse(inner.training)

    def test_modules_may_be_nested_deeply(self):
        module = nn.Linear(1, 1)
        for _ in range(5000):
            module = nn.Sequential(module)
        self.assertEqual(len(module.parameters()), 2)
        self.assertEqual(len(module.eval().state_dict()), 2)
        order = []
        module.apply(order.append)
        self.assertEqual((len(order), order[-1]), (5001, module))

    def test_results_in_themselves_are_an_error(self):
        def f(x):
            results = [x]
            results.append(results)
            return results
        with self.assertRaisesRegex(ValueError, "must not contain themselves"):
            sy.static.trace(f, np.ones(2, np.float32))


class TextTest(unittest.TestCase):

    def test_the_text_of_a_large_tensor_copies_what_it_shows(self):
        before = resource.getrlimit(resource.RLIMIT_AS)
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (256 << 20), before[1]))
        try:
            text = repr(sy.zeros([1], "bfloat16").expand(3000000000))
            wide = repr(sy.zeros([1], "bfloat16").expand(2, 10**9, 5))
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)
        self.assertEqual(text, "tensor([0., 0., 0., ..., 0., 0., 0.], shape="
                         "(3000000000,), dtype=bfloat16)")
        self.assertIn("shape=(2, 1000000000, 5)", wide)

    def test_it_is_the_text_of_the_whole(self):
        for shape in ((3000,), (70, 7, 9), (2, 3, 400), (50, 50)):
            array = np.arange(math.prod(shape), dtype=np.float32).reshape(shape) % 250
            text = repr(sy.tensor(array, "bfloat16"))
            self.assertEqual(text, repr(sy.tensor(array)).replace(
                "float32", "bfloat16"))


if __name__ == "__main__":
    unittest.main()
