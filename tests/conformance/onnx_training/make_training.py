# SPDX-License-Identifier: Apache-2.0
"""Writes training.json.xz: two networks that PyTorch exported, with what
PyTorch makes of them in 20 steps. By hand, where PyTorch, onnx and its exporter
are:

    VENV/bin/python tests/conformance/onnx_training/make_training.py

There is a model of each with the weights as inputs, which has the loss and, by
ONNX's `Gradient`, the gradient of each weight as outputs; and the model as
PyTorch exports it, of x alone.
"""

import base64
import io
import json
import lzma
import pathlib

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import nn

HERE = pathlib.Path(__file__).resolve().parent
STEPS, RATE = 20, 0.05
TRAINING = "ai.onnx.preview.training"


class Convolutions(nn.Module):

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(2, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(),
            nn.MaxPool2d(2), nn.Conv2d(6, 6, 3, stride=2, groups=2), nn.SiLU(),
            nn.Flatten(), nn.Linear(6, 4))

    def forward(self, x, labels=None):
        y = self.layers(x)
        return y if labels is None else nn.functional.cross_entropy(y, labels)


class Encoder(nn.Module):

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(11, 8)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0,
                                                activation="gelu",
                                                batch_first=True)
        self.head = nn.Linear(8, 3)

    def forward(self, x, labels=None):
        y = self.head(self.layer(self.embedding(x)).mean(1))
        return y if labels is None else nn.functional.cross_entropy(y, labels)


def from_pytorch(model, inputs, output):
    file = io.BytesIO()
    torch.onnx.export(model, inputs, file,
                      input_names=["x", "labels"][:len(inputs)],
                      output_names=[output], opset_version=17, dynamo=False,
                      do_constant_folding=False,
                      training=torch.onnx.TrainingMode.PRESERVE)
    proto = onnx.load_from_string(file.getvalue())
    proto.ClearField("producer_version")
    for node in proto.graph.node:
        node.ClearField("doc_string")
    return proto


def exported(model, inputs):
    """The model with its weights as inputs and their gradients as outputs."""
    proto = from_pytorch(model, inputs, "loss")
    names = [name for name, _ in model.named_parameters()]
    weights = [one for one in proto.graph.initializer if one.name in names]
    for one in weights:
        proto.graph.initializer.remove(one)
        proto.graph.input.append(helper.make_tensor_value_info(
            one.name, one.data_type, one.dims))
    given = [one.name for one in weights]
    outputs = [f"{name}.grad" for name in given]
    proto.graph.node.append(helper.make_node(
        "Gradient", given, outputs, domain=TRAINING, xs=given, y="loss"))
    proto.graph.output.extend(helper.make_tensor_value_info(
        f"{one.name}.grad", one.data_type, one.dims) for one in weights)
    proto.opset_import.append(helper.make_opsetid(TRAINING, 1))
    return proto, {one.name: numpy_helper.to_array(one) for one in weights}


def encoded(array):
    array = np.ascontiguousarray(array)
    return [array.dtype.name, list(array.shape),
            base64.b64encode(array.tobytes()).decode()]


def case(model, x, labels):
    model.eval()
    with torch.no_grad():
        # The exporter makes one weight of those that are equal.
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    proto, weights = exported(model, (x, labels))
    plain = from_pytorch(model, (x,), "y")
    parameters = dict(model.named_parameters())
    losses, first = [], {}
    for step in range(STEPS):
        loss = model(x, labels)
        model.zero_grad()
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            for name in weights:
                if step == 0:
                    first[name] = parameters[name].grad.numpy().copy()
                parameters[name] -= RATE * parameters[name].grad
    return {"model": base64.b64encode(proto.SerializeToString()).decode(),
            "plain": base64.b64encode(plain.SerializeToString()).decode(),
            "feeds": {"x": encoded(x.numpy()),
                      "labels": encoded(labels.numpy())},
            "weights": {name: encoded(value)
                        for name, value in weights.items()},
            "rate": RATE, "losses": losses,
            "gradients": {name: encoded(value)
                          for name, value in first.items()},
            "trained": {name: encoded(parameters[name].detach().numpy())
                        for name in weights}}


def main():
    torch.manual_seed(0)
    cases = {
        "convolutions": case(Convolutions(), torch.randn(5, 2, 6, 6),
                             torch.randint(0, 4, (5,))),
        "encoder": case(Encoder(), torch.randint(0, 11, (4, 6)),
                        torch.randint(0, 3, (4,)))}
    (HERE / "training.json.xz").write_bytes(
        lzma.compress(json.dumps(cases).encode()))


if __name__ == "__main__":
    main()
