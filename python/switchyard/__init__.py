# SPDX-License-Identifier: Apache-2.0
"""Switchyard: operators described once, run eagerly or as a static graph.

    import switchyard as sy

    x = sy.tensor([[1.0, 2.0]], requires_grad=True)
    y = sy.softmax(x)
    (y * y).sum().backward()
    print(x.grad)

Functions have the names, arguments and defaults of the Python Array API
standard, NumPy and PyTorch; one whose first argument is a tensor is a method of
that name, too. ``sy.ops`` has every operator as its entry describes it. ``sy.nn``
has layers and losses, ``sy.optim`` optimizers, ``sy.io`` data loading,
``sy.distributions`` probabilities, ``sy.static`` traced programs, ``sy.amp`` mixed
precision, ``sy.linalg`` linear algebra, ``sy.fft`` Fourier transforms.
"""

import importlib as _importlib
import math as _math

from switchyard import _core
from switchyard import creation as _creation
from switchyard import random_creation as _random_creation
from switchyard import functions as _functions
from switchyard import ops
from switchyard import plain_errors as _plain_errors
from switchyard import tensor_methods as _tensor_methods
from switchyard import torch_creation as _torch_creation
from switchyard.functions import *
from switchyard.functions import fuller as _fuller

_tensor_methods.install()
_fuller.install()
_plain_errors.install(_core)

from switchyard import autograd
from switchyard._core import (Event, Stream, Tensor, current_stream,
                              default_place, devices, num_threads,
                              policy, fallback_log, record_selections, rng_state,
                              seed, set_default_place, set_num_threads,
                              set_rng_state, synchronize, tensor)
from switchyard.array_info import __array_namespace_info__
from switchyard.autograd import (detect_anomaly, enable_grad, grad, inference_mode,
                                 is_grad_enabled, no_grad, set_grad_enabled)
from switchyard.creation import *
from switchyard.random_creation import *
from switchyard.dlpack import from_dlpack
from switchyard.torch_creation import *
from switchyard.tensor_array import (array_length, array_pop, array_read,
                                     array_to_tensor, array_write, create_array)

# Imported at their first use: together they cost as much as all else except the
# extension, and a program that only calls operators needs none of them.
_MODULES = ("amp", "cuda", "distributed", "distributions", "fft", "io", "legacy", "linalg", "nn",
            "optim", "plugins", "signal", "sparse", "special", "static", "strings",
            "utils")
_FUNCTIONS = {"TensorSpec": "tensor_spec", "custom_op": "custom",
              "device": "places",
              "explain": "selection", "export_onnx": "static.exporting",
              "generate": "generation", "load": "static.loading",
              "load_state": "safetensors", "quantize": "quantization",
              "save": "safetensors", "sparse_coo_tensor": "sparse",
              "sparse_csr_tensor": "sparse"}


TYPE_CHECKING = False  # As type checkers know it; typing is slow to import.
if TYPE_CHECKING:
    from switchyard import (amp, cuda, distributed, distributions, fft, io, legacy, linalg, nn,
                            optim, plugins, signal, sparse, special, static,
                            strings, utils)
    from switchyard.custom import custom_op
    from switchyard.generation import generate
    from switchyard.places import device
    from switchyard.quantization import quantize
    from switchyard.selection import explain
    from switchyard.safetensors import load_state, save
    from switchyard.sparse import sparse_coo_tensor, sparse_csr_tensor
    from switchyard.static.exporting import export_onnx
    from switchyard.static.loading import load
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
    return sorted({*__all__, *_BUILTIN_NAMES, "__all__", "__doc__", "__file__",
                   "__name__", "__path__", "__version__",
                   "__array_api_version__", "__array_namespace_info__"})


# Dtypes are their names; constants are as the Array API standard has them.
bool_ = "bool"
uint8, int8, int16 = "uint8", "int8", "int16"
int32, int64 = "int32", "int64"
uint16, uint32, uint64 = "uint16", "uint32", "uint64"
float16, bfloat16, float32, float64 = (
    "float16", "bfloat16", "float32", "float64")
complex64, complex128 = "complex64", "complex128"
# These are made, moved and cast only.
float8_e4m3fn, float8_e4m3fnuz = "float8_e4m3fn", "float8_e4m3fnuz"
float8_e5m2, float8_e5m2fnuz = "float8_e5m2", "float8_e5m2fnuz"
float8_e8m0fnu, float4_e2m1fn = "float8_e8m0fnu", "float4_e2m1fn"
int4, uint4, int2, uint2 = "int4", "uint4", "int2", "uint2"

# PyTorch's names of them, and the standard's "bool". They are not in __all__:
# `import *` must not hide Python's own types.
half, double, long = float16, float64, int64
bool, int, float = bool_, int32, float32
manual_seed = seed
_BUILTIN_NAMES = ("bool", "double", "float", "half", "int", "long")

__version__ = "0.1.0"
__array_api_version__ = "2024.12"

e, inf, nan, newaxis, pi = (
    2.718281828459045, _math.inf, _math.nan, None, 3.141592653589793)

__all__ = [
    "Event", "Stream", "Tensor", "TensorSpec", "amp", "array_length", "array_pop",
    "array_read", "array_to_tensor", "array_write", "autograd", "bfloat16", "bool_",
    "complex128", "complex64", "create_array", "cuda", "current_stream", "custom_op",
    "default_place", "detect_anomaly", "device", "devices", "distributed", "distributions", "e",
    "enable_grad", "explain", "export_onnx", "fallback_log",
    "fft", "float16", "float32", "float4_e2m1fn", "float64", "float8_e4m3fn",
    "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "from_dlpack", "generate", "grad",
    "inf",
    "inference_mode", "int16", "int2", "int32", "int4", "int64", "int8", "io", "is_grad_enabled",
    "legacy", "linalg", "load", "manual_seed",
    "load_state", "nan", "newaxis", "nn", "no_grad", "num_threads", "ops",
    "optim", "pi", "plugins", "policy", "quantize", "record_selections", "rng_state", "save", "seed",
    "set_default_place", "set_grad_enabled", "set_num_threads", "set_rng_state", "signal", "sparse", "special",
    "sparse_coo_tensor", "sparse_csr_tensor", "static",
    "strings", "synchronize", "tensor", "uint16", "uint2", "uint32", "uint4", "uint64", "uint8", "utils",
]
__all__ += (_functions.__all__ + _creation.__all__ + _random_creation.__all__
            + _torch_creation.__all__)
