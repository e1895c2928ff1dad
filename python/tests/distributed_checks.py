# SPDX-License-Identifier: Apache-2.0
"""Jobs of real processes, for the tests of sy.distributed."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap

import switchyard as sy

PACKAGE = pathlib.Path(sy.__file__).parent.parent
HAS_MPI = shutil.which("mpirun") is not None


def environment(**more):
    """The variables of this process, with the package on its path and no rank."""
    own = {name: value for name, value in os.environ.items()
           if not name.startswith(("OMPI_", "PMIX_", "SLURM_", "MASTER_"))
           and name not in ("RANK", "WORLD_SIZE")}
    own["PYTHONPATH"] = os.pathsep.join([os.fspath(PACKAGE), *filter(None, sys.path)])
    own.setdefault("OMP_NUM_THREADS", "1")
    own.pop("PYTHONUNBUFFERED", None)  # Lines would be written in pieces.
    return {**own, **more}


class Result:
    """The output of a job, and how it ended."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit code {self.code}\n{self.out}\n{self.err}"


def command_of(count, script, transport, options=()):
    """The words that start a script as ``count`` processes. ``options``: of
    launch."""
    if transport == "mpi":
        return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(count),
                "--mca", "mpi_yield_when_idle", "1",
                "--mca", "hwloc_base_binding_policy", "none",
                "--mca", "btl", "self,vader,tcp", "--mca", "plm", "isolated",
                # From its SIGTERM to its SIGKILL: 1 s is short on a loaded machine.
                "--mca", "odls_base_sigkill_timeout", "5",
                sys.executable, script]
    if transport != "tcp":
        options = ("--transport", transport, *options)
    if "--elastic" not in options:
        options = ("-n", str(count), *options)
    return [sys.executable, "-m", "switchyard", "launch", *options, script]


def run(count, body, transport="tcp", seconds=120, options=(), variables=None):
    """The Result of ``body``, the text of a script, on ``count`` processes.
    ``options``: of launch. ``variables``: of the environment."""
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "job.py")
        pathlib.Path(script).write_text("import numpy as np\nimport switchyard as sy\n"
                                        + textwrap.dedent(body))
        words = command_of(count, script, transport, options)
        process = subprocess.Popen(
            words, env=environment(TMPDIR="/tmp", **(variables or {})), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True)
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            raise AssertionError(f"the job takes longer than {seconds} s:\n{out}\n"
                                 f"{err}") from None
        return Result(process.returncode, out, err)
