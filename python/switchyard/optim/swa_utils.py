# SPDX-License-Identifier: Apache-2.0
"""Averages of weights over a training, as ``torch.optim.swa_utils`` has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import copy
import math

import numpy as np

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import FROM_0, SHARE, checked, real, refuse
from switchyard.nn.module import Module
from switchyard.nn.norm import _BatchNorm
from switchyard.nn.parameter import Buffer
from switchyard.optim.optimizer import Optimizer
from switchyard.optim.schedule import Schedule

__all__ = ["AveragedModel", "SWALR", "get_ema_avg_fn", "get_ema_multi_avg_fn",
           "get_swa_avg_fn", "get_swa_multi_avg_fn", "update_bn"]


def __dir__():
    return __all__


def get_swa_avg_fn() -> Callable:
    """The mean of all weights: average + (weight - average) / (count + 1)."""
    def averaged(average, weight, count):
        return average + (weight - average) / (count + 1)
    return averaged


def get_ema_avg_fn(decay: float = 0.999) -> Callable:
    """decay * average + (1 - decay) * weight."""
    decay = real("get_ema_avg_fn", "decay", decay, SHARE)

    def averaged(average, weight, count):
        return decay * average + (1.0 - decay) * weight
    return averaged


def _for_lists(one):
    def averaged(averages, weights, count):
        for average, weight in zip(averages, weights):
            average.copy_(one(average, weight, count))
    return averaged


def get_swa_multi_avg_fn() -> Callable:
    """``get_swa_avg_fn`` of lists of tensors, which it writes."""
    return _for_lists(get_swa_avg_fn())


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable:
    """``get_ema_avg_fn`` of lists of tensors, which it writes."""
    real("get_ema_multi_avg_fn", "decay", decay, SHARE)
    return _for_lists(get_ema_avg_fn(decay))


class AveragedModel(Module):
    """A copy of a model, ``module``, whose weights are averages of the model's.

    ``update_parameters(model)`` takes the weights as they are now into the averages;
    the first call copies them. ``avg_fn(average, weight, count)`` returns the next
    average, by default the mean of all; ``multi_avg_fn(averages, weights, count)``
    writes lists. ``use_buffers``: buffers are averaged too, not copied.
    """

    @checked(model=Module)
    def __init__(self, model, device=None, avg_fn: Callable | None = None,
                 multi_avg_fn: Callable | None = None, use_buffers: bool = False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise ValueError("AveragedModel: avg_fn or multi_avg_fn must be given, not both")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module.to(device=device)
        self.n_averaged = Buffer(_core.tensor(np.array(0)))
        self.avg_fn = get_swa_avg_fn() if avg_fn is None else avg_fn
        self.multi_avg_fn, self.use_buffers = multi_avg_fn, use_buffers

    def forward(self, *args, **kwargs):
        """``module`` of the arguments."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Takes the model's weights into the averages."""
        if not isinstance(model, Module):
            refuse("update_parameters", "model", "a Module", model)
        count, (ours, theirs) = self.n_averaged.item(), map(self._slots, (
            self.module, model))
        if ours.keys() != theirs.keys():
            raise ValueError("update_parameters: model must have the parameters that the "
                             "averages are of")
        trained = {name for name, _ in self.module.named_parameters()}
        averaged = [name for name in ours if self.use_buffers or name in trained]
        with no_grad():
            for name in ours.keys() - set(averaged):
                ours[name].copy_(theirs[name])
            if count == 0:
                for name in averaged:
                    ours[name].copy_(theirs[name])
            elif self.multi_avg_fn is not None:
                self.multi_avg_fn([ours[name] for name in averaged],
                                  [theirs[name] for name in averaged], count)
            else:
                for name in averaged:
                    ours[name].copy_(self.avg_fn(ours[name], theirs[name], count))
            self.n_averaged.fill_(count + 1)

    @staticmethod
    def _slots(model):
        return {name: slot.tensor.detach() for name, slot in model.named_slots()}


def update_bn(loader: Iterable, model: Module, device=None) -> None:
    """Gives the BatchNorms of a model the statistics of the data of a loader: the
    mean over its batches. Of batches that are tuples the first part is taken."""
    if not isinstance(model, Module):
        refuse("update_bn", "model", "a Module", model)
    layers = [layer for layer in model.modules() if isinstance(layer, _BatchNorm)]
    if not layers:
        return
    training, momentums = model.training, [layer.momentum for layer in layers]
    model.train()
    try:
        for count, batch in enumerate(loader):
            for layer in layers:  # Its momentum is the share of the old statistics.
                layer.momentum = count / (count + 1)
            batch = batch[0] if isinstance(batch, (tuple, list)) else batch
            with no_grad():
                model(batch if device is None else batch.to(device))
    finally:
        for layer, momentum in zip(layers, momentums):
            layer.momentum = momentum
        model.train(training)


class SWALR(Schedule):
    """From the rate at its first step to ``swa_lr`` in ``anneal_epochs`` steps, along
    half a cosine ("cos") or a line ("linear"), and constant from there."""

    @checked(optimizer=Optimizer, swa_lr=FROM_0, anneal_epochs=FROM_0)
    def __init__(self, optimizer: Optimizer, swa_lr: float, anneal_epochs: int = 10,
                 anneal_strategy: str = "cos"):
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError("SWALR: anneal_strategy must be 'cos' or 'linear', got "
                             f"{anneal_strategy!r}")
        self.swa_lr, self.anneal_epochs = swa_lr, anneal_epochs
        self._linear = anneal_strategy == "linear"
        super().__init__(optimizer)

    def rate(self, count) -> float:
        done = min(1.0, count / max(1, self.anneal_epochs))
        if not self._linear:
            done = (1.0 - math.cos(math.pi * done)) / 2.0
        return self.swa_lr * done + self.base * (1.0 - done)

    def step(self) -> None:
        if self.count == 0:  # Another schedule may have changed it.
            self.base = self.optimizer.learning_rate
        super().step()
