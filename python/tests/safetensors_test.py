# SPDX-License-Identifier: Apache-2.0
"""sy.save and sy.load_state: every dtype, the format's bytes, damaged files."""
import json
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

import switchyard as sy


def raw(header, data=b""):
    """A file of this header (a dict or bytes) and data."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def entry(dtype="F32", shape=(2,), begin=0, end=8, **more):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end],
            **more}


class SafetensorsTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "state.safetensors"

    def round_trip(self, state, **kwargs):
        sy.save(state, self.path, **kwargs)
        return sy.load_state(self.path)

    def test_every_dtype_and_shape(self):
        rng = np.random.default_rng(0)
        state = {}
        for dtype in ("bool", "uint8", "int8", "int16", "int32", "int64",
                      "float16", "bfloat16", "float32", "float64",
                      "complex64", "uint16", "uint32", "uint64"):
            for shape in ((), (0, 3), (5,), (2, 3, 4)):
                state[f"{dtype}{shape}"] = sy.tensor(
                    rng.integers(0, 2, shape).astype(float), dtype)
        got = self.round_trip(state)
        self.assertEqual(list(got), list(state))
        for name, want in state.items():
            self.assertEqual((got[name].dtype, got[name].shape),
                             (want.dtype, want.shape))
            np.testing.assert_array_equal(got[name].numpy(), want.numpy())

    def test_what_the_format_lacks(self):
        with self.assertRaisesRegex(TypeError, "save: z must be of a dtype"):
            sy.save({"z": sy.zeros([2], "complex128")}, self.path)
        with self.assertRaisesRegex(TypeError, "save: z must be of a dtype .* got int4"):
            sy.save({"z": sy.tensor(np.zeros(2, np.uint8), "int4")}, self.path)

    def test_floats_of_eight_bits(self):
        codes = np.arange(256, dtype=np.uint8).reshape(2, 128)
        names = {"F8_E4M3": "float8_e4m3fn", "F8_E4M3FNUZ": "float8_e4m3fnuz",
                 "F8_E5M2": "float8_e5m2", "F8_E5M2FNUZ": "float8_e5m2fnuz",
                 "F8_E8M0": "float8_e8m0fnu"}
        got = self.round_trip({name: sy.tensor(codes, dtype)
                               for name, dtype in names.items()})
        for name, dtype in names.items():
            self.assertEqual(got[name].dtype, dtype)
            np.testing.assert_array_equal(got[name].numpy(), codes)
            self.assertIn(f'"dtype":"{name}"'.encode(), self.path.read_bytes())

    def test_bits(self):
        bits = np.array([0x7fc00001, 0xff800000, 0x80000000, 1], np.uint32)
        got = self.round_trip({"x": bits.view(np.float32)})
        np.testing.assert_array_equal(got["x"].numpy().view(np.uint32), bits)
        odd = sy.tensor(np.array([1.5, -0.0, np.inf], np.float32), "bfloat16")
        np.testing.assert_array_equal(
            self.round_trip({"x": odd})["x"].numpy().view(np.uint32),
            odd.numpy().view(np.uint32))

    def test_the_formats_bytes(self):
        sy.save({"b": np.array([1, 2], np.int32), "a": np.zeros((0,))},
                self.path, {"who": "me"})
        data = self.path.read_bytes()
        length = int.from_bytes(data[:8], "little")
        self.assertEqual(length % 8, 0)
        self.assertEqual(json.loads(data[8:8 + length]), {
            "__metadata__": {"who": "me"},
            "b": {"dtype": "I32", "shape": [2], "data_offsets": [0, 8]},
            "a": {"dtype": "F64", "shape": [0], "data_offsets": [8, 8]}})
        self.assertEqual(data[8 + length:], b"\1\0\0\0\2\0\0\0")
        self.assertEqual(sy.load_state(self.path, with_metadata=True)[1],
                         {"who": "me"})

    def test_files_of_others(self):
        # Names in another order than the data, spaces, no padding.
        data = np.array([1, 2, 3, 4], np.float32).tobytes()
        self.path.write_bytes(raw({"a": entry(begin=8, end=16), "b": entry()},
                                  data))
        got = sy.load_state(self.path)
        self.assertEqual(got["a"].tolist(), [3.0, 4.0])
        self.assertEqual(got["b"].tolist(), [1.0, 2.0])

    def test_nested(self):
        state = {"model": {"0.weight": sy.ones([2])}, "epoch": np.array(3),
                 "deep": {"er": {"x": sy.zeros([1])}}}
        got = self.round_trip(state)
        self.assertEqual(got["model"]["0.weight"].tolist(), [1.0, 1.0])
        self.assertEqual(got["epoch"].item(), 3)
        self.assertEqual(got["deep"]["er"]["x"].tolist(), [0.0])
        with self.assertRaisesRegex(ValueError, "/"):
            sy.save({"a/b": {"c": sy.ones([1])}}, self.path)
        with self.assertRaisesRegex(ValueError, "text"):
            sy.save({"a": {1: sy.ones([1])}}, self.path)
        self.assertIn("a/b", self.round_trip({"a/b": sy.ones([1])}))

    def test_strided_tensors(self):
        x = sy.tensor(np.arange(6.0).reshape(2, 3)).T
        np.testing.assert_array_equal(self.round_trip({"x": x})["x"].numpy(),
                                      x.numpy())

    def test_a_failed_save_leaves_the_old_file(self):
        sy.save({"x": sy.ones([1])}, self.path)
        for wrong in ({"x": object()}, {1: sy.ones([1])},
                      {"__metadata__": sy.ones([1])}):
            with self.assertRaises((TypeError, ValueError)):
                sy.save(wrong, self.path)
        with self.assertRaises(TypeError):
            sy.save({"x": sy.ones([1])}, self.path, {"a": 1})
        for wrong, state, path in [
                (FileNotFoundError, {}, self.path / "no" / "file"),
                (IsADirectoryError, {}, self.path.parent),
                (TypeError, [sy.ones([1])], self.path)]:
            with self.assertRaisesRegex(wrong, "save: "):
                sy.save(state, path)
        self.assertEqual(sy.load_state(self.path)["x"].tolist(), [1.0])
        self.assertEqual(len(os.listdir(self.path.parent)), 1)

    def test_interrupted_at_every_line(self):
        sy.save({"x": sy.ones([1])}, self.path)
        lines = 0

        def interrupt_at(number):
            """Raises at that line of the module; counts the lines."""
            def trace(frame, event, _):
                nonlocal lines
                if frame.f_code.co_filename != sy.save.__code__.co_filename:
                    return None
                if event == "line":
                    lines += 1
                    if lines == number:
                        raise KeyboardInterrupt
                return trace
            return trace

        number, whole = 0, False
        while not whole:
            number, lines = number + 1, 0
            sys.settrace(interrupt_at(number))
            try:
                sy.save({"x": sy.zeros([1])}, self.path)
                whole = True
            except KeyboardInterrupt:
                pass
            finally:
                sys.settrace(None)
            with self.subTest(number):
                self.assertIn(sy.load_state(self.path)["x"].tolist(),
                              ([1.0], [0.0]))
                self.assertEqual(os.listdir(self.path.parent),
                                 [self.path.name])
        self.assertGreater(number, 20)

    def test_a_signal_while_the_file_is_moved(self):
        move = os.replace

        def interrupted(*paths):
            move(*paths)
            raise KeyboardInterrupt
        with mock.patch("os.replace", interrupted):
            with self.assertRaises(KeyboardInterrupt):
                sy.save({"x": sy.ones([1])}, self.path)
        self.assertEqual(sy.load_state(self.path)["x"].tolist(), [1.0])

    def test_what_is_no_regular_file(self):
        # Not a device of the machine's: a test that fails would replace it.
        pipe = self.path.parent / "pipe"
        os.mkfifo(pipe)
        with self.assertRaisesRegex(ValueError, "must be a regular file"):
            sy.save({"x": sy.ones([1])}, pipe)
        self.assertTrue(pipe.is_fifo())
        for path in ("/dev/zero", pipe):
            with self.assertRaisesRegex(ValueError, "must be a regular file"):
                sy.load_state(path)

    def test_a_link_stays_one(self):
        link = self.path.parent / "link"
        link.symlink_to(self.path.name)
        for value in (1.0, 2.0):
            sy.save({"x": sy.full([1], value)}, link)
            self.assertTrue(link.is_symlink())
            self.assertEqual(sy.load_state(self.path)["x"].tolist(), [value])

    def test_deep_and_cyclic_states(self):
        deep = {"x": sy.ones([1])}
        for _ in range(99):
            deep = {"a": deep}
        again = self.round_trip(deep)
        for _ in range(99):
            again = again["a"]
        self.assertEqual(again["x"].tolist(), [1.0])
        cyclic = {}
        cyclic["self"] = cyclic
        for state in ({"a": deep}, cyclic):
            with self.assertRaisesRegex(ValueError, "at most 100 deep"):
                sy.save(state, self.path)

    def test_malformed_headers(self):
        eight = bytes(8)
        deep = b'{"x":' * 100000 + b"1" + b"}" * 100000
        for what, content in {
                "empty": b"", "short": b"\1\0", "no header": bytes([9] * 8),
                "huge": (2**63).to_bytes(8, "little") + b"{}",
                "not json": raw(b"{"), "not utf-8": raw(b"\xff\xfe"),
                "deep": raw(deep),
                "list": raw([]), "twice": raw(
                    b'{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},'
                    b'"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}'),
                "no entry": raw({"a": 1}),
                "keys": raw({"a": entry(more=1)}, eight),
                "dtype": raw({"a": entry("F31")}, eight),
                "dtype kind": raw({"a": entry(["F32"])}, eight),
                "negative": raw({"a": entry(shape=[-2])}, eight),
                "float": raw({"a": entry(shape=[2.0])}, eight),
                "true": raw({"a": entry(shape=[True])}, eight),
                "overflow": raw({"a": entry(shape=[2**62, 4])}, eight),
                "zero and huge": raw({"a": entry(shape=[2**70, 0], end=0)}),
                "rank": raw({"a": entry(shape=[1] * 20, end=4)}, bytes(4)),
                "backwards": raw({"a": entry(begin=8, end=0)}, eight),
                "offsets": raw({"a": {**entry(), "data_offsets": [0]}}, eight),
                "size": raw({"a": entry(end=4)}, bytes(4)),
                "gap": raw({"a": entry(begin=4, end=12)}, bytes(12)),
                "overlap": raw({"a": entry(), "b": entry(begin=4, end=12)},
                               bytes(12)),
                "rest": raw({"a": entry()}, bytes(9)),
                "cut": raw({"a": entry()}, bytes(7)),
                "bool": raw({"a": entry("BOOL", [1], 0, 1)}, b"\2"),
                "metadata": raw({"__metadata__": {"a": 1}}),
                "metadata list": raw({"__metadata__": []})}.items():
            with self.subTest(what), self.assertRaises(ValueError):
                self.path.write_bytes(content)
                sy.load_state(self.path)

    def test_every_truncation(self):
        sy.save({"a": np.arange(3), "b": np.ones((2, 2), np.float32)}, self.path)
        whole = self.path.read_bytes()
        for size in range(len(whole)):
            self.path.write_bytes(whole[:size])
            with self.assertRaises(ValueError):
                sy.load_state(self.path)

    def test_random_flips_never_crash(self):
        sy.save({"a": np.arange(3), "b": np.ones((2, 2), np.float32)}, self.path)
        whole = np.frombuffer(self.path.read_bytes(), np.uint8)
        rng = np.random.default_rng(0)
        refused = 0
        for _ in range(1000):
            damaged = whole.copy()
            damaged[rng.integers(len(whole))] ^= 1 << rng.integers(8)
            self.path.write_bytes(damaged.tobytes())
            try:
                sy.load_state(self.path)
            except ValueError:
                refused += 1
        self.assertGreater(refused, 250)


if __name__ == "__main__":
    unittest.main()
