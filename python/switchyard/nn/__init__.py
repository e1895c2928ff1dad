# SPDX-License-Identifier: Apache-2.0
"""Layers: modules that own parameters and call operators."""

from switchyard.nn import functional, init
from switchyard.nn.activation import (
    CELU, ELU, GELU, GLU, Hardsigmoid, Hardswish, Hardtanh, LeakyReLU, LogSigmoid,
    LogSoftmax, Mish, PReLU, ReLU, ReLU6, SELU, Sigmoid, SiLU, Softmax, Softplus,
    Softsign, Tanh)
from switchyard.nn.attention import (
    MultiHeadAttention, TransformerDecoder, TransformerDecoderLayer,
    TransformerEncoder, TransformerEncoderLayer)
from switchyard.nn.class_loss import CrossEntropyLoss, CTCLoss, NLLLoss
from switchyard.nn.containers import (ModuleDict, ModuleList, ParameterList,
                                      Sequential)
from switchyard.nn.conv import Conv2D
from switchyard.nn.conv_nd import (Conv1D, Conv1DTranspose, Conv2DTranspose,
                                   Conv3D, Conv3DTranspose)
from switchyard.nn.distance import CosineSimilarity
from switchyard.nn.dropout import Dropout, Dropout2D
from switchyard.nn.linear import Embedding, Linear
from switchyard.nn.loss import (
    BCELoss, BCEWithLogitsLoss, CosineEmbeddingLoss, HuberLoss, KLDivLoss, L1Loss,
    MSELoss, SmoothL1Loss, TripletMarginLoss)
from switchyard.nn.module import Buffer, Module, Parameter
from switchyard.nn.norm import (BatchNorm1D, BatchNorm2D, BatchNorm3D, GroupNorm,
                                InstanceNorm, LayerNorm, RMSNorm)
from switchyard.nn.pooling import (
    AdaptiveAvgPool1D, AdaptiveAvgPool2D, AdaptiveAvgPool3D, AdaptiveMaxPool1D,
    AdaptiveMaxPool2D, AdaptiveMaxPool3D, AvgPool1D, AvgPool2D, AvgPool3D,
    GlobalAvgPool2D, MaxPool1D, MaxPool2D, MaxPool3D)
from switchyard.nn.recurrent import (GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell)
from switchyard.nn.resampling import Upsample
from switchyard.nn.reshaping import Flatten, Identity, PixelShuffle

__all__ = [
    "AdaptiveAvgPool1D", "AdaptiveAvgPool2D", "AdaptiveAvgPool3D",
    "AdaptiveMaxPool1D", "AdaptiveMaxPool2D", "AdaptiveMaxPool3D", "AvgPool1D",
    "AvgPool2D", "AvgPool3D", "BCELoss",
    "BCEWithLogitsLoss", "BatchNorm1D", "BatchNorm2D", "BatchNorm3D", "Buffer",
    "CELU", "CTCLoss", "Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D",
    "Conv3DTranspose", "CosineEmbeddingLoss", "CosineSimilarity", "CrossEntropyLoss", "Dropout",
    "Dropout2D", "ELU", "Embedding", "Flatten", "GELU", "GLU", "GRU", "GRUCell",
    "GlobalAvgPool2D", "GroupNorm", "Hardsigmoid", "Hardswish", "Hardtanh", "HuberLoss",
    "Identity", "InstanceNorm", "KLDivLoss", "L1Loss", "LSTM", "LSTMCell",
    "LayerNorm", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax", "MSELoss", "MaxPool1D",
    "MaxPool2D", "MaxPool3D", "Mish", "Module", "ModuleDict", "ModuleList", "MultiHeadAttention",
    "NLLLoss", "PReLU", "PixelShuffle", "Parameter", "ParameterList", "RMSNorm", "RNN", "RNNCell", "ReLU",
    "ReLU6", "SELU", "Sequential", "SiLU", "Sigmoid", "SmoothL1Loss", "Softmax",
    "Softplus", "Softsign", "Tanh", "TransformerDecoder", "TransformerDecoderLayer",
    "TransformerEncoder", "TransformerEncoderLayer", "TripletMarginLoss",
    "Upsample", "functional", "init", "utils",
]


def __dir__():
    return __all__


TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.nn import utils
else:
    def __getattr__(name):
        # Imported at its first use: it needs sy.optim, which takes long.
        if name == "utils":
            import importlib
            return importlib.import_module("switchyard.nn.utils")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
