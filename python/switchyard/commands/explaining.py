# SPDX-License-Identifier: Apache-2.0
"""explain: why each operator of a saved program or a PaddlePaddle model has its
kernel, or which kernel would run for a call that the words describe."""

import argparse
import json
import os
import re
import sys

from switchyard import _core
from switchyard.commands import program_of
from switchyard.commands.choosing import add_choices, loaded
from switchyard.commands.faults import WrongArgument
from switchyard.commands.preferring import add_prefer


def _parser(command):
    parser = argparse.ArgumentParser(
        prog=f"{program_of(command)} MODEL", allow_abbrev=False,
        description="says why each operator of a model has its kernel; "
                    f"{program_of(command)} --help tells of single operators")
    add = parser.add_argument
    add("model", metavar="MODEL", help="a folder or a file")
    add("--weights", metavar="FILE",
        help="the file of the weights, if it lies elsewhere")
    add_prefer(parser)
    add_choices(parser)
    add("--op", metavar="NAME", help="the calls of one operator")
    add("--json", action="store_true",
        help="print a list with an object for each call")
    return parser


def _calls_of(text):
    """The text of each call, as Program.explain writes them in order."""
    return re.split(r"(?m)^(?!location: )(?=.+\n(?:location|key dtype): )", text)


def _calls_of_operator(calls, name):
    """The calls of that operator; ``calls`` are (operator, call)."""
    found = [call for operator, call in calls if operator == name]
    if not found:
        names = sorted({operator for operator, _ in calls})
        raise WrongArgument(f"--op: expected one of {', '.join(names)}; got "
                            f"'{name}'")
    return found


def _explain_model(command, words):
    arguments = _parser(command).parse_args(words)
    model = loaded(arguments)
    if arguments.json:
        calls = json.loads(model.explain(json=True))
        if arguments.op is not None:
            calls = _calls_of_operator([(call["op"], call) for call in calls],
                                       arguments.op)
        print(json.dumps(calls, indent=2))
        return
    text = model.explain()
    if arguments.op is not None:
        calls = [(call.split(" ", 1)[0], call) for call in _calls_of(text)
                 if "key dtype: " in call]
        text = "".join(_calls_of_operator(calls, arguments.op))
    print(text.rstrip("\n"))


def main(command, words):
    """Runs the command; the exit code is 1 if no kernel fits the call."""
    paths = [word for word in words[:1] if os.path.exists(word) or "/" in word]
    if paths:
        return _explain_model(command, words)
    try:
        text, fits = _core.explain_command(list(words))
    except (TypeError, ValueError, IndexError, NotImplementedError) as error:
        raise WrongArgument(str(error)) from None
    sys.stdout.write(text)
    return 0 if fits else 1
