# SPDX-License-Identifier: Apache-2.0
"""Switchyard: operators described once, run eagerly or as a static graph.

    import switchyard as sy

    x = sy.tensor([[1.0, 2.0]], requires_grad=True)
    y = sy.softmax(x)
    (y * y).sum().backward()
    print(x.grad)

Every operator is a function here and in ``sy.ops``, and a method of tensors
where its first argument is one. ``sy.nn`` has layers and losses, ``sy.optim``
optimizers, ``sy.io`` data loading, ``sy.static`` traced programs.
"""

import importlib as _importlib

from switchyard import ops
from switchyard.ops import *  # First: what follows has the last word on names.
from switchyard import tensor_methods as _tensor_methods

_tensor_methods.install()

from switchyard._core import (Event, Stream, Tensor, current_stream,
                              default_place, devices, num_threads,
                              policy, fallback_log, record_selections, rng_state,
                              seed, set_default_place, set_num_threads,
                              set_rng_state, synchronize, tensor)
from switchyard.autograd import enable_grad, grad, is_grad_enabled, no_grad
from switchyard.creation import arange, eye, full, ones, rand, randn, zeros
from switchyard.dlpack import from_dlpack
from switchyard.tensor_array import (array_length, array_pop, array_read,
                                     array_to_tensor, array_write, create_array)

# Imported at their first use: together they cost as much as all else except the
# extension, and a program that only calls operators needs none of them.
_MODULES = ("io", "legacy", "nn", "optim", "sparse", "static",
            "strings")
_FUNCTIONS = {"TensorSpec": "tensor_spec", "custom_op": "custom",
              "explain": "selection", "load": "static.program",
              "load_state": "safetensors",
              "save": "safetensors"}


TYPE_CHECKING = False  # As type checkers know it; typing is slow to import.
if TYPE_CHECKING:
    from switchyard import io, legacy, nn, optim, sparse, static, strings
    from switchyard.custom import custom_op
    from switchyard.selection import explain
    from switchyard.safetensors import load_state, save
    from switchyard.static.program import load
    from switchyard.tensor_spec import TensorSpec
else:
    def __getattr__(name):
        if name in _MODULES:
            return _importlib.import_module(f"{__name__}.{name}")
        if name in _FUNCTIONS:
            home = _importlib.import_module(f"{__name__}.{_FUNCTIONS[name]}")
            return globals().setdefault(name, getattr(home, name))
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_MODULES, *_FUNCTIONS})


bool_ = "bool"
uint8, int8, int16 = "uint8", "int8", "int16"
int32, int64 = "int32", "int64"
float16, bfloat16, float32, float64 = (
    "float16", "bfloat16", "float32", "float64")
complex64, complex128 = "complex64", "complex128"

__version__ = "0.1.0"

__all__ = [
    "Event", "Stream", "Tensor", "TensorSpec", "arange", "bfloat16", "bool_",
    "complex128", "complex64", "current_stream", "custom_op", "default_place",
    "devices", "enable_grad", "eye", "explain", "float16", "float32", "float64",
    "from_dlpack", "full", "grad", "int16",
    "int32", "int64", "int8", "io", "is_grad_enabled", "legacy", "load",
    "load_state", "nn", "no_grad", "num_threads", "ones", "ops", "optim", "policy", "rand",
    "randn", "fallback_log", "record_selections", "rng_state", "save", "seed",
    "set_default_place", "set_num_threads", "set_rng_state", "sparse", "static",
    "strings", "synchronize", "tensor", "uint8", "zeros",
]
__all__ += ops.__all__
