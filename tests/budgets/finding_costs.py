# SPDX-License-Identifier: Apache-2.0
"""Finds the program of a compiled step, before which nothing was written: for callgrind, as
training_costs; the mark is MARK."""
import numpy as np

import switchyard as sy
from tests.budgets import training_costs

MARK, mark = training_costs.MARK, training_costs.mark
CALLS = 20


class Reader(sy.nn.Module):
    """Reads numbers of a list, a dict and a plain object, which nobody counts writes of."""

    def __init__(self):
        super().__init__()
        self.linear = sy.nn.Linear(4, 4)
        self.numbers = [1.0] * 12
        self.options = {str(i): 1.0 for i in range(12)}

    def forward(self, x):
        return self.linear(x) * sum(self.numbers) * sum(self.options.values())


def models():
    """(name, model) of each case."""
    for layers in (4, 145):
        yield "%d_layers" % layers, sy.nn.Sequential(
            *(sy.nn.Linear(4, 4) for _ in range(layers)))
    yield "24_numbers", Reader()


def main():
    x = np.ones((2, 4), np.float32)
    for name, model in models():
        step = sy.static.train_step(model, sy.nn.MSELoss(),
                                    sy.optim.SGD(model.parameters(), 0.1))
        step(x, x)
        step._current_program(x, x)
        mark()
        for _ in range(CALLS):
            step._current_program(x, x)
        mark()
        print("%s %d" % (name, CALLS))


if __name__ == "__main__":
    main()
