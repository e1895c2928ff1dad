# SPDX-License-Identifier: Apache-2.0
"""Some steps of training on the default place, eager or as a program."""
import numpy as np

import switchyard as sy
from switchyard import nn, optim

STEPS = 4


def convolutions():
    return nn.Sequential(
        nn.Conv2D(1, 8, 3, padding=1), nn.BatchNorm2D(8), nn.ReLU(),
        nn.MaxPool2D(2), nn.Conv2D(8, 16, 3), nn.ReLU(), nn.Flatten(),
        nn.Linear(64, 10))


def layers():
    return nn.Sequential(
        nn.Flatten(), nn.Linear(64, 32), nn.LayerNorm(32), nn.GELU(),
        nn.Dropout(0.25), nn.Linear(32, 10))


def rows():
    return nn.Sequential(nn.Embedding(20, 8, sparse=True), nn.Flatten(),
                         nn.Linear(24, 10))


def images(rng):
    return rng.normal(size=(6, 1, 8, 8)).astype(np.float32)


def words(rng):
    return rng.integers(0, 20, size=(6, 3))


# {name: (network, inputs, optimizer of parameters)}
CASES = {
    "convolutions, Momentum": (convolutions, images, lambda ps: optim.Momentum(
        ps, 0.05, weight_decay=0.01)),
    "convolutions, Adam": (convolutions, images,
                           lambda ps: optim.Adam(ps, 0.01)),
    "layers, AdamW": (layers, images, lambda ps: optim.AdamW(
        ps, 0.01, clip=optim.ClipGradByGlobalNorm(0.5))),
    "layers, SGD": (layers, images, lambda ps: optim.SGD(ps, 0.1)),
    "sparse rows, SGD": (rows, words, lambda ps: optim.SGD(ps, 0.5)),
    "sparse rows, Adam": (rows, words, lambda ps: optim.Adam(ps, 0.05)),
}


def trained(case, static):
    """The bits of the losses and of all that training changes."""
    network, inputs, make_optimizer = CASES[case]
    sy.seed(3)
    model, loss = network(), nn.CrossEntropyLoss()
    optimizer = make_optimizer(model.parameters())
    step = sy.static.train_step(model, loss, optimizer)
    rng, seen = np.random.default_rng(4), []
    for _ in range(STEPS):
        x, y = inputs(rng), rng.integers(0, 10, size=6)
        if static:
            value = step(x, y)
        else:
            optimizer.zero_grad()
            value = loss(model(sy.tensor(x)), sy.tensor(y))
            value.backward()
            optimizer.step()
        seen.append(value.numpy().tobytes())
    return seen + [tensor.numpy().tobytes() for module in (model, optimizer)
                   for tensor in module.state_dict().values()]
