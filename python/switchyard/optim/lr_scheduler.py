# SPDX-License-Identifier: Apache-2.0
"""Schedules by PyTorch's names, with its arguments and its rates.

They are the schedules of ``sy.optim``; those that differ are here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import math

from switchyard.checks import FROM_0, FROM_1, SHARE, Range, checked, real, refuse
from switchyard.optim.optimizer import Optimizer
from switchyard.optim.schedule import (
    Chained, CosineDecay, CosineWarmRestarts, ExponentialDecay, InTurn, LambdaDecay,
    MultiStepDecay, OneCycle, PolynomialDecay, ReduceLROnPlateau, Schedule,
    StepDecay)
from switchyard.spelling import install as _install

__all__ = ["ChainedScheduler", "ConstantLR", "CosineAnnealingLR",
           "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR", "LRScheduler",
           "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR",
           "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR",
           "StepLR"]


def __dir__():
    return __all__


LRScheduler = Schedule


class StepLR(StepDecay):
    """StepDecay by PyTorch's name."""


class MultiStepLR(MultiStepDecay):
    """MultiStepDecay by PyTorch's name."""


class ExponentialLR(ExponentialDecay):
    """ExponentialDecay by PyTorch's name."""


class LambdaLR(LambdaDecay):
    """LambdaDecay by PyTorch's name."""


class CosineAnnealingWarmRestarts(CosineWarmRestarts):
    """CosineWarmRestarts by PyTorch's name."""


class CosineAnnealingLR(CosineDecay):
    """From base to ``end`` along half a cosine in ``steps`` steps, and back up in
    as many, again and again."""

    def rate(self, count) -> float:
        share = (1.0 + math.cos(math.pi * count / self.steps)) / 2.0
        return self.end + (self.base - self.end) * share


class PolynomialLR(PolynomialDecay):
    """From base to 0 as (1 - count / steps) ** power."""

    def __init__(self, optimizer: Optimizer, steps: int = 5, power: float = 1.0):
        super().__init__(optimizer, steps, 0.0, power)


_BELOW_1 = Range("in [0, 1)", lambda n: 0 <= n < 1)
_PART = Range("in (0, 1]", lambda n: 0 < n <= 1)


class ConstantLR(Schedule):
    """base * ``factor``, and base from ``total_iters`` steps on."""

    @checked(factor=SHARE, total_iters=FROM_0)
    def __init__(self, optimizer: Optimizer, factor: float = 1.0 / 3.0,
                 total_iters: int = 5):
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer)

    def rate(self, count) -> float:
        return self.base * (self.factor if count < self.total_iters else 1.0)


class LinearLR(Schedule):
    """From base * ``start_factor`` to base * ``end_factor`` in ``total_iters`` equal
    steps."""

    @checked(start_factor=_PART, end_factor=SHARE, total_iters=FROM_1)
    def __init__(self, optimizer: Optimizer, start_factor: float = 1.0 / 3.0,
                 end_factor: float = 1.0, total_iters: int = 5):
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = total_iters
        super().__init__(optimizer)

    def rate(self, count) -> float:
        done = min(count, self.total_iters) / self.total_iters
        return self.base * (self.start_factor + (
            self.end_factor - self.start_factor) * done)


class MultiplicativeLR(Schedule):
    """The rate of each step times ``factor(count)``."""

    @checked()
    def __init__(self, optimizer: Optimizer, factor: Callable[[int], float]):
        self.factor = factor
        super().__init__(optimizer)

    def rate(self, count) -> float:
        return self.base * math.prod(
            real("MultiplicativeLR", "what lr_lambda returns", self.factor(i))
            for i in range(1, count + 1))


class _OfMomentum(Schedule):
    """Base: a schedule of the momentum, too, unless ``_momentums`` is None."""

    _momentums: tuple[float, float] | None = None

    def momentum(self, count) -> float:
        """The momentum after ``count`` steps."""
        raise NotImplementedError(f"{type(self).__name__}.momentum")

    def _set_momentum(self):
        if self._momentums is not None:
            for group in self.optimizer.param_groups:
                group.set_momentum(self.momentum(self.count))

    def step(self) -> None:
        super().step()
        self._set_momentum()

    def load_state_dict(self, state: dict) -> None:
        super().load_state_dict(state)
        self._set_momentum()


