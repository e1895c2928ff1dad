# SPDX-License-Identifier: Apache-2.0
"""Runs one side of a row: a google-benchmark program, a worker, a start.

Each has measure(case, threads, seconds) -> nanoseconds, and raises Missing
where the case cannot be measured.
"""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


class Missing(Exception):
    """Why a case has no figure."""


def environment(threads, **more):
    return {**os.environ, "OMP_NUM_THREADS": str(threads),
            "MKL_NUM_THREADS": str(threads), **more}


class GoogleBenchmark:
    """A case is a benchmark's full name."""

    def __init__(self, program):
        self.program = program

    def measure(self, case, threads, seconds):
        if not self.program.exists():
            raise Missing(f"{self.program} is not built")
        ran = subprocess.run(
            [self.program, f"--benchmark_filter=^{re.escape(case)}$",
             f"--benchmark_min_time={seconds}", "--benchmark_format=json"],
            env=environment(threads), capture_output=True, text=True)
        if ran.returncode != 0 or not ran.stdout.strip():
            raise Missing(f"{self.program.name} has no {case}")
        result = json.loads(ran.stdout)["benchmarks"][0]
        if result.get("error_occurred"):
            raise Missing(result["error_message"])
        scale = {"ns": 1, "us": 1e3, "ms": 1e6}[result["time_unit"]]
        return result["real_time"] * scale

    def close(self):
        pass


class Worker:
    """A process that answers as worker.py does, one for each thread count."""

    def __init__(self, command, **more):
        self.command, self.more = command, more
        self.processes = {}

    def measure(self, case, threads, seconds):
        process = self.processes.get(threads)
        if process is None:
            process = subprocess.Popen(
                [*self.command, str(threads)], text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                env=environment(threads, **self.more))
            self.processes[threads] = process
        request = {"case": case, "seconds": seconds}
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise Missing(f"{self.command[-1]} ended")
        answer = json.loads(line)
        if "missing" in answer:
            raise Missing(answer["missing"])
        return answer["ns"]

    def close(self):
        for process in self.processes.values():
            with contextlib.suppress(BrokenPipeError):  # It ended before.
                process.stdin.close()
            process.wait()


class Start:
    """From exec to exit: of a product, or of imports beyond NumPy's."""

    def __init__(self, product, package_path):
        self.product, self.package_path = product, package_path

    def _time(self, command, **more):
        begin = time.perf_counter_ns()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                       env=environment(1, **more))
        return time.perf_counter_ns() - begin

    def measure(self, case, threads, seconds):
        if case == "product":
            if not self.product.exists():
                raise Missing(f"{self.product} is not built")
            return min(self._time([self.product]) for _ in range(3))
        python = [sys.executable, "-c"]
        path = {"PYTHONPATH": str(self.package_path)}
        with_package = min(
            self._time([*python, "import numpy, switchyard"], **path)
            for _ in range(3))
        return with_package - min(
            self._time([*python, "import numpy"], **path) for _ in range(3))

    def close(self):
        pass


def libtorch(venv, folder):
    """Compiles the peer in C++ against the environment's torch."""
    found = list(venv.glob("lib/python3*/site-packages/torch"))
    if not found:
        raise Missing(f"{venv} has no torch")
    torch, program = found[0], folder / "libtorch_cases"
    source = HERE / "peers" / "libtorch_cases.cc"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        include = torch / "include"
        subprocess.run(
            ["g++", "-O2", "-std=c++20", f"-I{include}",
             f"-I{include}/torch/csrc/api/include", str(source), "-o",
             str(program), f"-L{torch}/lib", f"-Wl,-rpath,{torch}/lib",
             "-Wl,--no-as-needed", "-ltorch_cpu", "-ltorch", "-lc10"],
            check=True)
    return Worker([str(program)])
