# SPDX-License-Identifier: Apache-2.0
"""Every operator's samples, eager and static: the same bits and choices."""
import unittest

import numpy as np

from tests.samples import samples
import switchyard as sy
from switchyard import _core


# After an operator whose kernel finds out how large its result is, choices are
# known in the run alone.
TELLS_SHAPES = ("nonzero",)
# Made of other operators where extents are not known.
MADE_OTHERWISE = ("broadcast_tensors", "dequantize_weight", "logsumexp")
# The calls by which a run compares extents that are not known; eager code has
# compared them by then.
COMPARES_EXTENTS = {"dot": ["reshape_grad", "reshape_grad"],
                    "slogdet": ["sum", "reshape_grad"]}


def trace(sample, arrays, unknown):
    """The sample as a program; with `unknown`, no extent is known."""
    builder = _core.GraphBuilder(sample.op)
    feeds = {}

    def value(name, array):
        if isinstance(array, list):
            return [value(f"{name}{i}", item) for i, item in enumerate(array)]
        feeds[name] = samples.tensor(array, sy)
        shape = [None if unknown else extent for extent in array.shape]
        return builder.feed(name, shape, samples.dtype_of(array))

    inputs = {name: value(name, array) for name, array in arrays.items()}
    if not inputs:  # Nothing tells a creation operator to trace: a feed does.
        return None, None
    outputs = getattr(_core.ops, sample.op)(**inputs, **sample.attributes())
    for i, output in enumerate(samples.flat(outputs)):
        builder.fetch(f"out{i}", output)
    return builder.finish(optimize=False), feeds


def state_for(program):
    """A state whose random numbers are those of the next eager call."""
    state = _core.State()
    if "rng" in program.states:
        state["rng"] = sy.tensor(np.array(sy.rng_state(), np.int64))
    return state


def split_further(choices, log):
    """Those of `choices` that are the log's, in order, and the others' operators."""
    common, further = [], []
    for choice in choices:
        if len(common) < len(log) and choice == log[len(common)]:
            common.append(choice)
        else:
            further.append(choice.split()[0])
    return common, further


class EagerStaticTest(unittest.TestCase):

    def check(self, sample, unknown):
        arrays = samples.arrays_of(sample)
        program, feeds = trace(sample, arrays, unknown)
        if program is None:
            return False
        sy.seed(5)
        static = program.run(feeds, state_for(program))
        tensors = {name: [samples.tensor(a, sy) for a in array]
                   if isinstance(array, list) else samples.tensor(array, sy)
                   for name, array in arrays.items()}
        with sy.record_selections() as log:
            outputs = getattr(_core.ops, sample.op)(**tensors,
                                                    **sample.attributes())
        for i, output in enumerate(samples.flat(outputs)):
            got, want = static[f"out{i}"], output.numpy()
            self.assertEqual(got.dtype, want.dtype)
            self.assertEqual(got.shape, want.shape)
            self.assertEqual(np.ascontiguousarray(got).tobytes(),
                             np.ascontiguousarray(want).tobytes())
        choices = program.selections(feeds, state_for(program))
        if "rng" in program.states:  # Static counts draws by an operator.
            self.assertRegex(choices.pop(), "^add int64.2., int64.2. ")
        if choices and choices[-1].split()[0] in TELLS_SHAPES:
            log = log[:len(choices)]
        if unknown and sample.op in COMPARES_EXTENTS:
            choices, further = split_further(choices, log)
            self.assertEqual(further, COMPARES_EXTENTS[sample.op])
        if not (unknown and sample.op in MADE_OTHERWISE):
            self.assertEqual(choices, log)
        return True

    def test_samples(self):
        count = 0
        for rows in samples.load("valid").values():
            for sample in rows:
                for unknown in (False,) if sample.known else (False, True):
                    with self.subTest(str(sample), unknown=unknown):
                        count += self.check(sample, unknown)
        samples.check_count(self, count, 400)


if __name__ == "__main__":
    unittest.main()
