# SPDX-License-Identifier: Apache-2.0
"""Where old calls and programs ask to run (op_device, force_cpu, place_type), on
the simulated device."""
import itertools
import pathlib
import sys
import tempfile
import unittest
import warnings

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # With sim linked.

import switchyard as sy  # noqa: E402
from old_programs import field  # noqa: E402


def variable(name, kind, dims=()):
    tensor = field(1, 5) + b"".join(field(2, dim) for dim in dims)
    described = field(3, field(1, tensor)) if kind == 7 else b""
    return field(3, field(1, name) + field(2, field(1, kind) + described))


def operator(kind, inputs, outputs, attrs):
    text = b"".join(field(1, field(1, slot) + field(2, name))
                    for slot, name in inputs.items())
    text += b"".join(field(2, field(1, slot) + field(2, name))
                     for slot, name in outputs.items())
    text += field(3, kind)
    for name, value in attrs.items():
        if isinstance(value, bool):
            kind, data = 6, field(10, int(value))
        elif isinstance(value, int):
            kind, data = 0, field(3, value)
        elif isinstance(value, str):
            kind, data = 2, field(5, value)
        else:
            kind, data = 3, b"".join(field(6, item) for item in value)
        text += field(4, field(1, name) + field(2, kind) + data)
    return field(4, text)


def write(folder, devices, force_cpu=False):
    """relu(transpose(x)) + 1 of x [2, 3] as an old program in `folder`; its three
    operators of tensors ask for `devices`, the constant for that of the sum, and
    perhaps for the CPU, too."""
    there = [{"op_device": device} for device in devices]
    block = field(1, 0) + field(2, -1)
    block += variable("feed", 9) + variable("fetch", 10)
    for name, dims in [("x", [2, 3]), ("t", [3, 2]), ("y", [3, 2]),
                       ("one", [1]), ("z", [3, 2])]:
        block += variable(name, 7, dims)
    block += operator("feed", {"X": "feed"}, {"Out": "x"}, {"col": 0})
    block += operator("transpose2", {"X": "x"}, {"Out": "t"},
                      {"axis": [1, 0], **there[0]})
    block += operator("relu", {"X": "t"}, {"Out": "y"}, there[1])
    block += operator("fill_constant", {}, {"Out": "one"},
                      {"shape": [1], "str_value": "1", "dtype": 5,
                       "force_cpu": force_cpu, **there[2]})
    block += operator("elementwise_add", {"X": "y", "Y": "one"}, {"Out": "z"},
                      there[2])
    block += operator("fetch", {"X": "z"}, {"Out": "fetch"}, {"col": 0})
    (pathlib.Path(folder) / "__model__").write_bytes(
        field(1, block) + field(4, field(1, 0)))


def load(*devices, force_cpu=False, **options):
    """The program of write(); one device stands for all three."""
    options = {"library_attributes": True, **options}
    with tempfile.TemporaryDirectory() as folder:
        write(folder, devices * 3 if len(devices) == 1 else devices, force_cpu)
        return sy.static.load(folder, **options)


class OnSimTest(unittest.TestCase):

    def setUp(self):
        sy.set_default_place("sim:0")

    def tearDown(self):
        sy.set_default_place("cpu")


