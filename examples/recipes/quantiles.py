# SPDX-License-Identifier: Apache-2.0
"""Regression of quantiles, by a loss with a gradient of its own.

    ./sy python examples/recipes/quantiles.py [--static]
"""
import sys

import numpy as np

from steps import train_step
import switchyard as sy
from switchyard import nn

QUANTILES = (0.1, 0.5, 0.9)


class Pinball(sy.autograd.Function):
    """Slope q above 0 and q - 1 below: its mean is least at the q-quantile."""

    @staticmethod
    def forward(ctx, error, q):
        ctx.save_for_backward(error)
        ctx.q = q
        return sy.maximum(error * q, error * (q - 1.0)).mean()

    @staticmethod
    def backward(ctx, grad):
        (error,) = ctx.saved_tensors
        slope = (error > 0.0).float() + (ctx.q - 1.0)
        return grad * slope / error.numel(), None


def loss(predicted, y):
    """The sum over the quantiles, which are the columns of predicted."""
    return sum(Pinball.apply(y - predicted[:, i:i + 1], q)
               for i, q in enumerate(QUANTILES))


def data(count):
    """y about sin(x), the farther from it the larger x is."""
    random = np.random.default_rng(0)
    x = random.uniform(-3, 3, (count, 1)).astype(np.float32)
    noise = random.normal(size=(count, 1)) * (0.05 + 0.1 * (x + 3))
    return x, (np.sin(x) + noise).astype(np.float32)


def network(width=64):
    sy.seed(1)
    return nn.Sequential(nn.Linear(1, width), nn.Tanh(),
                         nn.Linear(width, width), nn.Tanh(),
                         nn.Linear(width, len(QUANTILES)))


def make_step(model, static=False):
    """step(x, y) trains and returns the loss."""
    optimizer = sy.optim.Adam(model.parameters(), learning_rate=0.01)
    return train_step(model, loss, optimizer, static)


def main(static=False, steps=1000):
    x, y = (sy.tensor(a) for a in data(512))
    model = network()
    step = make_step(model, static)
    losses = [step(x, y).item() for _ in range(steps)]
    below = (y < model(x).detach()).float().mean(0)
    print("share below:", dict(zip(QUANTILES, below.numpy().round(2))))
    return losses


if __name__ == "__main__":
    main("--static" in sys.argv)
