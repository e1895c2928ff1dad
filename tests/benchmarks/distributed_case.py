# SPDX-License-Identifier: Apache-2.0
"""One process of ours of a job of distributed.py: prints its CPU microseconds a step.

    distributed_case.py MODEL ROWS STEPS SHARDS [static]

Without shards it takes the undivided step of one process; with "static" the shards are programs.
"""

import os
import sys
import time

import numpy as np

import switchyard as sy

nn = sy.nn


def model_of(name):
    if name == "lenet":
        return nn.Sequential(
            nn.Conv2D(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2D(2),
            nn.Conv2D(6, 16, 5), nn.ReLU(), nn.MaxPool2D(2), nn.Flatten(),
            nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
            nn.Linear(84, 10)), (1, 28, 28)
    widths = (784, 256, 128, 10) if name == "mlp" else (784, 1024, 1024, 256, 10)
    layers = []
    for before, after in zip(widths, widths[1:]):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers[:-1]), (784,)


def main():
    name, rows, steps, shards = sys.argv[1], *map(int, sys.argv[2:5])
    if int(os.environ["WORLD_SIZE"]) > 1:
        sy.distributed.init()
    sy.seed(0)
    sy.set_num_threads(1)
    model, shape = model_of(name)
    random = np.random.default_rng(0)
    x = sy.tensor(random.normal(size=(rows, *shape)).astype(np.float32))
    y = sy.tensor(random.integers(0, 10, rows))
    criterion = nn.CrossEntropyLoss()
    if shards:
        model = sy.distributed.DataParallel(model, shards, static=sys.argv[5:] == ["static"])
    optimizer = sy.optim.SGD(model.parameters(), learning_rate=0.01, momentum=0.9)

    def step():
        optimizer.zero_grad()
        if shards:
            model.backward(lambda a, b: criterion(model(a), b), x, y)
        else:
            criterion(model(x), y).backward()
        optimizer.step()

    for _ in range(max(5, steps // 5)):
        step()
    begin = time.process_time()
    for _ in range(steps):
        step()
    print((time.process_time() - begin) / steps * 1e6)


main()