class LegacyCallsTest(OnSimTest):

    def test_they_run_where_they_are_told(self):
        for home in "sim:0", "cpu", "sim:1":
            for device, place in [("", home), ("all", home), ("cpu", "cpu"),
                                  ("sim:0", "sim:0"), ("sim:1", "sim:1"),
                                  ("sim", "sim:1" if home == "sim:1" else
                                   "sim:0")]:
                with self.subTest(device=device, home=home):
                    x = sy.tensor([[1.0, -2.0]], place=home, requires_grad=True)
                    attrs = {"op_device": device}
                    y = sy.legacy.run("relu", {"X": x}, attrs)["Out"]
                    z = sy.legacy.run("elementwise_mul", {"X": y, "Y": x},
                                      attrs)["Out"]
                    self.assertEqual((y.place, z.place), (place, place))
                    self.assertEqual(z.tolist(), [[1.0, 0.0]])
                    z.sum().backward()
                    self.assertEqual(x.grad.place, home)
                    self.assertEqual(x.grad.tolist(), [[2.0, 0.0]])

    def test_it_brings_tensors_of_two_places_together(self):
        x, y = sy.tensor([1.0], place="sim:0"), sy.tensor([2.0], place="sim:1")
        out = sy.legacy.run("elementwise_add", {"X": x, "Y": y},
                            {"op_device": "sim:1"})["Out"]
        self.assertEqual((out.place, out.tolist()), ("sim:1", [3.0]))

    def test_calls_without_tensors(self):
        for attrs, place in [({}, "sim:0"), ({"force_cpu": False}, "sim:0"),
                             ({"place_type": -1}, "sim:0"),
                             ({"force_cpu": True}, "cpu"),
                             ({"place_type": 0}, "cpu"),
                             ({"op_device": "sim:1"}, "sim:1")]:
            with self.subTest(attrs):
                out = sy.legacy.run("fill_constant", {},
                                    {"shape": [2], "value": 3.0, **attrs})
                self.assertEqual(out["Out"].place, place)
                self.assertEqual(out["Out"].tolist(), [3.0, 3.0])

    def test_comparisons_on_the_host(self):
        x = sy.tensor([1.0, 2.0])
        for force, place in [(True, "cpu"), (False, "sim:0")]:
            out = sy.legacy.run("less_than", {"X": x, "Y": x},
                                {"force_cpu": force})["Out"]
            self.assertEqual(out.place, place)

    def test_refused(self):
        x = sy.tensor([1.0])
        step = {"Param": x, "Grad": x, "LearningRate": x}
        for kind, inputs, attrs, error, words in [
            ("relu", {"X": x}, {"op_device": "sim:2"}, RuntimeError,
             r"relu: op_device: place must be .*, got sim:2"),
            ("relu", {"X": x}, {"op_device": "npu:0"}, ValueError,
             r'relu: op_device must be "", "all" or a place .*, got "npu:0"'),
            ("sgd", step, {"op_device": "cpu"}, ValueError,
             "sgd: Param must be on cpu, where op_device has the call run, "
             "since it is written, got sim:0"),
            ("fill_constant", {}, {"shape": [1], "place_type": 2}, ValueError,
             "fill_constant: place_type must be -1, 0, 1, got 2"),
            ("fill_constant", {}, {"shape": [1], "force_cpu": True,
                                   "op_device": "sim:1"}, ValueError,
             "fill_constant: force_cpu must be for the place that op_device "
             "asks for, which is sim:1, got true"),
        ]:
            with self.subTest(words), self.assertRaisesRegex(error, words):
                sy.legacy.run(kind, inputs, attrs)
        self.assertEqual(x.tolist(), [1.0])


