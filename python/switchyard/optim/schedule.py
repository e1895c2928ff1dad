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


class LambdaDecay(Schedule):
    """base * factor(count)."""

    def __init__(self, optimizer: Optimizer, factor: Callable[[int], float]):
        self.factor = factor
        super().__init__(optimizer)

    def rate(self, count) -> float:
        return self.base * self.factor(count)


class PolynomialDecay(Schedule):
    """From base to ``end`` as (1 - count / steps) ** power."""

    def __init__(self, optimizer: Optimizer, steps: int, end: float = 0.0,
                 power: float = 1.0):
        if steps < 1:
            raise ValueError("PolynomialDecay: steps must be positive, got "
                             f"{steps}")
        self.steps, self.end, self.power = steps, end, power
        super().__init__(optimizer)

    def rate(self, count) -> float:
        left = 1.0 - min(count, self.steps) / self.steps
        return self.end + (self.base - self.end) * left**self.power


class CosineWarmRestarts(Schedule):
    """From base to ``end`` along half a cosine, again and again.

    The first time in ``steps`` steps, then in ``multiply`` times as many as
    before (Loshchilov and Hutter, 2017).
    """

    def __init__(self, optimizer: Optimizer, steps: int, multiply: int = 1,
                 end: float = 0.0):
        if steps < 1 or multiply < 1:
            raise ValueError("CosineWarmRestarts: steps and multiply must be "
                             f"positive, got {steps} and {multiply}")
        self.steps, self.multiply, self.end = steps, multiply, end
        super().__init__(optimizer)

    def rate(self, count) -> float:
        length = self.steps
        while count >= length:
            count -= length
            length *= self.multiply
        share = (1.0 + math.cos(math.pi * count / length)) / 2.0
        return self.end + (self.base - self.end) * share


class OneCycle(Schedule):
    """Up to ``max_rate``, then down to almost nothing, along half cosines.

    In the first ``share`` of ``steps`` from max_rate / ``div`` up, then down to
    max_rate / div / ``final_div`` (Smith and Topin, 2018).
    """

    def __init__(self, optimizer: Optimizer, max_rate: float, steps: int,
                 share: float = 0.3, div: float = 25.0,
                 final_div: float = 10000.0):
        if steps < 2 or not 0.0 < share < 1.0:
            raise ValueError("OneCycle: steps must be from 2 and share in (0, 1),"
                             f" got {steps} and {share}")
        self.max_rate, self.steps = max_rate, steps
        self.top = share * steps - 1.0
        self.first, self.last = max_rate / div, max_rate / div / final_div
        super().__init__(optimizer)

    def rate(self, count) -> float:
        count = min(count, self.steps - 1)
        if count <= self.top:
            begin, end, done = self.first, self.max_rate, count / self.top
        else:
            begin, end = self.max_rate, self.last
            done = (count - self.top) / (self.steps - 1 - self.top)
        return end + (begin - end) * (1.0 + math.cos(math.pi * done)) / 2.0


class _Several(Schedule):
    """Base: schedules of one optimizer, all from the base of the first."""

    def __init__(self, schedules: Sequence[Schedule]):
        name = type(self).__name__
        if not schedules:
            raise ValueError(f"{name}: schedules must not be empty")
        self.schedules = list(schedules)
        optimizer = self.schedules[0].optimizer
        if any(each.optimizer is not optimizer for each in self.schedules):
            raise ValueError(f"{name}: schedules must be of one optimizer")
        self._set_base(self.schedules[0].base)
        optimizer.learning_rate = self.base
        super().__init__(optimizer)

    def _set_base(self, base):
        self.base = base
        for schedule in self.schedules:
            schedule.base = base

    def load_state_dict(self, state: dict) -> None:
        """Sets what ``state_dict`` returned. KeyError if names differ."""
        super().load_state_dict(state)
        self._set_base(self.base)


class Chained(_Several):
    """The factors of several schedules of one optimizer, multiplied."""

    def rate(self, count) -> float:
        return self.base * math.prod(schedule.rate(count) / self.base
                                     for schedule in self.schedules)


class InTurn(_Several):
    """One schedule after another: the next one from each milestone on, counting
    from 0 again."""

    def __init__(self, schedules: Sequence[Schedule], milestones: Sequence[int]):
        if len(milestones) != len(schedules) - 1:
            raise ValueError("InTurn: milestones must be one fewer than "
                             f"schedules, got {len(milestones)} for "
                             f"{len(schedules)}")
        self.milestones = list(milestones)
        super().__init__(schedules)

    def rate(self, count) -> float:
        turn = bisect.bisect_right(self.milestones, count)
        begin = self.milestones[turn - 1] if turn else 0
        return self.schedules[turn].rate(count - begin)


class ReduceLROnPlateau:
    """Multiplies the rate by ``factor`` when a metric stops getting better.

    ``step(metric)`` counts; after ``patience`` steps without one that is better
    than the best by ``threshold``, the rate is reduced, and ``cooldown`` steps
    are not counted. ``mode``: whether better is "min" or "max".
    ``threshold_mode``: whether the threshold is a part of the best ("rel") or the
    difference itself ("abs").
    """

    def __init__(self, optimizer: Optimizer, mode: str = "min",
                 factor: float = 0.1, patience: int = 10,
                 threshold: float = 1e-4, cooldown: int = 0,
                 min_rate: float = 0.0, threshold_mode: str = "rel"):
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("ReduceLROnPlateau: threshold_mode must be 'rel' or "
                             f"'abs', got {threshold_mode!r}")
        if mode not in ("min", "max"):
            raise ValueError("ReduceLROnPlateau: mode must be 'min' or 'max', "
                             f"got {mode!r}")
        if not 0.0 < factor < 1.0:
            raise ValueError("ReduceLROnPlateau: factor must be in (0, 1), got "
                             f"{factor}")
        self.optimizer, self.mode, self.factor = optimizer, mode, factor
        self.patience, self.threshold = patience, threshold
        self.cooldown, self.min_rate = cooldown, min_rate
        self.threshold_mode = threshold_mode
        self.best = math.inf if mode == "min" else -math.inf
        self.bad, self.cooling = 0, 0

    def _better(self, metric):
        sign = 1.0 if self.mode == "max" else -1.0
        bound = self.best
        if not math.isinf(bound):
            by = sign * self.threshold
            bound += by if self.threshold_mode == "abs" else by * bound
        return sign * metric > sign * bound

    def step(self, metric) -> None:
        """Counts one step with this metric, a number or a tensor of one."""
        metric = float(metric)
        if self._better(metric):
            self.best, self.bad = metric, 0
        else:
            self.bad += 1
        if self.cooling:
            self.cooling, self.bad = self.cooling - 1, 0
        if self.bad > self.patience:
            rate = max(self.optimizer.learning_rate * self.factor, self.min_rate)
            self.optimizer.learning_rate = rate
            self.cooling, self.bad = self.cooldown, 0

    def state_dict(self) -> dict[str, _core.Tensor]:
        """{name: Tensor}: all to resume, beside the optimizer's state."""
        return {"best": _core.tensor(np.array([self.best]), "float64"),
                "counts": _core.tensor(np.array([self.bad, self.cooling]))}

    def load_state_dict(self, state: dict) -> None:
        """Sets what ``state_dict`` returned. KeyError if names differ."""
        if set(state) != {"best", "counts"}:
            raise KeyError("load_state_dict: expected ['best', 'counts'], got "
                           f"{sorted(state)}")
        self.best = float(np.asarray(state["best"])[0])
        self.bad, self.cooling = map(int, np.asarray(state["counts"]))
