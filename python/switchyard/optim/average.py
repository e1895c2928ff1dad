# SPDX-License-Identifier: Apache-2.0
"""EMA: a model's weights as an average over its training."""

from __future__ import annotations

import contextlib

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import SHARE, checked
from switchyard.nn.module import Module

_ops = _core.ops


class EMA:
    """Keeps average = decay * average + (1 - decay) * weight of a model.

    ``update()`` after each step, of eager code or of a program; inside of
    ``with ema.averaged():`` the model has the averages. Buffers are taken as
    they are.
    """

    @checked(model=Module, decay=SHARE)
    def __init__(self, model, decay: float = 0.999):
        self.model, self.decay = model, decay
        self.averages = model.state_dict()
        self._trained = [name for name, _ in model.named_parameters()]

    def update(self) -> None:
        """Takes the weights as they are now into the averages."""
        own = dict(self.model.named_slots())
        with no_grad():
            for name, average in self.averages.items():
                tensor = own[name].tensor.detach()
                if name in self._trained:
                    tensor = _ops.add(_ops.scale(average, self.decay),
                                      _ops.scale(tensor, 1.0 - self.decay))
                average.copy_(tensor)

    @contextlib.contextmanager
    def averaged(self):
        """While inside, the model has the averages."""
        own = self.model.state_dict()
        self.model.load_state_dict(self.averages)
        try:
            yield self.model
        finally:
            self.model.load_state_dict(own)

    def state_dict(self) -> dict[str, _core.Tensor]:
        """{name: Tensor} copies of the averages."""
        return {name: _core.tensor(t) for name, t in self.averages.items()}

    def load_state_dict(self, state: dict) -> None:
        """Sets what ``state_dict`` returned. KeyError if names differ."""
        if state.keys() != self.averages.keys():
            raise KeyError(f"load_state_dict: expected {sorted(self.averages)}, "
                           f"got {sorted(state)}")
        for name, average in self.averages.items():
            average.copy_(_core.tensor(state[name], average.dtype))
