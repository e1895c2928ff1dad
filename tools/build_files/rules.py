# SPDX-License-Identifier: Apache-2.0
"""Reads BUILD files: Starlark is close enough to Python that Python's own parser reads them."""
import ast
import dataclasses
import pathlib

# The rules whose srcs, hdrs and deps follow from includes, and which of the lists they have.
WRITTEN = {
    "sy_cc_library": ("srcs", "hdrs", "deps"),
    "sy_cc_test": ("srcs", "deps"),
}


@dataclasses.dataclass
class Rule:
  """One call of a BUILD file, such as `sy_cc_library(name = "stream", ...)`."""
  folder: str  # of the BUILD file, "" at the root
  kind: str  # the function that is called
  arguments: dict  # {argument: ast.expr}
  node: ast.Call

  def literal(self, argument):
    """The value of an argument; None where it is absent or more than a literal."""
    try:
      return ast.literal_eval(self.arguments[argument])
    except (KeyError, ValueError):
      return None

  def strings(self, argument):
    """A list of strings, [] where the argument is absent, None where it is computed."""
    if argument not in self.arguments:
      return []
    value = self.literal(argument)
    return value if isinstance(value, list) else None

  @property
  def label(self):
    return f"//{self.folder}:{self.literal('name')}"


class Unreadable(Exception):
  """A BUILD file that is no Starlark; the text says where."""


class BuildFile:
  """A BUILD file: its text and its rules. Unreadable where it has a mistake."""

  def __init__(self, root, path):
    self.path = pathlib.Path(root, path)
    self.folder = str(pathlib.PurePath(path).parent).removeprefix(".")
    self.text = self.path.read_text()
    try:
      statements = ast.parse(self.text).body
    except SyntaxError as error:
      raise Unreadable(f"{path}:{error.lineno}: {error.msg}") from None
    self.rules = [
        Rule(self.folder, node.func.id, {a.arg: a.value for a in node.keywords}, node)
        for node in (s.value for s in statements if isinstance(s, ast.Expr))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]

  def kept(self, expression):
    """The strings of a list whose line says `# keep`: they are left to their author."""
    lines = self.text.splitlines()
    return {e.value for e in getattr(expression, "elts", [])
            if isinstance(e, ast.Constant) and "# keep" in lines[e.lineno - 1]}


def absolute(folder, label):
  """A label with its package and name written out; those of other repositories stay as they are."""
  if label.startswith("@"):
    return label
  if label.startswith(":"):
    return f"//{folder}{label}"
  return label if ":" in label else f"{label}:{label.rsplit('/', 1)[-1]}"


def short(folder, label):
  """A label as BUILD files write it, `:name` in its own package."""
  package, _, name = label.partition(":")
  if label.startswith("@") or not name:
    return label
  if package == f"//{folder}":
    return f":{name}"
  return package if package.rsplit("/", 1)[-1] == name else label
