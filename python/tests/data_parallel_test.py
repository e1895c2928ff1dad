# SPDX-License-Identifier: Apache-2.0
"""DataParallel: parameters, states and losses have the same bits for 1, 2, 3 and 4
processes."""

import copy
import unittest

import numpy as np
from distributed_checks import HAS_MPI, run

import switchyard as sy

TRAIN = """
    import hashlib, sys
    sy.distributed.init()
    kind, optimizer_name, steps = {kind!r}, {optimizer!r}, {steps}
    sy.seed(3)
    nn = sy.nn
    if kind == "mlp":
        net = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 10))
        shape = (20,)
    elif kind == "sync":
        net = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(
            nn.Linear(20, 32), nn.BatchNorm1D(32), nn.GELU(), nn.Dropout(0.3),
            nn.Linear(32, 16), nn.BatchNorm1D(16), nn.Linear(16, 10)))
        shape = (20,)
    elif kind == "dropout":
        net = nn.Sequential(nn.Linear(20, 32), nn.BatchNorm1D(32), nn.GELU(),
                            nn.Dropout(0.3), nn.Linear(32, 10))
        shape = (20,)
    elif kind == "encoder":
        net = nn.Sequential(nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1),
                            nn.Flatten(), nn.Linear(80, 10))
        shape = (5, 16)
    else:
        net = nn.Sequential(
            nn.Conv2D(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2D(2),
            nn.Conv2D(6, 16, 5), nn.ReLU(), nn.MaxPool2D(2), nn.Flatten(),
            nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
            nn.Linear(84, 10))
        shape = (1, 28, 28)
    model = sy.distributed.DataParallel(net, shards=8, static={static})
    criterion = nn.CrossEntropyLoss()
    made = {{"sgd": lambda p: sy.optim.SGD(p, learning_rate=0.05),
            "momentum": lambda p: sy.optim.Momentum(p, learning_rate=0.02),
            "adamw": lambda p: sy.optim.AdamW(p, learning_rate=0.003)}}
    make = made[optimizer_name]
    if {sharded}:
        optimizer = sy.distributed.ShardedOptimizer(make, model.parameters())
    else:
        optimizer = make(model.parameters())
    random = np.random.default_rng(11)
    digest, losses = hashlib.sha256(), []
    for step in range(steps):
        x = random.normal(size=({rows}, *shape)).astype(np.float32)
        y = random.integers(0, 10, {rows})
        optimizer.zero_grad()
        loss = model.backward(lambda a, b: criterion(model(a), b), x, y)
        digest.update(loss.numpy().tobytes())
        losses.append(loss.item())
        optimizer.step()
    for name, value in sorted(model.state_dict().items()):
        digest.update(name.encode() + value.numpy().tobytes())
    if not {sharded}:
        for name, value in sorted(optimizer.state_dict().items()):
            digest.update(name.encode() + np.asarray(value).tobytes())
    assert all(np.isfinite(losses)), losses
    assert model.shard_mode == ("merged" if {static} else "shard: static is False")
    print("bits", sy.distributed.rank(), digest.hexdigest(), flush=True)
"""


