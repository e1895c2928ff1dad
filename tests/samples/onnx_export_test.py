# SPDX-License-Identifier: Apache-2.0
"""Every operator's samples as ONNX models, read again: the same values.

onnx_export.txt lists the operators none of whose samples goes out, each with the reason; the list
may only shrink. A call that has no form is refused; what is written must be read and be right."""
import collections
import os
import pathlib
import tempfile
import unittest

import numpy as np

from tests.samples import samples
import switchyard as sy
from switchyard import _core

LIST = pathlib.Path("tests/samples/onnx_export.txt")
MOST_LISTED = 107
# Opsets of samples whose extents are known, and of those where none is.
KNOWN, OPEN = (17, 28), (23,)
# The difference that is allowed, as a part of the greatest magnitude.
LIMITS = {"float16": 4e-3, "bfloat16": 4e-2}
# Our reader refuses these calls where no extent is known.
UNREAD = ("must be known", "must have a known shape", "known before the run", "and known channels",
          "be known and not empty")
# Samples, with extents that are known or not, that are not the same when they are read again.
DIFFERENT = {
    ("nms", 3, False): "our reader needs a box",
    ("nms", 3, True): "our reader needs a box",
    ("nearest_interp", 11, True): "factors and extents that contradict each other",
    ("linear_quantized", 1, True): "packed weights do not say an odd width",
    ("linear_quantized", 4, True): "packed weights do not say an odd width",
}


def listed():
    """{operator: reason} of the list: a reason, and under it its operators, indented."""
    rows, reason = {}, ""
    for line in LIST.read_text().splitlines():
        if line.startswith(" "):
            rows.update({name: reason for name in line.split()})
        elif not line.startswith("#"):
            reason = line
    return rows


def trace(sample, arrays, unknown):
    """The sample as a program in its test phase, and its feeds; None without feeds."""
    builder = _core.GraphBuilder(sample.op)
    feeds = {}

    def value(name, array):
        if isinstance(array, list):
            return [value(f"{name}{i}", item) for i, item in enumerate(array)]
        feeds[name] = samples.tensor(array, sy)
        shape = [None if unknown else extent for extent in array.shape]
        return builder.feed(name, shape, samples.dtype_of(array))

    inputs = {name: value(name, array) for name, array in arrays.items()}
    if not inputs:
        return None, None
    outputs = getattr(_core.ops, sample.op)(**inputs, **sample.attributes())
    names = []
    for i, output in enumerate(samples.flat(outputs)):
        names.append(f"out{i}")
        builder.fetch(names[-1], output)
    return builder.finish(optimize=False).export(names), feeds


class OnnxExportTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "model.onnx")

    def check_values(self, want, got):
        for name, expected in want.items():
            result = got[name]
            self.assertEqual((result.dtype, result.shape), (expected.dtype, expected.shape))
            if expected.dtype.kind not in "fc":
                np.testing.assert_array_equal(result, expected)
                continue
            wide = np.asarray(expected, np.complex128)
            largest = np.max(np.abs(wide[np.isfinite(wide)]), initial=1e-6)
            limit = self.limit * max(largest, 1e-6)
            np.testing.assert_allclose(np.asarray(result, np.complex128), wide, rtol=0, atol=limit)

    def check(self, program, feeds, opset, unknown):
        """Whether the sample went out; the opsets differ in what they have."""
        state = _core.State()
        if "rng" in program.states:
            state["rng"] = sy.tensor(np.array(sy.rng_state(), np.int64))
        try:
            program.export_onnx(self.path, state, opset, {}, {}, "", None)
        except (NotImplementedError, TypeError, ValueError) as error:
            self.assertRegex(str(error), "no form in ONNX|a value must be|opset must be")
            return False
        want = program.run({name: feeds[name] for name in program.feeds}, state)
        try:
            again = sy.load(self.path, exact=True)
        except (NotImplementedError, ValueError) as error:
            if unknown and any(words in str(error) for words in UNREAD):
                return True
            raise
        self.check_values(want, again.run({name: feeds[name] for name in again.feeds}))
        return True

    def test_samples(self):
        out, refused = collections.Counter(), set()
        for op, rows in samples.load("valid").items():
            for sample in rows:
                arrays = samples.arrays_of(sample)
                dtypes = {samples.dtype_of(item) for array in arrays.values()
                          for item in samples.flat(array)}
                self.limit = max([LIMITS.get(dtype, 1e-5) for dtype in dtypes], default=1e-5)
                for unknown in (False,) if sample.known else (False, True):
                    program, feeds = trace(sample, arrays, unknown)
                    if program is None:
                        continue
                    for opset in OPEN if unknown else KNOWN:
                        with self.subTest(str(sample), unknown=unknown, opset=opset):
                            refused.add(op)
                            reason = DIFFERENT.get((op, sample.number, unknown))
                            if reason is None:
                                out[op] += self.check(program, feeds, opset, unknown)
                                continue
                            with self.assertRaises((AssertionError, ValueError), msg=reason):
                                self.check(program, feeds, opset, unknown)
        refused -= {op for op in refused if out[op]}
        rows = {op for op in listed() if samples.wanted(op)}
        if samples.ONLY is None:  # One that is being added may have no form yet.
            self.assertEqual(sorted(refused - rows), [], "these do not go out")
        self.assertEqual(sorted(rows - refused), [], "these go out: take them off the list")
        self.assertLessEqual(len(listed()), MOST_LISTED)
        samples.check_count(self, sum(count > 0 for count in out.values()), 345)


if __name__ == "__main__":
    unittest.main()
