# SPDX-License-Identifier: Apache-2.0
"""Parameters that are computed of others: a weight as a function of what is trained.

    parametrize.register_parametrization(layer, "weight", Symmetric())
    layer.weight                              # Symmetric()(its original)
    layer.parametrizations.weight.original    # what an optimizer trains
"""

from __future__ import annotations

from switchyard import _core
from switchyard.autograd import no_grad
from switchyard.checks import refuse
from switchyard.nn.containers import ModuleDict
from switchyard.nn.module import Module, Parameter

__all__ = ["ParametrizationList", "is_parametrized", "register_parametrization",
           "remove_parametrizations"]


def __dir__():
    return __all__


class ParametrizationList(Module):
    """The modules that make a tensor, one after another, of ``original``; or of
    ``original0``, ``original1`` and so on, where the first has several."""

    def __init__(self, original, first):
        super().__init__()
        with no_grad():
            back = getattr(first, "right_inverse", None)
            try:
                parts = original.detach() if back is None else back(original.detach())
            except NotImplementedError:  # It has none for this tensor.
                parts = original.detach()
        self.several = isinstance(parts, (tuple, list))
        trained = original.requires_grad
        for i, part in enumerate(parts if self.several else [parts]):
            name = f"original{i}" if self.several else "original"
            setattr(self, name, Parameter(_core.ops.assign(part), trained))
        self.add_module("0", first)

    def append(self, module):
        """Puts a module after those that there are."""
        self.add_module(str(len(self._modules)), module)

    def forward(self):
        parts = [getattr(self, name) for name in self._parameters]
        first, *others = self._modules.values()
        x = first(*parts)
        for module in others:
            x = module(x)
        return x

    def assign(self, value):
        """Sets the originals so that the tensor is ``value``."""
        for module in reversed(self._modules.values()):
            if not hasattr(module, "right_inverse"):
                raise RuntimeError(f"{type(module).__name__}: has no right_inverse, "
                                   "which assigning to what it makes needs")
            value = module.right_inverse(value)
        parts = value if isinstance(value, (tuple, list)) else [value]
        with no_grad():
            for name, part in zip(self._parameters, parts):
                getattr(self, name).copy_(part)


def register_parametrization(module: Module, tensor_name: str,
                             parametrization: Module) -> Module:
    """Has ``module.tensor_name`` be ``parametrization(original)``, each time that it
    is read; returns the module. The original, what ``right_inverse`` of the
    parametrization makes of the tensor where there is one, is trained instead, as
    ``module.parametrizations.tensor_name.original``. One that is registered later
    comes after it."""
    if not isinstance(module, Module):
        refuse("register_parametrization", "module", "a Module", module)
    if not isinstance(parametrization, Module):
        refuse("register_parametrization", "parametrization", "a Module",
               parametrization)
    if is_parametrized(module, tensor_name):
        module.parametrizations[tensor_name].append(parametrization)
        return module
    if tensor_name not in module._parameters:
        raise ValueError("register_parametrization: tensor_name must be a parameter "
                         f"of {type(module).__name__}, got {tensor_name!r}")
    made = ParametrizationList(getattr(module, tensor_name), parametrization)
    if not is_parametrized(module):
        module.__class__ = _class_of(type(module))
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _reading(tensor_name))
    module._parameters.pop(tensor_name)
    module.parametrizations.add_module(tensor_name, made)
    _core.note_change()
    return module


def _reading(name):
    return property(lambda module: module.parametrizations[name]())


def _class_of(kind):
    """A class of one module, derived from its own, for properties."""
    def assign(self, name, value):
        made = self.__dict__["_modules"].get("parametrizations")
        if made is not None and name in made:
            made[name].assign(value)
        else:
            kind.__setattr__(self, name, value)
    return type(kind.__name__, (kind,), {
        "__setattr__": assign, "__module__": kind.__module__, "__doc__": kind.__doc__,
        "_unparametrized": kind})


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a tensor of the module is made by parametrizations, or any is."""
    made = getattr(module, "_modules", {}).get("parametrizations")
    if made is None or not hasattr(type(module), "_unparametrized"):
        return False
    return tensor_name is None or tensor_name in made


def remove_parametrizations(module: Module, tensor_name: str,
                            leave_parametrized: bool = True) -> Module:
    """Has the tensor be a parameter again: its value as it is, or, unless
    ``leave_parametrized``, the original."""
    if not is_parametrized(module, tensor_name):
        raise ValueError("remove_parametrizations: tensor_name must have a "
                         f"parametrization, got {tensor_name!r}")
    made = module.parametrizations[tensor_name]
    if not leave_parametrized and made.several:
        raise ValueError("remove_parametrizations: leave_parametrized must be True of "
                         "a tensor that is made of several")
    with no_grad():
        value = made() if leave_parametrized else made.original
    value = Parameter(_core.ops.assign(value.detach()),
                      any(p.requires_grad for p in made.parameters()))
    del module.parametrizations[tensor_name]
    delattr(type(module), tensor_name)
    if not len(module.parametrizations):
        del module.parametrizations
        module.__class__ = type(module)._unparametrized
    setattr(module, tensor_name, value)
    return module