class SameBitsTest(unittest.TestCase):

    def digests(self, count, transport="tcp", sharded=False, static=False, **values):
        script = TRAIN.format(sharded=sharded, static=static, **values)
        result = run(count, script, transport, seconds=250)
        self.assertEqual(result.code, 0, result)
        said = [line.split() for line in result.out.splitlines()
                if line.startswith("bits")]
        self.assertEqual(sorted(int(words[1]) for words in said), list(range(count)))
        return {words[2] for words in said}

    def check(self, counts=(1, 2, 3, 4), **values):
        first = self.digests(counts[0], **values)
        self.assertEqual(len(first), 1)
        for count in counts[1:]:
            with self.subTest(count):
                self.assertEqual(self.digests(count, **values), first)
        return first

    def test_mlp(self):
        for optimizer in ("sgd", "momentum", "adamw"):
            with self.subTest(optimizer):
                self.check(kind="mlp", optimizer=optimizer, steps=30, rows=64)

    def test_lenet(self):
        self.check(counts=(1, 3, 4), kind="lenet", optimizer="momentum", steps=5,
                   rows=32)

    def test_dropout_batch_norm_and_uneven_shards(self):
        self.check(counts=(1, 2, 3), kind="dropout", optimizer="adamw", steps=10,
                   rows=37)

    def test_statistics_of_the_whole_batch(self):
        self.check(counts=(1, 2, 3), kind="sync", optimizer="adamw", steps=6, rows=37)

    def test_static_programs(self):
        for kind, optimizer, rows in (("mlp", "adamw", 64), ("dropout", "momentum", 37),
                                      ("lenet", "sgd", 19), ("encoder", "adamw", 19)):
            with self.subTest(kind):
                values = {"kind": kind, "optimizer": optimizer, "rows": rows, "steps": 5}
                eager = self.digests(1, **values)
                for count in (1, 2, 3):
                    self.assertEqual(self.digests(count, static=True, **values), eager)

    def test_sharded_optimizer(self):
        values = {"kind": "mlp", "optimizer": "adamw", "steps": 10, "rows": 64}
        first = self.digests(1, sharded=True, **values)
        for count in (2, 3):
            self.assertEqual(self.digests(count, sharded=True, **values), first)

    @unittest.skipUnless(HAS_MPI, "needs mpirun, of the package openmpi-bin")
    def test_open_mpi(self):
        values = {"kind": "mlp", "optimizer": "adamw", "steps": 10, "rows": 64}
        first = self.digests(1, **values)
        self.assertEqual(self.digests(3, "mpi", **values), first)


