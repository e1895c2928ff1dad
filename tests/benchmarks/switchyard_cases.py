# SPDX-License-Identifier: Apache-2.0
"""The cases in Python, for Switchyard. usage: switchyard_cases.py THREADS"""

import sys

import numpy as np

import switchyard as sy
from worker import Case, serve

nn = sy.nn
ops = sy.ops


def random(*shape, grad=False):
    values = np.random.default_rng(0).random(shape, np.float32)
    return sy.tensor(values, requires_grad=grad)


def chain():
    x, one = random(1, grad=True), random(1)

    def both():
        x.grad = None
        y = x
        for _ in range(100):
            y = y + one
        ops.sum(y).backward()
    return both


def layer_norm():
    return {"f": ops.layer_norm, "x": random(32, 32), "w": random(32),
            "b": random(32)}


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2D(2),
            nn.Conv2D(6, 16, 5), nn.ReLU(), nn.MaxPool2D(2))
        self.classifier = nn.Sequential(
            nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
            nn.Linear(84, 10))

    def forward(self, x):
        return self.classifier(ops.reshape(self.features(x), [-1, 400]))


class Encoder(nn.Module):
    """Post-norm: d = 256, 4 heads, 1024 hidden, no dropout."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiHeadAttention(256, 4)
        self.first, self.second = nn.Linear(256, 1024), nn.Linear(1024, 256)
        self.norm1, self.norm2 = nn.LayerNorm(256), nn.LayerNorm(256)

    def forward(self, x):
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.second(ops.relu(self.first(x))))


def network(name):
    """(model, loss, optimizer, inputs, labels)."""
    labels = np.random.default_rng(1).integers(0, 10, (64, 1))
    if name == "encoder":
        model = Encoder()
        return (model, nn.MSELoss(),
                sy.optim.SGD(model.named_parameters(), learning_rate=1e-3),
                random(8, 128, 256), random(8, 128, 256))
    if name == "lenet":
        model = LeNet()
        return (model, nn.CrossEntropyLoss(),
                sy.optim.Adam(model.named_parameters(), learning_rate=1e-3),
                random(64, 1, 28, 28), sy.tensor(labels))
    model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256),
                          nn.ReLU(), nn.Linear(256, 10))
    return (model, nn.CrossEntropyLoss(),
            sy.optim.SGD(model.named_parameters(), learning_rate=0.1),
            random(64, 784), sy.tensor(labels))


def eager_step(name):
    model, loss, optimizer, inputs, labels = network(name)

    def step():
        optimizer.zero_grad()
        loss(model(inputs), labels).backward()
        optimizer.step()
    return step


def static_step(name):
    model, loss, optimizer, inputs, labels = network(name)
    step = sy.static.train_step(model, loss, optimizer)
    return lambda: step(inputs, labels)


def operands(*shape, f, grad=False):
    return lambda: {"f": f, "a": random(*shape, grad=grad),
                    "b": random(*shape, grad=grad)}


CASES = {
    "add": Case(operands(1, f=ops.add), "f(a, b)"),
    "add_recording": Case(operands(1, f=ops.add, grad=True), "f(a, b)"),
    "softmax": Case(operands(32, 32, f=ops.softmax), "f(a, -1)"),
    "layer_norm": Case(layer_norm, "f(x, w, b)"),
    "matmul": Case(operands(4, 4, f=ops.matmul), "f(a, b)"),
    "reshape": Case(operands(32, 32, f=ops.reshape), "f(a, [1024])"),
    "concat": Case(operands(32, 32, f=ops.concat), "f([a, b])"),
    "chain": Case(chain),
}
for _name in ("mlp", "lenet", "encoder"):
    CASES[f"{_name}_eager"] = Case(lambda name=_name: eager_step(name))
    CASES[f"{_name}_static"] = Case(lambda name=_name: static_step(name))

if __name__ == "__main__":
    sy.set_num_threads(int(sys.argv[1]))
    serve(CASES)
