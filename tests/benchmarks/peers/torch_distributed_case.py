# SPDX-License-Identifier: Apache-2.0
"""One process of PyTorch of a job of distributed.py: prints its CPU microseconds a step.

    torch_distributed_case.py MODEL ROWS STEPS 0

More than one process: DistributedDataParallel over Gloo, each with its part of the rows.
"""

import os
import sys
import time

import torch
from torch import nn


def model_of(name):
    if name == "lenet":
        return nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
            nn.Linear(84, 10)), (1, 28, 28)
    widths = (784, 256, 128, 10) if name == "mlp" else (784, 1024, 1024, 256, 10)
    layers = []
    for before, after in zip(widths, widths[1:]):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers[:-1]), (784,)


def main():
    name, rows, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model, shape = model_of(name)
    x = torch.randn(rows, *shape)[rank * rows // size:(rank + 1) * rows // size]
    y = torch.randint(0, 10, (rows,))[rank * rows // size:(rank + 1) * rows // size]
    if size > 1:
        torch.distributed.init_process_group("gloo")
        model = nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

    def step():
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()

    for _ in range(max(5, steps // 5)):
        step()
    begin = time.process_time()
    for _ in range(steps):
        step()
    print((time.process_time() - begin) / steps * 1e6)
    if size > 1:
        torch.distributed.destroy_process_group()


main()
