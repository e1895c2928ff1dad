# SPDX-License-Identifier: Apache-2.0
"""Programs in the library give the bits that they give in Python, in the same process."""
import ctypes
import json
import pathlib
import tempfile
import threading
import unittest

import numpy as np
import onnx_models as onnx

import switchyard as sy
from programs import counting_model, library, saved, spec
from switchyard_c import Error


class RunsTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.library = library()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.x = np.random.default_rng(4).normal(size=(5, 3)).astype(np.float32)

    def program(self, function, *specs):
        return saved(self.folder / "program.sy", function, *specs)

    def opened(self, path, options=0):
        model = self.library.load(path, options)
        session = self.library.session(model, options)
        self.addCleanup(self.library.call, "session_free", session)
        self.addCleanup(self.library.call, "model_free", model)
        return model, session

    def assert_bits(self, got, want):
        self.assertEqual((got.dtype, got.shape, got.tobytes()), (want.dtype, want.shape, want.tobytes()))

    def test_ports_say_what_a_run_decides(self):
        path = self.program(lambda x, y: (x[x > 0], sy.matmul(x, y)), spec("x", "n", 3), spec("y", 3, "n"))
        model, _ = self.opened(path)
        (x, kind, dtype, extents, levels) = self.library.port(model, "INPUTS", 0)
        self.assertEqual((x, kind, self.library.raw.switchyard_dtype_name(dtype), levels), ("x", 0, b"float32", 0))
        self.assertEqual(extents[1], 3)
        self.assertLess(extents[0], -1)
        # Equal numbers are equal extents.
        self.assertEqual(self.library.port(model, "INPUTS", 1)[3], [3, extents[0]])
        self.assertEqual(self.library.port(model, "OUTPUTS", 0)[3], [-1])
        self.assertEqual(self.library.port(model, "OUTPUTS", 1)[3], [extents[0]] * 2)
        self.assertEqual(
            self.library.get(ctypes.c_size_t, "model_find", model, 1, b"out1"), 1)

    def test_sizes_that_the_elements_decide(self):
        path = self.program(lambda x: (x[x > 0], sy.nonzero(x)[0]), spec("x", None, 3))
        _, session = self.opened(path)
        program = sy.load(path)
        for rows in (5, 2, 0):
            self.library.run(session, {"x": self.x[:rows]})
            for name, want in program.run({"x": self.x[:rows]}).items():
                self.assert_bits(self.library.output(session, name), want)

    def test_strides_of_inputs_and_outputs(self):
        path = self.program(lambda x, y: sy.matmul(x, y), spec("x", None, None), spec("y", None, None))
        _, session = self.opened(path)
        y = np.random.default_rng(5).normal(size=(5, 4)).astype(np.float32)
        wide = np.zeros((3, 16), np.float32)
        out = wide[:, 1:13:3]
        self.library.place("session_set_output", session, "out", out)
        want, = sy.load(path).run({"x": self.x.T, "y": y}).values()
        self.library.run(session, {"x": self.x.T, "y": y})
        np.testing.assert_array_equal(out, want)
        self.assertEqual(np.count_nonzero(wide), np.count_nonzero(want))
        transposed = np.zeros((4, 3), np.float32)
        self.library.place("session_set_output", session, "out", transposed.T)
        self.library.call("session_run", session)
        np.testing.assert_array_equal(transposed.T, want)

    def test_an_output_of_any_shape_and_one_that_does_not_fit(self):
        path = self.program(lambda x: (x[x > 0], x * 2), spec("x", None, 3))
        _, session = self.opened(path)
        positive, twice = np.zeros(20, np.float32), np.zeros((5, 3), np.float32)
        dtype = self.library.dtypes["float32"]
        self.library.call("session_set_output", session, b"out0", dtype, -1, None, None, positive.ctypes.data, 80)
        self.library.place("session_set_output", session, "out1", twice)
        self.library.run(session, {"x": self.x})
        want = self.x[self.x > 0]
        np.testing.assert_array_equal(positive[:len(want)], want)
        self.assertFalse(positive[len(want):].any())
        self.assert_bits(self.library.output(session, "out0"), want)
        # Too small: the other output is written, and the result can be had.
        positive[:] = twice[:] = 0
        self.library.call("session_set_output", session, b"out0", dtype, -1, None, None, positive.ctypes.data, 4)
        with self.assertRaises(Error) as raised:
            self.library.run(session, {"x": self.x})
        self.assertEqual(raised.exception.code, "DOES_NOT_FIT")
        self.assertEqual(str(raised.exception), f"session_run: output 'out0': bytes must be at least "
                         f"{want.nbytes} for [{len(want)}], got 4")
        self.assertFalse(positive.any())
        self.assert_bits(self.library.output(session, "out0"), want)
        np.testing.assert_array_equal(twice, 2 * self.x)

    def test_results_stay_though_the_inputs_go(self):
        path = self.program(lambda x: (x, x.T, sy.reshape(x, [-1])), spec("x", None, 3))
        _, session = self.opened(path)
        fed = self.x.copy()
        self.library.run(session, {"x": fed})
        fed[:] = 7
        for name, want in zip(("out0", "out1", "out2"), (self.x, self.x.T, self.x.reshape(-1))):
            self.assert_bits(self.library.output(session, name), np.ascontiguousarray(want))

    def test_texts(self):
        path = self.program(lambda x, n: (sy.strings.upper(x, True), sy.strings.lower(x), n + 1),
                            spec("x", None, 2, dtype="string"), spec("n", 1))
        model, session = self.opened(path)
        (_, kind, dtype, extents, _) = self.library.port(model, "INPUTS", 0)
        self.assertEqual((kind, self.library.raw.switchyard_dtype_name(dtype), extents[1]), (5, b"string", 2))
        self.library.place("session_set_input", session, "n", np.float32([1]))
        program = sy.load(path)
        for rows in ([["Ab", "Stra\u00dfe"], ["\u00c9T\u00c9", ""], ["a\0B", "z" * 300]], [["x", "Y"]]):
            texts = [text.encode() for row in rows for text in row]
            shape = (ctypes.c_int64 * 2)(len(rows), 2)
            sizes = (ctypes.c_size_t * len(texts))(*map(len, texts))
            self.library.call("session_set_texts", session, b"x", 2, shape, (ctypes.c_char_p * len(texts))(*texts),
                              sizes, len(texts))
            self.library.call("session_run", session)
            want = program.run({"x": sy.strings.tensor(rows), "n": np.float32([1])})
            for name in ("out0", "out1"):
                self.assertEqual(self.texts(session, name), want[name].tolist())
            self.assertEqual(self.library.get(ctypes.c_size_t, "session_items", session, b"out0"), 1)
        # Without sizes each ends with a zero.
        one = (ctypes.c_int64 * 2)(1, 2)
        self.library.call("session_set_texts", session, b"x", 2, one, (ctypes.c_char_p * 2)(b"Q\0q", b""), None, 2)
        self.library.call("session_run", session)
        self.assertEqual(self.texts(session, "out1"), [["q", ""]])
        self.library.call("session_set_texts", session, b"x", 2, (ctypes.c_int64 * 2)(0, 2), None, None, 0)
        self.library.call("session_run", session)
        self.assertEqual(self.texts(session, "out0"), [])

    def texts(self, session, name):
        """The rows of an output of texts."""
        rank, extents, data = ctypes.c_int32(), (ctypes.c_int64 * 9)(), ctypes.c_void_p(1)
        self.library.call("session_output", session, name.encode(), 0, None, ctypes.byref(rank), extents,
                          ctypes.byref(data), None)
        self.assertEqual((rank.value, data.value), (2, None))
        found = []
        for i in range(extents[0] * extents[1]):
            text, size = ctypes.c_void_p(), ctypes.c_size_t()
            self.library.call("session_text", session, name.encode(), i, ctypes.byref(text), ctypes.byref(size))
            found.append(ctypes.string_at(text.value, size.value).decode())
        return [found[i:i + 2] for i in range(0, len(found), 2)]

    def test_every_dtype(self):
        for name in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
                     "complex64", "complex128"):
            with self.subTest(name):
                path = self.program(lambda x: sy.concat([x, x]), spec("x", None, dtype=name))
                _, session = self.opened(path)
                x = np.array([0, 1, 1, 0]).astype(name)
                self.library.run(session, {"x": x})
                self.assert_bits(self.library.output(session, "out"), np.concatenate([x, x]))

    def test_states_are_the_sessions_own(self):
        model = counting_model()
        path = self.program(lambda x: model(x), spec("x", None, 3))
        loaded = self.library.load(path)
        sessions = [self.library.session(loaded, self.library.options(seed=seed)) for seed in (11, 11, 12)]

        def run(session):
            self.library.run(session, {"x": self.x})
            return self.library.output(session, "out").tobytes()

        first = [run(sessions[0]) for _ in range(3)]
        self.assertEqual(len(set(first)), 3)
        # The model may go before its sessions.
        self.library.call("model_free", loaded)
        self.assertEqual([run(sessions[1]) for _ in range(3)], first)
        self.assertNotEqual(run(sessions[2]), first[0])
        self.library.call("session_reset", sessions[0])
        self.assertEqual([run(sessions[0]) for _ in range(3)], first)
        for session in sessions:
            self.library.call("session_free", session)

    def test_seeds_are_those_of_python(self):
        path = self.program(lambda x: sy.nn.functional.dropout(x, 0.5, training=True), spec("x", None, 3))
        _, session = self.opened(path, self.library.options(seed=9))
        sy.seed(9)
        program = sy.load(path)
        for _ in range(2):
            self.library.run(session, {"x": self.x})
            want, = program.run({"x": self.x}).values()
            self.assert_bits(self.library.output(session, "out"), want)

    def test_arrays(self):
        path = self.program(
            lambda array, x: sy.array_write(x, sy.array_length(array) + 1, array),
            spec("array", None, 3, kind="tensor_array"), spec("x", 3))
        model, session = self.opened(path)
        self.assertEqual(self.library.port(model, "INPUTS", 0)[1],
                         self.library.numbers["SWITCHYARD_ARRAY"])
        for row in self.x[:2]:
            fed = row.copy()
            self.library.place("session_add_item", session, "array", fed)
            fed[:] = 0  # Its elements were copied.
        self.library.run(session, {"x": self.x[2]})
        self.assertEqual(self.library.get(ctypes.c_size_t, "session_items", session, b"out"), 4)
        items = [self.library.output(session, "out", item) for item in range(4)]
        self.assertIsNone(items[2])
        for item, row in ((0, 0), (1, 1), (3, 2)):
            self.assert_bits(items[item], self.x[row])
        with self.assertRaises(Error) as raised:
            self.library.output(session, "out", 4)
        self.assertEqual((raised.exception.code, str(raised.exception)),
                         ("OUT_OF_RANGE", "session_output: output 'out': item must be in [0, 4), got 4"))

    def test_from_memory(self):
        path = self.program(lambda x: sy.relu(x), spec("x", None, 3))
        data = pathlib.Path(path).read_bytes()
        model = self.library.get(ctypes.c_uint64, "model_load_bytes", data, len(data), None, 0, 0)
        session = self.library.session(model)
        self.library.run(session, {"x": self.x})
        self.assert_bits(self.library.output(session, "out"), np.maximum(self.x, 0))
        self.library.call("session_free", session)
        self.library.call("model_free", model)

    def test_threads_run_sessions_of_one_model(self):
        layer = sy.nn.Linear(3, 64)
        path = self.program(lambda x: sy.softmax(layer(x)), spec("x", None, 3))
        model = self.library.load(path)
        want, = sy.load(path).run({"x": self.x}).values()
        wrong = []

        def work():
            session = self.library.session(model, self.library.options(threads=2))
            for _ in range(100):
                self.library.run(session, {"x": self.x})
                if self.library.output(session, "out").tobytes() != want.tobytes():
                    wrong.append("bits")
            self.library.call("session_free", session)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.library.call("model_free", model)

    def test_profile_and_explain(self):
        path = self.program(lambda x: sy.relu(x) + x, spec("x", None, 3))
        model, session = self.opened(path, self.library.options(profile=1))
        with self.assertRaises(Error) as raised:
            self.library.get(ctypes.c_char_p, "session_profile", session)
        self.assertEqual(raised.exception.code, "NOT_READY")
        self.library.run(session, {"x": self.x})
        events = json.loads(self.library.get(ctypes.c_char_p, "session_profile", session))["traceEvents"]
        self.assertEqual(sorted(event["name"] for event in events), ["add", "relu"])
        for event in events:
            self.assertRegex(event["args"]["kernel"], r"^cpu float32 \(phi/kernels/cpu/")
        for function, handle in (("model_explain", model), ("session_explain", session)):
            said = self.library.get(ctypes.c_char_p, function, handle)
            self.assertIn(b"relu", said)
            json.loads(said)
        self.assertEqual(self.library.get(ctypes.c_char_p, "model_warning", model), b"")

    def test_memory_is_counted_and_bounded(self):
        layer = sy.nn.Linear(1000, 1000)
        path = self.program(lambda x: sy.relu(layer(x)), spec("x", None, 1000))
        model, session = self.opened(path)
        weights = 4 * (1000 * 1000 + 1000)
        self.assertGreaterEqual(self.library.get(ctypes.c_uint64, "model_memory", model), weights)
        x = np.zeros((2000, 1000), np.float32)
        self.library.run(session, {"x": x})
        now, peak = ctypes.c_uint64(), ctypes.c_uint64()
        self.library.call("session_memory", session, ctypes.byref(now), ctypes.byref(peak))
        self.assertGreaterEqual(now.value, x.nbytes)
        self.assertGreaterEqual(peak.value, now.value)
        with self.assertRaises(Error) as raised:
            self.library.load(path, self.library.options(memory_limit=weights // 2))
        self.assertEqual(raised.exception.code, "NO_MEMORY")
        self.assertIn(f"must fit in the limit of {weights // 2} bytes", str(raised.exception))
        bounded = self.library.session(model, self.library.options(memory_limit=x.nbytes // 2))
        with self.assertRaises(Error) as raised:
            self.library.run(bounded, {"x": x})
        self.assertEqual(raised.exception.code, "NO_MEMORY")
        self.library.run(bounded, {"x": x[:10]})
        self.assertEqual(self.library.output(bounded, "out").shape, (10, 1000))
        self.library.call("session_free", bounded)

    def test_texts_are_counted_and_bounded(self):
        path = self.program(lambda x: sy.strings.upper(x), spec("x", None, dtype="string"))
        model, session = self.opened(path)
        long, count = b"a" * 10_000, 50
        with self.subTest("counted"):
            self.library.call("session_set_texts", session, b"x", 1, (ctypes.c_int64 * 1)(count),
                              (ctypes.c_char_p * count)(*[long] * count), None, count)
            now, peak = ctypes.c_uint64(), ctypes.c_uint64()
            self.library.call("session_memory", session, ctypes.byref(now), ctypes.byref(peak))
            self.assertIn(now.value, range(count * len(long), count * (len(long) + 100)))
            self.library.call("session_run", session)
            self.library.call("session_memory", session, ctypes.byref(now), ctypes.byref(peak))
            self.assertGreaterEqual(now.value, 2 * count * len(long))
            self.library.call("session_clear", session)
            self.library.call("session_memory", session, ctypes.byref(now), ctypes.byref(peak))
            self.assertLess(now.value, len(long))
            self.assertGreaterEqual(peak.value, 2 * count * len(long))
        for limit, fails in ((count * len(long) // 2, "session_set_texts"),
                             (count * len(long) * 3 // 2, "session_run")):
            with self.subTest(fails):
                bounded = self.library.session(model, self.library.options(memory_limit=limit))
                with self.assertRaises(Error) as raised:
                    self.library.call("session_set_texts", bounded, b"x", 1, (ctypes.c_int64 * 1)(count),
                                      (ctypes.c_char_p * count)(*[long] * count), None, count)
                    self.assertEqual(fails, "session_run", limit)
                    self.library.call("session_run", bounded)
                self.assertEqual(raised.exception.code, "NO_MEMORY")
                self.assertIn(f"must fit in the limit of {limit} bytes", str(raised.exception))
                self.library.call("session_set_texts", bounded, b"x", 1, (ctypes.c_int64 * 1)(1),
                                  (ctypes.c_char_p * 1)(long), None, 1)
                self.library.call("session_run", bounded)
                self.library.call("session_free", bounded)

    def test_texts_between_operators_are_counted_and_bounded(self):
        # The numbers become texts of 10,000 and of 20,000 bytes, and numbers again.
        texts, floats = 8, 1
        nodes = [onnx.node("Cast", ["n"], ["short"], to=texts),
                 onnx.node("StringConcat", ["zeros", "short"], ["long"]),
                 onnx.node("StringConcat", ["zeros", "long"], ["longer"]),
                 onnx.node("StringNormalizer", ["longer"], ["same"], case_change_action="UPPER"),
                 onnx.node("Cast", ["same"], ["y"], to=floats)]
        path = self.folder / "texts.onnx"
        path.write_bytes(onnx.model(
            onnx.graph(nodes, [onnx.port("zeros", "string", [1]), onnx.port("n", "int64", [None])], ["y"]), 20))
        zeros, count = b"0" * 10_000, 50
        n = np.arange(count)

        def opened(limit=None):
            model, session = self.opened(str(path), self.library.options(memory_limit=limit) if limit else 0)
            self.library.call("session_set_texts", session, b"zeros", 1, (ctypes.c_int64 * 1)(1),
                              (ctypes.c_char_p * 1)(zeros), None, 1)
            return session

        def memory(session):
            now, peak = ctypes.c_uint64(), ctypes.c_uint64()
            self.library.call("session_memory", session, ctypes.byref(now), ctypes.byref(peak))
            return now.value, peak.value

        session = opened()
        before, _ = memory(session)
        self.library.run(session, {"n": n})
        self.assert_bits(self.library.output(session, "y"), n.astype(np.float32))
        now, peak = memory(session)
        # One tensor of texts of 10,000 bytes and two of 20,000 live until the run ends.
        self.assertIn(peak, range(5 * count * len(zeros), 5 * count * len(zeros) + 100_000))
        self.assertLess(now - before, len(zeros))
        limit = 5 * count * len(zeros) // 2
        bounded = opened(limit)
        before, _ = memory(bounded)
        for _ in range(2):
            with self.assertRaises(Error) as raised:
                self.library.run(bounded, {"n": n})
            self.assertEqual(raised.exception.code, "NO_MEMORY")
            self.assertRegex(str(raised.exception), r"strings_concat.*: memory: texts of 10\d{5} bytes must fit in "
                             rf"the limit of {limit} bytes, got \d+ in use")
            self.assertEqual(memory(bounded)[0], before)
        self.library.run(bounded, {"n": n[:20]})
        self.assert_bits(self.library.output(bounded, "y"), n[:20].astype(np.float32))


if __name__ == "__main__":
    unittest.main()
