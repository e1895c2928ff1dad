# SPDX-License-Identifier: Apache-2.0
"""Extents of a step's arguments that vary from call to call: the second number
opens them, so that one program serves all."""
import unittest
import warnings

import numpy as np

import switchyard as sy
from switchyard import nn, static

RANDOM = np.random.default_rng(0)


class Tagger(nn.Module):
    """A class for each word of a sequence."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(11, 4)
        self.linear = nn.Linear(4, 3)

    def forward(self, words):
        h = self.embedding(words)
        mixed = sy.softmax(h @ sy.swapaxes(h, 1, 2), -1) @ h
        return self.linear(h + mixed)


def cross_entropy(logits, labels):
    return nn.CrossEntropyLoss()(logits.reshape(-1, 3), labels.reshape(-1))


def words(batch, length):
    return (RANDOM.integers(0, 11, [batch, length]),
            RANDOM.integers(0, 3, [batch, length]))


def trained(make, batches, compiled, loss=cross_entropy):
    """Losses and elements after each batch, and the step."""
    sy.seed(1)
    model = make()
    optimizer = sy.optim.Adam(model.parameters(), 0.01)
    step = static.train_step(model, loss, optimizer)
    found = []
    for x, y in batches:
        if compiled:
            value = step(x, y)
        else:
            value = loss(model(sy.tensor(x)), sy.tensor(y))
            optimizer.minimize(value)
        found.append(value.numpy().tobytes())
        found += [p.numpy().tobytes() for p in model.parameters()]
    return found, step


class OpenFunctionsTest(unittest.TestCase):
    """Functions of tensors none of whose extents is known."""

    def check(self, function, *cases, wrong=()):
        """Eager code's values at all extents, and an error where it has one."""
        def arrays(shapes):
            return [RANDOM.standard_normal(shape).astype(np.float32) for shape in shapes]
        specs = [static.InputSpec([None] * len(shape), "float32") for shape in cases[0]]
        program = static.trace(function, *specs)
        for shapes in cases:
            given = arrays(shapes)
            np.testing.assert_allclose(program(*given).numpy(),
                                       function(*map(sy.tensor, given)).numpy(), rtol=1e-6,
                                       atol=1e-6)
        for shapes in wrong:
            given = arrays(shapes)
            for call in (lambda: function(*map(sy.tensor, given)), lambda: program(*given)):
                with self.subTest(shapes=shapes), self.assertRaises(ValueError):
                    call()

    def test_products(self):
        self.check(sy.vecdot, [(2, 3), (2, 3)], [(4, 1), (4, 1)],
                   wrong=[[(2, 3), (2, 1)], [(2, 1), (2, 3)]])
        self.check(lambda x, y: sy.tensordot(x, y, 2), [(2, 3, 4), (3, 4, 5)],
                   [(1, 4, 2), (4, 2, 3)], wrong=[[(2, 3, 4), (4, 3, 5)]])
        self.check(sy.inner, [(2, 3), (4, 3)], wrong=[[(2, 3), (4, 1)]])
        self.check(sy.vdot, [(3,), (3,)], [(1,), (1,)], wrong=[[(3,), (1,)]])
        self.check(sy.baddbmm, [(2, 3, 5), (2, 3, 4), (2, 4, 5)],
                   wrong=[[(2, 3, 5), (2, 3, 4), (1, 4, 5)]])

    def test_distances_and_choices(self):
        self.check(sy.cdist, [(3, 4), (2, 4)], [(1, 2), (5, 2)])
        self.check(sy.cartesian_prod, [(3,), (2,)], [(1,), (4,)])

    def test_order_statistics(self):
        self.check(lambda x: sy.quantile(x, 0.3, 1), [(3, 4)], [(2, 7)], [(1, 1)])
        self.check(lambda x: sy.quantile(x, sy.tensor([0.1, 0.5]), 0), [(3, 4)], [(5, 2)])
        nan = np.array([[1.0, np.nan, 2.0], [3.0, 1.0, 2.0]], np.float32)
        program = static.trace(lambda x: sy.quantile(x, 0.5, 1),
                               static.InputSpec([None, None]))
        np.testing.assert_array_equal(program(nan).numpy(), [np.nan, 2.0])

    def test_covariances(self):
        for function in (sy.cov, sy.corrcoef, lambda x: sy.cov(x, correction=0)):
            program = static.trace(function, static.InputSpec([3, None]))
            for count in (2, 5):
                x = RANDOM.standard_normal((3, count)).astype(np.float32)
                np.testing.assert_allclose(program(x).numpy(), function(sy.tensor(x)).numpy(),
                                           rtol=1e-6, atol=1e-6)

    def test_reduced_writes(self):
        index = sy.tensor(np.array([[0], [1]]))
        for kind in ("sum", "prod", "mean", "amax", "amin"):
            for own in (True, False):
                self.check(lambda x, y, kind=kind, own=own: sy.scatter_reduce(
                    x, 1, index, y, kind, include_self=own),
                    [(2, 3), (2, 1)], [(2, 5), (2, 1)])


