# SPDX-License-Identifier: Apache-2.0
"""200 steps, killed five times and continued by other numbers of processes: the same bits.

SY_SEEDS=20 by hand.
"""

import hashlib
import os
import pathlib
import random
import signal
import socket
import tempfile
import time
import traceback
import unittest

import numpy as np

import switchyard as sy
import switchyard.distributed  # Before processes divide.

STEPS, EVERY = 200, 10
# How many processes go on after each death.
SIZES = (4, 3, 2, 4, 1, 3)
# Where in a step a process dies: also while a checkpoint is written, or the others wait.
MOMENTS = ("before", "within", "after")
LOST = 3


def train(folder, rank, dies):
    """Trains from the last checkpoint on. ``dies``: (rank, step, moment) or None. Returns the
    digest of all parameters, buffers, states and the last loss."""
    def reach(step, moment):
        if dies == (rank, step, moment):
            os.kill(os.getpid(), signal.SIGKILL)

    def compute(x, y):
        reach(step, "within")
        return criterion(model(x), y)

    sy.distributed.init()
    sy.seed(0)
    model = sy.distributed.DataParallel(sy.nn.Sequential(
        sy.nn.Linear(4, 8), sy.nn.BatchNorm1D(8), sy.nn.Dropout(0.25),
        sy.nn.Linear(8, 3)), shards=4)
    optimizer = sy.distributed.ShardedOptimizer(
        lambda own: sy.optim.AdamW(own, learning_rate=1e-2), model.parameters())
    checkpoints = sy.distributed.Checkpoints(folder)
    criterion = sy.nn.CrossEntropyLoss()
    for step in range(checkpoints.load(model=model, optimizer=optimizer), STEPS):
        draw = np.random.default_rng(step)
        x = draw.normal(size=(8, 4)).astype(np.float32)
        y = draw.integers(0, 3, 8)
        reach(step, "before")
        optimizer.zero_grad()
        loss = model.backward(compute, x, y)
        optimizer.step()
        if (step + 1) % EVERY == 0:
            checkpoints.save(step + 1, model=model, optimizer=optimizer)
        reach(step, "after")
    checkpoints.wait()
    digest = hashlib.sha256(loss.item().hex().encode())
    for _, value in sorted(model.state_dict().items()):
        digest.update(value.numpy().tobytes())
    return digest.hexdigest()


def work(folder, rank, dies, said):
    """The exit code of one process."""
    try:
        digest = train(folder, rank, dies)
        sy.distributed.destroy()
    except sy.distributed.DistributedError:
        return LOST
    except Exception:
        traceback.print_exc()
        return 1
    if rank == 0:
        said.write_text(digest)
    return 0


def run(folder, size, dies=None):
    """(the processes' exit codes, negative for signals; the digest of rank 0) of a job."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    said = pathlib.Path(folder + ".digest")
    said.unlink(missing_ok=True)
    processes = []
    for rank in range(size):
        process = os.fork()
        if process == 0:
            os.environ.update(RANK=str(rank), WORLD_SIZE=str(size), MASTER_ADDR="127.0.0.1",
                              MASTER_PORT=str(port), SWITCHYARD_TOKEN="elastic")
            os._exit(work(folder, rank, dies, said))
        processes.append(process)
    codes = [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes]
    return codes, said.read_text() if said.exists() else None


class ElasticTest(unittest.TestCase):

    def test_a_run_that_is_killed_five_times_ends_with_the_same_bits(self):
        began, count = time.monotonic(), int(os.environ.get("SY_SEEDS", "2"))
        with tempfile.TemporaryDirectory() as root:
            codes, whole = run(os.path.join(root, "whole"), SIZES[0])
            self.assertEqual((codes, len(whole)), ([0] * SIZES[0], 64))
            for seed in range(count):
                with self.subTest(seed):
                    self.assertEqual(self.disturbed(os.path.join(root, str(seed)), seed),
                                     whole)
        spent = os.times()
        print(f"{count} seeds: {spent.children_user + spent.children_system:.0f} s of CPU, "
              f"{time.monotonic() - began:.0f} s")

    def disturbed(self, folder, seed):
        draw = random.Random(seed)
        deaths = sorted(draw.sample(range(1, STEPS), len(SIZES) - 1))
        for size, step in zip(SIZES, deaths):
            dies = draw.randrange(size), step, draw.choice(MOMENTS)
            codes, _ = run(folder, size, dies)
            expected = [LOST] * size
            expected[dies[0]] = -signal.SIGKILL
            self.assertEqual(codes, expected, dies)
        codes, digest = run(folder, SIZES[-1])
        self.assertEqual(codes, [0] * SIZES[-1])
        return digest


if __name__ == "__main__":
    unittest.main()
