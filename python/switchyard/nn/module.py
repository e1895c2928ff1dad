# SPDX-License-Identifier: Apache-2.0
"""Module: what layers and networks are made of.

A module computes the same on eager tensors and, while a program is traced
(``switchyard.static``), on the values of a static graph: it only calls
operators, which take both.
"""

from __future__ import annotations

import collections
from typing import NamedTuple

import numpy as np

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.nn.dtypes import FLOATING, HALVES
from switchyard.nn.forward_errors import refuse
from switchyard.nn.hooks import HookOfModule, called
from switchyard.nn.nesting import nested
from switchyard.nn.parameter import Buffer, Parameter, Slot
from switchyard.spelling import forwarded
from switchyard.tensor_methods import target_of


class LoadedKeys(NamedTuple):
    """Names that ``load_state_dict`` left alone, where it is not strict."""

    missing_keys: list[str]
    unexpected_keys: list[str]


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
    # Whether the first call makes the parameters.
    is_lazy = False
    # PyTorch's names of arguments of ``forward``.
    _forward_names: dict[str, str] = {}

    def __init__(self) -> None:
        object.__setattr__(self, "_parameters", collections.OrderedDict())
        object.__setattr__(self, "_buffers", collections.OrderedDict())
        object.__setattr__(self, "_modules", collections.OrderedDict())
        object.__setattr__(self, "_hooks", {})
        object.__setattr__(self, "training", True)

    def __setattr__(self, name, value):
        places = self.__dict__.get("_parameters")
        if places is None:
            raise AttributeError(f"{type(self).__name__}: call "
                                 "super().__init__() before setting attributes")
        if isinstance(value, (Buffer, Module)):
            self._put(self._buffers if isinstance(value, Buffer)
                      else self._modules, name, value)
        elif type(value) is _core.Tensor and _core.is_parameter(value):
            self._put(places, name, Slot(value))
        elif name in self._buffers and value is not None:
            self._buffers[name].write(value)
        elif name in places and value is not None:
            if isinstance(value, _core.Tensor) and value.is_leaf and (
                    value.requires_grad):  # A parameter of another module.
                self._put(places, name, Slot(Parameter(value)))
                return
            raise TypeError(f"{type(self).__name__}.{name} is a parameter: "
                            "assign an nn.Parameter (or write its elements "
                            "with copy_)")
        else:
            self._forget(name)
            object.__setattr__(self, name, value)
            _core.note_change()

    def _put(self, kind, name, value):
        """Has ``value`` as an attribute of one of the three kinds."""
        if name not in kind:  # Otherwise it keeps its place.
            self._forget(name)
        kind[name] = value
        _core.note_change()

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
                return slot.tensor
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
        _core.note_change()

    def __dir__(self):
        return [*super().__dir__(), *self._parameters, *self._buffers,
                *self._modules]

    def __call__(self, *args, **kwargs):
        if kwargs and self._forward_names:
            kwargs = forwarded(type(self), kwargs)
        try:
            if not self.__dict__.get("_hooks"):
                return self.forward(*args, **kwargs)
            return called(self, args, kwargs)
        except (AttributeError, TypeError, ValueError) as error:
            refuse(self, error, args, kwargs)
            raise

    def register_forward_hook(self, hook):
        """Calls ``hook(module, args, result)`` after ``forward``; what it
        returns, unless None, is the result. Returns a handle with remove()."""
        return HookOfModule(self._hooks, "after", hook)

    def register_forward_pre_hook(self, hook):
        """Calls ``hook(module, args)`` before ``forward``; what it returns,
        unless None, are the arguments. Returns a handle with remove()."""
        return HookOfModule(self._hooks, "before", hook)

    def register_full_backward_hook(self, hook):
        """Calls ``hook(module, grad_input, grad_output)`` in backward, after the
        module's gradients: tuples for its arguments (None for those that need
        none) and its results. What it returns, unless None, goes on as the
        gradients of the arguments. Eager code alone; returns a handle."""
        return HookOfModule(self._hooks, "backward after", hook)

    def register_full_backward_pre_hook(self, hook):
        """Calls ``hook(module, grad_output)`` in backward, before the module's
        gradients; what it returns, unless None, are those of its results."""
        return HookOfModule(self._hooks, "backward before", hook)

    def forward(self, *args, **kwargs):
        """The computation; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__}.forward")

    # Parameters, buffers and modules inside.

    def register_parameter(self, name, tensor):
        """Assigns ``Parameter(tensor)`` (or None) to ``name``."""
        setattr(self, name, tensor if tensor is None or isinstance(
            tensor, Parameter) else Parameter(tensor))

    def register_buffer(self, name, tensor, persistent=True):
        """Assigns ``Buffer(tensor, persistent)`` (or None) to ``name``."""
        setattr(self, name, tensor if tensor is None else
                Buffer(tensor, persistent))

    def add_module(self, name, module):
        """Assigns ``module`` to ``name``."""
        setattr(self, name, module)

    def named_modules(self, prefix=""):
        """(name, module) of this module ("") and all inside, outermost first."""
        for name, module, entered in nested(self, prefix):
            if entered:
                yield name, module

    def modules(self):
        """This module and all inside it, outermost first."""
        for _, module in self.named_modules():
            yield module

    def children(self):
        """The modules directly inside."""
        return iter(self._modules.values())

    def named_children(self):
        """(name, module) of the modules directly inside."""
        return iter(self._modules.items())

    def get_submodule(self, target):
        """The module inside of the name ``target``, "layers.0.norm"; "" is this
        one. AttributeError if there is none."""
        module = self
        for name in target.split(".") if target else ():
            if name not in module._modules:
                raise AttributeError(f"{type(module).__name__} has no module "
                                     f"{name!r}")
            module = module._modules[name]
        return module

    def named_slots(self):
        """(name, Slot or Buffer) of this module and all inside, in order.

        A tensor that is shared comes once, under its first name.
        """
        seen = set()
        for name, slot in self._places():
            if id(slot.tensor) not in seen:
                seen.add(id(slot.tensor))
                yield name, slot

    def _places(self):
        """(name, Slot or Buffer), shared ones under each of their names."""
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
                slot.convert(wanted, place, made)
        return self

    def float(self):
        """``to("float32")``."""
        return self.to("float32")

    def double(self):
        """``to("float64")``."""
        return self.to("float64")

    def half(self):
        """``to("float16")``."""
        return self.to("float16")

    def bfloat16(self):
        """``to("bfloat16")``."""
        return self.to("bfloat16")

    def cpu(self):
        """``to("cpu")``."""
        return self.to("cpu")

    def apply(self, function):
        """Calls ``function`` on every module inside, then on this one."""
        for _, module, entered in nested(self):
            if not entered:
                function(module)
        return self

    # Phases and gradients.

    def train(self, mode=True):
        """Sets the training phase (dropout active) or, by False, the other."""
        object.__setattr__(self, "training", bool(mode))
        waiting, seen = [self], set()
        while waiting:
            for module in waiting.pop().children():
                if id(module) in seen:
                    continue
                seen.add(id(module))
                if type(module).train is not Module.train:
                    module.train(mode)  # It sets what it likes.
                    continue
                object.__setattr__(module, "training", bool(mode))
                waiting.append(module)
        _core.note_change()
        return self

    def eval(self):
        """Sets the evaluation phase."""
        return self.train(False)

    def zero_grad(self, set_to_none=True) -> None:
        """Forgets the gradients of all parameters, or writes zeros unless
        ``set_to_none``."""
        for parameter in self.parameters():
            old = None if set_to_none else parameter.grad
            parameter.grad = None if old is None else _core.ops.zeros_like(
                old.to_dense())

    def requires_grad_(self, value=True):
        """Whether gradients are recorded for the parameters."""
        for parameter in self.parameters():
            parameter.requires_grad = value
        return self

    # State.

    def state_dict(self) -> dict[str, _core.Tensor]:
        """{name: Tensor} copies of all parameters and persistent buffers."""
        with_copies = collections.OrderedDict()
        for name, slot in self._kept():
            with_copies[name] = _core.tensor(slot.tensor.detach())
        return with_copies

    def _kept(self):
        return [(name, slot) for name, slot in self.named_slots()
                if slot.persistent]

    def load_state_dict(self, state: dict, strict: bool = True) -> LoadedKeys:
        """Sets parameters and buffers from ``state_dict()``'s form.

        ``state``: {name: tensor or array}. KeyError for a missing or an unknown
        name (unless ``strict`` is False: such are left alone, and returned),
        ValueError for a shape that differs; nothing is changed then.
        """
        for prefix, module in self.named_modules():
            if module.is_lazy:
                module.make_like(_shapes_below(prefix, state))
        slots = dict(self._kept())
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
        with no_grad():
            for name, slot in slots.items():
                slot.tensor.copy_(loaded[name])
        return LoadedKeys(missing, unknown)

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


def _shapes_below(prefix, state):
    """{name: shape} of a state's tensors directly in the module of that name."""
    begin = f"{prefix}." if prefix else ""
    return {name[len(begin):]: tuple(np.shape(value)) for name, value in state.items()
            if name.startswith(begin) and "." not in name[len(begin):]}
