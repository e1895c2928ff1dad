# SPDX-License-Identifier: Apache-2.0
"""A variational autoencoder (Kingma and Welling, 2014) of digits.

    ./sy python examples/recipes/vae.py [--static]
"""
import pathlib
import sys

import numpy as np

from steps import train_step
import switchyard as sy
from switchyard import nn
from switchyard.distributions import Normal, kl_divergence
from switchyard.nn import functional as F

DIGITS = pathlib.Path(__file__).parent.parent / "digits/data/digits.csv.gz"


class VAE(nn.Module):
    """Returns the logits of the pixels, and the distribution of the code."""

    def __init__(self, pixels=64, hidden=128, latent=8):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.ReLU())
        self.mean = nn.Linear(hidden, latent)
        self.log_scale = nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(),
                                     nn.Linear(hidden, pixels))

    def forward(self, x):
        hidden = self.encoder(x)
        mean, scale = self.mean(hidden), sy.exp(self.log_scale(hidden))
        return self.decoder(Normal(mean, scale).rsample()), mean, scale


def loss(outputs, x):
    """The bound on -log p(x), a mean over the images."""
    logits, mean, scale = outputs
    pixels = F.binary_cross_entropy_with_logits(logits, x, reduction="none")
    code = kl_divergence(Normal(mean, scale), Normal(0.0, 1.0))
    return (pixels.sum(1) + code.sum(1)).mean()


def make_step(model, static=False):
    """step(x, x) trains and returns the loss."""
    optimizer = sy.optim.Adam(model.parameters(), learning_rate=0.001)
    return train_step(model, loss, optimizer, static)


def main(static=False, epochs=20):
    images = np.loadtxt(DIGITS, np.float32, delimiter=",")[:, :64] / 16
    sy.seed(1)
    model = VAE()
    step = make_step(model, static)
    loader = sy.io.DataLoader(sy.io.ArrayDataset(images), 64, shuffle=True,
                              seed=1)
    losses = [step(x, x).item() for _ in range(epochs) for (x,) in loader]
    print(f"loss {np.mean(losses[-len(loader):]):.2f}")
    made = sy.sigmoid(model.decoder(sy.randn(1, 8))).detach()
    for row in made.numpy().reshape(8, 8):
        print("".join(" .:oO#@@@"[int(8 * pixel)] for pixel in row))
    return losses


if __name__ == "__main__":
    main("--static" in sys.argv)
