# SPDX-License-Identifier: Apache-2.0
"""python -m switchyard COMMAND: what commands/__init__.py says."""

import sys

from switchyard.commands import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
