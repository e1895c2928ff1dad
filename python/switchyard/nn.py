# SPDX-License-Identifier: Apache-2.0
"""Layers: modules that own parameters and call operators.

A module computes the same on eager tensors and, while a program is traced
(``switchyard.static``), on the values of a static graph: it only calls
functions of ``switchyard.ops``, which take both.
"""

import collections
import contextlib
import math

from switchyard import _core, ops


class Parameter:
    """A named slot of a module that holds a trainable ``Tensor``.

    While a program is traced the slot holds the graph's value instead
    (``Module.bind``); layers read ``self.weight`` and never notice.
    """

    __slots__ = ("tensor", "value")

    def __init__(self, tensor):
        tensor.requires_grad = True
        self.tensor = tensor
        self.value = None


class Module:
    """Base of all layers and networks.

    Subclasses assign parameters (``Parameter``) and other modules as attributes
    in ``__init__`` and define ``forward``.
    """

    def __init__(self):
        object.__setattr__(self, "_parameters", collections.OrderedDict())
        object.__setattr__(self, "_modules", collections.OrderedDict())
        object.__setattr__(self, "training", True)

    def __setattr__(self, name, value):
        if isinstance(value, Parameter):
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._modules[name] = value
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name):
        # Reached only for names that are no ordinary attributes.
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._parameters:
            slot = self._parameters[name]
            return slot.tensor if slot.value is None else slot.value
        if name in self._modules:
            return self._modules[name]
        raise AttributeError(
            f"{type(self).__name__} has no attribute {name!r}")

    def __call__(self, *args):
        return self.forward(*args)

    def forward(self, *args):
        """The computation; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__}.forward")

    def named_slots(self, prefix=""):
        """(name, Parameter) of this module and all inside, in order."""
        for name, slot in self._parameters.items():
            yield prefix + name, slot
        for name, module in self._modules.items():
            yield from module.named_slots(f"{prefix}{name}.")

    def named_parameters(self):
        """(name, Tensor) of all parameters, in the order of their making."""
        for name, slot in self.named_slots():
            yield name, slot.tensor

    def parameters(self):
        """All parameters as a list of tensors."""
        return [tensor for _, tensor in self.named_parameters()]

    def modules(self):
        """This module and all inside it, outermost first."""
        yield self
        for module in self._modules.values():
            yield from module.modules()

    def train(self, mode=True):
        """Sets the training phase (dropout active) or, by False, the other."""
        for module in self.modules():
            object.__setattr__(module, "training", bool(mode))
        return self

    def eval(self):
        """Sets the evaluation phase."""
        return self.train(False)

    def state_dict(self):
        """{name: NumPy array} copies of all parameters."""
        return {name: tensor.numpy().copy()
                for name, tensor in self.named_parameters()}

    def load_state_dict(self, state):
        """Sets all parameters from ``state_dict()``'s form.

        KeyError for a missing or an unknown name, ValueError for a shape that
        differs; nothing is changed then.
        """
        slots = dict(self.named_slots())
        missing = sorted(slots.keys() - state.keys())
        unknown = sorted(state.keys() - slots.keys())
        if missing or unknown:
            raise KeyError(f"load_state_dict: missing {missing}, "
                           f"unknown {unknown}")
        for name, slot in slots.items():
            got = tuple(state[name].shape)
            if got != slot.tensor.shape:
                raise ValueError(f"load_state_dict: {name} must have shape "
                                 f"{slot.tensor.shape}, got {got}")
        for name, slot in slots.items():
            slot.tensor.copy_(_core.tensor(state[name], slot.tensor.dtype))

    @contextlib.contextmanager
    def bind(self, values):
        """While inside, parameters read as ``values[name]``."""
        slots = dict(self.named_slots())
        try:
            for name, value in values.items():
                slots[name].value = value
            yield self
        finally:
            for slot in slots.values():
                slot.value = None

    def extra_repr(self):
        """What ``repr`` shows between the parentheses."""
        return ""

    def __repr__(self):
        inner = [f"({name}): {module!r}".replace("\n", "\n  ")
                 for name, module in self._modules.items()]
        if not inner:
            return f"{type(self).__name__}({self.extra_repr()})"
        body = "".join(f"  {line}\n" for line in inner)
        return f"{type(self).__name__}(\n{body})"


def _uniform(shape, bound):
    return ops.uniform(shape, -bound, bound)


class Linear(Module):
    """x @ weight + bias, for x of shape [..., in_features].

    ``weight`` is [in_features, out_features], ``bias`` [out_features]; both
    start uniform in ±1/sqrt(in_features).
    """

    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        bound = 1.0 / math.sqrt(max(in_features, 1))
        self.weight = Parameter(_uniform([in_features, out_features], bound))
        self.has_bias = bias
        if bias:
            self.bias = Parameter(_uniform([out_features], bound))

    def forward(self, x):
        y = ops.matmul(x, self.weight)
        return ops.add(y, self.bias) if self.has_bias else y

    def extra_repr(self):
        return (f"in_features={self.in_features}, "
                f"out_features={self.out_features}, bias={self.has_bias}")


class Embedding(Module):
    """Rows of ``weight`` [num_embeddings, embedding_dim] by integer index."""

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None):
        super().__init__()
        self.padding_idx = -1 if padding_idx is None else padding_idx
        self.weight = Parameter(
            ops.gaussian([num_embeddings, embedding_dim]))

    def forward(self, x):
        return ops.embedding(x, self.weight, padding_idx=self.padding_idx)

    def extra_repr(self):
        return "{}, {}".format(*self.weight.shape)


class Dropout(Module):
    """In training, zeroes elements with probability ``p``, scales the rest."""

    def __init__(self, p=0.5):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0.0:
            return x
        return ops.dropout(x, p=self.p)

    def extra_repr(self):
        return f"p={self.p}"


class Flatten(Module):
    """Joins all axes but the first: [n, ...] to [n, product of the rest]."""

    def forward(self, x):
        return ops.reshape(x, [0, math.prod(x.shape[1:])])


class ReLU(Module):
    """max(x, 0)."""

    def forward(self, x):
        return ops.relu(x)


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, x):
        return ops.sigmoid(x)


class Tanh(Module):
    """Hyperbolic tangent."""

    def forward(self, x):
        return ops.tanh(x)


class GELU(Module):
    """x * Phi(x), Phi the normal distribution."""

    def forward(self, x):
        return ops.gelu(x)


class Softmax(Module):
    """Softmax along ``axis``."""

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

    def forward(self, x):
        return ops.softmax(x, axis=self.axis)


class Sequential(Module):
    """Modules one after another; indexable, numbered from 0."""

    def __init__(self, *layers):
        super().__init__()
        for i, layer in enumerate(layers):
            self._modules[str(i)] = layer

    def __len__(self):
        return len(self._modules)

    def __getitem__(self, i):
        return list(self._modules.values())[i]

    def forward(self, x):
        for module in self._modules.values():
            x = module(x)
        return x


class CrossEntropyLoss(Module):
    """Mean of -log softmax(input) at the labels.

    ``input`` [n, classes] floating; ``label`` [n, 1] int32 or int64.
    """

    def forward(self, input, label):
        _, loss = ops.cross_entropy_with_softmax(input, label)
        return ops.mean(loss)


class MSELoss(Module):
    """Mean of (input - label) squared."""

    def forward(self, input, label):
        return ops.mean(ops.square(ops.subtract(input, label)))
