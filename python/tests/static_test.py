# SPDX-License-Identifier: Apache-2.0
"""Traced programs from Python: feeds, states, training steps, files."""
import os
import pathlib
import tempfile
import threading
import unittest

import numpy as np

import switchyard as sy
from switchyard import nn, static


def network():
    sy.seed(1)
    return nn.Sequential(nn.Conv2D(1, 4, 3), nn.BatchNorm2D(4), nn.ReLU(),
                         nn.Flatten(), nn.Linear(4 * 36, 3))


X = np.random.default_rng(0).normal(size=(12, 1, 8, 8)).astype(np.float32)
Y = np.random.default_rng(1).integers(0, 3, 12)


class TraceTest(unittest.TestCase):

    def test_functions(self):
        program = static.trace(lambda a, b: a + b * 2.0, np.ones(3, np.float32),
                               np.ones(3, np.float32), names=["a", "b"])
        self.assertEqual(program.feeds, ["a", "b"])
        self.assertEqual(program.fetches, ["out"])
        feeds = {"a": np.ones(5, np.float32),
                 "b": sy.tensor(np.arange(5, dtype=np.float32))}
        got = program.run(feeds)
        self.assertIsInstance(got["out"], np.ndarray)
        self.assertEqual(got["out"].tolist(), [1, 3, 5, 7, 9])
        self.assertIn("op.add", program.text())
        self.assertRegex(program.selections(feeds)[-1], "^add float32.5.")
        self.assertEqual(repr(program), str(program))
        self.assertEqual(
            str(program), "Program(a: float32[?], b: float32[?]) -> (out: "
            "float32[?]), 2 operators, 0 bytes of state")

    def test_errors_say_where_the_call_stands(self):
        def function(a, b):
            return a + b

        here = function.__code__.co_firstlineno + 1
        program = static.trace(function, static.InputSpec([None]),
                               static.InputSpec([None]), names=["a", "b"])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "located")
            static.save(program, path)
            loaded = static.load(path)
        feeds = {"a": np.ones(3, np.float32), "b": np.ones(4, np.float32)}
        for each in (program, loaded):
            with self.assertRaisesRegex(
                    ValueError,
                    rf"add: .*\(at .*static_test\.py:{here}\)"):
                each.run(feeds)

    def test_layers_are_located_where_the_user_calls_them(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(3, 2)

            def forward(self, x):
                return self.linear(x)

        here = Model.forward.__code__.co_firstlineno + 1
        program = static.trace(Model(), static.InputSpec([None, None]))
        with self.assertRaisesRegex(
                ValueError, rf"\(at .*static_test\.py:{here}\)"):
            program.run({"x0": np.ones((1, 4), np.float32)})

    def test_results(self):
        x = np.ones(2, np.float32)
        self.assertEqual(static.trace(lambda v: (v, v + 1.0), x).fetches,
                         ["out0", "out1"])
        self.assertEqual(
            static.trace(lambda v: {"twice": v * 2.0}, x).run({"x0": x})[
                "twice"].tolist(), [2.0, 2.0])

    def test_relaxed_passes_run_if_asked_for(self):
        def function(v):
            return sy.ops.scale(sy.ops.scale(v, 0.1), 3.0, 0.5)

        x = np.linspace(-2, 2, 101, dtype=np.float32)
        exact = static.trace(function, x)
        relaxed = static.trace(function, x, relaxed="fusion=relaxed")
        self.assertEqual(exact.text().count("op.scale"), 2)
        self.assertEqual(relaxed.text().count("op.scale"), 1)
        want = function(sy.tensor(x)).numpy()
        got = relaxed.run({"x0": x})["out"]
        self.assertEqual(exact.run({"x0": x})["out"].tobytes(),
                         want.tobytes())
        self.assertNotEqual(got.tobytes(), want.tobytes())
        np.testing.assert_allclose(got, x * 0.3 + 0.5, rtol=0, atol=2e-7)

    def test_input_specs(self):
        spec = static.InputSpec([None, 2], "int64", "rows")
        program = static.trace(lambda v: v.sum(1), spec)
        self.assertEqual(program.feeds, ["rows"])
        self.assertEqual(program.run({"rows": np.ones((3, 2), int)})[
            "out"].tolist(), [2, 2, 2])
        with self.assertRaisesRegex(ValueError, "rows"):
            program.run({"rows": np.ones((3, 3), int)})

    def test_wrong_feeds(self):
        program = static.trace(lambda v: v + 1.0, np.ones(2, np.float32))
        for feeds in ({}, {"x0": np.ones(2, np.float32), "y": np.ones(2)},
                      {"x0": np.ones((2, 2), np.float32)}):
            with self.assertRaises(ValueError):
                program.run(feeds)
        with self.assertRaises((TypeError, ValueError)):
            program.run({"x0": np.ones(2)})
        with self.assertRaisesRegex(ValueError, "names"):
            static.trace(lambda v: v, np.ones(2), names=["a", "b"])

    def test_modules_in_evaluation(self):
        model = network().eval()
        program = static.trace(model, X[:2])
        np.testing.assert_array_equal(program.run({"x0": X})["out"],
                                      model(sy.tensor(X)).numpy())

    def test_buffers_of_a_module_in_training_are_state(self):
        model, other = network(), network()
        program = static.trace(model, X)
        got = program.run({"x0": X})["out"]
        np.testing.assert_array_equal(got, other(sy.tensor(X)).numpy())
        np.testing.assert_array_equal(model[1].running_mean.numpy(),
                                      other[1].running_mean.numpy())
        self.assertNotEqual(model[1].running_mean.numpy().sum(), 0.0)

    def test_random_operators_go_on_where_eager_ones_are(self):
        layer = nn.Dropout(0.5)
        program = static.trace(layer, X)
        sy.seed(3)
        want = [layer(sy.tensor(X)).numpy() for _ in range(4)]
        sy.seed(3)
        got = [program.run({"x0": X})["out"], layer(sy.tensor(X)).numpy(),
               program.run({"x0": X})["out"], layer(sy.tensor(X)).numpy()]
        for a, b in zip(got, want):
            np.testing.assert_array_equal(a, b)

    def test_buffers_over_one_tensor_are_one(self):
        class Counter(nn.Module):

            def __init__(self):
                super().__init__()
                count = sy.zeros(1)
                self.a, self.b = nn.Buffer(count), nn.Buffer(count)

            def forward(self, x):
                self.a = self.a + 1.0
                self.b = self.b * 2.0
                return x + self.a
        eager, traced = Counter(), Counter()
        program = static.trace(traced, static.InputSpec([1]))
        for _ in range(2):
            want = eager(sy.zeros(1)).tolist()
            self.assertEqual(program.run({"x0": sy.zeros(1)})["out"].tolist(),
                             want)
            self.assertEqual((traced.a.tolist(), traced.b.tolist()),
                             (want, want))

    def test_the_random_states_name_is_refused(self):
        module = nn.Linear(2, 2)
        module.rng = nn.Buffer(sy.zeros(2))
        with self.assertRaisesRegex(ValueError, "Linear.rng must have another"):
            static.trace(module, np.ones((1, 2), np.float32))
        self.assertEqual(static.trace(nn.Sequential(module),
                                      np.ones((1, 2), np.float32)).fetches,
                         ["out"])

    def test_threads(self):
        program = static.trace(network().eval(), X)
        want, wrong = program.run({"x0": X})["out"], []

        def run():
            for _ in range(20):
                got = program.run({"x0": X})["out"]
                if got.tobytes() != want.tobytes():
                    wrong.append(got)
        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class TwoInputs(nn.Module):

    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(2, 3), nn.Linear(4, 3)

    def forward(self, a, b):
        return self.left(a) + self.right(b)


class TrainStepTest(unittest.TestCase):

    def test_same_bits_as_eager_with_buffers(self):
        runs = []
        for use_static in (False, True):
            model = network()
            optimizer = sy.optim.Momentum(model.parameters(), 0.05)
            loss = nn.CrossEntropyLoss()
            step = static.train_step(model, loss, optimizer)
            losses = []
            for i in range(6):
                x, y = X[i:i + 6], Y[i:i + 6]
                if use_static:
                    losses.append(step(x, y).item())
                    continue
                optimizer.zero_grad()
                value = loss(model(sy.tensor(x)), sy.tensor(y))
                value.backward()
                optimizer.step()
                losses.append(value.item())
            runs.append((losses, [t.numpy().tobytes()
                                  for t in model.state_dict().values()]))
        self.assertEqual(runs[0], runs[1])

    def test_the_loss_is_a_tensor_and_logits_are_there(self):
        model = network()
        step = static.train_step(model, nn.CrossEntropyLoss(),
                                 sy.optim.SGD(model.parameters()))
        loss = step(sy.tensor(X), sy.tensor(Y))
        self.assertIsInstance(loss, sy.Tensor)
        self.assertEqual(loss.shape, ())
        self.assertEqual(step.logits.shape, (12, 3))
        self.assertEqual(step.program.fetches, ["loss", "logits"])

    def test_several_inputs(self):
        model = TwoInputs()
        step = static.train_step(model, nn.MSELoss(),
                                 sy.optim.SGD(model.parameters(), 0.1))
        a, b = np.ones((5, 2), np.float32), np.ones((5, 4), np.float32)
        y = np.zeros((5, 3), np.float32)
        first = float(step((a, b), y))
        self.assertLess(float(step((a, b), y)), first)

    def test_part_of_the_parameters(self):
        model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
        before = model.state_dict()
        step = static.train_step(model, nn.MSELoss(),
                                 sy.optim.SGD(model[1].parameters(), 0.1))
        step(np.ones((3, 2), np.float32), np.ones((3, 2), np.float32))
        after = model.state_dict()
        same = [after[k].numpy().tobytes() == before[k].numpy().tobytes()
                for k in before]
        self.assertEqual(same, [True, True, False, False])

    def test_foreign_parameters(self):
        with self.assertRaisesRegex(ValueError, "model's parameters"):
            static.train_step(network(), nn.MSELoss(),
                              sy.optim.SGD(network().parameters()))


# A ProgramDesc: one block with a persistable variable `w` of float32[3].
ONE_VARIABLE = (b"\n \x08\x00\x10" + b"\xff" * 9 + b"\x01\x1a\x11\n\x01w"
                b"\x12\n\x08\x07\x1a\x06\n\x04\x08\x05\x10\x03\x18\x01")


class FilesTest(unittest.TestCase):

    def test_save_load_export(self):
        model = network()
        step = static.train_step(model, nn.CrossEntropyLoss(),
                                 sy.optim.Adam(model.parameters()))
        for _ in range(3):
            step(X, Y)
        want = static.trace(model.eval(), X).run({"x0": X})["out"]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.sy"
            static.save(static.trace(model, X), path)
            again = static.load(path)
            np.testing.assert_array_equal(again.run({"x0": X})["out"], want)
            damaged = bytearray(path.read_bytes())
            damaged[len(damaged) // 2] ^= 1
            path.write_bytes(bytes(damaged))
            with self.assertRaises(ValueError):
                static.load(path)
        part = step.program.export(["logits"])
        self.assertEqual(part.feeds, ["inputs"])
        self.assertEqual(part.run({"inputs": X})["logits"].shape, (12, 3))

    def test_missing_files(self):
        with self.assertRaises(FileNotFoundError):
            static.load("no/such/file")
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(FileNotFoundError, "__model__"):
                static.load(folder)
            (pathlib.Path(folder) / "__model__").write_bytes(ONE_VARIABLE)
            with self.assertRaisesRegex(FileNotFoundError,
                                        "w: there must be this file, or all weights"):
                static.load(folder)

    def test_what_is_no_regular_file(self):
        program = static.trace(lambda x: x + 1.0, np.ones(2, np.float32))
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "__model__")
            os.mkfifo(pipe)
            for path, kind in (("/dev/zero", "a device"), (pipe, "a pipe")):
                refused = f"{path} must be a regular file, got {kind}"
                with self.assertRaisesRegex(ValueError, refused):
                    static.load(path)
            # Not a device of the machine's: a failing test would replace it.
            with self.assertRaisesRegex(ValueError, refused):
                program.save(pipe)
            self.assertFalse(os.path.isfile(pipe))
            with self.assertRaises(FileNotFoundError):
                static.load(folder)
            # Weights, which were opened before they were looked at.
            os.remove(pipe)
            pathlib.Path(pipe).write_bytes(ONE_VARIABLE)
            os.mkfifo(os.path.join(folder, "w"))
            with self.assertRaisesRegex(ValueError, "w must be a regular file"):
                static.load(folder)


if __name__ == "__main__":
    unittest.main()
