# SPDX-License-Identifier: Apache-2.0
"""Stand-in for @rules_java//java:defs.bzl: Bazel 4's own native Java rules."""

java_import = native.java_import
java_library = native.java_library
java_proto_library = native.java_proto_library
java_runtime = native.java_runtime
java_toolchain = native.java_toolchain
