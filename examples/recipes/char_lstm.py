# SPDX-License-Identifier: Apache-2.0
"""An LSTM learns a text character by character, and writes some.

    ./sy python examples/recipes/char_lstm.py [--static]

The text is this file. The state is carried from each piece to the next one.
"""
import pathlib
import sys

import numpy as np

from steps import train_step
import switchyard as sy
from switchyard import nn
from switchyard.distributions import Categorical

BATCH, LENGTH = 16, 24


class CharLSTM(nn.Module):
    """The logits of the next character, [n, time, symbols]."""

    def __init__(self, symbols, size=64, batch=BATCH):
        super().__init__()
        self.embed = nn.Embedding(symbols, size)
        self.lstm = nn.LSTM(size, size, batch_first=True)
        self.head = nn.Linear(size, symbols)
        # Assigning to a buffer writes its memory.
        self.h = nn.Buffer(sy.zeros([1, batch, size]))
        self.c = nn.Buffer(sy.zeros([1, batch, size]))

    def forward(self, x):
        state = self.h.clone(), self.c.clone()  # The gradient keeps these.
        y, (h, c) = self.lstm(self.embed(x), state)
        self.h, self.c = h.detach(), c.detach()
        return self.head(y)


def make_step(model, static=False):
    """step(x, y) trains and returns the loss."""
    loss = nn.CrossEntropyLoss(axis=-1)
    optimizer = sy.optim.Adam(model.parameters(), learning_rate=0.01,
                              clip=sy.optim.ClipGradByGlobalNorm(1.0))
    return train_step(model, loss, optimizer, static)


@sy.no_grad()
def write(model, first, count):
    """``count`` numbers of characters, beginning with ``first``."""
    numbers, state = [first], None
    for _ in range(count - 1):
        y, state = model.lstm(model.embed(sy.tensor([[numbers[-1]]])), state)
        numbers.append(Categorical(logits=model.head(y)).sample().item())
    return numbers


def main(static=False, epochs=40):
    text = pathlib.Path(__file__).read_text()
    symbols = sorted(set(text))
    numbers = np.array([symbols.index(c) for c in text])
    rows = numbers[:len(numbers) // BATCH * BATCH].reshape(BATCH, -1)
    sy.seed(1)
    model = CharLSTM(len(symbols))
    step = make_step(model, static)
    losses = [step(rows[:, t:t + LENGTH], rows[:, t + 1:t + LENGTH + 1]).item()
              for _ in range(epochs)
              for t in range(0, rows.shape[1] - LENGTH - 1, LENGTH)]
    print("".join(symbols[n] for n in write(model, symbols.index("d"), 200)))
    return losses


if __name__ == "__main__":
    main("--static" in sys.argv)
