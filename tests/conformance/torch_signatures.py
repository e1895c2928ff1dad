# SPDX-License-Identifier: Apache-2.0
"""Which function of PyTorch a sample calls, and under which names its arguments
go there. Runs where PyTorch is."""

import inspect
import re

import torch
from torch.overrides import TorchFunctionMode

_AXES = ("dim", "dims")


class _Recorder(TorchFunctionMode):
    """Keeps the first function that user code would call."""

    def __init__(self):
        super().__init__()
        self.first = None

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if self.first is None:
            self.first = (function, list(args), dict(kwargs or {}))
        return function(*args, **(kwargs or {}))


def _qualified(name):
    """The object of a dotted name below torch, or None."""
    found = torch
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def called(op, args, kwargs):
    """(name, kind, args, kwargs) of the call that op(*args, **kwargs) is.

    op.op is the function itself, or a lambda around it, which may exchange the
    arguments: then what it calls is watched.
    """
    if _qualified(op.name) is op.op:
        return op.name, "function", list(args), dict(kwargs)
    recorder = _Recorder()
    torch.manual_seed(0)
    with recorder:
        op(*args, **kwargs)
    last = op.name.rsplit(".", 1)[-1]
    if recorder.first is None:
        return op.name, "function", list(args), dict(kwargs)
    function, inner_args, inner_kwargs = recorder.first
    name = getattr(function, "__name__", "")
    if name == "__get__" and hasattr(torch.Tensor, last) and (
            not callable(getattr(torch.Tensor, last))):
        return last, "property", inner_args[:1], {}
    if name.rstrip("_").removeprefix("special_") != last.rstrip("_"):
        return op.name, "function", list(args), dict(kwargs)
    kind = "function" if _qualified(op.name) is not None else "method"
    if name.endswith("_") and not last.endswith("_"):
        kind = "function" if hasattr(torch, last) else "method"
    return op.name, kind, inner_args, inner_kwargs


def _fits(value, kind):
    """Whether an argument can be of a schema's type."""
    if kind.startswith("Optional["):
        return value is None or _fits(value, kind[9:-1])
    is_tensor = isinstance(value, torch.Tensor)
    is_number = isinstance(value, (int, float, complex))
    if kind == "Tensor":
        return is_tensor
    if kind == "number":
        return is_number or (is_tensor and value.dim() == 0)
    if kind == "bool":
        return isinstance(value, bool)
    if kind in ("int", "SymInt"):
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "float":
        return is_number and not isinstance(value, complex)
    if kind == "str":
        return isinstance(value, str)
    if kind in ("List[int]", "List[SymInt]"):
        several = value if isinstance(value, (list, tuple)) else [value]
        return all(_fits(each, "int") for each in several)
    if kind.startswith("List[Tensor"):
        return isinstance(value, (list, tuple)) and all(
            isinstance(each, torch.Tensor) for each in value)
    return "Dimname" not in kind


def _schema_names(name, args, kwargs):
    """The names of the parameters of the overload that these arguments fit."""
    flat = re.sub(r"^(linalg|fft|special)\.", r"\1_", name).rsplit(".", 1)[-1]
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{flat}"):
        own = [(each.name, str(each.type)) for each in schema.arguments]
        names = [each for each, _ in own]
        if len(args) > len(own) or not set(kwargs) <= {*names, "input"}:
            continue
        if all(_fits(value, kind) for value, (_, kind) in zip(args, own)):
            return names
    return []


def _parameter_names(name, args, kwargs):
    function = _qualified(name)
    try:
        parameters = inspect.signature(function).parameters.values()
        if any(each.kind is each.VAR_POSITIONAL for each in parameters):
            return []
        return [each.name for each in parameters]
    except (TypeError, ValueError):
        return _schema_names(name, args, kwargs)


def by_name(name, args, kwargs):
    """The arguments with those from a positional dim on as keywords."""
    names = _parameter_names(name, args, kwargs)
    for at, each in enumerate(names[:len(args)]):
        if each in _AXES and at > 0:
            more = dict(zip(names[at:], args[at:]))
            return args[:at], {**more, **kwargs}
    return args, kwargs
