# SPDX-License-Identifier: Apache-2.0
"""One function for each operator, named and with arguments as in its YAML.

Given tensors they run at once; given values of a graph that is being traced
they add to it. Random operators draw from the generator that ``sy.seed`` sets.
"""

from switchyard import _core
from switchyard.functions.operator_norms import ALL as _IN_RANGE

globals().update({name: _IN_RANGE.get(name, function)
                  for name, function in vars(_core.ops).items()
                  if not name.startswith("__")})

__all__ = sorted(name for name in vars(_core.ops)
                 if not name.startswith("__"))
