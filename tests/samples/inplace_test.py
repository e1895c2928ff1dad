# SPDX-License-Identifier: Apache-2.0
"""Every in-place variant's samples, eager and traced: the same bits, or refused by both."""
import unittest

import numpy as np

from tests.samples import samples
import switchyard as sy
from switchyard import _core

ERRORS = (ValueError, TypeError, RuntimeError)


def written_inputs(sample):
    """The inputs that the in-place variant writes: those that an eager call changes."""
    return ("mean", "variance") if sample.op == "batch_norm" else ("x",)


def eager(sample, arrays):
    """Returns the written inputs and views of them; None if the call is refused."""
    tensors = {name: samples.tensor(array, sy) for name, array in arrays.items()}
    views = {name: sy.reshape(tensors[name], [-1]) for name in written_inputs(sample)}
    try:
        with sy.no_grad():
            getattr(sy.ops, sample.op + "_")(**tensors, **sample.attributes())
    except ERRORS:
        return None
    return {name: (tensors[name].numpy(), view.numpy()) for name, view in views.items()}


def traced(sample, arrays):
    """Returns what `eager` does, of a program, whose feeds stay as they are."""
    builder = _core.GraphBuilder(sample.op)
    feeds = {name: samples.tensor(array, sy) for name, array in arrays.items()}
    before = {name: feed.numpy().tobytes() for name, feed in feeds.items()}
    values = {name: builder.feed(name, list(array.shape), samples.dtype_of(array))
              for name, array in arrays.items()}
    views = {name: sy.reshape(values[name], [-1]) for name in written_inputs(sample)}
    try:
        outputs = getattr(sy.ops, sample.op + "_")(**values, **sample.attributes())
    except ERRORS:
        return None
    for name in views:
        assert any(values[name] is output for output in samples.flat(outputs)), sample
        builder.fetch(name, values[name])
        builder.fetch(f"view of {name}", views[name])
    got = builder.finish().run(feeds)
    for name, feed in feeds.items():
        assert feed.numpy().tobytes() == before[name], (sample, name)
    return {name: (got[name], got[f"view of {name}"]) for name in views}


class InplaceTest(unittest.TestCase):

    def test_samples(self):
        forms = {name for name in sy.ops.__all__
                 if name.endswith("_") and name[:-1] in sy.ops.__all__}
        covered, count = set(), 0
        for rows in samples.load("valid").values():
            for sample in rows:
                if sample.op + "_" not in forms:
                    continue
                arrays = samples.arrays_of(sample)
                with self.subTest(str(sample)):
                    want, got = eager(sample, arrays), traced(sample, arrays)
                    self.assertEqual(want is None, got is None)
                    if want is None:
                        continue
                    for name, tensors in want.items():
                        for a, b in zip(tensors, got[name]):
                            self.assertEqual((a.dtype, a.shape), (b.dtype, b.shape))
                            self.assertEqual(np.ascontiguousarray(a).tobytes(),
                                             np.ascontiguousarray(b).tobytes())
                    covered.add(sample.op + "_")
                    count += 1
        samples.check_count(self, count, 100)
        if samples.ONLY is None:
            self.assertEqual(forms - covered, set())


if __name__ == "__main__":
    unittest.main()
