# SPDX-License-Identifier: Apache-2.0
"""Special functions, as ``torch.special`` names them.

Each takes tensors, arrays and numbers; integers and bool become float32. What is
composed of many operators is computed in float64 and rounded once.
"""

from __future__ import annotations

import math

from switchyard import functions as _functions
from switchyard.functions import (digamma, erf, erfc, erfinv, exp2, expm1,
                                  i0, i0e, i1, i1e, log1p, log_softmax, logit,
                                  logsumexp, round, sinc, softmax, xlogy)
from switchyard.functions.precision import in_float32
from switchyard.functions.real_functions import times_of_0
from switchyard.special_bessel import *
from switchyard import special_bessel as _bessel
from switchyard.special_polynomials import *
from switchyard import special_polynomials as _polynomials
from switchyard.special_gamma import *
from switchyard import special_gamma as _gamma
from switchyard.special_incomplete import *
from switchyard import special_incomplete as _incomplete
from switchyard.special_normal import *
from switchyard import special_normal as _normal

_ops = _bessel._ops

__all__ = ["digamma", "entr", "erf", "erfc", "erfinv", "exp2", "expit", "expm1",
           "gammaln", "i0", "i0e", "i1", "i1e", "log1p", "log_softmax", "logit",
           "logsumexp", "psi", "round", "sinc", "softmax", "xlog1py", "xlogy"]
__all__ += _bessel.__all__ + _polynomials.__all__ + _gamma.__all__
__all__ += _incomplete.__all__ + _normal.__all__


def __dir__():
    return __all__


def expit(x):
    """1 / (1 + exp(-x)): ``sigmoid``."""
    return _ops.sigmoid(x)


def gammaln(x):
    """The logarithm of |gamma(x)|: ``lgamma``."""
    return _ops.lgamma(x)


def psi(x):
    """The slope of ``gammaln``: ``digamma``."""
    return _ops.digamma(x)


def xlog1py(x, y):
    """x log(1 + y), 0 where x is 0 unless y is NaN."""
    return times_of_0("xlog1py", x, y, _ops.log1p)


@in_float32
def entr(x):
    """-x log(x): 0 at 0, -inf below."""
    x = _functions.arguments.floating(x)
    negative = _ops.less_than(x, 0.0)
    inside = _ops.where(negative, _ops.ones_like(x), x)
    found = _ops.scale(times_of_0("entr", inside, inside, _ops.log), -1.0)
    return _ops.where(negative, _ops.full_like(x, -math.inf), found)
