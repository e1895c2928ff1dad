# SPDX-License-Identifier: Apache-2.0
"""One training loop for both ways, and what it leaves to compare."""

import numpy as np

import switchyard as sy


class EagerStep:
    """A training step written out."""

    def __init__(self, model, loss, optimizer):
        self.model, self.loss, self.optimizer = model, loss, optimizer

    def __call__(self, inputs, labels):
        self.optimizer.zero_grad()
        loss = self.loss(self.model(inputs), labels)
        loss.backward()
        self.optimizer.step()
        return loss


STEPS = {"eager": EagerStep, "static": sy.static.train_step}


@sy.no_grad()
def accuracy(model, inputs, labels, batch=1000):
    """The share of right answers."""
    model.eval()
    right = 0
    for at in range(0, len(inputs), batch):
        answer = model(sy.tensor(inputs[at:at + batch])).argmax(axis=1).numpy()
        right += int((answer == labels[at:at + batch]).sum())
    model.train()
    return right / len(inputs)


def bits(*modules):
    """The bits of all that training changes."""
    return [tensor.numpy().tobytes() for module in modules
            for tensor in module.state_dict().values()]


def digits(path):
    """UCI's digits: images float32 [n, 64] in [0, 1] and labels."""
    rows = np.loadtxt(path, delimiter=",", dtype=np.int64)
    rows = rows[np.random.default_rng(0).permutation(len(rows))]
    return (rows[:, :64] / 16).astype(np.float32), rows[:, 64]
