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
from switchyard.checks import (FROM_0, FROM_1, POSITIVE, Range, checked,
                               listed, numbers_of, real, refuse, whole)
from switchyard.optim.optimizer import Optimizer


class Schedule:
    """Base class: subclasses define ``rate``."""

    @checked(optimizer=Optimizer)
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
        base, count = numbers_of(state, base=1, count=1)
        self.base, self.count = float(base[0]), int(count[0])
        self.optimizer.learning_rate = self.rate(self.count)


def _power(gamma, count):
    """gamma ** count; infinity where no float64 holds it."""
    try:
        return float(gamma) ** count
    except OverflowError:
        return math.inf


class StepDecay(Schedule):
    """base * gamma ** (count // every)."""

    @checked(every=FROM_1, gamma=FROM_0)
    def __init__(self, optimizer: Optimizer, every: int, gamma: float = 0.1):
        self.every, self.gamma = every, gamma
        super().__init__(optimizer)

    def rate(self, count) -> float:
        return self.base * _power(self.gamma, count // self.every)


def _milestones(name, milestones):
    """The milestones as a list of integers from 0."""
    return [whole(name, "milestones", each, FROM_0)
            for each in listed(name, "milestones", milestones)]


class MultiStepDecay(Schedule):
    """base times gamma for each milestone that has been reached."""

    @checked(gamma=FROM_0)
    def __init__(self, optimizer: Optimizer, milestones: Sequence[int],
                 gamma: float = 0.1):
        self.milestones = sorted(_milestones("MultiStepDecay", milestones))
        self.gamma = gamma
        super().__init__(optimizer)

    def rate(self, count) -> float:
        reached = bisect.bisect_right(self.milestones, count)
        return self.base * _power(self.gamma, reached)


class ExponentialDecay(Schedule):
    """base * gamma ** count."""

    @checked(gamma=FROM_0)
    def __init__(self, optimizer: Optimizer, gamma: float):
        self.gamma = gamma
        super().__init__(optimizer)

    def rate(self, count) -> float:
        return self.base * _power(self.gamma, count)


class CosineDecay(Schedule):
    """From base to ``end`` along half a cosine, in ``steps`` steps."""

    @checked(steps=FROM_1, end=FROM_0)
    def __init__(self, optimizer: Optimizer, steps: int, end: float = 0.0):
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

    @checked(steps=FROM_1)
    def __init__(self, optimizer: Optimizer, steps: int,
                 after: Callable[[float, int], float] | None = None):
        self.steps, self.after = steps, after
        super().__init__(optimizer)

    def rate(self, count) -> float:
        if count < self.steps:
            return self.base * (count + 1) / self.steps
        return self.base if self.after is None else real(
            "LinearWarmup", "what after returns",
            self.after(self.base, count - self.steps))


class LambdaDecay(Schedule):
    """base * factor(count)."""

    @checked()
    def __init__(self, optimizer: Optimizer, factor: Callable[[int], float]):
        self.factor = factor
        super().__init__(optimizer)

    def rate(self, count) -> float:
        return self.base * real("LambdaDecay", "what factor returns",
                                self.factor(count))


class PolynomialDecay(Schedule):
    """From base to ``end`` as (1 - count / steps) ** power."""

    @checked(steps=FROM_1, end=FROM_0, power=FROM_0)
    def __init__(self, optimizer: Optimizer, steps: int, end: float = 0.0,
                 power: float = 1.0):
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

    @checked(steps=FROM_1, multiply=FROM_1, end=FROM_0)
    def __init__(self, optimizer: Optimizer, steps: int, multiply: int = 1,
                 end: float = 0.0):
        self.steps, self.multiply, self.end = steps, multiply, end
        super().__init__(optimizer)

    def rate(self, count) -> float:
        length = self.steps
        if self.multiply == 1:
            count %= length
        while count >= length:  # As often as the logarithm of the count.
            count -= length
            length *= self.multiply
        share = (1.0 + math.cos(math.pi * count / length)) / 2.0
        return self.end + (self.base - self.end) * share


_FROM_2 = Range("from 2", lambda n: n >= 2)
_INSIDE = Range("in (0, 1)", lambda n: 0 < n < 1)


class OneCycle(Schedule):
    """Up to ``max_rate``, then down to almost nothing, along half cosines.

    In the first ``share`` of ``steps`` from max_rate / ``div`` up, then down to
    max_rate / div / ``final_div`` (Smith and Topin, 2018). Where the first part
    is one step, that has max_rate.
    """

    @checked(max_rate=FROM_0, steps=_FROM_2, share=_INSIDE, div=POSITIVE,
             final_div=POSITIVE)
    def __init__(self, optimizer: Optimizer, max_rate: float, steps: int,
                 share: float = 0.3, div: float = 25.0,
                 final_div: float = 10000.0):
        self.max_rate, self.steps = max_rate, steps
        self.top = share * steps - 1.0
        self.first, self.last = max_rate / div, max_rate / div / final_div
        super().__init__(optimizer)

    def rate(self, count) -> float:
        count = min(count, self.steps - 1)
        if count <= self.top:
            begin, end = self.first, self.max_rate
            done = count / self.top if self.top > 0.0 else 1.0
        else:
            begin, end = self.max_rate, self.last
            done = (count - self.top) / (self.steps - 1 - self.top)
        return end + (begin - end) * (1.0 + math.cos(math.pi * done)) / 2.0


class _Several(Schedule):
    """Base: schedules of one optimizer, all from the base of the first."""

    def __init__(self, schedules: Sequence[Schedule]):
        name = type(self).__name__
        self.schedules = listed(name, "schedules", schedules)
        if not self.schedules:
            raise ValueError(f"{name}: schedules must not be empty")
        for each in self.schedules:
            if not isinstance(each, Schedule):
                refuse(name, "schedules", "of class Schedule", each)
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
    """The factors of several schedules of one optimizer, multiplied. There are
    none of a rate of 0."""

    def _set_base(self, base):
        if not base > 0.0:
            raise ValueError("Chained: the optimizer's learning_rate must be "
                             f"positive, got {base}")
        super()._set_base(base)

    def rate(self, count) -> float:
        return self.base * math.prod(schedule.rate(count) / self.base
                                     for schedule in self.schedules)


class InTurn(_Several):
    """One schedule after another: the next one from each milestone on, counting
    from 0 again."""

    def __init__(self, schedules: Sequence[Schedule], milestones: Sequence[int]):
        schedules = listed("InTurn", "schedules", schedules)
        self.milestones = _milestones("InTurn", milestones)
        if len(self.milestones) != len(schedules) - 1:
            raise ValueError("InTurn: milestones must be one fewer than "
                             f"schedules, got {len(self.milestones)} for "
                             f"{len(schedules)}")
        if self.milestones != sorted(self.milestones):
            raise ValueError("InTurn: milestones must ascend, got "
                             f"{self.milestones}")
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
    difference itself ("abs"). A change of the rate of up to ``epsilon`` is not made.
    """

    @checked(optimizer=Optimizer, factor=_INSIDE, patience=FROM_0,
             threshold=FROM_0, cooldown=FROM_0, min_rate=FROM_0, epsilon=FROM_0)
    def __init__(self, optimizer: Optimizer, mode: str = "min",
                 factor: float = 0.1, patience: int = 10,
                 threshold: float = 1e-4, cooldown: int = 0,
                 min_rate: float = 0.0, threshold_mode: str = "rel",
                 epsilon: float = 1e-8):
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("ReduceLROnPlateau: threshold_mode must be 'rel' or "
                             f"'abs', got {threshold_mode!r}")
        if mode not in ("min", "max"):
            raise ValueError("ReduceLROnPlateau: mode must be 'min' or 'max', "
                             f"got {mode!r}")
        self.optimizer, self.mode, self.factor = optimizer, mode, factor
        self.patience, self.threshold = patience, threshold
        self.cooldown, self.min_rate = cooldown, min_rate
        self.threshold_mode, self.epsilon = threshold_mode, epsilon
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
        metric = real("ReduceLROnPlateau", "metric", metric)
        if self._better(metric):
            self.best, self.bad = metric, 0
        else:
            self.bad += 1
        if self.cooling:
            self.cooling, self.bad = self.cooling - 1, 0
        if self.bad > self.patience:
            rate = max(self.optimizer.learning_rate * self.factor, self.min_rate)
            if self.optimizer.learning_rate - rate > self.epsilon:
                self.optimizer.learning_rate = rate
            self.cooling, self.bad = self.cooldown, 0

    def state_dict(self) -> dict[str, _core.Tensor]:
        """{name: Tensor}: all to resume, beside the optimizer's state."""
        return {"best": _core.tensor(np.array([self.best]), "float64"),
                "counts": _core.tensor(np.array([self.bad, self.cooling]))}

    def load_state_dict(self, state: dict) -> None:
        """Sets what ``state_dict`` returned. KeyError if names differ."""
        best, counts = numbers_of(state, best=1, counts=2)
        self.best, (self.bad, self.cooling) = float(best[0]), map(int, counts)
