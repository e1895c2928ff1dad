# SPDX-License-Identifier: Apache-2.0
"""Calls that are wrong are errors with a sentence, and change nothing."""
import ctypes
import pathlib
import random
import tempfile
import threading
import unittest

import numpy as np

import switchyard as sy
from programs import library, saved, spec
from switchyard_c import Error, c_type, functions, text_of

HEADER = pathlib.Path("library/include/switchyard.h")


class HostileTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.library = library()
        cls.float32 = cls.library.dtypes["float32"]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = saved(self.folder / "program.sy", lambda x, y: sy.relu(x) + y, spec("x", None, 3), spec("y", 3))
        self.model = self.library.load(self.path)
        self.session = self.library.session(self.model)
        self.x = np.float32([[1, -2, 3], [-4, 5, -6]])
        self.y = np.float32([10, 20, 30])

    def tearDown(self):
        # Wrong calls have left the session as it was.
        self.library.call("session_clear", self.session)
        self.library.run(self.session, {"x": self.x, "y": self.y})
        np.testing.assert_array_equal(self.library.output(self.session, "out"), np.maximum(self.x, 0) + self.y)
        self.library.call("session_free", self.session)
        self.library.call("model_free", self.model)

    def assert_refused(self, code, says, name, *arguments):
        with self.assertRaises(Error) as raised:
            self.library.call(name, *arguments)
        self.assertEqual((raised.exception.code, str(raised.exception)), (code, f"{name}: {says}"))

    def test_pointers_that_are_null(self):
        for name, pointer, arguments in (
                ("options_new", "options", [None]),
                ("model_load", "model", [self.path.encode(), 0, None]),
                ("model_load", "path", [None, 0, ctypes.byref(ctypes.c_uint64())]),
                ("model_load_bytes", "program", [None, 5, None, 0, 0, ctypes.byref(ctypes.c_uint64())]),
                ("model_load_bytes", "weights", [b"abc", 3, None, 5, 0, ctypes.byref(ctypes.c_uint64())]),
                ("model_find", "name", [self.model, 0, None, None]),
                ("session_new", "session", [self.model, 0, None]),
                ("session_set_lengths", "lengths", [self.session, b"x", 0, None, 3]),
                ("session_output", "name", [self.session, None, 0, None, None, None, None, None])):
            with self.subTest(name, pointer=pointer):
                self.assert_refused("INVALID_ARGUMENT", f"{pointer} must be a pointer, got null", name, *arguments)

    def test_texts_that_do_not_fit(self):
        path = saved(self.folder / "texts.sy", lambda x, y: (sy.strings.lower(x), y * 2),
                     spec("x", None, 2, dtype="string"), spec("y", 3))
        session = self.library.session(self.library.load(path))
        pair, texts, name = (ctypes.c_int64 * 2)(1, 2), (ctypes.c_char_p * 2)(b"A", b"B"), "session_set_texts"
        for code, says, arguments in (
                ("NOT_FOUND", "input must be of x, y, got 'z'", (b"z", 2, pair, texts, None, 2)),
                ("INVALID_ARGUMENT", "name must be a pointer, got null", (None, 2, pair, texts, None, 2)),
                ("WRONG_TYPE", "input 'y': kind must be dense, got strings", (b"y", 2, pair, texts, None, 2)),
                ("INVALID_ARGUMENT", "rank must be in [0, 9], got 10", (b"x", 10, pair, texts, None, 2)),
                ("INVALID_ARGUMENT", "rank must be in [0, 9], got -1", (b"x", -1, pair, texts, None, 2)),
                ("INVALID_ARGUMENT", "extents must be a pointer, got null", (b"x", 2, None, texts, None, 2)),
                ("INVALID_ARGUMENT", "texts must be a pointer, got null", (b"x", 2, pair, None, None, 2)),
                ("INVALID_ARGUMENT", "count must be 2 for [1, 2], got 3", (b"x", 2, pair, texts, None, 3)),
                ("INVALID_ARGUMENT", "count must be 2 for [1, 2], got 0", (b"x", 2, pair, None, None, 0)),
                ("INVALID_ARGUMENT", "input 'x': text 1 must be a pointer, got null",
                 (b"x", 2, pair, (ctypes.c_char_p * 2)(b"A", None), None, 2))):
            self.assert_refused(code, says, name, session, *arguments)
        self.library.place("session_set_input", session, "y", self.y)
        self.assert_refused("NOT_READY", "input 'x': it must be set before a run", "session_run", session)
        self.assert_refused("WRONG_TYPE", "input 'x': kind must be strings, got dense", "session_set_input", session,
                            b"x", self.float32, 1, (ctypes.c_int64 * 1)(3), None, self.y.ctypes.data, 12)
        self.assert_refused("WRONG_TYPE", "output 'out0': kind must be dense, got strings", "session_set_output",
                            session, b"out0", self.float32, -1, None, None, self.x.ctypes.data, 12)
        self.library.call(name, session, b"x", 2, pair, texts, None, 2)
        self.library.call("session_run", session)
        self.assert_refused("OUT_OF_RANGE", "output 'out0': position must be in [0, 2), got 2", "session_text", session,
                            b"out0", 2, None, None)
        self.assert_refused("WRONG_TYPE", "output 'out1': kind must be strings, got dense", "session_text", session,
                            b"out1", 0, None, None)
        # The shape is checked by the run.
        self.library.call(name, session, b"x", 1, (ctypes.c_int64 * 1)(2), texts, None, 2)
        with self.assertRaises(Error) as raised:
            self.library.call("session_run", session)
        self.assertIn("x", str(raised.exception))

    def test_results_that_are_not_wanted(self):
        self.library.call("model_port", self.model, 0, 0, None, None, None, None, None, None)
        self.library.run(self.session, {"x": self.x, "y": self.y})
        self.library.call("session_output", self.session, b"out", 0, None, None, None, None, None)
        self.library.call("session_memory", self.session, None, None)

    def test_handles(self):
        freed = self.library.session(self.model)
        self.library.call("session_free", freed)
        words = "must be a handle that was given and not freed, got"
        for handle, got in ((0, "0"), (freed, "one that was freed or never given"), (self.model, "one of another kind"),
                            (1, "one of another kind"), (2**64 - 1, "one of another kind")):
            for name in ("session_free", "session_run", "session_reset", "session_clear"):
                self.assert_refused("BAD_HANDLE", f"session {words} {got}", name, handle)
        self.assert_refused("BAD_HANDLE", f"model {words} one of another kind", "model_free", self.session)
        self.assert_refused("BAD_HANDLE", f"options {words} one of another kind", "options_free", self.session)
        self.assert_refused("BAD_HANDLE", f"options {words} one of another kind", "session_new", self.model,
                            self.model, ctypes.byref(ctypes.c_uint64()))
        # A place that is used again is another handle.
        again = self.library.session(self.model)
        self.assertNotEqual(again, freed)
        self.assert_refused("BAD_HANDLE", f"session {words} one that was freed or never given", "session_run", freed)
        self.library.call("session_free", again)

    def test_inputs_that_do_not_fit(self):
        three, pair = (ctypes.c_int64 * 1)(3), (ctypes.c_int64 * 2)(2, 3)
        data = self.x.ctypes.data

        def refused(code, says, name, dtype, rank, extents, strides, address, size):
            self.assert_refused(code, says, "session_set_input", self.session, name, dtype, rank, extents, strides,
                                address, size)

        refused("NOT_FOUND", "input must be of x, y, got 'z'", b"z", self.float32, 1, three, None, data, 12)
        refused("INVALID_ARGUMENT", "'y': dtype must be a number of switchyard.h, got 99", b"y", 99, 1, three, None,
                data, 12)
        refused("WRONG_TYPE", "'y': dtype must be of numbers (switchyard_session_set_texts), got string", b"y", 13, 1,
                three, None, data, 12)
        refused("WRONG_TYPE", "input 'y': dtype must be float32, got int32", b"y", self.library.dtypes["int32"], 1,
                three, None, data, 12)
        refused("INVALID_ARGUMENT", "'y': rank must be in [0, 9], got -1", b"y", self.float32, -1, three, None, data,
                12)
        refused("INVALID_ARGUMENT", "'y': bytes must be at least 12 for [3], got 11", b"y", self.float32, 1, three,
                None, data, 11)
        refused("INVALID_ARGUMENT", "'y': data must be a pointer, got null", b"y", self.float32, 1, three, None, None,
                12)
        refused("INVALID_ARGUMENT", "'y': extents must be a pointer, got null", b"y", self.float32, 1, None, None,
                data, 12)
        refused("INVALID_ARGUMENT", "'x': byte_strides must be at least 0, got -12", b"x", self.float32, 2, pair,
                (ctypes.c_int64 * 2)(-12, 4), data, 24)
        # The shape is checked by the run.
        self.library.place("session_set_input", self.session, "x", self.x)
        self.assert_refused("NOT_READY", "input 'y': it must be set before a run", "session_run", self.session)
        self.library.place("session_set_input", self.session, "y", self.x)
        with self.assertRaises(Error) as raised:
            self.library.call("session_run", self.session)
        self.assertEqual(raised.exception.code, "INVALID_ARGUMENT")
        self.assertIn("y", str(raised.exception))

    def test_outputs_that_do_not_fit(self):
        out = np.zeros((2, 3), np.float32)
        self.assert_refused("NOT_READY", "output 'out': a run must come first", "session_output", self.session, b"out",
                            0, None, None, None, None, None)
        with self.assertRaises(Error) as raised:
            self.library.place("session_set_output", self.session, "out", np.zeros(3, np.float64))
        self.assertEqual(raised.exception.code, "WRONG_TYPE")
        with self.assertRaises(Error) as raised:
            self.library.place("session_set_output", self.session, "out", np.broadcast_to(out[:1], (2, 3)))
        self.assertIn("byte_strides must be such that elements lie apart, got 0", str(raised.exception))
        self.library.place("session_set_output", self.session, "out", out)
        for name in ("x", "y"):
            with self.assertRaises(Error) as raised:
                self.library.place("session_set_input", self.session, name, out if name == "x" else out[1])
            self.assertEqual(str(raised.exception), f"session_set_input: input '{name}': data must be memory that no "
                             "output shares, got memory of 'out'")
        self.library.call("session_clear", self.session)
        self.library.place("session_set_input", self.session, "x", out)
        with self.assertRaises(Error) as raised:
            self.library.place("session_set_output", self.session, "out", out)
        self.assertIn("data must be memory of no other input or output, got memory of 'x'", str(raised.exception))

    def test_files(self):
        bad = self.folder / "bad.sy"
        good = pathlib.Path(self.path).read_bytes()
        for data in (b"", b"SYPROG", good[:len(good) // 2], good[:-1], b"\0" * 100, b"PK\3\4" + bytes(60)):
            bad.write_bytes(data)
            with self.assertRaises(Error) as raised:
                self.library.load(bad)
            self.assertNotEqual(raised.exception.code, "INTERNAL")
            with self.assertRaises(Error):
                self.library.get(ctypes.c_uint64, "model_load_bytes", data, len(data), None, 0, 0)
        with self.assertRaises(Error) as raised:
            self.library.load(self.folder / "none")
        self.assertEqual(raised.exception.code, "NOT_FOUND")
        with self.assertRaises(Error) as raised:
            self.library.load(self.path, self.library.options(relaxed="speed=more"))
        self.assertEqual(raised.exception.code, "INVALID_ARGUMENT")
        with self.assertRaises(Error):
            self.library.options(threads=-1)

    def test_an_error_belongs_to_its_thread(self):
        self.assertRaises(Error, self.library.load, "/none")
        said = []
        thread = threading.Thread(target=lambda: said.append(self.library.raw.switchyard_error()))
        thread.start()
        thread.join()
        self.assertEqual(said, [b""])
        self.assertIn(b"/none", self.library.raw.switchyard_error())

    def test_two_threads_on_a_session(self):
        x = np.ones((20000, 3), np.float32)
        self.library.run(self.session, {"x": x, "y": self.y})
        codes = {"OK": 0, "BUSY": 0}

        def work():
            for _ in range(300):
                code = self.library.statuses[self.library.raw.switchyard_session_run(self.session)]
                codes[code] += 1

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sum(codes.values()), 900)
        self.assertGreater(codes["OK"], 0)
        self.assertGreater(codes["BUSY"], 0)

    def test_a_session_is_freed_while_it_runs(self):
        for _ in range(20):
            session = self.library.session(self.model)
            x = np.ones((20000, 3), np.float32)
            self.library.run(session, {"x": x, "y": self.y})
            thread = threading.Thread(
                target=lambda: [self.library.raw.switchyard_session_run(session) for _ in range(10)])
            thread.start()
            self.library.call("session_free", session)
            thread.join()
            with self.assertRaises(Error):
                self.library.call("session_run", session)

    def test_random_calls(self):
        """Any numbers, null pointers, texts and small pieces of memory: no call ends the process."""
        draw = random.Random(7)
        prototypes = functions(text_of(HEADER))
        room = (ctypes.c_int64 * 64)()
        numbers = (0, 1, 2, 3, 9, 13, -1, -2, 2**31 - 1, -2**31, 64)
        handles = [0, self.model, self.session]

        def argument(written, name):
            kind = c_type(written)
            if written == "size_t":
                return draw.choice((0, 1, 12, 24, 64, 2**63, 2**64 - 1))
            if kind is ctypes.c_char_p:
                return draw.choice((None, b"", b"x", b"y", b"out", self.path.encode()))
            if kind is ctypes.c_void_p:
                return draw.choice((None, ctypes.byref(room)))
            if kind is ctypes.c_uint64:
                # A model, a session or options that are in use are not freed here.
                known = handles if not name.endswith("_free") else [0, 5, 2**63]
                return draw.choice([*known, draw.getrandbits(64)])
            return draw.choice(numbers)

        failed = 0
        for _ in range(20000):
            name = draw.choice(sorted(prototypes))
            room[:] = [draw.choice((0, 1, 2, 3, 4, 12, -1, 2**62)) for _ in range(64)]
            result, arguments = prototypes[name]
            code = getattr(self.library.raw, name)(*(argument(one, name) for one in arguments))
            if result == "switchyard_status":
                self.assertNotEqual(self.library.statuses[code], "INTERNAL", self.library.raw.switchyard_error())
                failed += code != 0
        self.assertGreater(failed, 10000)


if __name__ == "__main__":
    unittest.main()
