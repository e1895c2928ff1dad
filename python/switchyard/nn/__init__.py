# SPDX-License-Identifier: Apache-2.0
"""Layers: modules that own parameters and call operators."""

from switchyard.nn import functional, init
from switchyard.nn.activation import (
    CELU, ELU, GELU, GLU, Hardsigmoid, Hardswish, Hardtanh, LeakyReLU, LogSigmoid,
    LogSoftmax, Mish, PReLU, ReLU, ReLU6, SELU, Sigmoid, SiLU, Softmax, Softplus,
    Softsign, Tanh)
from switchyard.nn.adaptive_softmax import AdaptiveLogSoftmaxWithLoss
from switchyard.nn.bags import EmbeddingBag
from switchyard.nn.class_loss import CrossEntropyLoss, CTCLoss, NLLLoss
from switchyard.nn.containers import (ModuleDict, ModuleList, ParameterDict,
                                      ParameterList,
                                      Sequential)
from switchyard.nn.conv import Conv2D
from switchyard.nn.conv_nd import (Conv1D, Conv1DTranspose, Conv2DTranspose,
                                   Conv3D, Conv3DTranspose)
from switchyard.nn.distance import CosineSimilarity, PairwiseDistance
from switchyard.nn.dropout import (AlphaDropout, Dropout, Dropout1D, Dropout2D,
                                   Dropout3D, FeatureAlphaDropout)
from switchyard.nn.key_value_cache import KeyValueCache
from switchyard.nn.lazy import (
    LazyBatchNorm1D, LazyBatchNorm2D, LazyBatchNorm3D, LazyConv1D, LazyConv1DTranspose,
    LazyConv2D, LazyConv2DTranspose, LazyConv3D, LazyConv3DTranspose,
    LazyInstanceNorm1D, LazyInstanceNorm2D, LazyInstanceNorm3D, LazyLinear)
from switchyard.nn.likelihood_loss import GaussianNLLLoss, PoissonNLLLoss
from switchyard.nn.linear import Bilinear, Embedding, Linear
from switchyard.nn.loss import (
    BCELoss, BCEWithLogitsLoss, CosineEmbeddingLoss, HuberLoss, KLDivLoss, L1Loss,
    MSELoss, SmoothL1Loss, TripletMarginLoss)
from switchyard.nn.margin_loss import (
    HingeEmbeddingLoss, MarginRankingLoss, MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss, MultiMarginLoss, SoftMarginLoss,
    TripletMarginWithDistanceLoss)
from switchyard.nn.module import Buffer, Module, Parameter
from switchyard.nn.multi_head import MultiHeadAttention, MultiheadAttention
from switchyard.nn.norm import (BatchNorm1D, BatchNorm2D, BatchNorm3D, GroupNorm,
                                InstanceNorm, InstanceNorm1D, InstanceNorm2D,
                                InstanceNorm3D, LayerNorm, LocalResponseNorm,
                                RMSNorm)
from switchyard.nn.padding import (
    CircularPad1D, CircularPad2D, CircularPad3D, ConstantPad1D, ConstantPad2D,
    ConstantPad3D, ReflectionPad1D, ReflectionPad2D, ReflectionPad3D,
    ReplicationPad1D, ReplicationPad2D, ReplicationPad3D, ZeroPad1D, ZeroPad2D,
    ZeroPad3D)
from switchyard.nn.pooling import (
    AdaptiveAvgPool1D, AdaptiveAvgPool2D, AdaptiveAvgPool3D, AdaptiveMaxPool1D,
    AdaptiveMaxPool2D, AdaptiveMaxPool3D, AvgPool1D, AvgPool2D, AvgPool3D,
    GlobalAvgPool2D, MaxPool1D, MaxPool2D, MaxPool3D)
from switchyard.nn.power_pool import (FractionalMaxPool2D, FractionalMaxPool3D,
                                      LPPool1D, LPPool2D, LPPool3D)
from switchyard.nn.recurrent import (GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell)
from switchyard.nn.resampling import (Upsample, UpsamplingBilinear2D,
                                      UpsamplingNearest2D)
from switchyard.nn.reshaping import (ChannelShuffle, Flatten, Fold, Identity,
                                     PixelShuffle, PixelUnshuffle, Unflatten,
                                     Unfold)
from switchyard.nn.shrinking import (Hardshrink, RReLU, Softmax2D, Softmin,
                                     Softshrink, Tanhshrink, Threshold)
from switchyard.nn.sync_norm import SyncBatchNorm
from switchyard.nn.transformer import (
    Transformer, TransformerDecoder, TransformerDecoderLayer, TransformerEncoder,
    TransformerEncoderLayer)
from switchyard.nn.unpooling import MaxUnpool1D, MaxUnpool2D, MaxUnpool3D
from switchyard.spelling import install as _install

