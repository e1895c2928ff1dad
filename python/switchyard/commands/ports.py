# SPDX-License-Identifier: Apache-2.0
"""The inputs and outputs of a model as lines of text."""

from switchyard.static.program_text import port_text


def print_ports(model):
    """Prints both lists."""
    for title, ports in (("inputs", model.inputs), ("outputs", model.outputs)):
        print(title)
        for port in ports:
            print(f"  {port_text(port)}")
