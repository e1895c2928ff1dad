# SPDX-License-Identifier: Apache-2.0
"""--prefer: which kernels a model's calls take first."""

from switchyard import _core
from switchyard.commands.faults import WrongArgument


def add_prefer(parser):
    """Gives a parser the option."""
    parser.add_argument(
        "--prefer", metavar="NAME,NAME",
        help="kernels of these backends and origins (legacy, onednn, cpu) "
             "first, in this order, where they fit")


def policy_of(arguments):
    """The policy of the option; None without it."""
    if arguments.prefer is None:
        return None
    try:
        return _core.policy(prefer=arguments.prefer.split(","))
    except ValueError as error:
        text = str(error).removeprefix("policy: prefer ")
        raise WrongArgument(f"--prefer: {text}") from None
