# SPDX-License-Identifier: Apache-2.0
"""ShardedOptimizer: each process keeps the optimizer's state of some parameters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from switchyard.autograd import no_grad
from switchyard.creation import zeros
from switchyard.distributed.calls import array_as, caller_line, elements
from switchyard.distributed.groups import group_or_none
from switchyard.optim.parts import as_reals


class ShardedOptimizer:
    """Updates each element on one process and sends it to the others.

        optimizer = sy.distributed.ShardedOptimizer(
            lambda parameters: sy.optim.AdamW(parameters, learning_rate=1e-3),
            model.parameters())

    ``make``: returns an optimizer of the tensors that it gets, those of this process:
    1/P of all elements, of which the first and the last tensor may be a part of a
    parameter, without its axes. Where that optimizer reads more of a parameter than
    the element that it steps (``Optimizer.elementwise``), or with ``cut=False``, it
    is made of whole parameters, about 1/P of all elements. ``parameters``: those of
    all processes, with the same gradients on each (``DataParallel`` sees to that).
    The parameters have the bits of one optimizer of all. A clip of the optimizer
    would see those of one process alone; clip before the step instead
    (``sy.optim.clip_grad_norm_``), on all processes.
    """

    def __init__(self, make, parameters, cut: bool = True):
        """TypeError if ``make`` returns no optimizer of these tensors; ValueError
        for one that clips, or without parameters."""
        self.parameters = list(parameters)
        if not self.parameters:
            raise ValueError("ShardedOptimizer: parameters must not be empty")
        self._group = group_or_none()
        size = 1 if self._group is None else self._group.size
        self._rank = 0 if self._group is None else self._group.rank
        sizes = [each.size for each in self.parameters]
        # Each process has an element then, so all see whether steps are elementwise.
        cut = cut and sum(sizes) >= size
        self._shares = _even_shares(sizes, size) if cut else _whole_shares(sizes, size)
        self.optimizer = self._made(make)
        if not getattr(self.optimizer, "elementwise", False) and any(
                share.size < sizes[share.number] for share in self._shares):
            self._shares = _whole_shares(sizes, size)
            self.optimizer = self._made(make)
        if getattr(self.optimizer, "clip", None) is not None:
            raise ValueError("ShardedOptimizer: the optimizer must have no clip, which "
                             "would see the parameters of one process: call "
                             "sy.optim.clip_grad_norm_ before step")

    def _made(self, make):
        """The optimizer of this process's share; None where it has none."""
        self._own = [share for share in self._shares if share.rank == self._rank]
        self._tensors = [self._part(share) for share in self._own]
        if not self._own:
            return None
        made = make(list(self._tensors))
        if not hasattr(made, "step"):
            raise TypeError("ShardedOptimizer: make must return an optimizer, got "
                            f"{type(made).__name__}")
        return made

    def _part(self, share):
        """The tensor of a share: the parameter, or a view of a part of it."""
        whole = self.parameters[share.number]
        if share.size == whole.size:
            return whole
        return whole.detach().reshape([-1])[share.begin:share.end].requires_grad_()

    def _take_gradients(self):
        """Gives the parts of parameters the parts of their gradients."""
        for share, part in zip(self._own, self._tensors):
            whole = self.parameters[share.number]
            if part is not whole:
                part.grad = None if whole.grad is None else (
                    whole.grad.to_dense().reshape([-1])[share.begin:share.end])

    def zero_grad(self) -> None:
        """Forgets the gradients of all parameters."""
        for each in self.parameters:
            each.grad = None

    def step(self) -> None:
        """Updates the own parameters and receives the others. DistributedError if a
        process is missing."""
        if self.optimizer is not None:
            self._take_gradients()
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
        optimizer of all parameters would have; of a part of a parameter that part of
        the state, as ``state_runs`` says. {} where it has no parameter."""
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

    def state_runs(self) -> dict:
        """{name: (shape, begin)} of what ``state_dict`` has a part of: the shape that
        the whole has, and its first row-major element."""
        runs = {}
        for share in self._own:
            whole = self.parameters[share.number]
            if share.size == whole.size:
                continue
            every, two = as_reals(whole.detach()), as_reals(zeros([2], whole.dtype))
            run = tuple(every.shape), share.begin * (every.size // whole.size)
            # Others have one number, as a power of beta1, whatever the part's size.
            for name, state in self.optimizer.initial_state(two).items():
                if state.shape == two.shape:
                    runs[f"{share.number}.{name}"] = run
        return runs

    def _name_of_all(self, name):
        """"1.moment" of the second own tensor with its parameter's number in all."""
        number, dot, rest = name.partition(".")
        return (f"{self._own[int(number)].number}.{rest}" if number.isdigit()
                else name)

    def _exchange(self, dtype):
        """Gathers the parameters of a dtype, those of the first process first."""
        begins, places, begin = [0] * (self._group.size + 1), [], 0
        for share in self._shares:
            if self.parameters[share.number].dtype == dtype:
                places.append((share, begin))
                begin += share.size
                begins[share.rank + 1] = begin
        begins = np.maximum.accumulate(begins).tolist()
        flat = None
        for share, start in places:
            values = elements(self._part(share)).reshape(-1)
            if flat is None:
                flat = np.empty(begin, values.dtype)
            if share.rank == self._rank:
                flat[start:start + share.size] = values
        self._group.all_gather((dtype, begin, "parameters", caller_line()), begins,
                               flat)
        with no_grad():
            for share, start in places:
                if share.rank != self._rank:
                    part = self._part(share).detach()
                    values = flat[start:start + share.size].reshape(part.shape)
                    part.copy_(array_as(values, part))


class _Share(NamedTuple):
    """The elements [begin, end) of a parameter, by its number, which a rank steps."""
    rank: int
    number: int
    begin: int
    end: int

    @property
    def size(self):
        """The number of elements."""
        return self.end - self.begin


def _even_shares(sizes, count):
    """Shares of ``count`` ranks, in order, whose numbers of elements differ by one."""
    total, shares, before = sum(sizes), [], 0
    ends = [total * (rank + 1) // count for rank in range(count)]
    rank = 0
    for number, size in enumerate(sizes):
        begin = 0
        while begin < size or size == 0:
            while ends[rank] <= before + begin and rank < count - 1:
                rank += 1
            end = min(size, ends[rank] - before)
            shares.append(_Share(rank, number, begin, end))
            begin = end
            if size == 0:
                break
        before += size
    return shares


def _whole_shares(sizes, count):
    """Shares of whole parameters: the largest first, to the rank that has least."""
    loads, shares = [0] * count, []
    for number in sorted(range(len(sizes)), key=lambda n: (-sizes[n], n)):
        rank = min(range(count), key=lambda rank: (loads[rank], rank))
        shares.append(_Share(rank, number, 0, sizes[number]))
        loads[rank] += sizes[number]
    return sorted(shares)
