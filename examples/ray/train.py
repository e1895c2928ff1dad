# SPDX-License-Identifier: Apache-2.0
"""Several processes that Ray places, on one machine or a cluster, train one model.

    train.py [PROCESSES]

Ray starts an actor a process where a CPU is free; the first says where it listens. From then on
nothing is Ray's: each actor has the variables that ./sy launch sets, and calls init(). The result
has the bits of one process.
"""

import hashlib
import os
import secrets
import socket
import sys

import numpy as np
import ray

STEPS = 20


def train():
    """(the last loss, a digest of all parameters)."""
    import switchyard as sy  # Here, so that the driver needs no CPU's kernels.
    sy.distributed.init()
    sy.seed(0)
    model = sy.distributed.DataParallel(sy.nn.Sequential(
        sy.nn.Linear(8, 32), sy.nn.ReLU(), sy.nn.Dropout(0.1), sy.nn.Linear(32, 3)), shards=8)
    optimizer = sy.optim.AdamW(model.parameters(), learning_rate=1e-2)
    criterion = sy.nn.CrossEntropyLoss()
    draw = np.random.default_rng(0)
    for _ in range(STEPS):
        x = draw.normal(size=(64, 8)).astype(np.float32)
        y = x[:, :3].argmax(1)
        optimizer.zero_grad()
        loss = model.backward(lambda a, b: criterion(model(a), b), x, y)
        optimizer.step()
    digest = hashlib.sha256(b"".join(each.numpy().tobytes() for each in model.parameters()))
    sy.distributed.destroy()
    return loss.item(), digest.hexdigest()


class Agent:
    """One process of the job, where Ray has put it."""

    def place(self):
        """(address, free port) of this process's machine."""
        with socket.create_server(("", 0)) as free:
            return ray.util.get_node_ip_address(), free.getsockname()[1]

    def train(self, variables):
        os.environ.update(variables)
        return train()


def main(count):
    """The results of all processes."""
    ray.init()
    made = ray.remote(num_cpus=1)(Agent)
    agents = [made.remote() for _ in range(count)]
    host, port = ray.get(agents[0].place.remote())
    job = {"WORLD_SIZE": str(count), "MASTER_ADDR": host, "MASTER_PORT": str(port),
           "SWITCHYARD_TOKEN": secrets.token_hex(16)}
    results = ray.get([agent.train.remote({**job, "RANK": str(rank)})
                       for rank, agent in enumerate(agents)])
    for rank, (loss, digest) in enumerate(results):
        print(f"rank {rank}: loss {loss:.4f}, parameters {digest[:16]}")
    ray.shutdown()
    return results


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
