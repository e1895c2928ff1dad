# SPDX-License-Identifier: Apache-2.0
"""The bits of an item do not depend on the batch that it is in: every sample of
every operator that names a batch (`batch:` in its entry, and the trait
elementwise), in batches of 1, 3, 8 and 64."""
import collections
import dataclasses
import json
import pathlib
import unittest

import numpy as np

from tests.samples import samples
import switchyard as sy

MOST = 64
BATCHES = (1, 3, 8, MOST)


def batched_inputs():
    """{operator: its inputs of which axis 0 is the batch}."""
    found = {}
    for path in pathlib.Path("docs/ops/generated").glob("*.json"):
        for op in json.loads(path.read_text()):
            if op["batch"] and not op["forward"] and op["name"][-1] != "_":
                found[op["name"]] = op["batch"]
    return found


class Batched:
    """A sample with as many items as asked for."""

    def __init__(self, sample, inputs):
        self.sample = sample
        self.inputs = [name for name in inputs if name in sample.arguments]
        specs = sample.tensors()
        full = dataclasses.replace(sample, arguments={
            name: dataclasses.replace(
                value, shape=(MOST, *value.shape[1:]), words=value.words.replace("strided", ""))
            if name in self.inputs else value
            for name, value in sample.arguments.items()})
        self.usable = bool(self.inputs) and all(
            not isinstance(specs[name], list) and specs[name].shape for name in self.inputs)
        # Elementwise operators broadcast: an item then belongs to several.
        self.usable = self.usable and len({
            (len(specs[name].shape), specs[name].shape[0]) for name in self.inputs}) == 1
        # A single matrix has no batch.
        self.usable = self.usable and not any(
            "definite" in specs[name].words and len(specs[name].shape) < 3
            for name in self.inputs)
        self.full = full
        self.arrays = samples.arrays_of(full) if self.usable else {}

    def run(self, items, backends=None):
        """Bits of the outputs of those items, and how many of the outputs have a batch."""
        tensors = {}
        for name, array in self.arrays.items():
            if name in self.inputs:
                array = np.ascontiguousarray(array[items]).view(type(array))
            tensors[name] = ([samples.tensor(a, sy) for a in array] if isinstance(array, list)
                             else samples.tensor(array, sy))
        with sy.policy(**({"backends": backends} if backends else {})):
            sy.seed(11)
            outputs = samples.flat(getattr(sy.ops, self.sample.op)(
                **tensors, **self.sample.attributes()))
        return [output.numpy() for output in outputs if output.shape[:1] == [len(items)]
                or tuple(output.shape[:1]) == (len(items),)]

    def same(self, backends=None):
        """Whether each item has the bits that it has alone; None if nothing has a batch."""
        every = list(range(MOST))
        alone = [self.run([item], backends) for item in every[:8] + every[-1:]]
        if not alone[0]:
            return None
        orders = [every[:count] for count in BATCHES[1:]] + [every[::-1]]
        for order in orders:
            together = self.run(order, backends)
            if len(together) != len(alone[0]):
                return False
            for item, results in zip(every[:8] + every[-1:], alone):
                if item not in order:
                    continue
                at = order.index(item)
                for one, many in zip(results, together):
                    if one[0].tobytes() != many[at].tobytes():
                        return False
        return True


def has_batch(batched):
    """Whether the items are independent at all, which the reference kernels decide: a softmax
    along the batch, or a product by a matrix that is as high as the batch, has none. Where there
    is no such kernel they are."""
    try:
        return batched.same(["reference"])
    except NotImplementedError:
        return bool(batched.run([0]))
    except (ValueError, TypeError, IndexError):
        return False


class BatchTest(unittest.TestCase):

    def test_samples(self):
        batched = batched_inputs()
        valid = samples.load("valid", batched)
        counts = collections.Counter()
        for op, inputs in sorted(batched.items()):
            for sample in valid.get(op, ()):
                call = Batched(sample, inputs)
                if not call.usable or not has_batch(call):
                    continue
                counts[op] += 1
                with self.subTest(str(sample)):
                    self.assertTrue(call.same())
        self.assertEqual([op for op in batched if op in valid and not counts[op]], [])
        samples.check_count(self, sum(counts.values()), 300)


if __name__ == "__main__":
    unittest.main()
