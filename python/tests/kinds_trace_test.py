# SPDX-License-Identifier: Apache-2.0
"""Tensors that are not dense as arguments and results of programs: the same bits
as eager, from trace through files to run; and what is refused, by name."""
import os
import pathlib
import tempfile
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, sparse, static


def floats(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def coo(count=5, seed=1):
    rng = np.random.default_rng(seed)
    return sparse.sparse_coo_tensor(
        np.stack([rng.integers(0, 4, count), rng.integers(0, 3, count)]),
        floats(count, seed=seed), [4, 3])


def selected_rows(index=(1, 3, 1)):
    """The gradient of rows of a 4 x 2 table."""
    weight = sy.tensor(np.ones((4, 2), np.float32), requires_grad=True)
    out = sy.ops.embedding(sy.tensor(np.array(index)), weight, -1, True)
    (out * sy.tensor(floats(len(index), 2))).sum().backward()
    return weight.grad


def parts(x):
    """Returns what a tensor of any kind consists of, bit by bit."""
    if not isinstance(x, sy.Tensor):
        return ["dense", x.dtype, x.shape, np.ascontiguousarray(x).tobytes()]
    own = [x.kind, str(x.dtype), tuple(x.shape)]
    if x.kind == "tensor_array":
        for k in range(sy.array_length(x).item()):
            try:
                own += parts(sy.array_read(x, k).numpy())
            except ValueError:
                own.append("nothing")
        return own
    if x.kind == "selected_rows":
        return own + [x.rows.tobytes(), x.values.numpy().tobytes()]
    if x.kind != "dense":
        own.append(sparse.values(x).numpy().tobytes())
        x = x.to_dense()
    return own + [x.numpy().tobytes()] if own[0] != "dense" else parts(x.numpy())


class Case(unittest.TestCase):

    def check(self, function, *calls, spec=None):
        """Runs the program of ``function``, traced with the first of ``calls``
        (tuples of arguments), for each of them, and as it is saved and loaded."""
        program = static.trace(function, *(spec or calls[0]))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "program.sy"
            program.save(path)
            loaded = static.load(path)
        for call in calls + calls:
            want = function(*call)
            want = want if isinstance(want, tuple) else (want,)
            for one in (program, loaded):
                got = one.run(dict(zip(one.feeds, call)))
                self.assertEqual([parts(x) for x in got.values()],
                                 [parts(x) for x in want])
        return program


class ArrayTest(Case):

    def test_results(self):
        def function(x):
            array = sy.array_write(x * 2.0, 2, sy.array_write(x, 0))
            shorter, last = sy.array_pop(array)
            return array, last, shorter, array

        self.check(function, (sy.tensor(floats(2, 3)),), (sy.tensor(floats(5, 3)),))

    def test_arguments(self):
        def function(array, x):
            longer = sy.array_write(x, sy.array_length(array), array)
            joined, _ = sy.array_to_tensor(longer)
            return longer, joined, sy.array_read(array, 1) + x, array

        def call(length, seed=1):
            return (sy.create_array("float32", list(floats(length, 2, 3, seed=seed))),
                    sy.tensor(floats(2, 3)))

        program = self.check(function, call(3), call(2), call(9, seed=2))
        self.assertIn('feed "x0" tensor<float32[?, 2, 3], kind tensor_array>',
                      program.text())
        self.assertTrue(program.selections({"x0": call(2)[0], "x1": floats(2, 3)}))
        self.assertIn("array_write", program.explain())

    def test_elements_of_any_shape(self):
        def function(array):
            joined, sizes = sy.array_to_tensor(array)
            return joined * 2.0, sizes, sy.array_write(joined, 0, array)

        def call(*rows):
            return (sy.create_array("float32", [floats(n, 3, seed=n) for n in rows]),)

        self.check(function, call(1, 4), call(2), call(3, 3, 1),
                   spec=(static.InputSpec([None, None, 3], kind="tensor_array"),))

    def test_loops_and_branches(self):
        def function(array, x):
            def body(i, x, array):
                return i + 1, x * 2.0, sy.array_write(x, i, array)

            first = sy.array_length(array)
            array = static.while_loop(lambda i, x, array: i < first + 3, body,
                                      (first * 1, x, array))[2]
            return static.cond(x.mean() > 0.0, lambda: array,
                               lambda: sy.array_pop(array)[0])

        array = sy.create_array("float32", [floats(2)])
        self.check(function, (array, sy.tensor(np.abs(floats(2)))),
                   (array, sy.tensor(-np.abs(floats(2)))))


    def test_gradients(self):
        builder = sy._core.GraphBuilder("gradient")  # pylint: disable=protected-access
        array = builder.feed("array", [None, 2], "float32", "tensor_array")
        joined, _ = sy.array_to_tensor(array)
        gradient, = builder.gradients((joined * joined).sum(), [array])
        builder.fetch("gradient", gradient)
        elements = floats(5, 2)
        got = builder.finish().run(
            {"array": sy.create_array("float32", list(elements))})["gradient"]
        for k, element in enumerate(elements):
            np.testing.assert_array_equal(sy.array_read(got, k).numpy(), 2 * element)


class SparseTest(Case):

    def test_coo(self):
        def function(x, y):
            return (x, x + y, sparse.relu(x), sparse.transpose(x, [1, 0]),
                    sparse.coalesce(x), sparse.to_sparse_csr(x), x.to_dense())

        self.check(function, (coo(), coo(seed=2)), (coo(8), coo(1, seed=3)))

    def test_csr(self):
        def function(x, y):
            return (sparse.relu(x), sparse.matmul(x, y),
                    sparse.to_sparse_coo(x), sparse.values(x))

        def call(count):
            return sparse.to_sparse_csr(coo(count)), sy.tensor(floats(3, 2))

        self.check(function, call(5), call(9))

    def test_training(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(sy.tensor(floats(3, 2)))

            def forward(self, x):
                return sparse.matmul(x, self.weight)

        def trained(traced):
            model, loss = Model(), nn.MSELoss()
            optimizer = sy.optim.SGD(model.parameters(), learning_rate=0.5)
            step = static.train_step(model, loss, optimizer)
            for seed in range(3):
                x, y = coo(4 + seed, seed=seed), floats(4, 2, seed=seed)
                if traced:
                    step(x, y)
                    continue
                optimizer.zero_grad()
                loss(model(x), sy.tensor(y)).backward()
                optimizer.step()
            return model.weight.numpy().tobytes()

        self.assertEqual(trained(False), trained(True))

    def test_made_inside(self):
        def function(x):
            return sparse.to_sparse_coo(x * 2.0), sparse.to_sparse_csr(x)

        self.check(function, (sy.tensor(np.eye(4, 3, dtype=np.float32)),),
                   spec=(static.InputSpec([4, 3]),))

    def test_selected_rows(self):
        def function(g, x):
            return g, g + g, g.to_dense() * 2.0 + x

        x = sy.tensor(floats(4, 2))
        self.check(function, (selected_rows(), x), (selected_rows((0,)), x))

    def test_rows_in_a_state_that_is_written(self):
        class Model(nn.Module):
            def __init__(self, values):
                super().__init__()
                self.register_buffer("seen", values)

            def forward(self, rows):
                self.seen = self.seen * 0.0 + 7.0
                return rows.to_dense()

        rows = selected_rows()
        want = rows.to_dense().numpy().copy()
        model = Model(rows.values)
        shared = model.seen
        program = static.trace(model, rows)
        got = program.run({"x0": rows})["out"]
        self.assertEqual(got.tobytes(), want.tobytes())
        np.testing.assert_array_equal(shared.numpy(), np.full((3, 2), 7.0))
        # It is one memory indeed.
        np.testing.assert_array_equal(rows.values.numpy(), np.full((3, 2), 7.0))


class RefusalTest(unittest.TestCase):

    def test_feeds_of_another_kind(self):
        program = static.trace(lambda x: x.to_dense(), coo())
        with self.assertRaisesRegex(
                TypeError, r"feed x0 must be sparse_coo float32\[4, 3\], got "
                           r"sparse_csr float32\[4, 3\]"):
            program.run({"x0": sparse.to_sparse_csr(coo())})
        with self.assertRaisesRegex(TypeError, r"sparse_coo .*, got float32\[4, 3\]"):
            program.run({"x0": floats(4, 3)})
        program = static.trace(lambda x: x * 2.0, floats(4, 3))
        with self.assertRaisesRegex(
                TypeError, r"feed x0 must be float32\[s0, 3\], got sparse_coo"):
            program.run({"x0": coo()})
        array = sy.create_array("float32", [floats(2)])
        program = static.trace(sy.array_length, array)
        with self.assertRaisesRegex(
                ValueError, r"feed x0 must be tensor_array float32\[\?, 2\], got "
                            r"tensor_array float32\[1, 3\]"):
            program.run({"x0": sy.create_array("float32", [floats(3)])})

    def test_examples(self):
        with self.assertRaisesRegex(ValueError, "x0 must be an array with an element "
                                                "or an element_shape, got an empty"):
            static.trace(sy.array_length, sy.create_array("float32"))
        with self.assertRaisesRegex(ValueError, "kind must be dense, .*, got 'list'"):
            static.trace(sy.array_length, static.InputSpec([2], kind="list"))
        for texts in (np.array(["a", "b"]), ["a", "b"], "a"):
            with self.assertRaisesRegex(TypeError, "feed: x0 must be a tensor or numbers, got "
                                        "texts: sy.strings.tensor makes"):
                static.trace(lambda x: x, texts)
        with self.assertRaisesRegex(TypeError, "feed: dtype must be string, got float32"):
            static.trace(sy.array_length, static.InputSpec([2], kind="strings"))
        with self.assertRaisesRegex(TypeError, "feed: dtype must be one of numbers, got string"):
            static.trace(sy.array_length, static.InputSpec([2], "string", kind="tensor_array"))
        with self.assertRaisesRegex(ValueError, "of one axis or more for a "
                                                "tensor_array"):
            static.trace(sy.array_length, static.InputSpec([], kind="tensor_array"))

    def test_texts(self):
        texts = sy.strings.tensor([["Ab", "c\0D"], ["\u00c9", ""]])
        program = static.trace(lambda x, n: (sy.strings.upper(sy.strings.lower(x)), x, n * 2), texts,
                               static.InputSpec([1]))
        self.assertIn("strings", program.text())
        for each in (program, self.reloaded(program)):
            for given in (texts, sy.strings.tensor([["x", "y"]]),
                          sy.strings.empty([0, 2])):
                upper, same, number = each(given, np.float32([2]))
                self.assertEqual(upper.tolist(), sy.strings.upper(given).tolist())
                self.assertEqual((same.tolist(), number.item()), (given.tolist(), 4.0))
                self.assertEqual((upper.kind, upper.shape), ("strings", given.shape))
            with self.assertRaisesRegex(TypeError, r"x0.* strings .*got .*float32"):
                each(floats(2, 2), np.float32([2]))
            with self.assertRaisesRegex(ValueError, r"x0.*\[s0, 2\], got .*\[1, 3\]"):
                each(sy.strings.tensor([["a", "b", "c"]]), np.float32([2]))
            eagerly = each.run_eagerly({"x0": texts, "x1": np.float32([2])})
            self.assertEqual(eagerly["out0"].tolist(), [["AB", "C\0D"], ["\u00c9", ""]])

    def reloaded(self, program):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.sy")
            program.save(path)
            return sy.load(path)

    def test_states(self):
        class Model(nn.Module):
            def __init__(self, tensor):
                super().__init__()
                self.register_buffer("held", tensor)

            def forward(self, x):
                return x

        with self.assertRaisesRegex(TypeError, "held must be dense, got sparse_coo"):
            static.trace(Model(coo()), floats(2))

    def test_constants(self):
        held = coo()
        with self.assertRaisesRegex(TypeError, "x must be a value of the graph, .*, got "
                                               "an eager sparse_coo"):
            static.trace(lambda y: sparse.matmul(held, y), floats(3, 2))
        with self.assertRaisesRegex(TypeError, "or a constant that is dense or a "
                                               "tensor_array, got an eager sparse_coo"):
            static.trace(lambda y: static.cond(y.mean() > 0.0, lambda: held,
                                               lambda: held), floats(3, 2))


if __name__ == "__main__":
    unittest.main()
