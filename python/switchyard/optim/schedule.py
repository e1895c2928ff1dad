# SPDX-License-Identifier: Apache-2.0
"""Schedules: the learning rate as a function of the number of steps.

    schedule = sy.optim.CosineDecay(optimizer, steps=1000)
    ...
    optimizer.step()
    schedule.step()

The rate is the optimizer's own state, so eager steps and ``static.train_step``
follow the same schedule. ``base`` is the optimizer's rate when the schedule was
made.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence
import math

import numpy as np

from switchyard import _core
from switchyard.optim.optimizer import Optimizer


class Schedule:
    """Base class: subclasses define ``rate``."""

    def __init__(self, optimizer: Optimizer):
        self.optimizer = optimizer
        self.base = optimizer.learning_rate
        self.count = 0
        optimizer.learning_rate = self.rate(0)

    def rate(self, count) -> float:
        """The learning rate after ``count`` steps."""
        raise NotImplementedError(f"{type(self).__name__}.rate")

    def step(self) -> None:
        """Counts one step (or epoch: whatever is counted)."""
        self.count += 1
        self.optimizer.learning_rate = self.rate(self.count)

    def get_last_lr(self) -> list[float]:
        """The rate of each group of the optimizer, as it is now."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, _core.Tensor]:
        """{name: Tensor}: all to resume, beside the optimizer's state."""
        return {"base": _core.tensor(np.array([self.base]), "float64"),
                "count": _core.tensor(np.array([self.count]), "int64")}

    def load_state_dict(self, state: dict) -> None:
        """Sets what ``state_dict`` returned. KeyError if names differ."""
        if set(state) != {"base", "count"}:
            raise KeyError("load_state_dict: expected ['base', 'count'], "
                           f"got {sorted(state)}")
        self.base = float(np.asarray(state["base"])[0])
        self.count = int(np.asarray(state["count"])[0])
        self.optimizer.learning_rate = self.rate(self.count)


class StepDecay(Schedule):
    """base * gamma ** (count // every)."""

    def __init__(self, optimizer: Optimizer, every: int, gamma: float = 0.1):
        if every < 1:
            raise ValueError(f"StepDecay: every must be positive, got {every}")
        self.every, self.gamma = every, gamma
        super().__init__(optimizer)

    def rate(self, count) -> float:
        return self.base * self.gamma ** (count // self.every)


class MultiStepDecay(Schedule):
    """base times gamma for each milestone that has been reached."""

    def __init__(self, optimizer: Optimizer, milestones: Sequence[int],
                 gamma: float = 0.1):
        self.milestones, self.gamma = sorted(milestones), gamma
        super().__init__(optimizer)

    def rate(self, count) -> float:
        reached = bisect.bisect_right(self.milestones, count)
        return self.base * self.gamma ** reached


class ExponentialDecay(Schedule):
    """base * gamma ** count."""

    def __init__(self, optimizer: Optimizer, gamma: float):
        self.gamma = gamma
        super().__init__(optimizer)

    def rate(self, count) -> float:
        return self.base * self.gamma ** count


class CosineDecay(Schedule):
    """From base to ``end`` along half a cosine, in ``steps`` steps."""

    def __init__(self, optimizer: Optimizer, steps: int, end: float = 0.0):
        if steps < 1:
            raise ValueError(f"CosineDecay: steps must be positive, got {steps}")
        self.steps, self.end = steps, end
        super().__init__(optimizer)

    def rate(self, count) -> float:
        done = min(count, self.steps) / self.steps
        share = (1.0 + math.cos(math.pi * done)) / 2.0
        return self.end + (self.base - self.end) * share


class LinearWarmup(Schedule):
    """From base / steps up to base in ``steps`` steps, then as ``after`` says.

    ``after``: a function of (base, steps since) -> rate; by default constant.
    """

    def __init__(self, optimizer: Optimizer, steps: int,
                 after: Callable[[float, int], float] | None = None):
        if steps < 1:
            raise ValueError(f"LinearWarmup: steps must be positive, got {steps}")
        self.steps, self.after = steps, after
        super().__init__(optimizer)

    def rate(self, count) -> float:
        if count < self.steps:
            return self.base * (count + 1) / self.steps
        return self.base if self.after is None else (
            self.after(self.base, count - self.steps))
