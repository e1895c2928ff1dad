# SPDX-License-Identifier: Apache-2.0
"""DataParallel.no_sync: gradients of several batches, summed over the processes once."""

import tempfile
import unittest

from distributed_checks import run
import numpy as np

import switchyard as sy

TRAIN = """
    import hashlib, pathlib, time
    sy.distributed.init()
    rank, folder = sy.distributed.rank(), pathlib.Path({folder!r})
    sy.seed(3)
    nn = sy.nn
    net = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1D(16), nn.GELU(), nn.Dropout(0.3),
                        nn.Linear(16, 4))
    if {sync}:
        net = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    model = sy.distributed.DataParallel(net, shards=4, static={static})
    criterion = nn.CrossEntropyLoss()
    optimizer = sy.optim.AdamW(model.parameters(), learning_rate=0.01)
    random = np.random.default_rng(11)
    digest = hashlib.sha256()

    def accumulate(rows):
        x = random.normal(size=(rows, 6)).astype(np.float32)
        return model.backward(lambda a, b: criterion(model(a), b), x,
                              random.integers(0, 4, rows))

    for step in range(3):
        optimizer.zero_grad()
        # One process after another: none waits for a message of the others.
        while not {sync} and rank and not (folder / f"{{step}} {{rank - 1}}").exists():
            time.sleep(0.001)
        with model.no_sync():
            for rows in (8, 13):
                accumulate(rows)
        (folder / f"{{step}} {{rank}}").touch()
        digest.update(accumulate(11).numpy().tobytes())
        for each in model.parameters():
            digest.update(each.grad.numpy().tobytes())
        optimizer.step()
    for name, value in sorted(model.state_dict().items()):
        digest.update(name.encode() + value.numpy().tobytes())
    print("bits", rank, digest.hexdigest(), flush=True)
"""


class SameBitsTest(unittest.TestCase):

    def digests(self, count, static=False, sync=False):
        with tempfile.TemporaryDirectory() as folder:
            result = run(count, TRAIN.format(folder=folder, static=static, sync=sync))
        self.assertEqual(result.code, 0, result)
        said = [line.split() for line in result.out.splitlines() if line.startswith("bits")]
        self.assertEqual(sorted(int(words[1]) for words in said), list(range(count)))
        return {words[2] for words in said}

    def test_any_number_of_processes(self):
        first = self.digests(1)
        self.assertEqual(len(first), 1)
        for count in (2, 3):
            for static in (False, True):
                with self.subTest(count, static=static):
                    self.assertEqual(self.digests(count, static), first)

    def test_statistics_of_the_whole_batch(self):
        self.assertEqual(self.digests(2, sync=True), self.digests(1, sync=True))


class OneProcessTest(unittest.TestCase):

    def setUp(self):
        self.x = np.random.default_rng(2).normal(size=(2, 12, 6)).astype(np.float32)
        self.criterion = sy.nn.MSELoss()

    def model(self, **options):
        sy.seed(5)
        nn = sy.nn
        net = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1D(8), nn.Tanh(), nn.Linear(8, 3))
        return sy.distributed.DataParallel(net, 4, **options)

    def loss(self, model):
        return lambda a: self.criterion(model(a), a[:, :3])

    def state(self, model):
        return [each.numpy().tobytes() for each in (
            *(parameter.grad for parameter in model.parameters()), *model.buffers())]

    def test_a_shard_adds_the_losses_of_all_batches(self):
        """The definition: one step of both batches, whose shards have rows of each."""
        whole = self.model()
        loss = self.loss(whole)
        rows = self.x.reshape(2, 4, 3, 6).swapaxes(0, 1).reshape(24, 6)
        whole.backward(lambda a: loss(a[:3]) + loss(a[3:]), rows)
        for static in (False, True):
            model = self.model(static=static)
            with model.no_sync():
                model.backward(self.loss(model), self.x[0])
            model.backward(self.loss(model), self.x[1])
            self.assertEqual(self.state(model), self.state(whole))
            if static:
                self.assertEqual(model.shard_mode,
                                 "shard: no_sync keeps the gradients of each shard")

    def test_nothing_is_seen_before(self):
        model, other = self.model(), self.model()
        buffers = [each.numpy().copy() for each in model.buffers()]
        with model.no_sync():
            part = model.backward(self.loss(model), self.x[0])
        self.assertEqual(part.numpy().tobytes(),
                         other.backward(self.loss(other), self.x[0]).numpy().tobytes())
        for each, value in zip(model.buffers(), buffers):
            np.testing.assert_array_equal(each.numpy(), value)
        self.assertTrue(all(each.grad is None for each in model.parameters()))
        # After the sum, nothing is kept.
        model.backward(self.loss(model), self.x[1])
        for each in (model, other):
            for parameter in each.parameters():
                parameter.grad = None
            other.load_state_dict(model.state_dict())
        sy.seed(1)
        model.backward(self.loss(model), self.x[0])
        sy.seed(1)
        other.backward(self.loss(other), self.x[0])
        self.assertEqual(self.state(model), self.state(other))

    def test_gradients_that_are_there_stay(self):
        model, other = self.model(), self.model()
        for each in (model, other):
            for parameter in each.parameters():
                parameter.grad = sy.ones_like(parameter)
        for each in (model, other):
            with each.no_sync():
                each.backward(self.loss(each), self.x[0])
                if each is other:
                    for parameter in other.parameters():
                        parameter.grad = None
            each.backward(self.loss(each), self.x[1])
        for ours, plain in zip(model.parameters(), other.parameters()):
            np.testing.assert_array_equal(ours.grad.numpy(), 1 + plain.grad.numpy())

    def test_errors(self):
        model = self.model()

        def fails(a):
            raise ZeroDivisionError("in a shard")

        with model.no_sync():
            model.backward(self.loss(model), self.x[0])
            with self.assertRaisesRegex(ZeroDivisionError, "in a shard"):
                model.backward(fails, self.x[0])
        model.backward(self.loss(model), self.x[1])
        found = self.state(model)
        model = self.model()
        with model.no_sync():
            model.backward(self.loss(model), self.x[0])
        model.backward(self.loss(model), self.x[1])
        self.assertEqual(self.state(model), found)
        # An error that leaves the block drops the gradients that are kept.
        model, other = self.model(), self.model()
        with self.assertRaises(ZeroDivisionError), model.no_sync():
            model.backward(self.loss(model), self.x[0])
            model.backward(fails, self.x[0])
        for each in (model, other):
            each.backward(self.loss(each), self.x[1])
        self.assertEqual(self.state(model), self.state(other))
        with model.no_sync():
            model.backward(self.loss(model), self.x[0])
        model.module[0].weight.requires_grad = False
        with self.assertRaisesRegex(ValueError, "must be those of the steps in no_sync"):
            model.backward(self.loss(model), self.x[0])
        model = self.model(static=True, mode="merged")
        with model.no_sync(), self.assertRaisesRegex(
                ValueError, "must be merged, and no_sync keeps the gradients of each shard"):
            model.backward(self.loss(model), self.x[0])


if __name__ == "__main__":
    unittest.main()
