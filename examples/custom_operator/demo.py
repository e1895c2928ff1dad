# SPDX-License-Identifier: Apache-2.0
"""Loads distances and uses its operators: demo.py PLUGIN.

Finds the centres of three clouds of points by gradient descent, eagerly and by
a traced program, and compares gradients with central differences.
"""
import sys

import numpy as np

import switchyard as sy
from switchyard import static

STEPS, RATE = 40, 0.2


def points():
    random = np.random.default_rng(3)
    centres = np.array([[0, 0], [4, 0], [0, 4]])
    clouds = centres[:, None] + 0.3 * random.normal(size=(3, 30, 2))
    return clouds.reshape(90, 2)


def loss(x, centres):
    """The mean, over the points, of a soft minimum of the distances."""
    capped = sy.ops.soft_cap(sy.ops.squared_distances(x, centres), cap=30.0)
    return -sy.mean(sy.logsumexp(-capped, 1))


class Centres(sy.nn.Module):

    def __init__(self):
        super().__init__()
        self.centres = sy.nn.Parameter(
            sy.tensor([[1.0, 0.5], [2.0, 1.0], [1.0, 2.0]], dtype="float64"))

    def forward(self, x):
        return loss(x, self.centres)


def fit_eagerly(x):
    model = Centres()
    optimizer = sy.optim.SGD(model.parameters(), RATE)
    for _ in range(STEPS):
        model(x).backward()
        optimizer.step()
        optimizer.zero_grad()
    return model.centres.numpy()


def fit_by_program(x):
    model = Centres()
    optimizer = sy.optim.SGD(model.parameters(), RATE)
    step = static.train_step(model, lambda value, _: value, optimizer)
    for _ in range(STEPS):
        step(x, np.zeros(1))
    return model.centres.numpy()


def check_gradients(x):
    for wrt in (0, 1):
        values = [x.numpy()[:5], np.array([[1.0, 0.5], [2.0, 1.0]])]
        given = [sy.tensor(value, requires_grad=i == wrt)
                 for i, value in enumerate(values)]
        loss(*given).backward()
        analytic = given[wrt].grad.numpy()
        numeric = np.zeros_like(values[wrt])
        for at in np.ndindex(numeric.shape):
            for sign in (1, -1):
                moved = [value.copy() for value in values]
                moved[wrt][at] += sign * 1e-6
                numeric[at] += sign * loss(*map(sy.tensor, moved)).item() / 2e-6
        np.testing.assert_allclose(analytic, numeric, rtol=1e-6, atol=1e-8)


def main():
    print(sy.plugins.load(sys.argv[1]))
    x = sy.tensor(points())
    check_gradients(x)
    print("gradients agree")
    eager, program = fit_eagerly(x), fit_by_program(x)
    print("centres:", np.round(eager, 1).tolist())
    np.testing.assert_array_equal(eager, program)
    print("eager and static agree bit by bit")
    print(sy.explain("squared_distances", x=x, y=eager))
    print(sy.explain("soft_cap", x=x))


main()
