# SPDX-License-Identifier: Apache-2.0
"""The functions of ``sy.*``: operators as they are (switchyard.native, which is
generated from the key ``python:`` of their entries), and functions written over
the operators of ``sy.ops``.

Names, arguments and defaults are those of the Python Array API standard, and
NumPy's or PyTorch's where the standard has none. One whose first argument is
``x`` is also the method of that name. ``dim`` and ``keepdim`` may be written
for ``axis`` and ``keepdims``. ``inplace`` has those that are methods alone.
"""

import inspect

from switchyard import ops
from switchyard.functions import (calculus, copies, data_types, drawing,
                                  elementwise, inplace, medians, picking, pieces, products,
                                  real_functions, reductions, scans, searching, shaping,
                                  statistics, systems, transforms, writing)
from switchyard.functions.calculus import *
from switchyard.functions.copies import *
from switchyard.functions.data_types import *
from switchyard.functions.drawing import *
from switchyard.functions.elementwise import *
from switchyard.functions.medians import *
from switchyard.functions.picking import *
from switchyard.functions.pieces import *
from switchyard.functions.products import *
from switchyard.functions.real_functions import *
from switchyard.functions.reductions import *
from switchyard.functions.scans import *
from switchyard.functions.searching import *
from switchyard.functions.shaping import *
from switchyard.functions.statistics import *
from switchyard.functions.systems import *
from switchyard.functions.transforms import *
from switchyard.functions.writing import *
from switchyard.native import functions as native
from switchyard.native.functions import *

MODULES = (calculus, copies, data_types, drawing, elementwise, medians, picking, pieces,
           products, real_functions, reductions, scans, searching, shaping, statistics,
           systems, transforms, writing)

__all__ = [name for module in (*MODULES, native) for name in module.__all__]


def methods():
    """{name: function} of the functions here that are methods, too, and of those
    that are methods alone."""
    return {name: getattr(module, name) for module in (*MODULES, inplace)
            for name in module.__all__
            if inspect.unwrap(getattr(module, name)).__code__.co_varnames[
                :1] == ("x",)}


def operator_methods():
    """{name: operator} of the operators that are methods as they are, with their
    in-place variants (``x.relu_()``)."""
    found = {}
    for name in native.METHODS:
        operator = getattr(native, name)
        found[name] = operator
        inplace = getattr(ops, operator.__name__ + "_", None)
        if inplace is not None:
            found[name + "_"] = inplace
    return found