class OpenExtentsTest(unittest.TestCase):

    def check(self, make, batches, traces, loss=cross_entropy):
        got, step = trained(make, batches, True, loss)
        self.assertEqual(got, trained(make, batches, False, loss)[0])
        self.assertEqual(step.traces, traces)
        return step

    def test_lengths(self):
        lengths = RANDOM.integers(2, 37, 40)
        step = self.check(Tagger, [words(3, n) for n in (8, *lengths)], 2)
        text = step.program.text()
        # The words' and the labels' lengths are one symbol.
        self.assertIn('feed "inputs" tensor<int64[s0, s1]>', text)
        self.assertIn('feed "labels" tensor<int64[s2, s1]>', text)

    def test_lengths_that_choose_the_kernels(self):
        """A layer_norm takes another kernel from 512 elements an item on, and a slice ends
        where the length says."""
        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.places = nn.Parameter(np.ones((40, 32), np.float32))
                self.layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0)

            def forward(self, x):
                return self.layer(x + self.places[:x.shape[1]])

        def batch(length):
            return tuple(RANDOM.normal(size=(2, 3, length, 32)).astype(np.float32))

        lengths = (8, 9, 20, 5, 31, 15, 16, 7, 33, 12, 24, 6)
        self.check(Encoder, [batch(n) for n in lengths], 2, nn.MSELoss())

    def test_zero_and_one_are_traces_of_their_own(self):
        lengths = (1, 5, 6, 1, 7, 1, 8, 5)
        self.check(Tagger, [words(2, n) for n in lengths], 3)

    def test_extents_that_part(self):
        """Two extents that were equal before need a trace with two names."""
        class Product(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(np.ones((1, 3, 1), np.float32))

            def forward(self, a, b):
                return sy.mean(self.w * a.unsqueeze(1), (1, 2)) + sy.mean(b, 1)

        def batch(a, b):
            draw = RANDOM.normal(size=(2, a + b)).astype(np.float32)
            return {"a": draw[:, :a], "b": draw[:, a:]}, draw[:, 0]

        sizes = ((4, 4), (5, 5), (6, 6), (7, 3), (8, 2), (9, 9), (2, 9))
        batches, results = [batch(a, b) for a, b in sizes], []
        for compiled in (True, False):
            model = Product()
            optimizer = sy.optim.SGD(model.parameters(), 0.1)
            loss = nn.MSELoss()
            step = static.train_step(model, loss, optimizer)
            found = []
            for x, y in batches:
                if compiled:
                    found.append(step(x, y).item())
                else:
                    value = loss(model(**{k: sy.tensor(v) for k, v in x.items()}),
                                 sy.tensor(y))
                    optimizer.minimize(value)
                    found.append(value.item())
            results.append(found)
            if compiled:
                self.assertEqual(step.traces, 3)
        self.assertEqual(*results)

    def test_a_trace_that_can_not_be_open(self):
        """A loop of Python needs the number: each has a trace, and one warning
        says where."""
        class Unrolled(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(3, 3)

            def forward(self, x):
                h = x[:, 0]
                for i in range(1, x.shape[1]):
                    h = sy.tanh(self.linear(h)) + x[:, i]
                return h

        def batch(n):
            x = RANDOM.normal(size=(2, n, 3)).astype(np.float32)
            return x, x[:, 0]

        batches = [batch(n) for n in (4, 5, 6, 4, 5)]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.check(Unrolled, batches, 3, nn.MSELoss())
        texts = [str(one.message) for one in caught]
        self.assertEqual(len(texts), 1)
        self.assertRegex(texts[0], r"train_step: the extents inputs\.1 .*"
                                   r"\(at .*open_extents_test\.py:\d+\)")
        self.assertEqual(caught[0].filename, __file__)

    def test_an_error_of_the_code_is_its_own(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 2)

            def forward(self, x):
                return self.linear(x)

        net = Net()
        step = static.train_step(net, nn.MSELoss(),
                                 sy.optim.SGD(net.parameters(), 0.1))
        step(np.ones((2, 4), np.float32), np.ones((2, 2), np.float32))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(ValueError):
                step(np.ones((2, 5), np.float32), np.ones((2, 2), np.float32))

    def test_train_function(self):
        model = Tagger()
        optimizer = sy.optim.SGD(model.parameters(), 0.1)

        def function(x, y):
            loss = cross_entropy(model(x), y)
            optimizer.minimize(loss)
            return loss

        step = static.train_function(function, [model], [optimizer])
        for n in (3, 4, 5, 6, 1, 7):
            x, y = words(2, n)
            want = cross_entropy(model(sy.tensor(x)), sy.tensor(y)).item()
            self.assertEqual(step(x, y).item(), want)
        self.assertEqual(step.traces, 3)

    def test_given_specs_decide(self):
        model = Tagger()
        optimizer = sy.optim.SGD(model.parameters(), 0.1)
        spec = static.InputSpec([None, None], "int64")
        step = static.train_step(model, cross_entropy, optimizer, inputs=spec,
                                 labels=spec)
        for n in (3, 4, 1, 6):
            step(*words(2, n))
        self.assertEqual(step.traces, 1)


def elements(dtype, *shape):
    x = RANDOM.normal(size=shape) * 3
    return (x + 1j * RANDOM.normal(size=shape) if dtype == "complex64" else x).astype(
        dtype)


class OpenProductsTest(unittest.TestCase):

    def check(self, function, dtype, specs, *shapes):
        """One program's bits are those of eager code at each list of shapes."""
        program = static.trace(function, *(static.InputSpec(s, dtype) for s in specs))
        for each in shapes:
            tensors = [sy.tensor(elements(dtype, *shape)) for shape in each]
            got, want = program(*tensors), function(*tensors)
            self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape))
            np.testing.assert_array_equal(got.numpy(), want.numpy())

    def test_kron(self):
        for dtype in ("float32", "int64", "complex64"):
            self.check(sy.kron, dtype, [["n", 3], [None, 2]],
                       [(2, 3), (4, 2)], [(0, 3), (4, 2)], [(1, 3), (1, 2)])
            self.check(sy.kron, dtype, [[None], [None, None, 2]],
                       [(3,), (4, 1, 2)], [(1,), (0, 2, 2)])
            self.check(sy.kron, dtype, [[None, None, 2], []], [(3, 2, 2), ()])
        a, b = elements("float32", 2, 3), elements("float32", 4, 1)
        program = static.trace(sy.kron, *[static.InputSpec([None, None])] * 2)
        np.testing.assert_array_equal(program(a, b).numpy(), np.kron(a, b))
        with self.assertRaisesRegex(ValueError, "kron: x must be of 4 axes at most"):
            static.trace(sy.kron, *[static.InputSpec([None] * 5)] * 2)

    def test_dot_of_integers(self):
        for dtype in ("int32", "int64", "uint8", "float32"):
            self.check(sy.dot, dtype, [[None]] * 2, [(5,), (5,)], [(0,), (0,)],
                       [(1,), (1,)])
            program = static.trace(sy.dot, *[static.InputSpec([None], dtype)] * 2)
            for n, m in ((1, 4), (4, 1), (2, 3)):
                with self.assertRaises(ValueError):
                    program(elements(dtype, n), elements(dtype, m))

    def test_complex_products(self):
        for function in (sy.prod, sy.cumprod):
            for axis in (0, 1, -1):
                self.check(lambda x, f=function, a=axis: f(x, a), "complex64",
                           [[None, None, 2]], *([(n, m, 2)] for n, m in (
                               (1, 1), (2, 3), (0, 4), (4, 0), (7, 9))))
        self.check(lambda x: sy.prod(x, keepdims=True), "complex64", [[None, None]],
                   [(3, 5)], [(1, 1)], [(0, 2)])

        def slope(x):
            (found,) = sy.grad(sy.sum(sy.real(sy.prod(x, 0) + sy.cumprod(x, 1)[0])), [x])
            return found
        x = elements("complex64", 5, 3)
        leaf = sy.tensor(x, requires_grad=True)
        np.testing.assert_allclose(
            static.trace(slope, static.InputSpec([None, None], "complex64"))(x).numpy(),
            slope(leaf).numpy(), rtol=1e-5)


if __name__ == "__main__":
    unittest.main()
