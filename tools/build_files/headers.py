# SPDX-License-Identifier: Apache-2.0
"""Says which targets bring a header."""
import collections
import re

from rules import WRITTEN

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)

# Headers of other libraries: the first pattern that matches says the target. None: it comes with the rule.
_OUTSIDE = [(re.compile(pattern), label) for pattern, label in [
    (r"absl/strings/(cord|str_format)\.h", r"@com_google_absl//absl/strings:\1"),
    (r"absl/strings/.*", "@com_google_absl//absl/strings"),
    (r"absl/base/config\.h", "@com_google_absl//absl/base:config"),
    (r"absl/base/.*", "@com_google_absl//absl/base:core_headers"),
    (r"absl/(cleanup|hash|status)/\1\.h", r"@com_google_absl//absl/\1"),
    (r"absl/(.*)/([a-z_]+)\.h", r"@com_google_absl//absl/\1:\2"),
    (r"(gtest|gmock)/.*", "@com_google_googletest//:gtest"),
    (r"benchmark/.*", None),
    (r"nlohmann/.*", "@nlohmann_json"),
    (r"dnnl\.hpp", "@onednn"),
    (r"hwy/.*", "@highway"),
    (r"rapidjson/.*", "@rapidjson"),
    (r"re2/.*", "@re2"),
    (r"utf8proc\.h", "@utf8proc"),
    (r"yaml-cpp/.*", "@yaml_cpp"),
    (r"(Eigen|unsupported/Eigen)/.*", "@eigen"),
]]

# Arguments by which a library gives more than headers to what depends on it.
_BRINGS_MORE = {"alwayslink", "defines", "linkopts"}

# The targets that a test gets from its rule.
OF_TESTS = {"@com_google_googletest//:gtest"}


def includes(path):
  """The files that a source includes in quotation marks, in their order."""
  return _INCLUDE.findall(path.read_text())


class Headers:
  """The targets that bring a header, over all BUILD files of the workspace."""

  def __init__(self, build_files):
    # The libraries that are there for their headers alone.
    self.written = set()
    self._of_header = collections.defaultdict(list)
    self._layers = set()
    for rule in (rule for file in build_files for rule in file.rules):
      self._add(rule)

  def _add(self, rule):
    if rule.kind == "generated_layer":
      self._layers.add(rule.folder)
    if not isinstance(rule.literal("name"), str):
      return
    if rule.kind in WRITTEN and rule.strings("hdrs") and not _BRINGS_MORE.intersection(rule.arguments):
      self.written.add(rule.label)
    for argument in ("hdrs", "textual_hdrs"):
      for header in rule.strings(argument) or []:
        self._of_header[f"{rule.folder}/{header.lstrip(':')}"].append(rule.label)

  def targets(self, header):
    """Labels, the one to write first; [] where the BUILD files don't say it (rules that compute their lists)."""
    if header in self._of_header:
      return self._of_header[header]
    folder, _, name = header.rpartition("/")
    if folder in self._layers and name.endswith(".gen.h"):
      operator = name.removesuffix(".gen.h").replace(".", "_")
      return [f"//{folder}:{operator}_headers", f"//{folder}:{operator}"]
    for pattern, label in _OUTSIDE:
      match = pattern.fullmatch(header)
      if match:
        return [match.expand(label)] if label else []
    return []
