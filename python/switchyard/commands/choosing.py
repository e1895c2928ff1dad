# SPDX-License-Identifier: Apache-2.0
"""--relaxed, --precision, --exact and --without: what a model may compute
otherwise than its operators one by one would."""

import re

from switchyard.commands.faults import WrongArgument
from switchyard.commands.preferring import policy_of
from switchyard.file_kinds import SAVED_PROGRAM, kind_of
from switchyard.static.loading import load

# The beginning of load's errors about what the command line names.
_CHOICE = re.compile(r"pass(?= must be )|relaxed(?: must be |: )|"
                     r"(?:denormals|precision|fusion|reduction|thread_variant)"
                     r"(?= must be )")



def add_choices(parser):
    """Gives a parser the options."""
    add = parser.add_argument
    add("--relaxed", metavar="CHOICES",
        help="what may be computed otherwise than the operators would, as "
             "denormals=flush,precision=int8")
    add("--precision", metavar="NAME",
        help="short for --relaxed precision=NAME: bfloat16, bfloat16_emulated, "
             "int8 or exact")
    add("--exact", action="store_true",
        help="nothing of that: without the passes that round otherwise")
    add("--without", metavar="PASS,PASS", default="",
        help="without these passes")


def loaded(arguments, **options):
    """The model of a command line, loaded as its options say; a wrong pass or
    choice is a wrong argument."""
    path = arguments.model
    without = [name for name in arguments.without.split(",") if name]
    if without and (kind_of(path, "model") or "")[:1] == (SAVED_PROGRAM,):
        raise WrongArgument(f"--without: {path} is {SAVED_PROGRAM}, which was "
                            "through its passes before it was saved")
    relaxed = arguments.relaxed
    if relaxed is not None and arguments.exact:
        raise WrongArgument("--exact: only one of --relaxed and --exact can be "
                            "given")
    if arguments.precision is not None:
        if arguments.exact:
            raise WrongArgument("--exact: only one of --precision and --exact "
                                "can be given")
        relaxed = ",".join(filter(None, (
            relaxed, f"precision={arguments.precision}")))
    try:
        return load(path, policy=policy_of(arguments), weights=arguments.weights,
                    relaxed=relaxed, exact=arguments.exact,
                    without=without, **options)
    except (ValueError, NotImplementedError) as error:
        wrong = _CHOICE.match(str(error))
        if wrong is None:
            raise
        option = "without" if wrong[0] == "pass" else "relaxed"
        if option == "relaxed" and arguments.relaxed is None:
            option = "precision"
        text = str(error).removeprefix("relaxed: ")
        raise WrongArgument(f"--{option}: {text}") from None
