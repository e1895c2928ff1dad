# SPDX-License-Identifier: Apache-2.0
"""Which errors of a command are answers, and which are faults of this package."""

import dis
import os

# The exit code of a fault: EX_SOFTWARE of sysexits.h.
FAULT = 70

_ANSWERS = (OSError, ValueError, TypeError, IndexError, RuntimeError,
            NotImplementedError, MemoryError, FloatingPointError)
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Instructions of the innermost line where an error is meant: it raises one, or
# calls the extension, whose errors have no line of their own.
_MEANT = ("RAISE_VARARGS", "RERAISE", "CALL", "CALL_FUNCTION_EX", "BEFORE_WITH")


class WrongArgument(ValueError):
    """A word of the command line that is wrong, with exit code 2."""


def is_ours(error):
    """Whether an error is an answer: one that was raised on purpose.

    A TypeError or a ValueError is one only if a line of this package raised it,
    or called what did: an index, a sum or an unpacking that fails is a fault,
    and so is what other packages raise.
    """
    if isinstance(error, (RecursionError, NotImplementedError)):
        return isinstance(error, NotImplementedError)
    if not isinstance(error, _ANSWERS):
        return False
    if isinstance(error, (OSError, MemoryError)):
        return True
    trace = error.__traceback__
    if trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    if os.path.commonpath((_PACKAGE, os.path.abspath(code.co_filename))) != _PACKAGE:
        return False
    return dis.opname[code.co_code[trace.tb_lasti]] in _MEANT
