# SPDX-License-Identifier: Apache-2.0
"""The commands of a shell: python -m switchyard COMMAND, and ./sy COMMAND.

    python -m switchyard run MODEL --input x=photo.npy
    python -m switchyard inspect MODEL
    python -m switchyard explain MODEL
    python -m switchyard profile MODEL --input x=photo.npy
    python -m switchyard export MODEL -o model.onnx
    python -m switchyard view MODEL --input x=photo.npy --profile
    python -m switchyard serve MODEL --batch 8 --delay-ms 2
    python -m switchyard launch -n 4 train.py

Exit codes: 0; 1 for an error of the model or its inputs, one line on stderr; 2
for wrong arguments; 70 for an error that should not be, a fault of this
package. ``--traceback`` shows where either came from.
"""

import importlib
import os
import sys

from switchyard.commands.faults import FAULT, WrongArgument, is_ours
from switchyard.loading_progress import LoadingProgress

# {command: (module, what it does)}.
COMMANDS = {
    "run": ("running", "runs a saved program or a PaddlePaddle model"),
    "inspect": ("inspecting", "shows what is in one"),
    "explain": ("explaining", "says which kernel runs, of an operator or in a "
                              "model, and why"),
    "profile": ("running", "runs a model and says what each step took"),
    "export": ("exporting", "writes an ONNX model of one"),
    "view": ("viewing", "writes a page to look at: graph, kernels, stages, "
                        "memory"),
    "launch": ("launching", "starts a script as several processes of one job"),
    "serve": ("serving", "answers requests over HTTP by a model"),
}


def program_of(command):
    """The words by which the command is called."""
    front = os.environ.get("SY_ROOT")
    return f"./sy {command}" if front else f"python -m switchyard {command}"


def _usage():
    lines = ["usage: python -m switchyard COMMAND [ARGUMENTS]", ""]
    lines += [f"  {name:8} {what}" for name, (_, what) in COMMANDS.items()]
    return "\n".join([*lines, "", "COMMAND --help tells more; --traceback shows "
                      "where an error came from."])


def _said(error):
    """An error in one line."""
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}"
    else:
        text = str(error) or type(error).__name__
    return " ".join(text.split("\n"))


def main(words):
    """Runs the command that the words say; returns its exit code."""
    words = list(words)
    traceback = "--traceback" in words
    words = [word for word in words if word != "--traceback"]
    if not words or words[0] in ("help", "-h", "--help"):
        print(_usage())
        return 0
    command, *rest = words
    if command not in COMMANDS:
        print(f"sy: no command '{command}': it must be one of "
              f"{', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    module = importlib.import_module(
        f"switchyard.commands.{COMMANDS[command][0]}")
    LoadingProgress.in_logs = True
    return _guarded(command, lambda: module.main(command, rest), traceback)


def _guarded(command, call, traceback):
    """call()'s exit code; an error's where it ends with one."""
    try:
        code = call() or 0
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        os._exit(1)  # Flushing would fail again.
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if traceback:
            sys.excepthook(type(error), error, error.__traceback__)
        if is_ours(error):
            print(f"sy: {command}: {_said(error)}", file=sys.stderr)
            return 2 if isinstance(error, WrongArgument) else 1
        print(f"sy: {command}: a fault of Switchyard: {type(error).__name__}: "
              f"{_said(error)}" + ("" if traceback else
                                   " (--traceback shows where)"),
              file=sys.stderr)
        return FAULT