class OneProcessTest(unittest.TestCase):

    def network(self):
        sy.seed(5)
        return sy.nn.Sequential(sy.nn.Linear(6, 8), sy.nn.Tanh(), sy.nn.Linear(8, 3))

    def batch(self, rows=24):
        random = np.random.default_rng(2)
        return (random.normal(size=(rows, 6)).astype(np.float32),
                random.integers(0, 3, rows))

    def test_gradients_are_those_of_the_whole_batch(self):
        criterion = sy.nn.CrossEntropyLoss()
        for rows, shards in ((24, 8), (24, 1), (23, 5), (8, 8)):
            x, y = self.batch(rows)
            net = self.network()
            whole = criterion(net(sy.tensor(x)), sy.tensor(y))
            whole.backward()
            expected = [each.grad.numpy() for each in net.parameters()]
            model = sy.distributed.DataParallel(self.network(), shards)
            loss = model.backward(lambda a, b: criterion(model(a), b), x, y)
            self.assertAlmostEqual(loss.item(), whole.item(), places=6)
            for each, wanted in zip(model.parameters(), expected):
                unit = np.spacing(np.abs(wanted).max())
                self.assertLessEqual(np.abs(each.grad.numpy() - wanted).max(), 4 * unit)

    def test_static_programs_are_traced_again_for_what_changes(self):
        model = sy.distributed.DataParallel(self.network(), 4, static=True)
        eager = sy.distributed.DataParallel(self.network(), 4)
        programs = model._program._program

        def check(computes, rows, traces):
            results = []
            for each, compute in zip((model, eager), computes):
                for parameter in each.parameters():
                    parameter.grad = None
                x, y = self.batch(rows)
                loss = each.backward(compute, x, y)
                results.append((loss.dtype, loss.item(), *[
                    None if parameter.grad is None else parameter.grad.numpy().tobytes()
                    for parameter in each.parameters()]))
            self.assertEqual(*results)
            self.assertEqual(programs.traces, traces)

        def unused(net):
            return lambda a, b: (a @ net.module[0].weight).mean() * factor

        def of_dtype(net, dtype):
            return lambda a, b: criterion(net(a), b).to(dtype)

        factor, criterion = 2.0, sy.nn.CrossEntropyLoss()
        computes = unused(model), unused(eager)
        for rows in (24, 24, 23):  # Shards of other lengths share a program.
            check(computes, rows, 1)
        factor = 3.0
        check(computes, 24, 2)
        for number, dtype in enumerate(("float32", "bfloat16", "float16", "float64")):
            check([of_dtype(net, dtype) for net in (model, eager)], 23, 3 + number)
        for rows in (24, 23):  # A lambda in a loop is one function.
            check([lambda a, b: criterion(model(a), b), lambda a, b: criterion(eager(a), b)],
                  rows, 7)

    def test_a_program_meets_no_other_shard(self):
        net = sy.nn.SyncBatchNorm.convert_sync_batchnorm(
            sy.nn.Sequential(sy.nn.Linear(6, 3), sy.nn.BatchNorm1D(3)))
        model = sy.distributed.DataParallel(net, 4, static=True)
        with self.assertRaisesRegex(ValueError, "SyncBatchNorm can't be programs"):
            model.backward(lambda a, b: model(a).mean(), *self.batch())

    def test_gradients_are_views_of_their_buckets(self):
        net = self.network()
        x, y = self.batch()
        criterion = sy.nn.CrossEntropyLoss()
        model = sy.distributed.DataParallel(net, 4)
        model.backward(lambda a, b: criterion(model(a), b), x, y)
        # One bucket: the last parameter's elements first, each on a cache line.
        grads = [each.grad for each in net.parameters()]
        places = [each.numpy().__array_interface__["data"][0] for each in grads]
        steps = np.diff(places[::-1])
        sizes = [4 * each.size for each in grads[::-1]]
        self.assertEqual(steps.tolist(), [-(-size // 64) * 64 for size in sizes[:-1]])
        # A write to one is seen by no other, and an optimizer may write them all.
        for each in grads:
            each.numpy()[...] = 1
        self.assertEqual([each.numpy().sum() for each in grads],
                         [each.size for each in grads])
        sy.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        sy.optim.SGD(net.parameters(), learning_rate=0.1).step()
        # A second call adds to them.
        before = [each.grad.numpy().copy() for each in net.parameters()]
        model.backward(lambda a, b: criterion(model(a), b), x, y)
        self.assertFalse(any(np.array_equal(each.grad.numpy(), old) for each, old in
                             zip(net.parameters(), before)))

    def test_sync_batch_norm_is_that_of_the_whole_batch(self):
        nn = sy.nn
        sy.seed(1)
        plain = nn.Sequential(nn.Conv2D(2, 4, 3), nn.BatchNorm2D(4), nn.GELU(), nn.Conv2D(4, 3, 1),
                              nn.BatchNorm2D(3), nn.Flatten(), nn.Linear(48, 3)).double()
        net = nn.SyncBatchNorm.convert_sync_batchnorm(copy.deepcopy(plain))
        self.assertEqual(list(net.state_dict()), list(plain.state_dict()))
        random, criterion = np.random.default_rng(3), nn.CrossEntropyLoss()
        x, y = random.normal(size=(23, 2, 6, 6)), random.integers(0, 3, 23)
        model = sy.distributed.DataParallel(net, shards=5)
        for _ in range(2):
            loss = model.backward(lambda a, b: criterion(model(a), b), x, y)
            whole = criterion(plain(sy.tensor(x)), sy.tensor(y))
            whole.backward()
            self.assertAlmostEqual(loss.item(), whole.item(), places=13)
            for ours, theirs in zip(net.parameters(), plain.parameters()):
                np.testing.assert_allclose(ours.grad.numpy(), theirs.grad.numpy(), 1e-9, 1e-14)
            for ours, theirs in zip(net.buffers(), plain.buffers()):
                np.testing.assert_allclose(ours.numpy(), theirs.numpy(), 1e-12)
        # Outside of a step, and in evaluation, it is a BatchNorm.
        for phase in (True, False):
            net.train(phase)
            plain.load_state_dict(net.state_dict())
            plain.train(phase)
            np.testing.assert_array_equal(net(sy.tensor(x)).numpy(), plain(sy.tensor(x)).numpy())

    def test_shards_that_do_not_meet_are_an_error(self):
        nn = sy.nn
        net = nn.SyncBatchNorm(6)
        model, calls = sy.distributed.DataParallel(net, 3), []

        def compute(a):
            calls.append(a)
            return (model(a) if len(calls) != 2 else a * net.weight).sum()
        before = [each.numpy().copy() for each in net.buffers()]
        with self.assertRaisesRegex(RuntimeError, "every shard must call each SyncBatchNorm as often, and 1 of 3"):
            model.backward(compute, self.batch(9)[0])

        def fails(a):
            calls.append(a)
            if len(calls) % 3 == 0:
                raise ZeroDivisionError("in a shard")
            return model(a).sum()
        calls.clear()
        with self.assertRaisesRegex(ZeroDivisionError, "in a shard"):
            model.backward(fails, self.batch(9)[0])
        for each, value in zip(net.buffers(), before):
            np.testing.assert_array_equal(each.numpy(), value)
        with self.assertRaisesRegex(ValueError, "SyncBatchNorm: x must have more than one value a channel"):
            sy.distributed.DataParallel(net, 1).backward(lambda a: net(a).sum(), self.batch(1)[0])
        with self.assertRaisesRegex(ValueError, "process_group must be None"):
            nn.SyncBatchNorm.convert_sync_batchnorm(net, process_group=1)

    def test_gradients_add_up(self):
        x, y = self.batch()
        criterion = sy.nn.CrossEntropyLoss()
        model = sy.distributed.DataParallel(self.network())

        def compute(a, b):
            return criterion(model(a), b)

        model.backward(compute, x, y)
        once = [each.grad.numpy().copy() for each in model.parameters()]
        model.backward(compute, x, y)
        for each, first in zip(model.parameters(), once):
            np.testing.assert_array_equal(each.grad.numpy(), first + first)

    def test_unused_parameters_keep_no_gradient(self):
        net = self.network()
        net.spare = sy.nn.Linear(2, 2)
        model = sy.distributed.DataParallel(net)
        x, _ = self.batch()
        model.backward(lambda a: net[0](a).mean(), x)
        self.assertIsNone(net.spare.weight.grad)
        self.assertIsNone(net[2].weight.grad)
        self.assertIsNotNone(net[0].weight.grad)

    def test_random_numbers_are_of_the_shard_and_the_step(self):
        drawn = []
        sy.seed(1)
        model = sy.distributed.DataParallel(self.network(), 4)

        def compute(a):
            drawn.append(tuple(sy.rand(2).tolist()))
            return model(a).mean()

        for _ in range(2):
            model.backward(compute, self.batch()[0])
        self.assertEqual(len(set(drawn)), 8)
        again, drawn = drawn, []
        sy.seed(1)
        model = sy.distributed.DataParallel(self.network(), 4)
        for _ in range(2):
            model.backward(compute, self.batch()[0])
        self.assertEqual(drawn, again)

    def test_it_can_be_copied(self):
        model = sy.nn.DataParallel(self.network(), 4)
        other = copy.deepcopy(model)
        self.assertIsNot(other.module, model.module)
        self.assertEqual(other.shards, 4)

    def test_errors_change_nothing(self):
        net = self.network()
        model = sy.distributed.DataParallel(net)
        x, _ = self.batch()
        model.backward(lambda a: net(a).mean(), x)
        kept = [each.grad.numpy().copy() for each in net.parameters()]
        with self.assertRaisesRegex(ValueError, "same number of rows, at least 8"):
            model.backward(lambda a: net(a).mean(), x[:7])
        with self.assertRaisesRegex(ValueError, "same number of rows"):
            model.backward(lambda a, b: net(a).mean(), x, x[:9])
        with self.assertRaisesRegex(ValueError, "must return a scalar"):
            model.backward(net, x)
        for each, wanted in zip(net.parameters(), kept):
            np.testing.assert_array_equal(each.grad.numpy(), wanted)
        for shards in (0, 2.5, 1 << 20):
            with self.assertRaises((TypeError, ValueError)):
                sy.distributed.DataParallel(net, shards)

    def test_other_parameters_are_refused(self):
        result = run(2, """
            sy.distributed.init()
            sy.seed(sy.distributed.rank())
            sy.distributed.DataParallel(sy.nn.Linear(2, 2))
        """)
        self.assertNotEqual(result.code, 0)
        self.assertIn("DataParallel: rank 1 begins with other parameters than rank 0",
                      result.err)


if __name__ == "__main__":
    unittest.main()
