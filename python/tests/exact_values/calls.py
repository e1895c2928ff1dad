# SPDX-License-Identifier: Apache-2.0
"""The functions whose exact values the tables hold, by the names of their columns."""
import switchyard as sy

F = sy.nn.functional

CALLS = {
    "gelu": F.gelu, "gelu_by_tanh": lambda x: F.gelu(x, "tanh"),
    "logit": lambda x: sy.logit(x, 0.0), "leaky_relu": F.leaky_relu,
    "hardsigmoid": F.hardsigmoid, "hardtanh": F.hardtanh, "swish": sy.ops.swish,
}
# Their value near a zero or a pole is as good as the argument.
BENT = frozenset({
    "lgamma", "digamma", "erfinv", "acos", "acosh", "logit", "sinc", "entr", "ndtri",
    "logaddexp2", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "airy_ai",
    "mvlgamma of 3", "zeta"})


def function_of(name):
    """That of a column; "f of n" has the whole number n as its other argument."""
    if name in CALLS:
        return CALLS[name]
    base, _, number = name.partition(" of ")
    homes = [home for home in (sy, sy.special, F, sy.ops) if hasattr(home, base)]
    function = getattr(homes[0], base)
    if not number:
        return function
    n = int(number)
    if base == "polygamma":
        return lambda x: function(n, x)
    return lambda x: function(x, n)
