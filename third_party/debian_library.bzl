# SPDX-License-Identifier: Apache-2.0
"""debian_library: a repository made of files that a Debian package installed."""

def _debian_library_impl(rctx):
    absent = [
        path
        for path in rctx.attr.symlinks.values() + rctx.attr.requires
        if not rctx.path(path).exists
    ]
    if absent:
        fail("\n\n  @{name}: {what} not found.\n  Install it:  apt-get install {apt}\n".format(
            name = rctx.name,
            what = ", ".join(absent),
            apt = " ".join(rctx.attr.apt),
        ))
    for link, target in rctx.attr.symlinks.items():
        rctx.symlink(target, link)
    rctx.symlink(rctx.attr.build_file, "BUILD.bazel")

    # Upstream's labels (@com_google_absl//absl/strings, ...) as aliases of one target.
    for package, names in rctx.attr.aliases.items():
        rctx.file(package + "/BUILD.bazel", "".join([
            "alias(\n    name = \"{}\",\n    actual = \"{}\",\n    visibility = [\"//visibility:public\"],\n)\n".format(
                name,
                rctx.attr.alias_of,
            )
            for name in names
        ]), executable = False)

debian_library = repository_rule(
    implementation = _debian_library_impl,
    attrs = {
        "alias_of": attr.string(),
        "aliases": attr.string_list_dict(),
        "apt": attr.string_list(mandatory = True),
        "build_file": attr.label(mandatory = True, allow_single_file = True),
        "requires": attr.string_list(),
        "symlinks": attr.string_dict(),
    },
    local = True,
)
