# SPDX-License-Identifier: Apache-2.0
"""Writes srcs, hdrs and deps of ordinary C++ libraries and tests from their files and includes. See README.md."""
import argparse
import pathlib
import subprocess
import sys

from edit import edited
from headers import Headers
from lists import Lists
from rules import WRITTEN, BuildFile, Unreadable

# Workspaces of their own, whose labels are written otherwise.
_LEFT_OUT = ("examples/", "third_party/")


def _paths(root):
  files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*BUILD.bazel"],
                         cwd=root, check=True, capture_output=True, text=True).stdout.split()
  return [path for path in files if not path.startswith(_LEFT_OUT) and pathlib.Path(root, path).is_file()]


def new_texts(root, folders=()):
  """{path: text} of the BUILD files that would change.

  Args:
    root: of the workspace.
    folders: the BUILD files below these alone; of all if there are none.
  """
  files = [BuildFile(root, path) for path in _paths(root)]
  lists = Lists(root, Headers(files))
  texts = {}
  for file in files:
    if folders and not any(f"{file.folder}/".startswith(f"{folder.rstrip('/')}/") for folder in folders):
      continue
    changes = [(rule, lists.wanted(file, rule)) for rule in file.rules if rule.kind in WRITTEN]
    text = edited(file, [(rule, wanted) for rule, wanted in changes if wanted])
    if text != file.text:
      texts[file.path] = text
  return texts


def main():
  parser = argparse.ArgumentParser(prog="sy build_files", description=__doc__.split(" See")[0])
  parser.add_argument("folder", nargs="*", help="the BUILD files below these folders alone")
  parser.add_argument("--check", action="store_true", help="change nothing; fail where something would change")
  options = parser.parse_args()
  try:
    texts = new_texts(".", options.folder)
  except Unreadable as error:
    sys.exit(f"sy: build_files: {error}")
  for path, text in texts.items():
    print(f"{path}: {'its lists are not what the includes say; run ./sy build_files' if options.check else 'written'}")
    if not options.check:
      path.write_text(text)
  sys.exit(bool(options.check and texts))


if __name__ == "__main__":
  main()
