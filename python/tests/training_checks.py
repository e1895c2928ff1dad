# SPDX-License-Identifier: Apache-2.0
"""Trains a model in eager code or by train_step, so that a test can compare bits."""
import switchyard as sy
from switchyard import nn, static


class MeanOf(nn.Module):

    def forward(self, out, label):
        return sy.mean(out * out) + sy.mean(label)


def trained(make, loss, batches, static_step, **specs):
    sy.seed(4)
    model = make()
    optimizer = sy.optim.SGD(model.parameters(), learning_rate=0.1)
    step, losses = static.train_step(model, loss, optimizer, **specs), []
    for x, y in batches:
        if static_step:
            losses.append(step(x, y).item())
            continue
        optimizer.zero_grad()
        value = loss(model(sy.tensor(x)), sy.tensor(y))
        value.backward()
        optimizer.step()
        losses.append(value.item())
    return losses, [p.numpy().tobytes() for p in model.parameters()]
