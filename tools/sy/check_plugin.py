# SPDX-License-Identifier: Apache-2.0
"""Loads a plugin in a process of its own: check_plugin.py PATH."""
import signal
import subprocess
import sys

LOAD = "import sys, switchyard as sy; print(sy.plugins.load(sys.argv[1]))"


def main():
    path = sys.argv[1]
    run = subprocess.run([sys.executable, "-B", "-c", LOAD, path], check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode == 0:
        print(run.stdout, end="")
    elif run.returncode < 0:
        name = signal.Signals(-run.returncode).name
        print(f"sy: plugin: {path}: loading it ended the process by {name}", file=sys.stderr)
        sys.exit(1)
    else:
        # The last line of a traceback.
        print(f"sy: plugin: {run.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        sys.exit(1)


main()
