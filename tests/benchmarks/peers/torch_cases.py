# SPDX-License-Identifier: Apache-2.0
"""The cases in Python, for PyTorch. usage: torch_cases.py THREADS"""

import pathlib
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from worker import Case, serve


def random(*shape, grad=False):
    return torch.rand(shape, requires_grad=grad)


def chain():
    x, one = random(1, grad=True), random(1)

    def both():
        x.grad = None
        y = x
        for _ in range(100):
            y = y + one
        y.sum().backward()
    return both


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2))
        self.classifier = nn.Sequential(
            nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
            nn.Linear(84, 10))

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


def eager_step(name):
    inputs, labels = random(64, 784), torch.randint(0, 10, (64,))
    loss = F.cross_entropy
    if name == "encoder":
        model = nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0,
                                           batch_first=True)
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
        inputs, labels, loss = (random(8, 128, 256), random(8, 128, 256),
                                F.mse_loss)
    elif name == "lenet":
        model = LeNet()
        inputs = random(64, 1, 28, 28)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    else:
        model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(),
                              nn.Linear(256, 256), nn.ReLU(),
                              nn.Linear(256, 10))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss(model(inputs), labels).backward()
        optimizer.step()
    return step


def operands(*shape, f, grad=False):
    return lambda: {"f": f, "a": random(*shape, grad=grad),
                    "b": random(*shape, grad=grad)}


CASES = {
    "add": Case(operands(1, f=torch.add), "f(a, b)"),
    "add_recording": Case(operands(1, f=torch.add, grad=True), "f(a, b)"),
    "softmax": Case(operands(32, 32, f=torch.softmax), "f(a, -1)"),
    "layer_norm": Case(lambda: {"f": F.layer_norm, "x": random(32, 32),
                                "w": random(32), "b": random(32),
                                "shape": (32,)}, "f(x, shape, w, b)"),
    "matmul": Case(operands(4, 4, f=torch.matmul), "f(a, b)"),
    "reshape": Case(operands(32, 32, f=torch.reshape), "f(a, (1024,))"),
    "concat": Case(operands(32, 32, f=torch.cat), "f((a, b))"),
    "chain": Case(chain),
}
for _name in ("mlp", "lenet", "encoder"):
    CASES[f"{_name}_eager"] = Case(lambda name=_name: eager_step(name))

if __name__ == "__main__":
    torch.set_num_threads(int(sys.argv[1]))
    serve(CASES)
