# SPDX-License-Identifier: Apache-2.0
"""Parameters of an optimizer: tensors, pairs with names, groups of them."""

from __future__ import annotations

from switchyard import _core
from switchyard.checks import listed
from switchyard.optim import groups

_MOST = 10**7  # Parameters.
_STATE_DTYPES = {"float16": "float32", "bfloat16": "float32", "complex64": "float32",
                 "complex128": "float64"}


def flattened(parameters, first=0):
    """All parameters; [(the names of one group, its arguments)]. Those without a
    name are counted from ``first``."""
    if isinstance(parameters, _core.Tensor):
        return parameters, []
    parameters = listed("Optimizer", "parameters", parameters, _MOST)
    if not parameters or not isinstance(parameters[0], (dict, groups.ParamGroup)):
        return parameters, []
    flat, found = [], []
    for i, group in enumerate(parameters):
        if not isinstance(group, (dict, groups.ParamGroup)) or (
                "params" not in group):
            raise TypeError(f"Optimizer: group {i} must be a dict with 'params'")
        own = group["params"]
        own = [own] if isinstance(own, _core.Tensor) else listed(
            "Optimizer", f"params of group {i}", own, _MOST)
        if not own:
            raise ValueError(f"Optimizer: group {i} must have parameters")
        own = [p if isinstance(p, tuple) else (str(first + len(flat) + k), p)
               for k, p in enumerate(own)]
        flat += own
        found.append(([name for name, _ in own],
                      {name: value for name, value in group.items()
                       if name != "params"}))
    return flat, found


def checked_parameters(parameters) -> dict[str, _core.Tensor]:
    """{name: Tensor} of tensors or (name, tensor) pairs that can be trained."""
    if isinstance(parameters, _core.Tensor):
        raise TypeError("Optimizer: parameters must be a list of tensors, got "
                        "a tensor")
    named = [p if isinstance(p, tuple) else (str(i), p)
             for i, p in enumerate(parameters)]
    for pair in named:
        if len(pair) != 2 or not isinstance(pair[0], str):
            raise TypeError("Optimizer: parameters must be tensors or pairs of a "
                            "name and a tensor, got another tuple")
    if not named:
        raise ValueError("Optimizer: parameters must not be empty")
    for name, p in named:
        if not isinstance(p, _core.Tensor):
            raise TypeError(f"Optimizer: parameter {name} must be a tensor, "
                            f"got {type(p).__name__}")
        if not p.is_leaf:
            raise ValueError(f"Optimizer: parameter {name} must be a leaf, got "
                             "what an operator computed")
    if len(dict(named)) != len(named):
        raise ValueError("Optimizer: parameters' names must differ")
    if len({id(p) for _, p in named}) != len(named):
        raise ValueError("Optimizer: parameters must be there once each")
    dtypes = {state_dtype(p) for _, p in named}
    if dtypes not in ({"float32"}, {"float64"}):
        raise TypeError("Optimizer: parameters must be floating or complex, and all "
                        "float64 (or complex128) or none, got "
                        f"{sorted({p.dtype for _, p in named})}")
    return dict(named)


def state_dtype(param):
    """Halves are stepped in float32, in which their state is kept, and the parts
    of complex numbers in their own dtype."""
    return _STATE_DTYPES.get(param.dtype, param.dtype)
