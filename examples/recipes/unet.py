# SPDX-License-Identifier: Apache-2.0
"""A U-Net (Ronneberger and others, 2015) finds discs among noise.

    ./sy python examples/recipes/unet.py [--static]
"""
import sys

import numpy as np

from steps import train_step
import switchyard as sy
from switchyard import nn
from switchyard.nn import functional as F


def twice(inputs, outputs):
    """Two convolutions."""
    layers = []
    for channels in (inputs, outputs):
        layers += [nn.Conv2D(channels, outputs, 3, padding=1, bias=False),
                   nn.BatchNorm2D(outputs), nn.ReLU()]
    return nn.Sequential(*layers)


class UNet(nn.Module):
    """Images [n, 1, h, w] to logits of that shape; 2**depth divides h and w."""

    def __init__(self, width=8, depth=2):
        super().__init__()
        widths = [width << level for level in range(depth + 1)]
        self.down = nn.ModuleList(
            twice(a, b) for a, b in zip([1, *widths], widths))
        back = widths[-2::-1]
        self.rise = nn.ModuleList(
            nn.Conv2DTranspose(2 * w, w, 2, 2) for w in back)
        self.up = nn.ModuleList(twice(2 * w, w) for w in back)
        self.head = nn.Conv2D(width, 1, 1)

    def forward(self, x):
        left = []
        for level in self.down:
            left.append(level(F.max_pool2d(left[-1], 2) if left else x))
        x = left.pop()
        for rise, up in zip(self.rise, self.up):
            x = up(sy.concat([left.pop(), rise(x)], axis=1))
        return self.head(x)


def loss(logits, masks):
    """Cross entropy, and how little the areas overlap."""
    share = sy.sigmoid(logits)
    overlap = 2 * (share * masks).sum() / (share.sum() + masks.sum() + 1e-6)
    return F.binary_cross_entropy_with_logits(logits, masks) + 1 - overlap


def discs(count, size=32):
    """Noisy images with a disc each, and where it is."""
    random = np.random.default_rng(0)
    places = random.uniform(8, size - 8, (2, count, 1, 1, 1))
    y, x = np.mgrid[:size, :size]
    masks = np.hypot(y - places[0], x - places[1]) < 6
    images = masks + random.normal(size=masks.shape)
    return images.astype(np.float32), masks.astype(np.float32)


def main(static=False, epochs=10, count=128):
    sy.seed(1)
    model = UNet()
    optimizer = sy.optim.Adam(model.parameters(), learning_rate=0.002)
    step = train_step(model, loss, optimizer, static)
    loader = sy.io.DataLoader(sy.io.ArrayDataset(*discs(count)), 16,
                              shuffle=True, seed=1)
    losses = [step(x, y).item() for _ in range(epochs) for x, y in loader]
    print(f"loss {losses[0]:.3f}, in the end {losses[-1]:.3f}")
    return losses


if __name__ == "__main__":
    main("--static" in sys.argv)
