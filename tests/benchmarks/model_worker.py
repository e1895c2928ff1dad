# SPDX-License-Identifier: Apache-2.0
"""A process that loads one model in one system and runs it.

    model_worker.py SYSTEM PROGRAM WEIGHTS CASE THREADS

SYSTEM is ours, paddle, paddle+onednn, onnxruntime or openvino; WEIGHTS may be "". CASE is a folder with the
feeds (tools/models/case_files.py); results are written beside them as CASE/SYSTEM. Prints a line
of JSON on the load and the first run, and one for each line of standard input: {"seconds": 0.2} is
answered by {"ms": 1.5, "cpu_ms": 1.5}, medians of the runs in about so many seconds: wall, and CPU time of
all threads. A run takes NumPy's arrays and returns them. Only NumPy and the system are needed.
"""
import json
import os
import pathlib
import resource
import statistics
import sys
import time

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "models"))

import case_files  # noqa: E402


def resident_mib():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Ours:
    def __init__(self, threads):
        import switchyard as sy
        self.sy = sy
        sy.set_num_threads(threads)

    def load(self, program, weights, _):
        self.model = self.sy.load(program, weights=weights or None)

    def names(self):
        return list(self.model.feeds)

    def bind(self, feeds):
        self.feeds = {one.name: one.array if one.lod is None else self.sy.tensor(one.array, lod=one.lod)
                      for one in feeds}

    def run(self):
        return list(self.model.run(self.feeds).values())


class Paddle:
    def __init__(self, threads, onednn=False):
        import paddle.inference
        self.inference, self.threads, self.onednn = paddle.inference, threads, onednn

    def load(self, program, weights, _):
        config = (self.inference.Config(program, weights) if weights
                  else self.inference.Config(os.path.dirname(program)))
        config.disable_gpu()
        config.disable_glog_info()
        config.set_cpu_math_library_num_threads(self.threads)
        config.switch_ir_optim(True)
        if self.onednn:
            config.enable_mkldnn()
        elif hasattr(config, "disable_mkldnn"):
            config.disable_mkldnn()
        self.model = self.inference.create_predictor(config)

    def names(self):
        return self.model.get_input_names()

    def bind(self, feeds):
        self.feeds = feeds

    def run(self):
        for one in self.feeds:
            handle = self.model.get_input_handle(one.name)
            handle.reshape(list(one.array.shape))
            handle.copy_from_cpu(one.array)
            if one.lod is not None:
                handle.set_lod([[0, *np.cumsum(level).tolist()] for level in one.lod])
        self.model.run()
        return [self.model.get_output_handle(name).copy_to_cpu()
                for name in self.model.get_output_names()]


class OnnxRuntime:
    def __init__(self, threads):
        import onnxruntime
        self.ort, self.threads = onnxruntime, threads

    def load(self, program, *_):
        options = self.ort.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.model = self.ort.InferenceSession(program, options, providers=["CPUExecutionProvider"])

    def names(self):
        return [one.name for one in self.model.get_inputs()]

    def bind(self, feeds):
        self.feeds = {one.name: one.array for one in feeds}

    def run(self):
        return self.model.run(None, self.feeds)


class OpenVino:
    """In float32, one request at a time; it reads ONNX files and *.pdmodel."""

    def __init__(self, threads):
        import openvino
        self.core = openvino.Core()
        self.settings = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32",
                         "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0", "ENABLE_CPU_PINNING": "NO",
                         "PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads}

    def load(self, program, weights, _):
        read = self.core.read_model(program, weights) if weights else self.core.read_model(program)
        self.model = self.core.compile_model(read, "CPU", self.settings)

    def names(self):
        return [one.any_name for one in self.model.inputs]

    def bind(self, feeds):
        self.feeds = {one.name: one.array for one in feeds}

    def run(self):
        # Copies, as the other systems return: the next run writes the same memory.
        return [value.copy() for value in self.model(self.feeds).values()]


SYSTEMS = {"ours": Ours, "paddle": Paddle, "onnxruntime": OnnxRuntime, "openvino": OpenVino,
           "paddle+onednn": lambda threads: Paddle(threads, onednn=True)}


def milliseconds(work):
    """(wall, CPU time of all threads, what ``work`` returns)"""
    begin, cpu = time.perf_counter(), time.process_time()
    result = work()
    return (time.perf_counter() - begin) * 1e3, (time.process_time() - cpu) * 1e3, result


def answer(system, seconds):
    system.run()  # Whoever spun while others had their turn is awake and alone now.
    times, cpu, end = [], [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        wall, busy, _ = milliseconds(system.run)
        times.append(wall)
        cpu.append(busy)
    return {"ms": statistics.median(times), "cpu_ms": statistics.median(cpu)}


def main():
    name, program, weights, case, threads = sys.argv[1:]
    system = SYSTEMS[name](int(threads))
    facts = {"imported_mib": resident_mib()}
    facts["load_ms"], facts["load_cpu_ms"], _ = milliseconds(
        lambda: system.load(program, weights, case))
    facts["loaded_mib"] = resident_mib()
    feeds = case_files.read(pathlib.Path(case))
    if len(feeds) == 1:  # Its name may be another one in another form of the network.
        feeds = [feeds[0]._replace(name=system.names()[0])]
    system.bind(feeds)
    facts["first_ms"], facts["first_cpu_ms"], results = milliseconds(system.run)
    facts["peak_mib"] = peak_mib()
    case_files.write(pathlib.Path(case) / name,
                     [case_files.NamedArray(str(i), one) for i, one in enumerate(results)])
    print(json.dumps(facts), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(system, json.loads(line)["seconds"])), flush=True)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # The driver prints it in the row.
        print(json.dumps({"missing": case_files.one_line(f"{type(error).__name__}: {error}")}), flush=True)
        sys.exit(1)