class OneCycleLR(_OfMomentum, OneCycle):
    """Up to ``max_rate``, then down to almost nothing, and the momentum (of Adam
    and its kind beta1) the other way round.

    Momentum goes from ``max_momentum`` to ``base_momentum`` and back, unless
    ``cycle_momentum`` is False; an optimizer without one has it from then on. The
    first part ends at ``share`` of the steps; with ``three_phase`` the way down is
    as long, and the rest goes on from there. ``anneal_strategy``: "cos", half
    cosines, or "linear". Steps may be ``epochs`` times ``steps_per_epoch``.
    Programs of SGD, Momentum, Adam and AdamW read the momentum as a state; those
    of other optimizers are traced again at each step.
    """

    @checked(max_rate=FROM_0, base_momentum=_BELOW_1, max_momentum=_BELOW_1)
    def __init__(self, optimizer: Optimizer, max_rate: float,
                 steps: int | None = None, epochs: int | None = None,
                 steps_per_epoch: int | None = None, share: float = 0.3,
                 anneal_strategy: str = "cos", cycle_momentum: bool = True,
                 base_momentum: float = 0.85, max_momentum: float = 0.95,
                 div: float = 25.0, final_div: float = 10000.0,
                 three_phase: bool = False):
        if steps is None:
            if epochs is None or steps_per_epoch is None:
                raise TypeError("OneCycleLR: total_steps must be given, or epochs and "
                                "steps_per_epoch")
            steps = epochs * steps_per_epoch
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError("OneCycleLR: anneal_strategy must be 'cos' or 'linear', "
                             f"got {anneal_strategy!r}")
        self._linear, self._three = anneal_strategy == "linear", bool(three_phase)
        self._momentums = (max_momentum, base_momentum) if cycle_momentum else None
        super().__init__(optimizer, max_rate, steps, share, div, final_div)
        if cycle_momentum:
            for group in optimizer.param_groups:
                group.vary_momentum(self.momentum(0))

    def _ends(self):
        """The last step of each part."""
        return [self.top, *([2.0 * self.top] if self._three else []), self.steps - 1.0]

    def _between(self, count, values):
        """Returns what lies between two neighbours of ``values``, one more than
        the parts."""
        count, begin = min(count, self.steps - 1), 0.0
        for i, end in enumerate(self._ends()):
            if count <= end or end == self.steps - 1.0:
                break
            begin = end
        done = (count - begin) / (end - begin) if end > begin else 1.0
        if not self._linear:
            done = (1.0 - math.cos(math.pi * done)) / 2.0
        return values[i] + (values[i + 1] - values[i]) * done

    def rate(self, count) -> float:
        back = [self.first] if self._three else []
        return self._between(count, [self.first, self.max_rate, *back, self.last])

    def momentum(self, count) -> float:
        most, least = self._momentums
        return self._between(count, [most, least, most, *([most] * self._three)])


def _triangular(x):
    del x
    return 1.0


class CyclicLR(_OfMomentum):
    """From ``base_lr`` up to ``max_lr`` in ``step_size_up`` steps and down again in
    ``step_size_down`` (as many, unless given), again and again (Smith, 2017).

    ``mode``: "triangular"; "triangular2", half as high in each cycle; "exp_range",
    gamma ** step as high. ``scale_fn``, of the number of the cycle or, where
    ``scale_mode`` is "iterations", of the step, says it otherwise. The momentum goes
    from ``max_momentum`` to ``base_momentum`` meanwhile, unless ``cycle_momentum`` is
    False.
    """

    @checked(base_lr=FROM_0, max_lr=FROM_0, step_size_up=FROM_1, step_size_down=FROM_1,
             base_momentum=_BELOW_1, max_momentum=_BELOW_1)
    def __init__(self, optimizer: Optimizer, base_lr: float, max_lr: float,
                 step_size_up: int = 2000, step_size_down: int | None = None,
                 mode: str = "triangular", gamma: float = 1.0,
                 scale_fn: Callable[[float], float] | None = None,
                 scale_mode: str = "cycle", cycle_momentum: bool = True,
                 base_momentum: float = 0.8, max_momentum: float = 0.9):
        scales = {"triangular": _triangular, "triangular2": lambda n: 0.5**(n - 1),
                  "exp_range": lambda n: gamma**n}
        if scale_fn is None and mode not in scales:
            raise ValueError("CyclicLR: mode must be 'triangular', 'triangular2' or "
                             f"'exp_range', got {mode!r}")
        if scale_mode not in ("cycle", "iterations"):
            raise ValueError("CyclicLR: scale_mode must be 'cycle' or 'iterations', got "
                             f"{scale_mode!r}")
        by_step = scale_mode if scale_fn is not None else (
            "iterations" if mode == "exp_range" else "cycle")
        self._scale, self._by_step = scale_fn or scales[mode], by_step == "iterations"
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size, self.step_ratio = step_size_up + down, step_size_up / (
            step_size_up + down)
        self.base_lr, self.max_lr = base_lr, max_lr
        self._momentums = (max_momentum, base_momentum) if cycle_momentum else None
        super().__init__(optimizer)
        if cycle_momentum:
            for group in optimizer.param_groups:
                group.vary_momentum(self.momentum(0))

    def _height(self, count):
        cycle = math.floor(1 + count / self.total_size)
        x = 1.0 + count / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (
            (x - 1.0) / (self.step_ratio - 1.0))
        return height * real("CyclicLR", "what scale_fn returns",
                             self._scale(count if self._by_step else cycle))

    def rate(self, count) -> float:
        return self.base_lr + (self.max_lr - self.base_lr) * self._height(count)

    def momentum(self, count) -> float:
        most, least = self._momentums
        return most - (most - least) * self._height(count)


class ChainedScheduler(Chained):
    """Chained by PyTorch's name."""

    def __init__(self, schedules: Sequence[Schedule],
                 optimizer: Optimizer | None = None):
        super().__init__(schedules)
        _same("ChainedScheduler", optimizer, self.optimizer)


class SequentialLR(InTurn):
    """InTurn by PyTorch's name, which begins with the optimizer."""

    def __init__(self, optimizer: Optimizer, schedules: Sequence[Schedule],
                 milestones: Sequence[int]):
        super().__init__(schedules, milestones)
        _same("SequentialLR", optimizer, self.optimizer)


def _same(name, given, optimizer):
    if given is not None and not isinstance(given, Optimizer):
        refuse(name, "optimizer", "an Optimizer", given)
    if given is not None and given is not optimizer:
        raise ValueError(f"{name}: optimizer must be that of the schedules")


_install(globals(), __all__)