class LegacyProgramsTest(OnSimTest):

    X = np.array([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]], np.float32)
    WANT = np.maximum(X.T, 0) + 1
    LENIENT = sy.policy(allow_fallback=True, off={"sim_cpu": ["relu"]})
    STRICT = sy.policy(allow_fallback=True, strict=True, off={"sim_cpu": ["relu"]})

    def ran(self, program):
        """(operator, place) of the steps of a run, whose values are right."""
        home = sy.tensor(0.0).place
        for run in program.run, program.run_eagerly:
            out, = run({"x": self.X}, tensors=True).values()
            self.assertEqual(out.place, home)
            np.testing.assert_array_equal(out.numpy(), self.WANT)
        steps = program.profile({"x": self.X}).steps
        explained = program.explain({"x": self.X})
        for step in steps:
            self.assertIn(step.op, explained)
        return [(step.op, step.place) for step in steps]

    def test_operators_run_where_they_are_told(self):
        for home in "cpu", "sim:0", "sim:1":
            sy.set_default_place(home)
            for device, place in [("", home), ("all", home), ("cpu", "cpu"),
                                  ("sim:0", "sim:0"), ("sim:1", "sim:1"),
                                  ("sim", "sim:1" if home == "sim:1" else "sim:0")]:
                with self.subTest(home=home, device=device):
                    for force_cpu in (False, True):
                        got = self.ran(load(device, force_cpu=force_cpu))
                        self.assertEqual({where for op, where in got if op != "copy"},
                                         {place})

    def test_what_stays_on_a_device_is_not_copied(self):
        for home, device in itertools.permutations(["cpu", "sim:0", "sim:1"], 2):
            sy.set_default_place(home)
            with self.subTest(home=home, device=device):
                got = [op for op, _ in self.ran(load(device))]
                # x and the constant go there, the sum comes back.
                self.assertEqual(got.count("copy"), 3, got)

    def test_devices_of_two_kinds_in_one_program(self):
        for home in "cpu", "sim:0":
            sy.set_default_place(home)
            for devices in itertools.product(["cpu", "sim:0", "sim:1"], repeat=3):
                with self.subTest(home=home, devices=devices):
                    got = dict(self.ran(load(*devices)))
                    self.assertEqual((got["relu"], got["elementwise_add"]),
                                     devices[1:])

    def test_eager_runs_are_there_too(self):
        sy.set_default_place("cpu")
        program = load("cpu", "sim:1", "sim:0")
        kernels = {step.op: step.kernel
                   for step in program.profile_eagerly({"x": self.X}).steps}
        self.assertEqual([kernels[op] for op in ("transpose", "relu", "elementwise_add")],
                         ["cpu float32", "sim_cpu float32", "sim_cpu float32"])

    def test_only_where_it_is_asked_for(self):
        for device in "sim:1", "gpu:0", "npu:1":
            got = self.ran(load(device, library_attributes=False))
            self.assertNotIn("copy", dict(got))

    def test_the_text_is_saved_with_the_program(self):
        program = load("", "sim:1", "")
        self.assertIn('op_device = "sim:1"', program.text())
        self.assertEqual(program.text().count("op_device"), 1)
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("error")
            path = pathlib.Path(folder) / "program"
            program.save(path, lock_kernels=True)
            again = sy.load(path, strict_kernels=True)
        self.assertEqual(again.text(), program.text())
        self.assertEqual(self.ran(again), self.ran(program))
        self.assertEqual(dict(self.ran(again))["relu"], "sim:1")

    def test_explain_and_selections_say_where(self):
        sy.set_default_place("cpu")
        program = load("", "sim:1", "")
        line, = [one for one in program.selections({"x": self.X})
                 if one.startswith("relu")]
        self.assertIn(" -> sim_cpu float32", line)
        self.assertIn("sim:1", program.explain({"x": self.X}))

    def test_a_move_is_no_fallback_but_may_have_one(self):
        for home in "cpu", "sim:0":
            sy.set_default_place(home)
            program = load("", "sim:1", "")
            sy._core.clear_fallback_log()
            self.ran(program)
            self.assertEqual(sy.fallback_log(), [])
            lacking = load("", "sim:1", "", policy=self.LENIENT)
            self.assertEqual(dict(self.ran(lacking))["relu"], "cpu")
            self.assertEqual({one["op"] for one in sy.fallback_log()}, {"relu"})
            with self.assertRaisesRegex(
                    RuntimeError, "relu: a strict policy forbids the fallback"):
                load("", "sim:1", "", policy=self.STRICT)

    def test_devices_that_are_not_there_are_refused_at_load(self):
        for home in "cpu", "sim:0":
            sy.set_default_place(home)
            for device, error, words in [
                ("sim:2", RuntimeError, "relu: op_device: place must be .*, got sim:2"),
                ("gpu:0", RuntimeError, "relu: op_device: place must be of a device "
                 r"that this build has \(cpu, sim\), got gpu:0"),
                ("npu:1", ValueError, r'relu: op_device must be "", "all" or a place '
                 r'such as "cpu" or "gpu:0", of a kind that is linked, got "npu:1"'),
            ]:
                with self.subTest(words), self.assertRaisesRegex(error, words):
                    load("", device, "")


if __name__ == "__main__":
    unittest.main()
