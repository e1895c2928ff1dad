# SPDX-License-Identifier: Apache-2.0
"""The static graph: tracing, training steps, saved programs."""

import importlib as _importlib

from switchyard._core import State, Symbol, Value
from switchyard.static.loading import load, stages
from switchyard.static.program import Port, Program, save

__all__ = ["DecodeStep", "InputSpec", "Port", "Profile", "Program", "State", "Symbol",
           "TrainFunction", "TrainStep", "Value", "cond", "decode_step", "load", "save",
           "stages",
           "trace", "train_function", "train_step", "while_loop"]

# Imported at their first use: they import layers and optimizers, which take twice
# as long as it takes to load a program of some hundred operators; a profile imports
# typing, which takes a fifth of it.
_FUNCTIONS = {"DecodeStep": "decoding", "InputSpec": "tracing", "Profile": "profile", "TrainFunction": "training_function",
              "TrainStep": "training", "cond": "control_flow",
              "decode_step": "decoding", "trace": "tracing",
              "train_function": "training_function", "train_step": "training",
              "while_loop": "control_flow"}
_MODULES = ("control_flow", "decoding", "profile", "tracing", "training", "training_function")

TYPE_CHECKING = False  # As type checkers know it; typing is slow to import.
if TYPE_CHECKING:
    from switchyard.static.control_flow import cond, while_loop
    from switchyard.static.decoding import DecodeStep, decode_step
    from switchyard.static.profile import Profile
    from switchyard.static.tracing import InputSpec, trace
    from switchyard.static.training import TrainStep, train_step
    from switchyard.static.training_function import TrainFunction, train_function
else:
    def __getattr__(name):
        if name in _MODULES:
            return _importlib.import_module(f"{__name__}.{name}")
        if name in _FUNCTIONS:
            home = _importlib.import_module(f"{__name__}.{_FUNCTIONS[name]}")
            return globals().setdefault(name, getattr(home, name))
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*__all__, *_MODULES, "__all__", "__doc__", "__file__", "__name__", "__path__"})
