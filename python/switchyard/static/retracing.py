# SPDX-License-Identifier: Apache-2.0
"""Programs that are traced again when something has changed that they depend on."""

from __future__ import annotations

import collections
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from switchyard import _core
from switchyard.nn.module import Module


def settings_of(modules: Iterable[Module],
                parameters: Iterable[_core.Tensor]) -> tuple:
    """Returns all that a trace depends on beside its inputs: the phase and hooks
    of each module, which parameters require a gradient, their hooks, autocast."""
    return (tuple([(module.training, *module._hooks.values())
                   for module in modules]),
            tuple([(tensor.requires_grad, tensor._hooks())
                   for tensor in parameters]),
            _core.autocast_dtype())


class Retraced:
    """Traces by their settings, of which ``traces`` counts how many were made.
    Keeps those used last."""

    def __init__(self):
        self.traces = 0
        self._kept = collections.OrderedDict()

    def __len__(self):
        return len(self._kept)

    def get(self, settings: Hashable, trace: Callable[[], Any], most: int):
        """Returns the trace of ``settings``: the one that is kept, or that of a call
        of ``trace``, which returns anything but None. Keeps ``most``."""
        found = self._kept.get(settings)
        if found is not None:
            self._kept.move_to_end(settings)
            return found
        found = trace()
        self.traces += 1
        self._kept[settings] = found
        if len(self._kept) > most:
            self._kept.popitem(last=False)
        return found
