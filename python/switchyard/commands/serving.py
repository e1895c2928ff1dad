# SPDX-License-Identifier: Apache-2.0
"""serve: a saved program or a PaddlePaddle model over HTTP, on this machine
alone unless --host says otherwise. docs/python/serving.md has the requests."""

import argparse
import re

from switchyard import _core
from switchyard.commands import COMMANDS, program_of
from switchyard.commands.choosing import add_choices, loaded
from switchyard.commands.ports import print_ports
from switchyard.commands.preferring import add_prefer
from switchyard.commands.running import count_from


def _milliseconds(word):
    if not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", word):
        raise argparse.ArgumentTypeError(
            f"expected milliseconds as 2 or 0.5, got '{word}'")
    return float(word)


def _port(word):
    if not re.fullmatch(r"\d{1,5}", word) or int(word) > 65535:
        raise argparse.ArgumentTypeError(
            f"expected a port from 0 to 65535, got '{word}'")
    return int(word)


def _parser(command):
    parser = argparse.ArgumentParser(
        prog=program_of(command), description=COMMANDS[command][1],
        allow_abbrev=False)
    add = parser.add_argument
    add("model", metavar="MODEL", help="a folder or a file")
    add("--weights", metavar="FILE",
        help="the file of the weights, if it lies elsewhere")
    add("--host", metavar="ADDRESS", default="127.0.0.1",
        help="where to listen; 127.0.0.1, this machine alone, unless given")
    add("--port", metavar="N", type=_port, default=8000,
        help="8000 unless given; 0 for any that is free")
    add("--batch", metavar="ROWS", type=count_from(1), default=8,
        help="how many rows of the first axis requests may share a run with; 8")
    add("--delay-ms", metavar="MS", type=_milliseconds, default=2.0,
        help="how long a request waits for others; 2")
    add("--queue", metavar="N", type=count_from(1), default=128,
        help="how many requests may wait; 128")
    add("--connections", metavar="N", type=count_from(1), default=256,
        help="how many clients may be connected; 256")
    add("--body-mib", metavar="N", type=count_from(1), default=64,
        help="the largest body; 64. All that are held: four times that")
    add("--header-seconds", metavar="N", type=count_from(1), default=10,
        help="how long a header may take to come; 10")
    add("--drain-seconds", metavar="N", type=count_from(1), default=30,
        help="how long an end by SIGTERM waits for answers; 30")
    add("--threads", metavar="N", type=count_from(1), help="the number of threads")
    add_prefer(parser)
    add_choices(parser)
    return parser


def _check_states(program, path):
    """ValueError for a program that a request would change."""
    from switchyard.static.program import RNG
    written = [name for name in program._compiled.written_states if name != RNG]
    if written:
        raise ValueError(f"{path} writes its state {written[0]} in each run, so "
                         "that a request would change the next one's results: "
                         "serve a program of evaluation, or the part that export() "
                         "gives")


def _model_of(program, batch):
    """(the model, why requests don't share runs or None)."""
    from switchyard.serving.probe import check_items
    from switchyard.serving.rows import NoRows, rows_of
    from switchyard.serving.runs import Model
    if batch == 1:
        return Model(program), "--batch 1"
    try:
        model = Model(program, rows_of(program))
        check_items(model)
    except NoRows as reason:
        return Model(program), str(reason)
    return model, None


def main(command, words):
    """Runs the command; the exit code is 1 if requests were cut off at the end."""
    from switchyard.serving.arrays import carrier_of
    from switchyard.serving.server import Options, serve
    arguments = _parser(command).parse_args(words)
    program = loaded(arguments)
    _check_states(program, arguments.model)
    for port in (*program.inputs, *program.outputs):
        carrier_of(port)
    if arguments.threads is not None:
        _core.set_num_threads(arguments.threads)
    model, alone = _model_of(program, arguments.batch)
    options = Options(
        host=arguments.host, port=arguments.port, batch=arguments.batch,
        delay=arguments.delay_ms / 1e3, queue=arguments.queue,
        connections=arguments.connections, body=arguments.body_mib << 20,
        held=arguments.body_mib << 22, header_seconds=arguments.header_seconds,
        drain_seconds=arguments.drain_seconds)

    def say(port):
        print_ports(model)
        print(f"batch: 1 request a run ({alone})" if alone else
              f"batch: up to {arguments.batch} rows a run, after at most "
              f"{arguments.delay_ms:g} ms")
        host = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
        print(f"serving {arguments.model} at http://{host}:{port}", flush=True)

    return 0 if serve(model, options, say) else 1
