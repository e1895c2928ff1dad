# SPDX-License-Identifier: Apache-2.0
"""inspect: what is in a saved program or a PaddlePaddle model. Without options:
inputs, outputs, operators as they were saved, what a run then does, and the
sizes of the parameters."""

import argparse
import collections
import json

from switchyard.commands import COMMANDS, program_of
from switchyard.commands.faults import WrongArgument
from switchyard.commands.ports import print_ports
from switchyard.static.loading import load, stages
from switchyard.static.program_text import calls_of, steps_of


def _one_word(words):
    """The words, "after" and the pass as one: the model may follow them."""
    for i in range(len(words) - 2):
        if words[i:i + 2] == ["--ir", "after"]:
            return [*words[:i + 1], f"after {words[i + 2]}", *words[i + 3:]]
    return words


def _parser(command):
    parser = argparse.ArgumentParser(
        prog=program_of(command), description=COMMANDS[command][1],
        allow_abbrev=False)
    add = parser.add_argument
    add("model", metavar="MODEL", help="a folder or a file")
    add("--weights", metavar="FILE",
        help="the file of the weights, if it lies elsewhere")
    add("--ir", metavar="STAGE",
        help="the program's text: imported, after PASS, or lowered")
    add("--dot", metavar="FILE",
        help="write the graph for Graphviz: dot -Tsvg FILE")
    add("--json", action="store_true", help="print JSON")
    return parser


def _print_stage(arguments):
    texts = stages(arguments.model, arguments.weights)
    words = arguments.ir.split()
    wanted = words[-1] if words else ""
    after = len(words) == 2 and words[0] == "after"
    if wanted not in texts or len(words) != 1 + after:
        passes = [name for name in texts if name not in ("imported", "lowered")]
        expected = "".join(f", 'after {name}'" for name in passes)
        raise WrongArgument(f"--ir: expected 'imported'{expected} or "
                            f"'lowered'; got '{' '.join(words)}'")
    print(texts[wanted])


def _counts(names):
    return dict(collections.Counter(names).most_common())


def _facts_of(arguments, model):
    texts = stages(arguments.model, arguments.weights)
    each, once = steps_of(texts["lowered"])
    parameters = [model.state[name] for name in model.state.keys()]
    return {"inputs": [port._asdict() for port in model.inputs],
            "outputs": [port._asdict() for port in model.outputs],
            "operators": _counts(calls_of(texts["imported"])),
            "each_run": _counts(each), "once": _counts(once),
            "parameters": {"tensors": len(parameters),
                           "elements": sum(tensor.size for tensor in parameters),
                           "bytes": sum(tensor.nbytes for tensor in parameters)}}


def _print_facts(model, facts):
    print_ports(model)
    for title, key in (("operators, as saved", "operators"),
                       ("kernels of each run, without copies between them",
                        "each_run"),
                       ("kernels that run once, on parameters alone", "once")):
        counts = facts[key]
        if counts or key == "operators":
            print(f"{title} ({sum(counts.values())})")
        for name, count in counts.items():
            print(f"  {count:5}  {name}")
    print("parameters\n  {tensors} tensors, {elements:,} elements, {bytes:,} "
          "bytes".format(**facts["parameters"]))


def main(command, words):
    """Runs the command."""
    arguments = _parser(command).parse_args(_one_word(list(words)))
    if arguments.ir is not None:
        _print_stage(arguments)
        if not arguments.dot:
            return
    model = load(arguments.model, weights=arguments.weights)
    if arguments.dot:
        with open(arguments.dot, "w", encoding="utf-8") as file:
            file.write(model.text("dot") + "\n")
        return
    facts = _facts_of(arguments, model)
    if arguments.json:
        print(json.dumps(facts, indent=2))
    else:
        _print_facts(model, facts)
