# SPDX-License-Identifier: Apache-2.0
"""sy.detect_anomaly: the first NaN is found, with its operator, its line and what
was finite: of values and of gradients, eager and in programs."""
import os
import pickle
import re
import tempfile
import threading
import unittest

import numpy as np
import switchyard as sy
from switchyard import nn, static

f32 = np.float32
HERE = os.path.basename(__file__)


def line_of(text):
    """The line of this file on which ``text`` is, which is there once more."""
    with open(__file__, encoding="utf-8") as file:
        found = [i for i, line in enumerate(file, 1) if line.rstrip().endswith(text)]
    assert len(found) == 1, (text, found)
    return found[0]


def roots(x):
    return sy.sqrt(x)  # The root.


def loss_of(logits, labels):
    return (sy.sqrt(logits) - labels).sum()  # The loss.


class DetectAnomalyTest(unittest.TestCase):
    def tearDown(self):
        sy.detect_anomaly(False)

    def fails(self, words, mark, call):
        """``call`` raises an error of these words, at the line of ``mark``."""
        with self.assertRaises(FloatingPointError) as caught:
            call()
        text = str(caught.exception)
        self.assertIn(words, text)
        if mark is not None:
            place = re.search(r" \(at (.*):(\d+)\)$", text)
            self.assertIsNotNone(place, text)
            self.assertEqual((os.path.basename(place[1]), int(place[2])),
                             (HERE, line_of(mark)), text)

    def test_values(self):
        x = sy.tensor([[1.0, 2.0], [0.0, 4.0]])
        with sy.detect_anomaly():
            self.fails("log: out has infinity at [1, 0], though x (from 0 to 4) is finite",
                       "# Of zero.", lambda: sy.log(x))  # Of zero.
            self.fails("divide: out has NaN at [0, 0], though x (from 0 to 3) and y "
                       "(from 0 to 0) are finite", None,
                       lambda: (x - x[0, 0]).clip(0) / sy.zeros([2, 2]))
        self.assertEqual(sy.log(x)[1, 0].item(), -np.inf)

    def test_what_is_meant(self):
        """Infinity that was there, or is given, is no anomaly; NaN of it is."""
        x = sy.tensor([1.0, 2.0])
        mask = sy.tensor([True, False])
        with sy.detect_anomaly():
            hidden = sy.masked_fill(x, mask, -np.inf)
            self.assertEqual(sy.softmax(hidden).tolist(), [0, 1])
            self.assertEqual(sy.full([1], np.inf).item(), np.inf)
            self.assertTrue(np.isnan(sy.tensor([np.nan]) + 1).all())
            self.assertEqual(sy.where(mask, x, sy.tensor(-np.inf)).tolist(), [1, -np.inf])
            self.fails("subtract: out has NaN at [0], though x (infinite in places) and y "
                       "(infinite in places) have none", None, lambda: hidden - hidden)

    def test_layers_and_arguments_have_the_users_line(self):
        layer = nn.Linear(2, 2)
        big = sy.full([1, 2], 3e38)
        with sy.detect_anomaly():
            self.fails("has", "# A layer.", lambda: layer(big) * 1e9)  # A layer.

    def test_in_place(self):
        x = sy.tensor([0.0, 1.0])
        with sy.detect_anomaly():
            self.fails("log: out has infinity at [0], though x (from 0 to 1) is finite",
                       None, x.log_)

    def test_sparse(self):
        x = sy.sparse.to_sparse_coo(sy.tensor([[0.0, 3e38]]))
        with sy.detect_anomaly():
            self.fails("has infinity, though", None, lambda: sy.sparse.multiply(x, x))

    def test_other_dtypes(self):
        with sy.detect_anomaly():
            for dtype, big in (("float16", 6e4), ("bfloat16", 3e38), ("float64", 1e308)):
                x = sy.full([2], big, dtype)
                self.fails("add: out has infinity at [0]", None, lambda x=x: x + x)
            z = sy.tensor(np.array([1e38 + 1e38j], np.complex64))
            self.fails("multiply: out has", None, lambda: z * z)
            n = sy.tensor([70000])
            self.fails("cast: out has infinity at [0], though x (from 70000 to 70000)", None,
                       lambda: n.astype("float16"))
            x = sy.tensor([1.0, 500.0])
            self.fails("cast: out has NaN at [1], though x (from 1 to 500)", None,
                       lambda: sy.ops.cast(x, "float8_e4m3fn"))
        narrow = sy.ops.cast(x, "float8_e5m2fnuz")
        with sy.detect_anomaly():  # The NaN was there.
            self.assertEqual(sy.ops.cast(narrow[:1], "float32").tolist(), [1])
            sy.ops.cast(sy.ops.cast(sy.tensor([1.0, np.nan]), "float8_e5m2"), "float32")

    def test_an_expanded_view_takes_no_time(self):
        x = sy.ones([1]).expand([2**40])
        with sy.detect_anomaly():
            self.assertEqual(x[5:7].tolist(), [1, 1])

    def test_gradients(self):
        x = sy.tensor([1.0, 0.0], requires_grad=True)
        with sy.detect_anomaly():
            y = roots(x)
            self.fails("sqrt_grad: x_grad has infinity at [1], though out (from 0 to 1) and "
                       "out_grad (from 1 to 1) are finite", "# The root.",
                       lambda: y.sum().backward())
        y = roots(x)
        with sy.detect_anomaly():
            self.fails("; where sqrt was called is not known, since detect_anomaly was off "
                       "then", None, lambda: y.sum().backward())
        sy.grad(roots(x).sum(), x)

    def test_a_large_call_and_another_thread(self):
        """The GIL is released, and the mode is the process's."""
        x = sy.zeros([1 << 17], requires_grad=True)
        caught = []

        def run():
            try:
                roots(x).sum().backward()
            except FloatingPointError as error:
                caught.append(str(error))
        with sy.detect_anomaly():
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
        self.assertRegex(caught[0], rf"{HERE}:{line_of('# The root.')}\)$")

    def test_a_composite_is_one_operator(self):
        """Its own steps are not looked at: a norm at the range's end."""
        big = sy.tensor([3e38, 1e30], requires_grad=True)
        with sy.detect_anomaly():
            self.assertTrue(np.isfinite(sy.norm(big).item()))
            nn.functional.kl_div(sy.tensor([[0.0, -np.inf]]), sy.tensor([[1.0, 0.0]]),
                                 reduction="sum")
            sy.norm(sy.zeros([3], requires_grad=True)).backward()

    def test_on_and_off(self):
        x = sy.zeros([1])
        sy.detect_anomaly()
        self.fails("log", None, lambda: sy.log(x))
        with sy.detect_anomaly(False):
            sy.log(x)
        self.fails("log", None, lambda: sy.log(x))
        sy.detect_anomaly(mode=False)
        sy.log(x)
        with self.assertRaises(ValueError), sy.detect_anomaly():
            raise ValueError
        sy.log(x)

    def test_a_traced_program(self):
        program = static.trace(roots, np.ones(2, f32))
        fed = f32([4, -1])
        program(fed)
        words = "sqrt: out has NaN at [1], though x (from -1 to 4) is finite"
        with sy.detect_anomaly():
            self.fails(words, "# The root.", lambda: program(fed))
        program(fed)
        program.detect_anomaly = True
        for run in (lambda: program(fed), lambda: program.run({"x0": fed}),
                    lambda: program.profile(fed), lambda: program.run_eagerly({"x0": fed})):
            self.fails(words, "# The root.", run)
        self.assertEqual(program(f32([4, 1])).tolist(), [2, 1])
        self.assertTrue(program.export(["out"]).detect_anomaly)
        self.assertFalse(pickle.loads(pickle.dumps(program)).detect_anomaly)
        given = static.trace(roots, np.ones(2, f32), detect_anomaly=True)
        self.fails(words, "# The root.", lambda: given(fed))

    def test_a_loaded_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program")
            static.trace(roots, np.ones(2, f32)).save(path)
            loaded = sy.load(path, detect_anomaly=True)
        self.fails("sqrt: out has NaN", "# The root.", lambda: loaded(f32([-1, 1])))
        self.assertFalse(sy.detect_anomaly(False) is None)

    def test_loops_and_branches(self):
        def looped(x, n):
            return static.while_loop(
                lambda i, x: i < n, lambda i, x: (i + 1, x * 1e30),  # The body.
                (sy.tensor(0), x))[1]
        loop = static.trace(looped, static.InputSpec([2], name="x"),
                            static.InputSpec([], "int64", "n"), detect_anomaly=True)
        self.assertTrue(np.isfinite(loop(f32([1, 1]), np.array(1))).all())
        self.fails("multiply: out has infinity at [0], though x (from 1e+30 to 1e+30)",
                   "# The body.", lambda: loop(f32([1, 1]), np.array(2)))

        def branched(x):
            return static.cond(x.sum() > 0, lambda: sy.log(x), lambda: x)  # The branch.
        branch = static.trace(branched, static.InputSpec([2], name="x"), detect_anomaly=True)
        self.assertEqual(branch(f32([-1, 0])).tolist(), [-1, 0])
        self.fails("log: out has infinity at [1]", "# The branch.",
                   lambda: branch(f32([1, 0])))

    def test_a_program_in_segments(self):
        program = static.trace(lambda x: sy.log(x[x > 0] - 1),  # A segment.
                               np.ones(3, f32), detect_anomaly=True)
        self.assertEqual(program(f32([2, -1, 2])).tolist(), [0, 0])
        self.fails("log: out has infinity at [1]", "# A segment.",
                   lambda: program(f32([2, -1, 1])))

    def test_gradients_of_a_program(self):
        """The error says where forward is; the state stays as it was."""
        model = nn.Linear(2, 1, bias=False)
        model.load_state_dict({"weight": sy.tensor([[1.0], [1.0]])})
        optimizer = sy.optim.SGD(model.parameters(), 0.1)
        x, y = f32([[1, 1], [0, 0]]), f32([[0], [0]])
        step = static.train_step(model, loss_of, optimizer, detect_anomaly=True)
        # In a program sqrt_grad is the operators that it is made of.
        words = "divide: out has infinity at [1, 0], though x (from 0.5 to 0.5) and y (from 0 to"
        self.fails(words, "# The loss.", lambda: step(x, y))
        self.assertEqual(model.state_dict()["weight"].tolist(), [[1], [1]])
        step(f32([[1, 1], [1, 0]]), y)
        self.assertNotEqual(model.state_dict()["weight"].tolist(), [[1], [1]])

        def whole(x, y):
            loss = loss_of(model(x), y)
            optimizer.minimize(loss)
            return loss
        function = static.train_function(whole, [model], [optimizer], detect_anomaly=True)
        self.fails(words, "# The loss.", lambda: function(x, y))

    def test_arguments(self):
        for mode in ("on", 1.5, sy.tensor(1.0)):
            with self.assertRaises((TypeError, ValueError)):
                sy.detect_anomaly(mode)
        self.assertIs(sy.autograd.detect_anomaly, sy.detect_anomaly)


if __name__ == "__main__":
    unittest.main()
