# SPDX-License-Identifier: Apache-2.0
"""Every invalid sample, eager and static: the sentence, and nothing changed."""
import unittest

import numpy as np

from tests.samples import samples
import switchyard as sy
from switchyard import _core

EXCEPTION = {"invalid_argument": ValueError, "type_error": TypeError,
             "out_of_range": IndexError, "size": MemoryError}


def is_meta(sample):
    return any(spec.meta for value in sample.tensors().values()
               for spec in samples.flat(value))


class InvalidTest(unittest.TestCase):

    def assert_sentence(self, sample, call):
        with self.assertRaises(EXCEPTION[sample.code]) as caught:
            call()
        self.assertRegex(
            str(caught.exception),
            rf"^(program: )?{sample.op}: {sample.argument}\b.* must .*, got ")

    def check_eager(self, sample):
        arrays = samples.arrays_of(sample)
        tensors = samples.tensors_of(sample, arrays, sy)
        # An empty list is no tensor argument to the sample reader.
        function = getattr(sy.ops, sample.op)
        self.assert_sentence(
            sample, lambda: function(**tensors, **sample.attributes()))
        for name, value in tensors.items():
            for tensor, array in zip(samples.flat(value),
                                     samples.flat(arrays[name])):
                np.testing.assert_array_equal(tensor.numpy(), array)

    def check_static(self, sample):
        builder = _core.GraphBuilder("program")

        def value(name, spec):
            if isinstance(spec, list):
                return [value(f"{name}{i}", s) for i, s in enumerate(spec)]
            return builder.feed(name, list(spec.shape), spec.dtype)

        inputs = {n: value(n, s) for n, s in sample.tensors().items()}
        def compile_program():
            # Shapes fail at once, dtypes that no kernel has when it compiles.
            outputs = getattr(sy.ops, sample.op)(**inputs,
                                                 **sample.attributes())
            for i, output in enumerate(samples.flat(outputs)):
                builder.fetch(f"out{i}", output)
            builder.finish(optimize=False)

        self.assert_sentence(sample, compile_program)

    def test_samples(self):
        # The operators themselves: their functions in Python promote dtypes, and the rule
        # of that has tests of its own.
        for op in samples.load("invalid"):
            _core.set_fuller_form(op, lambda *args, **kwargs: NotImplemented)
        counts = {"eager": 0, "static": 0}
        for rows in samples.load("invalid").values():
            for sample in rows:
                with self.subTest(str(sample)):
                    if not is_meta(sample):
                        self.check_eager(sample)
                        counts["eager"] += 1
                    # An error that depends on values shows only when it runs.
                    if sample.tensors() and not self.by_value(sample):
                        self.check_static(sample)
                        counts["static"] += 1
        samples.check_count(self, counts["eager"], 80)
        samples.check_count(self, counts["static"], 60)

    @staticmethod
    def by_value(sample):
        spec = sample.tensors().get(sample.argument)
        if spec is None:
            return False
        # A divisor of zeros, an index beyond.
        return (sample.code == "out_of_range" or
                any("zero" in s.words for s in samples.flat(spec)))


if __name__ == "__main__":
    unittest.main()
