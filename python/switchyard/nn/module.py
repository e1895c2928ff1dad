# SPDX-License-Identifier: Apache-2.0
"""Module: what layers and networks are made of.

A module computes the same on eager tensors and, while a program is traced
(``switchyard.static``), on the values of a static graph: it only calls
operators, which take both.
"""

from __future__ import annotations

import collections
import contextlib

import numpy as np

from switchyard import _core
from switchyard.nn.binding import Binding, Bound, HookOfModule
from switchyard.nn.dtypes import FLOATING, HALVES
from switchyard.tensor_methods import target_of


class Parameter:
    """A named place of a module for a trainable ``Tensor``.

    While a program is traced the place holds the graph's value instead
    (``Module.bind``), in common with all places of that tensor; layers read
    ``self.weight`` and never notice.
    """

    __slots__ = ("tensor", "bound")
    trainable = True

    def __init__(self, tensor):
        if not isinstance(tensor, _core.Tensor):
            tensor = _core.tensor(tensor)
        if self.trainable:
            if tensor.requires_grad and not tensor.is_leaf:
                tensor = tensor.detach()
            tensor.requires_grad = True
        self.tensor = tensor
        self.bound = None

    def convert(self, dtype, place, made):
        """Takes a tensor of another dtype or on another place, where they are
        not None: in ``made``, {id: (old, new)}, those that other slots share."""
        old = self.tensor
        if dtype in (None, old.dtype) and place in (None, old.place):
            return
        if id(old) not in made:
            new = old.detach()
            if dtype not in (None, new.dtype):
                new = _core.ops.cast(new, dtype)
            if place not in (None, new.place):
                new = _core.ops.copy(new, place)
            new.requires_grad = old.requires_grad
            made[id(old)] = (old, new)
        self.tensor = made[id(old)][1]


class Buffer(Parameter):
    """A named place for a tensor that is state but not trained.

    ``self.running_mean = tensor`` writes it: into the tensor's memory, or, while
    a program is traced, as the program's new state.
    """

    __slots__ = ()
    trainable = False

    def __init__(self, tensor):
        super().__init__(tensor)

    def write(self, value):
        """Gives the buffer new elements."""
        if self.bound is not None:
            self.bound.value = value
        elif not isinstance(value, _core.Tensor):
            raise TypeError("a buffer takes a tensor, "
                            f"got {type(value).__name__}")
        else:
            self.tensor.copy_(value.detach())


