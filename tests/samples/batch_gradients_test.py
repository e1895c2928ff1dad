# SPDX-License-Identifier: Apache-2.0
"""The bits of an item's gradients do not depend on the batch that it is in, for every
operator that names a batch: a step of training on several shards relies on it
(python/switchyard/distributed/merged_shards.py). And so for linear, einsum, rnn and
attention, forward too, whose products have the items as rows."""
import collections
import unittest

import numpy as np

from tests.samples import batch_test, samples
import switchyard as sy

MOST = batch_test.MOST
FLOATING = ("float16", "bfloat16", "float32", "float64")


def cotangent(number, output, items):
    """The gradient that an output of these items gets."""
    random = np.random.default_rng(number)
    every = random.normal(size=(MOST, *output.shape[1:]))
    return sy.ops.cast(sy.tensor(every[items]), output.dtype)


class BatchedGradients(batch_test.Batched):
    """The gradients of a sample with as many items as asked for."""

    def run(self, items, backends=None):
        tensors, wanted = {}, []
        for name, array in self.arrays.items():
            if name in self.inputs:
                array = np.ascontiguousarray(array[items]).view(type(array))
            tensors[name] = ([samples.tensor(a, sy) for a in array] if isinstance(array, list)
                             else samples.tensor(array, sy))
            if name in self.inputs and tensors[name].dtype in FLOATING:
                tensors[name].requires_grad = True
                wanted.append(tensors[name])
        sy.seed(11)
        outputs = [output for output in samples.flat(getattr(sy.ops, self.sample.op)(
            **tensors, **self.sample.attributes()))
            if tuple(output.shape[:1]) == (len(items),) and output.requires_grad]
        if not outputs or not wanted:
            return []
        gradients = sy.grad(outputs, wanted, [cotangent(number, output, items) for
                                              number, output in enumerate(outputs)],
                            allow_unused=True)
        return [each.numpy() for each in gradients if each is not None]


def einsum(equation):
    return lambda x, y: sy.einsum(equation, x, y)


def layers(dtype):
    """{name: (function of tensors with items, its inputs' shapes without the batch,
    shapes of those without items)}."""
    sy.seed(7)

    def recurrent(kind, **options):
        layer = kind(6, 8, batch_first=True, **options).to(dtype)
        return (lambda x: layer(x)[0]), [(5, 6)], []

    heads = sy.nn.MultiHeadAttention(16, 2).to(dtype)
    scaled = sy.nn.functional.scaled_dot_product_attention
    return {
        "linear": (sy.nn.functional.linear, [(37,)], [(37, 29), (29,)]),
        "linear of sequences": (sy.nn.functional.linear, [(5, 37)], [(37, 29), (29,)]),
        "linear, one column": (sy.nn.functional.linear, [(300,)], [(300, 1), (1,)]),
        "einsum bi,io->bo": (einsum("bi,io->bo"), [(37,)], [(37, 29)]),
        "einsum bi,oi->bo": (einsum("bi,oi->bo"), [(37,)], [(29, 37)]),
        "einsum bti,io->bto": (einsum("bti,io->bto"), [(5, 37)], [(37, 29)]),
        "einsum bti,bsi->bts": (einsum("bti,bsi->bts"), [(5, 17), (7, 17)], []),
        "einsum bhmd,bhnd->bmhn": (einsum("bhmd,bhnd->bmhn"), [(2, 5, 8), (2, 7, 8)], []),
        "einsum bi,bi->b": (einsum("bi,bi->b"), [(37,), (37,)], []),
        "rnn": recurrent(sy.nn.RNN),
        "lstm": recurrent(sy.nn.LSTM),
        "gru": recurrent(sy.nn.GRU),
        "lstm, both ways, two layers": recurrent(sy.nn.LSTM, num_layers=2,
                                                 bidirectional=True),
        "attention": (scaled, [(2, 5, 8)] * 3, []),
        "attention of other lengths": (scaled, [(2, 5, 8), (2, 7, 8), (2, 7, 8)], []),
        "causal attention": (lambda q, k, v: scaled(q, k, v, is_causal=True),
                             [(2, 5, 8)] * 3, []),
        "dot_attention": (lambda q, k, v: sy.ops.dot_attention(q, k, v, None, scale=0.3),
                          [(2, 5, 8)] * 3, []),
        "MultiHeadAttention": (heads, [(5, 16)] * 3, []),
    }


class BatchGradientsTest(unittest.TestCase):

    def test_samples(self):
        batched = batch_test.batched_inputs()
        valid = samples.load("valid", batched)
        counts = collections.Counter()
        for op, inputs in sorted(batched.items()):
            for sample in valid.get(op, ()):
                call = BatchedGradients(sample, inputs)
                if not call.usable or not batch_test.has_batch(
                        batch_test.Batched(sample, inputs)):
                    continue
                with self.subTest(str(sample)):
                    same = call.same()
                    if same is None:  # It has no gradient.
                        continue
                    counts[op] += 1
                    self.assertTrue(same)
        samples.check_count(self, sum(counts.values()), 150)

    def test_layers(self):
        for dtype in ("float32", "float64"):
            for name, (function, shapes, fixed) in layers(dtype).items():
                with self.subTest(f"{name}, {dtype}"):
                    self.check_layer(function, shapes, fixed, dtype)

    def check_layer(self, function, shapes, fixed, dtype):
        random = np.random.default_rng(3)
        arrays = [random.normal(size=(MOST, *shape)).astype(dtype) for shape in shapes]
        weights = [sy.tensor(random.normal(size=shape).astype(dtype)) for shape in fixed]

        def results(items):
            given = [sy.tensor(array[items], requires_grad=True) for array in arrays]
            out = function(*given, *weights)
            gradients = sy.grad([out], given, [cotangent(0, out, items)])
            return [each.numpy() for each in (out, *gradients)]

        every = list(range(MOST))
        alone = {item: results([item]) for item in (0, 1, 2, 7, MOST - 1)}
        for order in ([0, 1, 2], every[:8], every, every[::-1]):
            together = results(order)
            for item in set(alone) & set(order):
                for one, many in zip(alone[item], together):
                    self.assertEqual(one[0].tobytes(), many[order.index(item)].tobytes())


if __name__ == "__main__":
    unittest.main()
