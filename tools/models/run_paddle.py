# SPDX-License-Identifier: Apache-2.0
"""Runs a model in PaddlePaddle on the cases of a folder; needs nothing of Switchyard.

    VENV/bin/python run_paddle.py PROGRAM [--weights FILE] CASES

PROGRAM is the program's file. CASES holds a folder for each case, with its feeds; the results of
each are written beside them as <case>/peer, one case after another, so that those of earlier
ones are there if the process ends in a later one.
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import case_files  # noqa: E402
import paddle.inference  # noqa: E402
import peer_cases  # noqa: E402


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("cases", type=pathlib.Path)
    parser.add_argument("--weights", type=pathlib.Path)
    return parser.parse_args()


def predictor_of(program, weights):
    """The program as it is written: without passes and without oneDNN."""
    if weights is None:
        config = paddle.inference.Config(str(program.parent))
    else:
        config = paddle.inference.Config(str(program), str(weights))
    config.disable_gpu()
    config.disable_glog_info()
    config.switch_ir_optim(False)
    for name in ("disable_mkldnn", "disable_onednn"):
        if hasattr(config, name):
            getattr(config, name)()
    config.switch_use_feed_fetch_ops(False)
    return paddle.inference.create_predictor(config)


def offsets_of(lengths):
    """Where the sequences of a level begin, and the end of the last one."""
    offsets = [0]
    for length in lengths:
        offsets.append(offsets[-1] + length)
    return offsets


def lengths_of(offsets):
    return [after - before for before, after in zip(offsets, offsets[1:])]


def feed(predictor, feeds):
    names = predictor.get_input_names()
    if sorted(names) != sorted(one.name for one in feeds):
        raise ValueError(f"the model's inputs are {', '.join(names)}")
    for one in feeds:
        handle = predictor.get_input_handle(one.name)
        handle.reshape(list(one.array.shape))
        handle.copy_from_cpu(one.array)
        if one.lod is not None:
            handle.set_lod([offsets_of(level) for level in one.lod])


def results(predictor):
    found = []
    for name in predictor.get_output_names():
        handle = predictor.get_output_handle(name)
        lod = [lengths_of(level) for level in handle.lod()] or None
        found.append(case_files.NamedArray(name, handle.copy_to_cpu(), lod))
    return found


def run(predictor, feeds):
    feed(predictor, feeds)
    predictor.run()
    return results(predictor)


def main():
    arguments = parse_arguments()
    try:
        predictor = predictor_of(arguments.program, arguments.weights)
    except Exception as error:  # Whatever it throws is the row's reason.
        case_files.write_reason(arguments.cases, "peer", error)
        return
    peer_cases.run_all(arguments.cases, lambda feeds: run(predictor, feeds))


if __name__ == "__main__":
    main()
