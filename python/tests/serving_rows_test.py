# SPDX-License-Identifier: Apache-2.0
"""Which models may run requests together: those whose items never meet, by the
facts of their operators, and by a trial."""
import unittest
import unittest.mock

import numpy as np
import switchyard as sy
from switchyard.serving import rows
from switchyard.serving.arrays import Given
from switchyard.serving.probe import check_items
from switchyard.serving.rows import NoRows, rows_of
from switchyard.serving.runs import Model

WEIGHT = np.random.default_rng(1).standard_normal((6, 4)).astype(np.float32)
SQUARE = np.random.default_rng(2).standard_normal((6, 6)).astype(np.float32)


def spec(*extents, dtype="float32"):
    return sy.static.InputSpec([None, *extents], dtype)


def norm(x):
    return sy.nn.functional.layer_norm(x, [6])


# (function, inputs): items share runs.
APART = [
    (lambda x: sy.relu(x @ sy.tensor(WEIGHT)) + 1, [spec(6)]),
    (lambda x: sy.softmax(x, axis=-1), [spec(6)]),
    (lambda x: sy.softmax(x, axis=1).argmax(1), [spec(6)]),
    (lambda x: x.mean(1), [spec(6)]),
    (lambda x: x.sum([1, 2], keepdim=True), [spec(6, 3)]),
    (lambda x: sy.cumsum(x, axis=1), [spec(6)]),
    (lambda x: sy.topk(x, 2), [spec(6)]),
    (lambda x: x.transpose(1, 2).reshape(-1, 18), [spec(6, 3)]),
    (lambda x: x.flatten(1), [spec(6, 3)]),
    (lambda x: x.unsqueeze(1).squeeze(1), [spec(6)]),
    (lambda x: x[:, 1:4], [spec(6)]),
    (lambda x: x[:, ::2] + x[:, 0:1] + x[..., -3:], [spec(6)]),
    (lambda x: x[:, 0], [spec(6)]),
    (lambda x: sy.tril(x), [spec(6, 6)]),
    (norm, [spec(6)]),
    (lambda x, y: x * y + sy.tensor(SQUARE[:1]), [spec(6), spec(6)]),
    (lambda x, y: sy.concat([x, y], axis=1), [spec(6), spec(2)]),
    (lambda x, y: sy.where(x > y, x, y), [spec(6), spec(6)]),
    (lambda x: {"x": x, "fixed": sy.tensor(WEIGHT) * 2}, [spec(6)]),
    (lambda x: x, [spec(6)]),
    (lambda x, y: sy.relu(x) * y, [spec(), spec()]),
    (lambda i: sy.nn.functional.embedding(i, sy.tensor(WEIGHT)),
     [spec(5, dtype="int64")]),
]

# (function, inputs, words of the reason).
TOGETHER = [
    (lambda x: sy.softmax(x, axis=0), [spec(6)], "softmax reads along the first axis"),
    (lambda x: sy.softmax(x, axis=-2), [spec(6)], "softmax reads along the first axis"),
    (lambda x: sy.cumsum(x, axis=0), [spec(6)], "cumsum reads along"),
    (lambda x: sy.argsort(x, axis=0), [spec(6)], "argsort reads along"),
    (lambda x: x.sum(0), [spec(6)], "sum"),
    (lambda x: x / x.max(), [spec(6)], "max does not keep the first axis"),
    (lambda x: x.mean(0, keepdim=True) + x, [spec(6)], "mean"),
    (lambda x: x.transpose(0, 1), [spec(6)], "transpose reads along"),
    (lambda x: x @ x.transpose(0, 1), [spec(6)], "transpose reads along"),
    (lambda x: sy.matmul(sy.tensor(WEIGHT), x), [spec(3)], "matmul names no batch"),
    (lambda x: x.reshape(-1), [spec(6)], "reshape does not keep"),
    (lambda x: x.flatten(), [spec(6)], ""),
    (lambda x: x[1:], [spec(6)], "reads along"),
    (lambda x: x[::2], [spec(6)], "reads along"),
    (lambda x: x[:2, 1:], [spec(6)], "reads along"),
    (lambda x: x[0], [spec(6)], "reads along"),
    (lambda x: sy.concat([x, x], axis=0), [spec(6)], "concat does not keep"),
    (lambda x: x.flip(0), [spec(6)], "flip reads along"),
    (lambda x: sy.tril(x), [spec(6)], "tril reads along"),
    (lambda x: x.unsqueeze(0), [spec(6)], "reads along"),
    (lambda x: sy.tile(x, [2, 1]), [spec(6)], "tile reads along"),
    (lambda x: sy.roll(x, 1, 0), [spec(6)], "the entry of roll names no batch"),
    (lambda x, y: x + y, [spec(6), spec(6, 6)], "add broadcasts the first axis"),
    (lambda x: sy.nn.functional.dropout(x, 0.5), [spec(6)], "draws random numbers"),
    (lambda x: sy.static.while_loop(lambda v: v.sum() > 9.0, lambda v: v * 0.5, (x,))[0],
     [spec(6)], "loops or branches"),
    (lambda x: x * 2, [sy.static.InputSpec([3, 6])], "no open first axis"),
    (lambda x: x * 2, [sy.static.InputSpec([])], "no open first axis"),
    (lambda x, y: x * y, [spec(6), sy.static.InputSpec([6])], "no open first axis"),
]


