# SPDX-License-Identifier: Apache-2.0
"""Optimizer: the base of optimizers, one code for eager and static.

``update`` returns the new parameter and state, of tensors or, on a traced graph's
values, for the program. Ours call an operator, which on tensors works in place.
"""

from __future__ import annotations

import math

import numpy as np

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import FROM_0, Range, real, refuse
from switchyard.optim import groups
from switchyard.optim.closures import evaluated
from switchyard.optim.groups import BETA, as_given
from switchyard.optim.parameters import (checked_parameters, flattened,
                                        state_dtype)
from switchyard.optim.parts import as_reals
from switchyard.spelling import named_here, speaking


class Optimizer:
    """Base class. Subclasses name their state and define ``update``.

    ``takes_rows``: whether ``update`` takes the SelectedRows gradient of a
    sparse embedding; otherwise it gets the matrix. ``in_place``: whether it
    writes parameter and state itself where they are tensors; otherwise what it
    returns is written. ``reads_momentum``: whether ``update`` takes its momentum,
    or beta1, from the state ``momentum`` where that is given. ``elementwise``:
    whether a step of an element reads no other element, so that parts of a parameter
    may be stepped apart.

    ``parameters``: tensors, or (name, tensor) pairs as
    ``Module.named_parameters()`` yields them; or groups of them, {"params": ...}
    with arguments that differ from the others' ("learning_rate", "weight_decay"
    ...). A group's rate keeps its proportion to the optimizer's when that
    changes; ``param_groups`` has them all. ``clip``: how gradients are
    clipped before each step (such as ``optim.ClipGradByGlobalNorm``).
    ``lr`` and ``eps`` may be written for ``learning_rate`` and ``epsilon``.
    A complex parameter is stepped as two reals each: its state, and what
    ``update`` gets, have the parts along a last axis of their own.
    """

    takes_rows = in_place = reads_momentum = elementwise = False
    _given_rate = None

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        own = vars(cls)
        if "reads_momentum" not in own and ("update" in own or "step_of" in own):
            cls.reads_momentum = False  # Whatever the one overridden did.
        if "elementwise" not in own and not own.keys().isdisjoint(
                ("update", "step_of", "operator", "stepped")):
            cls.elementwise = False
        if "__init__" in vars(cls):
            speaking(cls)

    def __new__(cls, *args, **kwargs):
        made = super().__new__(cls)
        vars(made)["_arguments"] = args, kwargs
        return made

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        if name not in ("learning_rate", "_given_rate"):  # They are state.
            _core.note_change()

    def __delattr__(self, name):
        object.__delattr__(self, name)
        _core.note_change()

    def __init__(self, parameters, learning_rate: float, clip=None):
        if groups.makes_rule():
            self.clip = clip
            self._given_rate = float(_rate(learning_rate)[0])
            return
        parameters, given = flattened(parameters)
        self.parameters = checked_parameters(parameters)
        self.clip = clip
        self.version = 0  # Counts the changes that a program must be traced for.
        dtype = state_dtype(next(iter(self.parameters.values())))
        rate = _rate(learning_rate)
        self._learning_rate = _core.tensor(rate, dtype)
        self._given_rate = float(rate[0])
        self._groups, self._group_of, self.state = [], {}, {}
        if not given:
            self._add([*self.parameters], {})
        for names, options in given:
            self._add(names, options)

    def _add(self, names, options):
        """Appends the group of these parameters; sets up their state."""
        arguments = groups.arguments_of(self, self._arguments)
        options = named_here(options, arguments)
        unknown = options.keys() - arguments.keys()
        if unknown:
            raise TypeError(f"{type(self).__name__}: a group has no argument "
                            f"{sorted(unknown)[0]!r}")
        rule = self
        if options:
            rule = groups.rule_of(self, [self.parameters[n] for n in names],
                                  {**arguments, **options})
        group = groups.ParamGroup(self, names, {**arguments, **options},
                                  self._learning_rate, rule)
        self._groups.append(group)
        self._group_of.update(dict.fromkeys(names, group))
        for name in names:
            self.state[name] = rule.initial_state(as_reals(self.parameters[name]))
        dtype = self._learning_rate.dtype
        given = options.get("learning_rate", options.get("lr"))
        for each in self._groups:
            if each.rate is self._learning_rate and (
                    len(self._groups) > 1 or given is not None):
                each.own_rate(dtype)
        if given is not None:
            self.set_group_rate(group, given)

    @property
    def param_groups(self) -> list[groups.ParamGroup]:
        """The groups, each a dict with "params", "lr" and the arguments of this
        class, which can be set (``ParamGroup``). One, unless groups were given."""
        return list(self._groups)

    def add_param_group(self, group: dict) -> None:
        """Trains more parameters: {"params": ...} with arguments that differ from
        the optimizer's. ValueError for a parameter that is there already."""
        parameters, given = flattened([group], len(self.parameters))
        before = self.parameters
        self.parameters = checked_parameters([*before.items(), *parameters])
        try:
            self._add(*given[0])
        except BaseException:
            self.parameters = before
            raise
        self.version += 1

    def set_group_rate(self, group, value) -> None:
        """Sets a group's learning rate from the next step on."""
        if group.rate is self._learning_rate:
            self.learning_rate = value
            return
        rate = _rate(value)
        group.set_rate(rate)
        base = self.learning_rate
        if base > 0.0:
            group.scale = float(rate[0]) / base

    def rate_name(self, name) -> str:
        """The name, among ``named_state``'s, of the rate of a parameter."""
        group = self._group_of[name]
        if group.rate is self._learning_rate:
            return "learning_rate"
        return f"group{self._groups.index(group)}.learning_rate"

    def momentums(self):
        """(name, Tensor) of the momentums that are states: programs read them, and
        who varies them sets them after loading."""
        for i, group in enumerate(self._groups):
            if group.momentum is not None:
                yield f"group{i}.momentum", group.momentum

    def momentum_of(self, name):
        """The momentum of a parameter, if that is a state; or None."""
        return self._group_of[name].momentum

    def update_one(self, name, param, grad, learning_rate, state):
        """``update`` as the parameter's group has it; by name."""
        group = self._group_of[name]
        rule = group.rule
        if group.momentum is not None and "momentum" not in state:
            state = {**state, "momentum": group.momentum}
        if not rule.takes_rows:
            grad = dense(grad)
        if param.dtype.startswith("complex"):
            return _updated_parts(rule, param, dense(grad), learning_rate, state)
        return rule.update(param, grad, learning_rate, state)

    # Methods that subclasses define.

    def initial_state(self, param):
        """{state's name: Tensor} of one parameter."""
        del param
        return {}

    def update(self, param, grad, learning_rate, state):
        """One step: (new parameter, {name: new state})."""
        raise NotImplementedError(f"{type(self).__name__}.update")

    # Methods that users call.

    def step(self, closure=None):
        """Updates every parameter that has a gradient.

        ``closure``, if given, computes the gradients first; what it returns, the
        loss, is returned.
        """
        loss = None if closure is None else evaluated(self, closure)
        self._step()
        return loss

    def _step(self):
        with no_grad():
            with_grad = [(name, param) for name, param in
                         self.parameters.items() if param.grad is not None]
            gradients = [param.grad for _, param in with_grad]
            if self.clip is not None and gradients:
                gradients = self.clip(gradients)
            for (name, param), grad in zip(with_grad, gradients):
                new, state = self.update_one(
                    name, param, grad, self._group_of[name].rate,
                    self.state[name])
                if not self.in_place:
                    self._write(name, param, new, state)

    def _write(self, name, param, new, state):
        """Writes what ``update`` returned, where it is another tensor."""
        own = self.state[name]
        unknown = state.keys() - own.keys()
        if unknown:
            raise KeyError(f"{type(self).__name__}: update returned state "
                           f"{sorted(unknown)[0]!r}, which initial_state does "
                           "not have")
        for old, value in ((param, new), *[(own[key], value) for key, value
                                           in state.items()]):
            if value is not old:
                old.copy_(value)

    def minimize(self, loss, scaler=None) -> None:
        """One step down ``loss``: ``zero_grad()``, ``loss.backward()``,
        ``step()``; with a ``sy.amp.GradScaler`` the loss is scaled, and a step
        whose gradients are not finite is skipped. Call its ``update()``
        afterwards, once for all optimizers.

        In a function that ``static.train_function`` traces it is a part of the
        program; what is computed after it reads the new parameters.
        """
        if isinstance(loss, _core.Value):
            from switchyard.static.training_function import minimize_traced
            minimize_traced(self, loss, scaler)
            return
        if not isinstance(loss, _core.Tensor):
            refuse("minimize", "loss", "a tensor", loss)
        self.zero_grad()
        if scaler is None:
            loss.backward()
            self.step()
        else:
            scaler.scale(loss).backward()
            scaler.step(self)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients, or writes zeros unless ``set_to_none``."""
        for param in self.parameters.values():
            if set_to_none:
                param.grad = None
            elif param.grad is not None:
                param.grad = _core.ops.zeros_like(dense(param.grad))

    @property
    def learning_rate(self):
        """The learning rate; setting it holds from the next step on, for eager
        steps and traced programs alike."""
        return as_given(self._learning_rate, self._given_rate)

    @learning_rate.setter
    def learning_rate(self, value):
        rate, dtype = _rate(value), self._learning_rate.dtype
        own = [(group, _rate(rate[0] * group.scale)) for group in self._groups
               if group.rate is not self._learning_rate]
        self._learning_rate.copy_(_core.tensor(rate, dtype))
        self._given_rate = float(rate[0])
        for group, rate in own:
            group.set_rate(rate)

    # State.

    def named_state(self):
        """(name, Tensor) of everything but the parameters."""
        yield "learning_rate", self._learning_rate
        for i, group in enumerate(self._groups):
            if group.rate is not self._learning_rate:
                yield f"group{i}.learning_rate", group.rate
        for name, state in self.state.items():
            for key, tensor in state.items():
                yield f"{name}.{key}", tensor

    def state_dict(self) -> dict[str, _core.Tensor]:
        """{name: Tensor} copies; with the parameters, all to resume."""
        return {name: _core.tensor(t) for name, t in self.named_state()}

    def load_state_dict(self, state: dict) -> None:
        """Sets what ``state_dict`` returned, to the bit.

        KeyError if names differ, ValueError if shapes do; nothing is changed
        then.
        """
        own = dict(self.named_state())
        if not hasattr(state, "keys"):
            refuse("load_state_dict", "state", "a dict", state)
        if own.keys() != state.keys():
            raise KeyError(f"load_state_dict: expected {sorted(own)}, "
                           f"got {sorted(state)}")
        for name, tensor in own.items():
            if tuple(np.shape(state[name])) != tensor.shape:
                raise ValueError(
                    f"load_state_dict: {name} must have shape {tensor.shape}, "
                    f"got {tuple(np.shape(state[name]))}")
        loaded = {name: _core.tensor(state[name], tensor.dtype)
                  for name, tensor in own.items()}
        for name, tensor in own.items():
            tensor.copy_(loaded[name])
        for group in self._groups:
            if self.learning_rate > 0.0:
                group.scale = group["lr"] / self.learning_rate

    def __repr__(self):
        return (f"{type(self).__name__}({len(self.parameters)} parameters, "
                f"learning_rate={self.learning_rate:g})")


def _updated_parts(rule, param, grad, learning_rate, state):
    """``rule.update`` of the parts of a complex parameter, which it writes where
    the rule works in place."""
    new, state = rule.update(as_reals(param), as_reals(grad), learning_rate, state)
    new = _core.ops.as_complex(new)
    if not rule.in_place or type(param) is not _core.Tensor:
        return new, state
    param.copy_(new)
    return param, state


_RATE = Range("a number from 0 that is finite", lambda n: 0.0 <= n < math.inf)


def _rate(value):
    """A learning rate as the elements of a state."""
    return np.array([real("Optimizer", "learning_rate", value, _RATE)])


def not_negative(name, **numbers):
    """ValueError where a number is below 0, or none."""
    for argument, value in numbers.items():
        real(name, argument, value, FROM_0)


def checked_betas(name, betas):
    """(beta1, beta2) as floats; ValueError unless both are in [0, 1)."""
    if not hasattr(betas, "__len__") or len(betas) != 2:
        refuse(name, "betas", "two numbers in [0, 1)", betas, ValueError)
    return tuple(real(name, f"beta{number}", beta, BETA)
                 for number, beta in enumerate(betas, 1))


def dense(grad):
    """The matrix that a SelectedRows gradient stands for; others as they are."""
    return grad.to_dense()


def zeros_like(param):
    """State of a parameter's shape, zero."""
    return _core.ops.zeros_like(param.detach(), state_dtype(param))


def one_number(value, param):
    """State of one element."""
    return _core.tensor(np.array([value]), state_dtype(param))