__all__ = [
    "AdaptiveAvgPool1D", "AdaptiveAvgPool2D", "AdaptiveAvgPool3D",
    "AdaptiveLogSoftmaxWithLoss",
    "AdaptiveMaxPool1D", "AdaptiveMaxPool2D", "AdaptiveMaxPool3D", "AlphaDropout",
    "AvgPool1D", "AvgPool2D", "AvgPool3D", "BCELoss", "BCEWithLogitsLoss",
    "BatchNorm1D", "BatchNorm2D", "BatchNorm3D", "Bilinear", "Buffer", "CELU",
    "CTCLoss", "ChannelShuffle", "CircularPad1D", "CircularPad2D", "CircularPad3D",
    "ConstantPad1D", "ConstantPad2D", "ConstantPad3D", "Conv1D", "Conv1DTranspose",
    "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "CosineEmbeddingLoss",
    "CosineSimilarity", "CrossEntropyLoss", "Dropout", "Dropout1D", "Dropout2D",
    "Dropout3D", "ELU", "Embedding", "EmbeddingBag", "FeatureAlphaDropout",
    "Flatten", "Fold", "FractionalMaxPool2D", "FractionalMaxPool3D", "GELU", "GLU", "GRU", "GRUCell", "GaussianNLLLoss",
    "GlobalAvgPool2D", "GroupNorm", "Hardshrink", "Hardsigmoid", "Hardswish",
    "Hardtanh", "HingeEmbeddingLoss", "HuberLoss", "Identity", "InstanceNorm",
    "InstanceNorm1D", "InstanceNorm2D", "InstanceNorm3D", "KLDivLoss",
    "KeyValueCache", "L1Loss", "LPPool1D", "LPPool2D",
    "LPPool3D", "LSTM", "LSTMCell", "LayerNorm", "LazyBatchNorm1D",
    "LazyBatchNorm2D", "LazyBatchNorm3D", "LazyConv1D", "LazyConv1DTranspose",
    "LazyConv2D", "LazyConv2DTranspose", "LazyConv3D", "LazyConv3DTranspose",
    "LazyInstanceNorm1D", "LazyInstanceNorm2D", "LazyInstanceNorm3D", "LazyLinear",
    "LeakyReLU", "Linear", "LocalResponseNorm",
    "LogSigmoid", "LogSoftmax", "MSELoss", "MarginRankingLoss", "MaxPool1D",
    "MaxPool2D", "MaxPool3D", "MaxUnpool1D", "MaxUnpool2D", "MaxUnpool3D", "Mish",
    "Module", "ModuleDict", "ModuleList", "MultiHeadAttention", "MultiheadAttention",
    "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss",
    "NLLLoss", "PReLU", "PairwiseDistance", "Parameter", "ParameterDict",
    "ParameterList", "PixelShuffle", "PixelUnshuffle", "PoissonNLLLoss", "RMSNorm",
    "RNN", "RNNCell", "RReLU", "ReLU", "ReLU6", "ReflectionPad1D",
    "ReflectionPad2D", "ReflectionPad3D", "ReplicationPad1D", "ReplicationPad2D",
    "ReplicationPad3D", "SELU", "Sequential", "SiLU", "Sigmoid", "SmoothL1Loss",
    "SoftMarginLoss", "Softmax", "Softmax2D", "Softmin", "Softplus", "Softshrink",
    "Softsign", "SyncBatchNorm", "Tanh", "Tanhshrink", "Threshold", "Transformer",
    "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer", "TripletMarginLoss", "TripletMarginWithDistanceLoss",
    "Unflatten", "Unfold", "Upsample", "UpsamplingBilinear2D",
    "UpsamplingNearest2D", "ZeroPad1D", "ZeroPad2D", "ZeroPad3D",
    "functional", "init", "utils",
]

_install(globals(), __all__)


def __dir__():
    return __all__


def _by_pytorch_name(name):
    """The class that PyTorch writes with a small d: Conv2d, ConvTranspose2d."""
    if name[-1:] != "d" or name[-2:-1] not in ("1", "2", "3"):
        return None
    ours = name[:-1] + "D"
    lazy = "Lazy" if name.startswith("Lazy") else ""
    if name.startswith(f"{lazy}ConvTranspose"):
        ours = f"{lazy}Conv{name[-2]}DTranspose"
    if name.startswith(f"{lazy}BatchNorm") and ours in __all__:
        raise AttributeError(f"nn.{name}: use nn.{ours}, whose momentum is the share "
                             "of the old mean that stays")
    if name.startswith("AvgPool") and ours in __all__:
        from switchyard.nn import pytorch_pooling
        return getattr(pytorch_pooling, name)
    return globals()[ours] if ours in __all__ else None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from switchyard.nn import utils
else:
    def __getattr__(name):
        # Imported at its first use: it needs sy.optim, which takes long.
        if name == "utils":
            import importlib
            return importlib.import_module("switchyard.nn.utils")
        if name == "DataParallel":
            from switchyard.distributed import DataParallel
            return DataParallel
        found = _by_pytorch_name(name)
        if found is not None:
            return found
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
