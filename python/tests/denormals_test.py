# SPDX-License-Identifier: Apache-2.0
"""Denormal numbers: eager code, traced, saved and imported programs give the same bits for them.

Every public function and operator that takes one or two float32 tensors is called with denormals,
and with ordinary numbers beside them.
"""
import pathlib
import tempfile
import unittest

import numpy as np

import switchyard as sy

TINY = np.array([1e-39, -1e-40, 1e-45, -1e-45, 1.17e-38, 0.0, -0.0, 1.0, -2.5, 3e-39], np.float32)
# Draw numbers, or read memory that nothing was written to.
NOT_COMPARED = {"empty_like"}
HOMES = (sy.ops, sy, sy.nn.functional, sy.linalg, sy.special)


def results_of(function, arguments):
    """The arrays that a call gives, or None where it refuses these arguments."""
    try:
        results = function(*arguments)
        results = results if isinstance(results, (tuple, list)) else [results]
        if not all(isinstance(result, sy.Tensor) and result.kind == "dense" for result in results):
            return None
        return [result.numpy() for result in results]  # A device reports its errors here.
    except Exception:  # Also an operator in Python, of another test in this process.
        return None


def functions_of(count):
    """{name: (function, eager results)} of the functions that take `count` tensors."""
    arguments = [sy.tensor(TINY), sy.tensor(TINY[::-1].copy())][:count]
    found, seen = {}, set()
    for home, name in ((home, name) for home in HOMES for name in sorted(dir(home))):
        function = getattr(home, name)
        if name.startswith("_") or name.endswith("_") or name in NOT_COMPARED or (
                isinstance(function, type) or not callable(function)):
            continue
        # A polynomial's degree is a whole number.
        if id(function) in seen or "_polynomial_" in name:
            continue
        seen.add(id(function))
        sy.seed(1)
        results = results_of(function, arguments)
        if results is not None:
            found[f"{home.__name__}.{name}"] = function, results
    return found


class DenormalsTest(unittest.TestCase):

    def check(self, count):
        arrays = [TINY, TINY[::-1].copy()][:count]
        found = functions_of(count)
        differ = []
        for name, (function, eager) in found.items():
            sy.seed(1)
            try:
                program = sy.static.trace(function, *(sy.static.InputSpec(array.shape) for array in arrays))
            except (TypeError, ValueError, AttributeError, NotImplementedError):
                continue  # No dense result of a known rank, as of string functions; NumPy.
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "program"
                program.save(path)
                loaded = sy.load(path)
            for kind, one in (("traced", program), ("loaded", loaded)):
                sy.seed(1)
                got = list(one.run(dict(zip(one.feeds, arrays))).values())
                if [a.tobytes() for a in got] != [a.tobytes() for a in eager]:
                    differ.append((kind, name))
        self.assertEqual(differ, [])
        return len(found)

    def test_unary_functions(self):
        self.assertGreater(self.check(1), 280)

    def test_binary_functions(self):
        self.assertGreater(self.check(2), 120)

    def test_a_program_flushes_only_where_asked_to(self):
        def function(x):
            return sy.log(x), sy.ceil(x), x + x
        spec = sy.static.InputSpec([None])
        eager = [result.numpy() for result in function(sy.tensor(TINY))]
        with tempfile.TemporaryDirectory() as folder:
            for text in (None, "denormals=flush"):
                program = sy.static.trace(function, spec, relaxed=text)
                path = pathlib.Path(folder) / "program"
                program.save(path)
                loaded = sy.load(path)
                self.assertEqual(loaded.relaxed, program.relaxed)
                for one in (program, loaded):
                    for run in (one.run, one.run_eagerly):
                        logarithm, whole, twice = run({"x0": TINY}).values()
                        equal = [np.array_equal(a, b, equal_nan=True)
                                 for a, b in zip((logarithm, whole, twice), eager)]
                        self.assertEqual(equal, [text is None] * 3)
                self.assertEqual("relaxed: denormals=flush" in program.explain(), text is not None)
            # The file's choice, changed where it is loaded.
            self.assertEqual(sy.load(path, relaxed="denormals=keep").run({"x0": TINY})["out2"].tobytes(),
                             (TINY + TINY).tobytes())
            with self.assertRaisesRegex(ValueError, "fusion and precision must be as the program was saved with"):
                sy.load(path, relaxed="fusion=relaxed")

    def test_other_arguments_are_refused(self):
        with self.assertRaisesRegex(TypeError, "relaxed must be a text .*, got bool"):
            sy.static.trace(sy.relu, TINY, relaxed=True)
        with self.assertRaisesRegex(ValueError, "denormals must be keep or flush, got 'drop'"):
            sy.static.trace(sy.relu, TINY, relaxed={"denormals": "drop"})


if __name__ == "__main__":
    unittest.main()
