# SPDX-License-Identifier: Apache-2.0
"""Optimizers, learning-rate schedules and gradient clipping."""

from switchyard.optim import lr_scheduler, swa_utils
from switchyard.optim.adam import Adam, AdamW, SparseAdam
from switchyard.optim.adaptive import (Adadelta, Adagrad, Adamax, Lamb, NAdam,
                                       RAdam, RMSprop)
from switchyard.optim.average import EMA
from switchyard.optim.clip import (ClipGradByGlobalNorm, ClipGradByNorm,
                                   ClipGradByValue, clip_grad_norm_,
                                   clip_grad_value_, global_norm)
from switchyard.optim.composed import ASGD, Adafactor, Muon, Rprop
from switchyard.optim.lbfgs import LBFGS
from switchyard.optim.optimizer import Optimizer
from switchyard.optim.schedule import (
    Chained, CosineDecay, CosineWarmRestarts, ExponentialDecay, InTurn,
    LambdaDecay, LinearWarmup, MultiStepDecay, OneCycle, PolynomialDecay,
    ReduceLROnPlateau, Schedule, StepDecay)
from switchyard.optim.sgd import SGD, Momentum
from switchyard.spelling import install as _install

__all__ = [
    "ASGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Chained",
    "ClipGradByGlobalNorm", "ClipGradByNorm", "ClipGradByValue", "CosineDecay",
    "CosineWarmRestarts", "EMA", "ExponentialDecay", "InTurn", "LBFGS",
    "Lamb", "LambdaDecay", "LinearWarmup", "Momentum", "MultiStepDecay", "Muon",
    "NAdam",
    "OneCycle", "Optimizer", "PolynomialDecay", "RAdam", "RMSprop",
    "ReduceLROnPlateau", "Rprop", "SGD", "Schedule", "SparseAdam", "StepDecay", "clip_grad_norm_",
    "clip_grad_value_", "global_norm",
    "lr_scheduler", "swa_utils",
]

_install(globals(), __all__)


def __dir__():
    return __all__
