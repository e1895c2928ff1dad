# SPDX-License-Identifier: Apache-2.0
"""Says what the lists of a rule should be, from the files of its folder and what they include."""
import pathlib

from headers import OF_TESTS, includes
from rules import WRITTEN, absolute, short

_HEADER, _SOURCE = ".h", ".cc"


class Lists:
  """Finds the lists of rules. Reads sources below `root`."""

  def __init__(self, root, headers):
    self._root = pathlib.Path(root)
    self._headers = headers

  def wanted(self, file, rule):
    """{argument: list} of the arguments that differ from what the BUILD file says."""
    if any(rule.strings(argument) is None for argument in WRITTEN[rule.kind]):
      return {}
    lists = {"srcs": self._present(rule, "srcs"), "hdrs": self._present(rule, "hdrs")}
    lists["srcs"] += self._new_source(file, rule, lists)
    lists["deps"] = self._deps(file, rule, lists)
    return {argument: lists[argument] for argument in WRITTEN[rule.kind]
            if set(lists[argument]) != set(rule.strings(argument))}

  def _present(self, rule, argument):
    """The files of a list that are there, and what other rules make."""
    return [name for name in rule.strings(argument)
            if not name.endswith((_HEADER, _SOURCE)) or name.endswith((".gen.h", ".gen.cc"))
            or name.startswith((":", "//")) or (self._root / rule.folder / name).is_file()]

  def _new_source(self, file, rule, lists):
    """Sources that bear the name of one of this library's headers, where no rule names them or takes whole folders."""
    if "glob(" in file.text:
      return []
    names = (header.removesuffix(_HEADER) + _SOURCE for header in lists["hdrs"])
    return [name for name in names
            if f'"{name}"' not in file.text and (self._root / rule.folder / name).is_file()]

  def _deps(self, file, rule, lists):
    have = [absolute(rule.folder, label) for label in rule.strings("deps")]
    if any(label.startswith((":", "//")) or ".gen." in label for label in lists["srcs"]):
      return rule.strings("deps")  # Its sources are made: what they include isn't to be seen here.
    needed, brought = self._needed(rule, lists, have)
    kept = {absolute(rule.folder, label) for label in file.kept(rule.arguments.get("deps"))}
    deps = [label for label in have
            if label in brought or label in kept or not self._is_for_includes(label)]
    deps += [label for label in needed if label not in deps]
    return sorted((short(rule.folder, label) for label in deps), key=_order)

  def _needed(self, rule, lists, have):
    """The targets to add, and all that bring an included header."""
    needed, brought = [], set()
    own = {f"{rule.folder}/{name}" for name in lists["srcs"] + lists["hdrs"] + (rule.strings("textual_hdrs") or [])}
    files = sorted(own)
    for header in dict.fromkeys(h for name in files if (self._root / name).is_file()
                                for h in includes(self._root / name)):
      targets = self._headers.targets(header)
      if header in own or rule.label in targets:
        continue
      brought.update(targets)
      given = OF_TESTS if rule.kind == "sy_cc_test" else set()
      if targets and not given.intersection(targets) and not set(targets).intersection(have):
        needed.append(targets[0])
    return list(dict.fromkeys(needed)), brought

  def _is_for_includes(self, label):
    """False for a target that links something, or whose headers the BUILD files don't say."""
    return label in self._headers.written or label.startswith("@com_google_absl//absl/")


def _order(label):
  """Buildifier's order: this package, others, other repositories."""
  return ({":": 0, "/": 1}.get(label[0], 2), label.replace(":", "!"))
