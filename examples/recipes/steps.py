# SPDX-License-Identifier: Apache-2.0
"""A training step in its two ways, for the recipes beside this file."""

import switchyard as sy


def train_step(model, loss, optimizer, static=False):
    """step(inputs, labels) trains and returns the loss; same bits both ways.

    ``inputs`` is a tuple where the model takes several.
    """
    if static:
        return sy.static.train_step(model, loss, optimizer)

    def step(inputs, labels):
        optimizer.zero_grad()
        several = inputs if isinstance(inputs, tuple) else (inputs,)
        value = loss(model(*several), labels)
        value.backward()
        optimizer.step()
        return value
    return step
