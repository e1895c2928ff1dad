# SPDX-License-Identifier: Apache-2.0
"""Methods that a value of a graph has otherwise than a tensor, or not at all."""

from switchyard import _core, autograd


def copy_(x, other):
    """Holds ``other``'s elements from now on; no gradient flows into them."""
    with autograd.no_grad():
        x[...] = other
    return x


def no_truth(value):
    raise TypeError("a graph's value has no truth while it is traced: "
                    "use sy.where or sy.static.cond")


def no_array(value, dtype=None, copy=None):
    raise TypeError("a graph's value has no elements while it is traced")


def no_attribute(value, name):
    """Says of what only tensors have that a value lacks it."""
    known = not name.startswith("_") and hasattr(_core.Tensor, name)
    raise AttributeError(
        f"a graph's value has no {name!r} while it is traced; only tensors have"
        if known else f"'Value' object has no attribute {name!r}",
        name=name, obj=value)


METHODS = {"__bool__": no_truth, "__array__": no_array,
           "__getattr__": no_attribute, "copy_": copy_}
