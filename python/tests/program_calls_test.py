# SPDX-License-Identifier: Apache-2.0
"""Programs as models: calls, facts of inputs and outputs, profiles, text."""
import json
import os
import tempfile
import unittest

import numpy as np
import switchyard as sy
from switchyard import static


def network():
    sy.seed(0)
    model = sy.nn.Sequential(sy.nn.Linear(4, 8), sy.nn.ReLU(),
                             sy.nn.Linear(8, 3)).eval()
    spec = static.InputSpec([None, 4], name="x")
    return model, static.trace(model, spec)


class CallTest(unittest.TestCase):
    def test_one_input_and_output(self):
        model, program = network()
        x = np.ones((2, 4), np.float32)
        out = program(x)
        self.assertIsInstance(out, sy.Tensor)
        np.testing.assert_array_equal(out.numpy(), model(sy.tensor(x)).numpy())
        np.testing.assert_array_equal(program({"x": sy.tensor(x)}).numpy(),
                                      out.numpy())

    def test_several(self):
        program = static.trace(lambda a, b: (a + b, a - b),
                               np.ones(2, np.float32), np.ones(2, np.float32),
                               names=["a", "b"])
        total, difference = program(np.float32([1, 2]), np.float32([3, 5]))
        self.assertEqual((total.tolist(), difference.tolist()),
                         ([4, 7], [-2, -3]))

    def test_sequences_keep_their_lengths(self):
        program = static.trace(lambda a: (a, a.relu()),
                               static.InputSpec([None, 1], name="a"))
        a = sy.tensor(np.ones((3, 1), np.float32), lod=[[2, 1]])
        self.assertEqual(program(a)[0].lod, [[2, 1]])

    def test_errors(self):
        _, program = network()
        x = np.ones((2, 4), np.float32)
        with self.assertRaisesRegex(TypeError, r"inputs must be 1 \(x\), got 2"):
            program(x, x)
        with self.assertRaisesRegex(TypeError, r"feed x must be float32"):
            program(x.astype(np.float64))
        with self.assertRaisesRegex(ValueError, r"feed x must be .*got.*\[4\]"):
            program(x[0])
        with self.assertRaisesRegex(ValueError, "y"):
            program({"y": x})

    def test_facts(self):
        _, program = network()
        self.assertEqual(program.inputs, [("x", "float32", (-1, 4), "dense", 0)])
        self.assertEqual(program.outputs,
                         [("out", "float32", (-1, 3), "dense", 0)])


class LoadTest(unittest.TestCase):
    def test_saved_program(self):
        _, program = network()
        x = np.ones((2, 4), np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.sy")
            program.save(path)
            np.testing.assert_array_equal(sy.load(path)(x).numpy(),
                                          program(x).numpy())
            stages = static.stages(path)
        self.assertEqual(list(stages), ["imported", "lowered"])
        self.assertEqual(stages["imported"], program.text())
        self.assertIn("kernel.matmul", stages["lowered"])

    def test_missing(self):
        with self.assertRaisesRegex(FileNotFoundError, "no file or folder /no"):
            sy.load("/no/such")
        with self.assertRaisesRegex(FileNotFoundError, "/no/weights"):
            sy.load((os.getcwd(), "/no/weights"))


class ProfileTest(unittest.TestCase):
    def test_every_step_is_there(self):
        _, program = network()
        x = np.ones((2, 4), np.float32)
        profile = program.profile(x)
        np.testing.assert_array_equal(profile.outputs["out"].numpy(),
                                      program(x).numpy())
        chosen = [line.partition(" ")[0] for line in program.selections({"x": x})]
        self.assertEqual([step.op for step in profile.steps], chosen)
        for step in profile.steps:
            self.assertIn("float32", step.kernel)
            self.assertIn(os.path.basename(__file__), step.location)
            self.assertLessEqual(step.begin, step.end)
        begins = [step.begin for step in profile.steps]
        self.assertEqual(begins, sorted(begins))
        self.assertEqual(sum(row.calls for row in profile.rows()), len(chosen))
        self.assertEqual(sum(row.nanoseconds for row in profile.rows()),
                         sum(step.end - step.begin for step in profile.steps))
        self.assertEqual(len(str(profile).splitlines()),
                         len(profile.rows()) + 1)

    def test_loops_hold_their_steps(self):
        def powers(x):
            return static.while_loop(lambda n, y: n < 3,
                                     lambda n, y: (n + 1, y * 2.0),
                                     (sy.zeros([], "int64"), x))[1]
        program = static.trace(powers, np.ones(2, np.float32), names=["x"])
        profile = program.profile(np.ones(2, np.float32))
        self.assertEqual(profile.outputs["out"].tolist(), [8, 8])
        loop = next(step for step in profile.steps if step.op == "cf.while")
        inside = [step for step in profile.steps if step.op == "multiply"]
        self.assertEqual((len(inside), loop.kernel), (3, ""))
        for step in inside:
            self.assertTrue(loop.begin <= step.begin <= step.end <= loop.end)
        own = {row.op: row.nanoseconds for row in profile.rows()}
        self.assertLess(own["cf.while"], loop.end - loop.begin)

    def test_chrome_trace(self):
        _, program = network()
        profile = program.profile(np.ones((2, 4), np.float32))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            profile.save(path)
            with open(path, encoding="utf-8") as file:
                events = json.load(file)["traceEvents"]
        self.assertEqual([event["name"] for event in events],
                         [step.op for step in profile.steps])


class TextTest(unittest.TestCase):
    def test_dot(self):
        _, program = network()
        dot = program.text("dot")
        self.assertTrue(dot.startswith("digraph program {") and dot.endswith("}"))
        for node in ("relu", "out"):
            self.assertIn(f'label="{node}', dot)
        with self.assertRaisesRegex(ValueError, '"op", "kernel" or "dot"'):
            program.text("png")


class SymbolTest(unittest.TestCase):
    def test_comparison_is_no_guess(self):
        def doubled(x):
            return x * 2.0 if x.shape[0] == 3 else x * 5.0
        with self.assertRaisesRegex(TypeError, "known only when the program"):
            static.trace(doubled, static.InputSpec([None, None], name="x"))

        def same(x):
            y = x.relu()
            self.assertTrue(x.shape[0] == y.shape[0])
            self.assertFalse(x.shape[0] != y.shape[0])
            self.assertFalse(x.shape[0] == "a")
            return y
        static.trace(same, static.InputSpec([None, None], name="x"))


if __name__ == "__main__":
    unittest.main()
