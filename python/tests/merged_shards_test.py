# SPDX-License-Identifier: Apache-2.0
"""The shards of a process as one program: the bits of each shard alone, whatever the
calls read along the batch."""

import unittest

import numpy as np

import switchyard as sy

nn = sy.nn


class Model(nn.Module):
    """A function between two layers, whose bits say how it was computed."""

    def __init__(self, function, inputs=8, hidden=8):
        super().__init__()
        self.first, self.last = nn.Linear(inputs, hidden), nn.Linear(hidden, 5)
        self.function = function

    def forward(self, x):
        return self.last(self.function(self.first(x)))


class Encoder(nn.Module):

    def __init__(self, dropout):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=dropout)
        self.last = nn.Linear(16, 5)

    def forward(self, x):
        return self.last(self.layer(x).mean(1))


class Recurrent(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer, self.last = nn.LSTM(6, 8, batch_first=True), nn.Linear(8, 5)

    def forward(self, x):
        return self.last(self.layer(x)[0][:, -1])


def lenet():
    return nn.Sequential(
        nn.Conv2D(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2D(2),
        nn.Conv2D(6, 16, 5), nn.ReLU(), nn.MaxPool2D(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 5))


# {name: (network, shape of a row)}.
NETWORKS = {
    "mlp": (lambda: nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5)), (20,)),
    "lenet": (lenet, (1, 28, 28)),
    "batch norm": (lambda: nn.Sequential(
        nn.Conv2D(1, 4, 3), nn.BatchNorm2D(4), nn.GELU(), nn.AvgPool2D(2), nn.Flatten(),
        nn.Linear(36, 5)), (1, 8, 8)),
    "dropout": (lambda: nn.Sequential(
        nn.Linear(20, 32), nn.BatchNorm1D(32), nn.Dropout(0.3), nn.Linear(32, 5)), (20,)),
    "encoder": (lambda: Encoder(0.0), (5, 16)),
    "encoder with dropout": (lambda: Encoder(0.1), (5, 16)),
    "lstm": (Recurrent, (5, 6)),
}

# Rows of a shard meet in these, or lie elsewhere than they did. Where a shard has 8
# rows, extents of 8 that are no rows look as if they were.
FUNCTIONS = {
    "mean of the batch": lambda x: x - x.mean(0),
    "mean of all": lambda x: x / (1 + x.abs().mean()),
    "kept mean of all": lambda x: x - x.mean([0, 1], keepdim=True),
    "gram": lambda x: (x @ x.T) @ x,
    "covariance": lambda x: x @ (x.T @ x),
    "softmax of columns": lambda x: sy.nn.functional.softmax(x, axis=0),
    "running sum": lambda x: sy.cumsum(x, 0),
    "reversed": lambda x: sy.flip(x, 0) * x,
    "rolled": lambda x: sy.roll(x, 1, 0) + x,
    "sorted columns": lambda x: sy.sort(x, 0),
    "largest": lambda x: x * x.max(0),
    "flat and back": lambda x: sy.cumsum(x.reshape([-1]), 0).reshape([-1, 8]),
    "two rows in one": lambda x: x.reshape([-1, 4]).cumsum(1).reshape([-1, 8]),
    "scaled by extents": lambda x: x / x.shape[0],
    "normed columns": lambda x: x / x.square().sum(0, keepdim=True).sqrt(),
    "first row": lambda x: x + x[0],
    "einsum": lambda x: sy.einsum("bi,bj->bj", x, x),
}


def steps(make, shape, rows, count=3, dtype="float32", **options):
    """(bits of losses, gradients and states after some steps, shard_mode)."""
    sy.seed(3)
    model = sy.distributed.DataParallel(make().to(dtype), 8, **options)
    optimizer = sy.optim.AdamW(model.parameters(), learning_rate=0.003)
    random, criterion, bits = np.random.default_rng(11), nn.CrossEntropyLoss(), []
    for _ in range(count):
        x = sy.tensor(random.normal(size=(rows, *shape)).astype(np.float32), dtype)
        y = random.integers(0, 5, rows)
        optimizer.zero_grad()
        loss = model.backward(lambda a, b: criterion(model(a), b), x, y)
        bits += [loss, *(each.grad for each in model.parameters())]
        optimizer.step()
    bits += [value for _, value in sorted(model.state_dict().items())]
    return [sy.ops.cast(each, "float64").numpy().tobytes() for each in bits], model.shard_mode


