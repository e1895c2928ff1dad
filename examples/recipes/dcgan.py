# SPDX-License-Identifier: Apache-2.0
"""A DCGAN (Radford and others, 2016) learns to draw rings.

    ./sy python examples/recipes/dcgan.py [--static]
"""
import sys

import numpy as np

from steps import train_step
import switchyard as sy
from switchyard import nn
from switchyard.nn import functional as F


def generator(latent=32, width=16):
    """Noise [n, latent, 1, 1] to images [n, 1, 32, 32] in (-1, 1)."""
    layers, channels = [], [latent, 4 * width, 2 * width, width]
    for ins, outs in zip(channels, channels[1:]):
        how = (4, 2, 1) if layers else (4,)
        layers += [nn.Conv2DTranspose(ins, outs, *how, bias=False),
                   nn.BatchNorm2D(outs), nn.ReLU()]
    layers += [nn.Conv2DTranspose(width, 1, 4, 2, 1), nn.Tanh()]
    return nn.Sequential(*layers)


def discriminator(width=16):
    """Images to logits [n, 1, 1, 1]."""
    layers = [nn.Conv2D(1, width, 4, 2, 1), nn.LeakyReLU(0.2)]
    for channels in (width, 2 * width):
        layers += [nn.Conv2D(channels, 2 * channels, 4, 2, 1, bias=False),
                   nn.BatchNorm2D(2 * channels), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers, nn.Conv2D(4 * width, 1, 4))


class Judging(nn.Module):
    """The discriminator's logits of real images and of drawn ones."""

    def __init__(self, drawing, judge):
        super().__init__()
        self.drawing, self.judge = drawing, judge

    def forward(self, noise, real):
        return self.judge(real), self.judge(self.drawing(noise).detach())


def make_step(drawing, judge, static=False):
    """step(noise, real) trains both and returns their losses."""
    def turn(trained, model, loss):
        optimizer = sy.optim.Adam(trained.parameters(), 0.0002, beta1=0.5)
        return train_step(model, loss, optimizer, static)
    judging = turn(judge, Judging(drawing, judge), lambda logits, _: (
        F.softplus(-logits[0]).mean() + F.softplus(logits[1]).mean()))
    fooling = turn(drawing, nn.Sequential(drawing, judge),
                   lambda logits, _: F.softplus(-logits).mean())
    return lambda noise, real: (judging((noise, real), real),
                                fooling(noise, real))


def rings(count):
    """Images [count, 1, 32, 32] of rings of different sizes."""
    radii = np.random.default_rng(0).uniform(5, 13, (count, 1, 1, 1))
    y, x = np.mgrid[-15.5:16, -15.5:16]
    return (1 - (np.hypot(x, y) - radii)**2).clip(-1, 1).astype(np.float32)


def main(static=False, steps=300, batch=32):
    sy.seed(1)
    drawing, judge = generator(), discriminator()
    step = make_step(drawing, judge, static)
    images = sy.tensor(rings(batch))
    losses = [[loss.item() for loss in step(sy.randn(batch, 32, 1, 1), images)]
              for _ in range(steps)]
    print("losses", np.mean(losses[-20:], 0).round(3))
    return losses


if __name__ == "__main__":
    main("--static" in sys.argv)
