# SPDX-License-Identifier: Apache-2.0
"""A train_step with Adam over linear layers, whose program has about NODES operations: what the first
call costs, which traces, compiles and runs it, and what a further one does.

    training_costs.py NODES...       # for callgrind, as program_costs; the mark is MARK
    training_costs.py --time NODES   # CPU seconds, and the most memory of the process in MiB

Beyond 1,000 layers, that is 10,000 states, the layers share their parameters.
"""
import os
import resource
import sys
import time

import numpy as np

import switchyard as sy

# A function of the C library that nothing else here calls.
MARK = "getpriority"

WIDTH = 4
MOST_LAYERS_WITH_STATES = 1000
NODES_PER_LAYER = 13  # Backward and steps included.


class Deep(sy.nn.Module):

    def __init__(self, depth):
        super().__init__()
        self.depth = depth
        self.layers = sy.nn.ModuleList(
            sy.nn.Linear(WIDTH, WIDTH)
            for _ in range(min(depth, MOST_LAYERS_WITH_STATES)))

    def forward(self, x):
        layers = list(self.layers)
        for i in range(self.depth):
            x = sy.relu(layers[i % len(layers)](x))
        return x


def squares(y, target):
    return sy.mean((y - target) * (y - target))


def phases(nodes):
    """(name, function) of each phase, to be called in this order."""
    model = Deep(max(1, nodes // NODES_PER_LAYER))
    step = sy.static.train_step(model, squares, sy.optim.Adam(model.named_parameters()))
    x = np.ones((2, WIDTH), np.float32)
    return [("first_call", lambda: step(x, x)), ("next_call", lambda: step(x, x))]


def mark():
    os.getpriority(os.PRIO_PROCESS, 0)


def count(nodes):
    for name, function in phases(nodes):
        mark()
        function()
        mark()
        print("train_step/%s/%d %d" % (name, nodes, nodes))


def clock(nodes):
    for name, function in phases(nodes):
        begin = time.process_time()
        function()
        print("%s %.6f" % (name, time.process_time() - begin), flush=True)
    print("memory %d" % (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


if __name__ == "__main__":
    if sys.argv[1] == "--time":
        clock(int(sys.argv[2]))
    else:
        for size in sys.argv[1:]:
            count(int(size))
