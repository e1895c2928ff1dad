# SPDX-License-Identifier: Apache-2.0
"""Layers: modules that own parameters and call operators."""

from switchyard.nn import init
from switchyard.nn.activation import (
    Dropout, Flatten, GELU, Hardsigmoid, Hardswish, Identity, LeakyReLU,
    LogSoftmax, ReLU, ReLU6, Sigmoid, SiLU, Softmax, Softplus, Tanh)
from switchyard.nn.attention import (MultiHeadAttention,
                                     TransformerEncoderLayer)
from switchyard.nn.containers import ModuleList, Sequential
from switchyard.nn.conv import Conv2D
from switchyard.nn.linear import Embedding, Linear
from switchyard.nn.loss import (BCEWithLogitsLoss, CrossEntropyLoss, L1Loss,
                                MSELoss)
from switchyard.nn.module import Buffer, Module, Parameter
from switchyard.nn.norm import BatchNorm2D, LayerNorm
from switchyard.nn.pooling import AvgPool2D, GlobalAvgPool2D, MaxPool2D

__all__ = [
    "AvgPool2D", "BCEWithLogitsLoss", "BatchNorm2D", "Buffer", "Conv2D",
    "CrossEntropyLoss", "Dropout", "Embedding", "Flatten", "GELU",
    "GlobalAvgPool2D", "Hardsigmoid", "Hardswish", "Identity", "L1Loss",
    "LayerNorm", "LeakyReLU", "Linear", "LogSoftmax", "MSELoss", "MaxPool2D",
    "Module", "ModuleList", "MultiHeadAttention", "Parameter", "ReLU", "ReLU6",
    "Sequential", "SiLU", "Sigmoid", "Softmax", "Softplus", "Tanh",
    "TransformerEncoderLayer", "init",
]