class Module:
    """Base of all layers and networks.

    Subclasses assign parameters (``Parameter``), buffers (``Buffer``) and other
    modules as attributes in ``__init__`` and define ``forward``::

        class Net(sy.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = sy.nn.Linear(4, 2)

            def forward(self, x):
                return sy.relu(self.linear(x))
    """

    # Whether ``to`` leaves parameters and buffers float32 for a half dtype, as
    # kernels of normalisations want them.
    keeps_float32 = False

    def __init__(self) -> None:
        object.__setattr__(self, "_parameters", collections.OrderedDict())
        object.__setattr__(self, "_buffers", collections.OrderedDict())
        object.__setattr__(self, "_modules", collections.OrderedDict())
        object.__setattr__(self, "_forward_hooks", {})
        object.__setattr__(self, "training", True)

    def __setattr__(self, name, value):
        places = self.__dict__.get("_parameters")
        if places is None:
            raise AttributeError(f"{type(self).__name__}: call "
                                 "super().__init__() before setting attributes")
        if isinstance(value, (Parameter, Module)):
            kind = (self._buffers if isinstance(value, Buffer)
                    else self._parameters if isinstance(value, Parameter)
                    else self._modules)
            if name not in kind:  # Otherwise it keeps its place.
                self._forget(name)
            kind[name] = value
        elif name in self._buffers and value is not None:
            self._buffers[name].write(value)
        elif name in places and value is not None:
            raise TypeError(f"{type(self).__name__}.{name} is a parameter: "
                            "assign an nn.Parameter (or write its elements "
                            "with copy_)")
        else:
            self._forget(name)
            object.__setattr__(self, name, value)

    def _forget(self, name):
        self.__dict__.pop(name, None)
        for places in (self._parameters, self._buffers, self._modules):
            places.pop(name, None)

    def __getattr__(self, name):
        # Reached only for names that are no ordinary attributes.
        inside = self.__dict__
        for kind in ("_parameters", "_buffers"):
            slot = inside.get(kind, {}).get(name)
            if slot is not None:
                return slot.tensor if slot.bound is None else slot.bound.value
        modules = inside.get("_modules", {})
        if name in modules:
            return modules[name]
        raise AttributeError(
            f"{type(self).__name__} has no attribute {name!r}")

    def __delattr__(self, name):
        if any(name in self.__dict__[kind]
               for kind in ("_parameters", "_buffers", "_modules")):
            self._forget(name)
        else:
            object.__delattr__(self, name)

    def __dir__(self):
        return [*super().__dir__(), *self._parameters, *self._buffers,
                *self._modules]

    def __call__(self, *args, **kwargs):
        if not self.__dict__.get("_forward_hooks"):
            return self.forward(*args, **kwargs)
        hooks = list(self._forward_hooks.values())
        for before, hook in hooks:
            changed = hook(self, args) if before else None
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        result = self.forward(*args, **kwargs)
        for before, hook in hooks:
            changed = None if before else hook(self, args, result)
            result = result if changed is None else changed
        return result

    def register_forward_hook(self, hook):
        """Calls ``hook(module, args, result)`` after ``forward``; what it
        returns, unless None, is the result. Returns a handle with remove()."""
        return HookOfModule(self._forward_hooks, (False, hook))

    def register_forward_pre_hook(self, hook):
        """Calls ``hook(module, args)`` before ``forward``; what it returns,
        unless None, are the arguments. Returns a handle with remove()."""
        return HookOfModule(self._forward_hooks, (True, hook))

    def forward(self, *args, **kwargs):
        """The computation; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__}.forward")

    # Parameters, buffers and modules inside.

    def register_parameter(self, name, tensor):
        """Assigns ``Parameter(tensor)`` (or None) to ``name``."""
        setattr(self, name, tensor if tensor is None or isinstance(
            tensor, Parameter) else Parameter(tensor))

    def register_buffer(self, name, tensor):
        """Assigns ``Buffer(tensor)`` to ``name``."""
        setattr(self, name, Buffer(tensor))

    def add_module(self, name, module):
        """Assigns ``module`` to ``name``."""
        setattr(self, name, module)

    def named_modules(self, prefix=""):
        """(name, module) of this module ("") and all inside, outermost first."""
        yield prefix, self
        for name, module in self._modules.items():
            inner = f"{prefix}.{name}" if prefix else name
            yield from module.named_modules(inner)

    def modules(self):
        """This module and all inside it, outermost first."""
        for _, module in self.named_modules():
            yield module

    def children(self):
        """The modules directly inside."""
        return iter(self._modules.values())

    def named_slots(self):
        """(name, Parameter or Buffer) of this module and all inside, in order.

        A tensor that is shared comes once, under its first name.
        """
        seen = set()
        for name, slot in self._places():
            if id(slot.tensor) not in seen:
                seen.add(id(slot.tensor))
                yield name, slot

    def _places(self):
        """(name, Parameter or Buffer), shared ones under each of their names."""
        for prefix, module in self.named_modules():
            for places in (module._parameters, module._buffers):
                for name, slot in places.items():
                    yield (f"{prefix}.{name}" if prefix else name), slot

    def named_parameters(self):
        """(name, Tensor) of all parameters, in the order of their making."""
        for name, slot in self.named_slots():
            if slot.trainable:
                yield name, slot.tensor

    def parameters(self) -> list[_core.Tensor]:
        """All parameters as a list of tensors."""
        return [tensor for _, tensor in self.named_parameters()]

    def named_buffers(self):
        """(name, Tensor) of all buffers."""
        for name, slot in self.named_slots():
            if not slot.trainable:
                yield name, slot.tensor

    def buffers(self) -> list[_core.Tensor]:
        """All buffers as a list of tensors."""
        return [tensor for _, tensor in self.named_buffers()]

    def to(self, *targets, dtype=None, device=None):
        """Makes parameters and buffers new tensors of another dtype or on
        another place: ``to("bfloat16")``, ``to("gpu:0")``.

        A dtype is for floating ones; those of normalisations stay float32 where
        it is a half. Gradients are forgotten. An optimizer holds tensors: make
        it afterwards.
        """
        dtype, place = target_of((*targets, dtype, device))
        if dtype is not None and dtype not in FLOATING:
            raise TypeError(f"to: dtype must be floating, got {dtype}")
        made = {}
        for module in self.modules():
            kept = module.keeps_float32 and dtype in HALVES
            wanted = "float32" if kept else dtype
            for slot in (*module._parameters.values(),
                         *module._buffers.values()):
                floating = slot.tensor.dtype in FLOATING
                slot.convert(wanted if floating else None, place, made)
        return self

    def apply(self, function):
        """Calls ``function`` on every module inside, then on this one."""
        for module in self.children():
            module.apply(function)
        function(self)
        return self

    # Phases and gradients.

    def train(self, mode=True):
        """Sets the training phase (dropout active) or, by False, the other."""
        object.__setattr__(self, "training", bool(mode))
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Sets the evaluation phase."""
        return self.train(False)

    def zero_grad(self) -> None:
        """Forgets the gradients of all parameters."""
        for parameter in self.parameters():
            parameter.grad = None

    def requires_grad_(self, value=True):
        """Whether gradients are recorded for the parameters."""
        for parameter in self.parameters():
            parameter.requires_grad = value
        return self

    # State.

    def state_dict(self) -> dict[str, _core.Tensor]:
        """{name: Tensor} copies of all parameters and buffers."""
        with_copies = collections.OrderedDict()
        for name, slot in self.named_slots():
            with_copies[name] = _core.tensor(slot.tensor.detach())
        return with_copies

    def load_state_dict(self, state: dict, strict: bool = True) -> None:
        """Sets parameters and buffers from ``state_dict()``'s form.

        ``state``: {name: tensor or array}. KeyError for a missing or an unknown
        name (unless ``strict`` is False: such are left alone), ValueError for a
        shape that differs; nothing is changed then.
        """
        slots = dict(self.named_slots())
        missing = sorted(slots.keys() - state.keys())
        unknown = sorted(state.keys() - slots.keys())
        if strict and (missing or unknown):
            raise KeyError(f"load_state_dict: missing {missing}, "
                           f"unknown {unknown}")
        for name in missing:
            del slots[name]
        for name, slot in slots.items():
            got = tuple(np.shape(state[name]))
            if got != slot.tensor.shape:
                raise ValueError(f"load_state_dict: {name} must have shape "
                                 f"{slot.tensor.shape}, got {got}")
        loaded = {name: _core.tensor(state[name], slot.tensor.dtype)
                  for name, slot in slots.items()}
        for name, slot in slots.items():
            slot.tensor.copy_(loaded[name])

    @contextlib.contextmanager
    def bind(self, values):
        """While inside, parameters and buffers read as ``values[name]``.

        Yields a Binding, which says what was written since.
        """
        slots, same = dict(self.named_slots()), {}
        bound = {name: Bound(value) for name, value in values.items()}
        for _, slot in self._places():
            same.setdefault(id(slot.tensor), []).append(slot)
        written = Binding(values, bound, {id(slots[name].tensor): bound[name]
                                          for name in values})
        try:
            for name in values:
                for slot in same[id(slots[name].tensor)]:
                    slot.bound = bound[name]
            yield written
        finally:
            try:
                self._unbind()
            except BaseException:  # An interrupt: no slot may stay bound.
                self._unbind()
                raise

    def _unbind(self):
        for _, slot in self._places():
            slot.bound = None

    # Text.

    def summary(self, *inputs) -> str:
        """The layers inside as a table: their parameters and, given ``inputs``,
        what each returned in a run without gradients, in evaluation."""
        from switchyard.nn.summary import summary
        return summary(self, *inputs)

    def extra_repr(self):
        """Returns the text that ``repr`` shows between the parentheses."""
        return ""

    def __repr__(self):
        inner = [f"({name}): {module!r}".replace("\n", "\n  ")
                 for name, module in self._modules.items()]
        if not inner:
            return f"{type(self).__name__}({self.extra_repr()})"
        body = "".join(f"  {line}\n" for line in inner)
        return f"{type(self).__name__}(\n{body})"