class RowsTest(unittest.TestCase):
    def check_bits(self, program, names):
        """Requests of several sizes in one run have the bits of each alone."""
        model, random = Model(program, names), np.random.default_rng(7)
        for sizes in ((1,) * 8, (3, 1, 5), (2, 17, 33, 1)):
            requests = []
            for size in sizes:
                requests.append({})
                for port in program.inputs:
                    shape = (size, *port.shape[1:])
                    array = (random.integers(0, 6, shape) if port.dtype == "int64" else
                             random.standard_normal(shape)).astype(port.dtype)
                    requests[-1][port.name] = Given(array)
            results, merged = model.together(requests)
            self.assertTrue(merged)
            for given, found in zip(requests, results):
                for name, alone in model.run(given).items():
                    self.assertEqual((found[name].array.shape, found[name].array.tobytes()),
                                     (alone.array.shape, alone.array.tobytes()))

    def test_items_apart(self):
        for i, (function, inputs) in enumerate(APART):
            with self.subTest(i):
                program = sy.static.trace(function, *inputs)
                names = rows_of(program)
                self.assertEqual(names, [n for n in program.fetches if n != "fixed"])
                check_items(Model(program, names))
                self.check_bits(program, names)

    def test_items_that_meet(self):
        for i, (function, inputs, words) in enumerate(TOGETHER):
            with self.subTest(i):
                program = sy.static.trace(function, *inputs)
                with self.assertRaises(NoRows) as caught:
                    rows_of(program)
                self.assertIn(words, str(caught.exception))

    def test_a_result_that_is_not_read_may_lose_its_rows(self):
        program = sy.static.trace(lambda x: (x * 2, x.sum()), spec(6))
        with self.assertRaises(NoRows):
            rows_of(program)
        self.assertEqual(rows_of(program.export([program.fetches[0]])),
                         [program.fetches[0]])

    def test_kernels_that_are_no_test_subjects(self):
        with sy.policy(prefer=["legacy"]):
            program = sy.static.trace(lambda x: sy.softmax(x), spec(6))
        with self.assertRaises(NoRows) as caught:
            rows_of(program)
        self.assertEqual(str(caught.exception),
                         "softmax does not run by a kernel of ours on the CPU")

    def test_the_trial_sees_what_rules_miss(self):
        program = sy.static.trace(lambda x: sy.softmax(x, axis=0), spec(6))
        with unittest.mock.patch.object(rows, "keeps_rows", return_value=True):
            names = rows_of(program)
        with self.assertRaises(NoRows) as caught:
            check_items(Model(program, names))
        self.assertEqual(str(caught.exception), "out of an item depends on the other items")

    def test_the_trial_says_why_it_fails(self):
        weight = sy.tensor(WEIGHT[:1])
        program = sy.static.trace(lambda i: sy.nn.functional.embedding(i, weight),
                                  spec(5, dtype="int64"))
        with self.assertRaises(NoRows) as caught:
            check_items(Model(program, rows_of(program)))
        self.assertIn("made-up items can't be run: ", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
