# SPDX-License-Identifier: Apache-2.0
"""ShardedOptimizer: each process keeps the optimizer's state of some parameters."""

from __future__ import annotations

import numpy as np

from switchyard.autograd import no_grad
from switchyard.distributed.calls import array_as, caller_line, elements
from switchyard.distributed.groups import group_or_none


class ShardedOptimizer:
    """Updates each parameter on one process and sends it to the others.

        optimizer = sy.distributed.ShardedOptimizer(
            lambda parameters: sy.optim.AdamW(parameters, learning_rate=1e-3),
            model.parameters())

    ``make``: returns an optimizer of the parameters that it gets, those of this
    process: about 1/P of all elements, whole parameters. ``parameters``: those of all
    processes, with the same gradients on each (``DataParallel`` sees to that). The
    parameters have the bits of one optimizer of all, since updates of one parameter
    read no other. A clip of the optimizer would; clip before the step instead
    (``sy.optim.clip_grad_norm_``), on all processes.
    """

    def __init__(self, make, parameters):
        """TypeError if ``make`` returns no optimizer of these parameters; ValueError
        for one that clips, or without parameters."""
        self.parameters = list(parameters)
        if not self.parameters:
            raise ValueError("ShardedOptimizer: parameters must not be empty")
        self._group = group_or_none()
        size = 1 if self._group is None else self._group.size
        self._rank = 0 if self._group is None else self._group.rank
        self._owners = _owners([each.size for each in self.parameters], size)
        own = [each for each, owner in zip(self.parameters, self._owners)
               if owner == self._rank]
        self._numbers = [number for number, owner in enumerate(self._owners)
                         if owner == self._rank]
        self.optimizer = make(own) if own else None
        if own and not hasattr(self.optimizer, "step"):
            raise TypeError("ShardedOptimizer: make must return an optimizer, got "
                            f"{type(self.optimizer).__name__}")
        if getattr(self.optimizer, "clip", None) is not None:
            raise ValueError("ShardedOptimizer: the optimizer must have no clip, which "
                             "would see the parameters of one process: call "
                             "sy.optim.clip_grad_norm_ before step")

    def zero_grad(self) -> None:
        """Forgets the gradients of all parameters."""
        for each in self.parameters:
            each.grad = None

    def step(self) -> None:
        """Updates the own parameters and receives the others. DistributedError if a
        process is missing."""
        if self.optimizer is not None:
            self.optimizer.step()
        if self._group is None or self._group.size == 1:
            return
        for dtype in dict.fromkeys(each.dtype for each in self.parameters):
            self._exchange(dtype)

    def set_learning_rate(self, value) -> None:
        """Sets the learning rate, on all processes alike."""
        if self.optimizer is not None:
            self.optimizer.learning_rate = value

    def state_dict(self) -> dict:
        """{name: Tensor} copies of the state of this process, by the names that one
        optimizer of all parameters would have. {} where it has no parameter."""
        if self.optimizer is None:
            return {}
        return {self._name_of_all(name): tensor
                for name, tensor in self.optimizer.state_dict().items()}

    def load_state_dict(self, state: dict) -> None:
        """Sets what ``state_dict`` returned here. KeyError or ValueError as the
        optimizer's; nothing is changed then."""
        if self.optimizer is None:
            return
        own = {self._name_of_all(name): name for name in self.optimizer.state_dict()}
        if own.keys() != state.keys():
            raise KeyError(f"load_state_dict: expected {sorted(own)}, "
                           f"got {sorted(state)}")
        self.optimizer.load_state_dict(
            {own[name]: value for name, value in state.items()})

    def _name_of_all(self, name):
        """"1.moment" of the second own parameter with that one's number in all."""
        number, dot, rest = name.partition(".")
        return f"{self._numbers[int(number)]}.{rest}" if number.isdigit() else name

    def _exchange(self, dtype):
        """Gathers the parameters of a dtype, those of the first process first."""
        order = sorted((owner, number) for number, (owner, each) in enumerate(
            zip(self._owners, self.parameters)) if each.dtype == dtype)
        begins, places, begin = [0] * (self._group.size + 1), [], 0
        for owner, number in order:
            each = self.parameters[number]
            places.append((owner, each, begin))
            begin += each.size
            begins[owner + 1] = begin
        begins = np.maximum.accumulate(begins).tolist()
        flat = None
        for owner, each, start in places:
            values = elements(each).reshape(-1)
            if flat is None:
                flat = np.empty(begin, values.dtype)
            if owner == self._rank:
                flat[start:start + each.size] = values
        self._group.all_gather((dtype, begin, "parameters", caller_line()), begins,
                               flat)
        with no_grad():
            for owner, each, start in places:
                if owner != self._rank:
                    values = flat[start:start + each.size].reshape(each.shape)
                    each.copy_(array_as(values, each))


def _owners(sizes, count):
    """The process of each parameter: the largest first, to whom has least."""
    loads, owners = [0] * count, [0] * len(sizes)
    for number in sorted(range(len(sizes)), key=lambda n: (-sizes[n], n)):
        owners[number] = min(range(count), key=lambda rank: (loads[rank], rank))
        loads[owners[number]] += sizes[number]
    return owners