class MergedShardsTest(unittest.TestCase):

    def check(self, make, shape, rows, **options):
        merged, mode = steps(make, shape, rows, static=True, mode="merged", **options)
        self.assertEqual(mode, "merged")
        alone, mode = steps(make, shape, rows, static=True, mode="shard", **options)
        self.assertEqual(mode, "shard: mode is 'shard'")
        self.assertEqual(merged, alone)

    def test_networks(self):
        for name, (make, shape) in NETWORKS.items():
            for rows in (64, 37):  # Shards of two lengths.
                with self.subTest(f"{name}, {rows} rows"):
                    self.check(make, shape, rows)

    def test_eager_shards_have_these_bits(self):
        for name in ("mlp", "encoder with dropout", "batch norm"):
            make, shape = NETWORKS[name]
            eager, mode = steps(make, shape, 37)
            self.assertEqual(mode, "shard: static is False")
            self.assertEqual(steps(make, shape, 37, static=True), (eager, "merged"))

    def test_rows_that_meet(self):
        for name, function in FUNCTIONS.items():
            for rows in (64, 43):
                with self.subTest(f"{name}, {rows} rows"):
                    self.check(lambda function=function: Model(function), (8,), rows)

    def test_halves(self):
        for dtype in ("bfloat16", "float16", "float64"):
            make, shape = NETWORKS["mlp"]
            with self.subTest(dtype):
                self.check(make, shape, 37, dtype=dtype)

    def test_autocast(self):
        for name in ("mlp", "encoder"):
            make, shape = NETWORKS[name]
            with self.subTest(name), sy.amp.autocast():
                self.check(make, shape, 37)

    def test_what_is_cut(self):
        # One product forward and one backward for all rows, one a shard for a weight.
        make, shape = NETWORKS["mlp"]
        model = sy.distributed.DataParallel(make(), 8, static=True)
        model.backward(lambda a: model(a).mean(), np.ones((64, *shape), np.float32))
        (merged,), = (each.values() for each in model._program._merged.values())
        calls = merged.program.text("kernel").count("kernel.matmul(")
        self.assertEqual(calls, 2 + 1 + 2 * 8)

    def test_nan_and_infinity(self):
        x = np.ones((16, 4), np.float32)
        x[3, 1], x[9, 2], x[14, 0] = np.nan, np.inf, -np.inf
        grads = []
        for mode in ("shard", "merged"):
            sy.seed(1)
            model = sy.distributed.DataParallel(nn.Linear(4, 3), 8, static=True, mode=mode)
            model.backward(lambda a: model(a).square().mean(), x)
            grads.append(model.module.weight.grad.numpy().tobytes())
        self.assertEqual(*grads)

    def test_unused_and_hooked_parameters(self):
        net = Model(lambda x: x)
        net.spare = nn.Linear(2, 2)
        model = sy.distributed.DataParallel(net, 8, static=True, mode="merged")
        x = np.ones((16, 8), np.float32)
        model.backward(lambda a: model(a).mean(), x)
        plain = net.last.bias.grad.numpy()
        self.assertIsNone(net.spare.weight.grad)
        net.last.bias.register_hook(lambda gradient: gradient * 2)
        net.last.bias.grad = None
        model.backward(lambda a: model(a).mean(), x)
        np.testing.assert_array_equal(net.last.bias.grad.numpy(), 2 * plain)

    def test_lengths_that_vary(self):
        model = sy.distributed.DataParallel(nn.Linear(4, 3), 2, static=True)
        for rows in range(2, 12):
            model.backward(lambda a: model(a).mean(), np.ones((rows, 4), np.float32))
            self.assertEqual(model.shard_mode, "merged" if rows < 10 else
                             "shard: batches have more than 8 numbers of rows")

    def test_a_loop_is_not_merged(self):
        def doubled(x):
            return sy.static.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2),
                                        (sy.tensor(0), x))[1]
        x = np.ones((16, 8), np.float32)
        model = sy.distributed.DataParallel(Model(doubled), 8, static=True)
        model.backward(lambda a: model(a).mean(), x)
        self.assertRegex(model.shard_mode, "^shard: the program has a cf.while$")
        model = sy.distributed.DataParallel(Model(doubled), 8, static=True, mode="merged")
        with self.assertRaisesRegex(ValueError, "backward: shards must be merged, and the "
                                                "program has a cf.while"):
            model.backward(lambda a: model(a).mean(), x)

    def test_sparse_gradients_are_not_merged(self):
        net = nn.Sequential(nn.Embedding(6, 4, sparse=True), nn.Linear(4, 2))
        model = sy.distributed.DataParallel(net, 4, static=True)
        model.backward(lambda a: model(a).mean(), np.arange(16) % 6)
        self.assertEqual(model.shard_mode,
                         "shard: the program returns a tensor that is not dense")

    def test_arguments(self):
        with self.assertRaisesRegex(ValueError, "mode must be one of .*, got 'both'"):
            sy.distributed.DataParallel(nn.Linear(2, 2), mode="both")
        with self.assertRaisesRegex(ValueError, "mode must be 'auto' or 'shard' unless "
                                                "static=True, got 'merged'"):
            sy.distributed.DataParallel(nn.Linear(2, 2), mode="merged")


if __name__ == "__main__":
    unittest.main()
