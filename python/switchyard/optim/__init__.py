# SPDX-License-Identifier: Apache-2.0
"""Optimizers, learning-rate schedules and gradient clipping."""

from switchyard.optim.adam import Adam, AdamW
from switchyard.optim.clip import (ClipGradByGlobalNorm, ClipGradByNorm,
                                   ClipGradByValue, global_norm)
from switchyard.optim.optimizer import Optimizer
from switchyard.optim.schedule import (CosineDecay, ExponentialDecay,
                                       LinearWarmup, MultiStepDecay, Schedule,
                                       StepDecay)
from switchyard.optim.sgd import SGD, Momentum

__all__ = [
    "Adam", "AdamW", "ClipGradByGlobalNorm", "ClipGradByNorm",
    "ClipGradByValue", "CosineDecay", "ExponentialDecay", "LinearWarmup",
    "Momentum", "MultiStepDecay", "Optimizer", "SGD", "Schedule", "StepDecay",
    "global_norm",
]
