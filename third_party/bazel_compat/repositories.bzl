# SPDX-License-Identifier: Apache-2.0
"""Offline stand-ins for the external repositories that Bazel 4's own rules load.

Newer versions of Bazel bring or fetch the real ones, and get nothing from here.
"""

_HOME = "third_party/bazel_compat"

def _compat_repository_impl(rctx):
    # Found through this file's own repository: right in a workspace that depends on Switchyard too.
    root = rctx.path(Label("//:WORKSPACE")).dirname
    folder = rctx.path("%s/%s/%s" % (root, _HOME, rctx.name))
    for entry in folder.readdir():
        rctx.symlink(entry, entry.basename)

_compat_repository = repository_rule(
    implementation = _compat_repository_impl,
    local = True,
)

def bazel_compat_repositories():
    # Debian's bazel-bootstrap (4.2.3) reports "" as its version.
    if native.bazel_version and not native.bazel_version.startswith("4."):
        return
    for name in ["rules_cc", "rules_java", "remote_coverage_tools"]:
        if not native.existing_rule(name):
            _compat_repository(name = name)
