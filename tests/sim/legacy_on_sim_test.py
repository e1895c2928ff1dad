# SPDX-License-Identifier: Apache-2.0
"""Where old calls and programs ask to run (op_device, force_cpu, place_type), on
the simulated device."""
import pathlib
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))  # With sim linked.

import switchyard as sy  # noqa: E402


def varint(number):
    number &= 2**64 - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def field(number, value):
    """A field of a protocol buffer: a number, a text or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


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


def load(device, force_cpu=False):
    """relu(transpose(x)) + 1 of x [2, 3] as an old program's; the first two
    operators ask for `device`, the constant for the CPU."""
    there = {"op_device": device}
    block = field(1, 0) + field(2, -1)
    block += variable("feed", 9) + variable("fetch", 10)
    for name, dims in [("x", [2, 3]), ("t", [3, 2]), ("y", [3, 2]),
                       ("one", [1]), ("z", [3, 2])]:
        block += variable(name, 7, dims)
    block += operator("feed", {"X": "feed"}, {"Out": "x"}, {"col": 0})
    block += operator("transpose2", {"X": "x"}, {"Out": "t"},
                      {"axis": [1, 0], **there})
    block += operator("relu", {"X": "t"}, {"Out": "y"}, there)
    block += operator("fill_constant", {}, {"Out": "one"},
                      {"shape": [1], "str_value": "1", "dtype": 5,
                       "force_cpu": force_cpu})
    block += operator("elementwise_add", {"X": "y", "Y": "one"}, {"Out": "z"},
                      there)
    block += operator("fetch", {"X": "z"}, {"Out": "fetch"}, {"col": 0})
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "__model__"
        path.write_bytes(field(1, block) + field(4, field(1, 0)))
        return sy.static.load(folder)


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

    def test_operators_run_where_they_are_told(self):
        for device, copies in [("", False), ("sim", False), ("sim:0", False),
                               ("cpu", True)]:
            with self.subTest(device):
                program = load(device, force_cpu=True)
                out, = program.run({"x": self.X}).values()
                np.testing.assert_array_equal(out, np.maximum(self.X.T, 0) + 1)
                text = program.explain({"x": self.X})
                self.assertEqual("copy" in text, copies, text)

    def test_another_device_is_refused(self):
        with self.assertRaisesRegex(
                ValueError, "transpose: op_device must be sim:0, where the "
                            "program runs, or cpu, got sim:1"):
            load("sim:1").run({"x": self.X})

    def test_no_device_on_the_host(self):
        sy.set_default_place("cpu")
        out, = load("cpu", force_cpu=True).run({"x": self.X}).values()
        np.testing.assert_array_equal(out, np.maximum(self.X.T, 0) + 1)
        with self.assertRaisesRegex(
                ValueError, "transpose: op_device must be cpu, where the "
                            "program runs, got sim"):
            load("sim").run({"x": self.X})


if __name__ == "__main__":
    unittest.main()
