# SPDX-License-Identifier: Apache-2.0
"""Modules that hold modules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from switchyard import _core
from switchyard.checks import listed, refuse
from switchyard.nn.module import Module


class Sequential(Module):
    """Modules one after another; indexable, numbered from 0, or of the names of
    an OrderedDict."""

    def __init__(self, *layers: Module | Mapping[str, Module]):
        super().__init__()
        if len(layers) == 1 and isinstance(layers[0], Mapping):
            for name, layer in layers[0].items():
                setattr(self, name, self._checked(name, layer))
            return
        for layer in layers:
            self.append(layer)

    def append(self, layer):
        """Adds a module at the end."""
        name = str(len(self))
        setattr(self, name, self._checked(name, layer))
        return self

    def extend(self, layers):
        """Adds several modules at the end."""
        for layer in listed(type(self).__name__, "layers", layers):
            self.append(layer)
        return self

    def insert(self, i, layer):
        """Adds a module before the one at ``i``; those after it are renumbered."""
        layers = list(self)
        layers.insert(i, self._checked(str(i), layer))
        self._become(layers)
        return self

    def __delitem__(self, i):
        layers = list(self)
        del layers[i]
        self._become(layers)

    def _become(self, layers):
        for name in list(self._modules):
            delattr(self, name)
        self.extend(layers)

    def _checked(self, name, layer):
        if not isinstance(layer, Module):
            raise TypeError(f"{type(self).__name__}: layer {name} must be a "
                            f"Module, got {type(layer).__name__}")
        return layer

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return self.children()

    def __getitem__(self, i):
        layers = list(self._modules.values())
        return type(self)(*layers[i]) if isinstance(i, slice) else layers[i]

    def __setitem__(self, i, layer):
        name = list(self._modules)[i]
        setattr(self, name, self._checked(name, layer))

    def forward(self, x):
        for module in self._modules.values():
            x = module(x)
        return x


class ModuleList(Sequential):
    """A list of modules that are inside; the owner says how they are called."""

    def __init__(self, layers: Iterable[Module] = ()):
        super().__init__(*listed("ModuleList", "layers", layers))

    def __getitem__(self, i):
        layers = list(self._modules.values())
        return type(self)(layers[i]) if isinstance(i, slice) else layers[i]

    def forward(self, *args):
        raise NotImplementedError("ModuleList is no function: call its modules")


class ModuleDict(Module):
    """Modules by name; the owner says how they are called."""

    def __init__(self, modules: Mapping[str, Module] | None = None):
        super().__init__()
        self.update(modules or {})

    def update(self, modules):
        """Adds or replaces modules."""
        for name, module in dict(modules).items():
            self[name] = module

    def __setitem__(self, name, module):
        if not isinstance(module, Module):
            raise TypeError(f"ModuleDict: {name} must be a Module, got "
                            f"{type(module).__name__}")
        if name in self.__dict__ or hasattr(type(self), name) or "." in name:
            raise KeyError(f"ModuleDict: {name!r} must be another name")
        setattr(self, name, module)

    def pop(self, name):
        """Removes a module and returns it."""
        module = self._modules[name]
        del self[name]
        return module

    def __getitem__(self, name):
        return self._modules[name]

    def __delitem__(self, name):
        del self._modules[name]

    def __contains__(self, name):
        return name in self._modules

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def keys(self):
        """The names."""
        return self._modules.keys()

    def values(self):
        """The modules."""
        return self._modules.values()

    def items(self):
        """(name, module) pairs."""
        return self._modules.items()

    def forward(self, *args):
        raise NotImplementedError("ModuleDict is no function: call its modules")


class ParameterDict(Module):
    """Parameters by name."""

    def __init__(self, parameters: Mapping | None = None):
        super().__init__()
        self.update(parameters or {})

    def update(self, parameters):
        """Adds or replaces parameters, or tensors as such."""
        if not isinstance(parameters, Mapping):
            refuse("ParameterDict", "parameters", "a mapping", parameters)
        for name, parameter in parameters.items():
            self[name] = parameter

    def __setitem__(self, name, parameter):
        if not isinstance(name, str) or "." in name or (
                name in self.__dict__ or hasattr(type(self), name)):
            raise KeyError(f"ParameterDict: {name!r} must be another name")
        self.register_parameter(name, parameter)

    def __getitem__(self, name):
        return self._parameters[name].tensor

    def __delitem__(self, name):
        del self._parameters[name]

    def __contains__(self, name):
        return name in self._parameters

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(list(self._parameters))

    def keys(self):
        """The names."""
        return self._parameters.keys()

    def values(self):
        """The parameters."""
        return [self[name] for name in self]

    def items(self):
        """(name, parameter) pairs."""
        return [(name, self[name]) for name in self]

    def forward(self, *args):
        raise NotImplementedError("ParameterDict is no function")


class ParameterList(Module):
    """A list of parameters, numbered from 0."""

    def __init__(self, parameters: Iterable = ()):
        super().__init__()
        self.extend(parameters)

    def append(self, parameter):
        """Adds a parameter, or a tensor as one, at the end."""
        self.register_parameter(str(len(self)), parameter)
        return self

    def extend(self, parameters):
        """Adds several at the end."""
        if isinstance(parameters, _core.Tensor):
            refuse("ParameterList", "parameters", "a list of parameters", parameters)
        for parameter in listed("ParameterList", "parameters", parameters):
            self.append(parameter)
        return self

    def __len__(self):
        return len(self._parameters)

    def __getitem__(self, i):
        names = list(self._parameters)
        if isinstance(i, slice):
            return [getattr(self, name) for name in names[i]]
        return getattr(self, names[i])

    def __setitem__(self, i, parameter):
        name = list(self._parameters)[i]
        self.register_parameter(name, parameter)

    def __iter__(self):
        return (getattr(self, name) for name in list(self._parameters))

    def forward(self, *args):
        raise NotImplementedError("ParameterList is no function")
