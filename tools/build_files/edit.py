# SPDX-License-Identifier: Apache-2.0
"""Puts lists into the text of a BUILD file and leaves the rest of it as it is."""


def _text(argument, values, kept):
  line = f"    {argument} = [{', '.join(f'{chr(34)}{value}{chr(34)}' for value in values)}],\n"
  if not kept and (len(values) == 1 or len(values) == 2 and len(line) <= 80):
    return line
  lines = [f"    {argument} = ["]
  lines += [f'        "{value}",{kept.get(value, "")}' for value in values]
  return "\n".join([*lines, "    ],"]) + "\n"


def _comments(lines, expression):
  """{value: what follows it on its line} of the values that are kept."""
  return {e.value: "  #" + lines[e.lineno - 1].split("#", 1)[1].rstrip()
          for e in getattr(expression, "elts", []) if "# keep" in lines[e.lineno - 1]}


def _place(rule, argument):
  """Where a list that isn't there yet goes, as first line and the line before it: files after the name."""
  line = rule.node.end_lineno - 1 if argument == "deps" else rule.arguments["name"].end_lineno
  return line + 1, line


def edited(file, changes):
  """The text of a BUILD file with the lists of some rules changed.

  Args:
    file: the BuildFile.
    changes: [(rule, {argument: list})].
  """
  lines = file.text.splitlines(keepends=True)
  edits = []
  for rule, lists in changes:
    for argument, values in lists.items():
      expression = rule.arguments.get(argument)
      first, last = (expression.lineno, expression.end_lineno) if expression else _place(rule, argument)
      edits.append((first - 1, last, _text(argument, values, _comments(lines, expression)) if values else ""))
  for first, last, text in sorted(edits, reverse=True):
    lines[first:last] = [text]
  return "".join(lines)
