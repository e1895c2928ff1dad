# SPDX-License-Identifier: Apache-2.0
"""Methods that a value of a graph has otherwise than a tensor, or not at all."""

from switchyard import _core


def copy_(x, other):
    """Holds ``other``'s elements from now on, as after ``x[...] = other``."""
    x[...] = other
    return x


def no_truth(value):
    raise TypeError("a graph's value has no truth while it is traced: "
                    "use sy.where or sy.static.cond")


def no_array(value, dtype=None, copy=None):
    raise TypeError("a graph's value has no elements while it is traced")


# Replacements of what only tensors have.
_INSTEAD = {
    "backward": "sy.grad(loss, inputs) gives gradients there, and minimize of an "
                "optimizer in sy.static.train_function updates parameters",
    "grad": "sy.grad(loss, inputs) gives gradients there",
    "requires_grad_": "sy.grad(loss, inputs) gives gradients of any value",
    "requires_grad": "sy.grad(loss, inputs) gives gradients of any value",
    "retain_grad": "sy.grad(loss, inputs) gives gradients of any value",
    "item": "sy.where or sy.static.cond decide by elements, and results are read "
            "after the run",
    "numpy": "results are read after the run",
    "tolist": "results are read after the run",
    "cpu": "a program runs where it was traced",
}


def no_attribute(value, name):
    """Says of what only tensors have that a value lacks it, and what to do."""
    if name in _INSTEAD:
        raise AttributeError(f"a graph's value has no {name!r} while it is traced: "
                             f"{_INSTEAD[name]}", name=name, obj=value)
    known = not name.startswith("_") and hasattr(_core.Tensor, name)
    raise AttributeError(
        f"a graph's value has no {name!r} while it is traced; only tensors have"
        if known else f"'Value' object has no attribute {name!r}",
        name=name, obj=value)


METHODS = {"__bool__": no_truth, "__array__": no_array,
           "__getattr__": no_attribute, "copy_": copy_}
