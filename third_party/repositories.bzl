# SPDX-License-Identifier: Apache-2.0
"""Every external repository of the project: Debian's packages, CUDA and Gloo where they are, the
shared data, and Python packages for tests.

A workspace that depends on @switchyard calls switchyard_repositories() too.
"""

load("//ops_gen:repository.bzl", "sy_ops")
load("//third_party:debian_library.bzl", "debian_library")
load("//third_party:pip_wheel.bzl", "pip_wheel")
load("//third_party:shared_data.bzl", "shared_data")
load("//third_party/bazel_compat:repositories.bzl", "bazel_compat_repositories")
load("//third_party/cuda:configure.bzl", "cuda_configure")
load("//third_party/gloo:configure.bzl", "gloo_configure")

_LIB = "/usr/lib/x86_64-linux-gnu/"

def switchyard_repositories():
    bazel_compat_repositories()
    _debian_libraries()
    cuda_configure(name = "local_cuda")
    gloo_configure(name = "local_gloo")
    _python_packages()
    shared_data(name = "shared_data")
    sy_ops(name = "sy_ops")

def _python_packages():
    # The oracle of the tests of the Array API.
    pip_wheel(
        name = "array_api_strict",
        package = "array_api_strict",
        requirement = "array-api-strict==2.6.1",
        sha256 = "84548915c11265f4b87070731bd26edf46b202a04e7491194abcb46f4986c88f",
    )

    # Debian's NumPy is of the 1 series, whose ABI is another.
    pip_wheel(
        name = "numpy_2",
        package = "numpy",
        requirement = "numpy==2.2.6",
        sha256 = "ba10f8411898fc418a521833e014a77d3ca01c15b0c6cdcce6a0d2897e6dbbdf",
    )

def _debian_libraries():
    debian_library(
        name = "com_google_absl",
        apt = ["libabsl-dev"],
        build_file = Label("//third_party:abseil.BUILD"),
        symlinks = {"include/absl": "/usr/include/absl"},
        requires = [_LIB + "libabsl_base.so", _LIB + "libabsl_base.a"],
        alias_of = "//:absl",
        aliases = {
            "absl/algorithm": ["algorithm", "container"],
            "absl/base": ["base", "config", "core_headers"],
            "absl/cleanup": ["cleanup"],
            "absl/container": ["btree", "flat_hash_map", "flat_hash_set", "inlined_vector", "node_hash_map"],
            "absl/debugging": ["failure_signal_handler", "stacktrace", "symbolize"],
            "absl/flags": ["flag", "parse", "usage"],
            "absl/functional": ["any_invocable", "function_ref"],
            "absl/hash": ["hash"],
            "absl/memory": ["memory"],
            "absl/random": ["random"],
            "absl/status": ["status", "statusor"],
            "absl/strings": ["cord", "str_format", "strings"],
            "absl/synchronization": ["synchronization"],
            "absl/time": ["time"],
            "absl/types": ["any", "optional", "span", "variant"],
        },
    )
    debian_library(
        name = "com_google_protobuf",
        apt = ["libprotobuf-dev", "protobuf-compiler"],
        build_file = Label("//third_party:protobuf.BUILD"),
        symlinks = {
            "include/google/protobuf": "/usr/include/google/protobuf",
            "protoc": "/usr/bin/protoc",
        },
        requires = [_LIB + "libprotobuf.so", _LIB + "libprotobuf.a"],
    )
    debian_library(
        name = "yaml_cpp",
        apt = ["libyaml-cpp-dev"],
        build_file = Label("//third_party:yaml_cpp.BUILD"),
        symlinks = {"include/yaml-cpp": "/usr/include/yaml-cpp"},
        requires = [_LIB + "libyaml-cpp.so", _LIB + "libyaml-cpp.a"],
    )
    debian_library(
        name = "onednn",
        apt = ["libdnnl-dev"],
        build_file = Label("//third_party:onednn.BUILD"),
        symlinks = {"include/oneapi": "/usr/include/oneapi"},
        requires = [_LIB + "libdnnl.so"],
    )
    debian_library(
        name = "eigen",
        apt = ["libeigen3-dev"],
        build_file = Label("//third_party:eigen.BUILD"),
        symlinks = {
            "include/Eigen": "/usr/include/eigen3/Eigen",
            "include/unsupported": "/usr/include/eigen3/unsupported",
        },
    )
    debian_library(
        name = "com_google_googletest",
        apt = ["libgtest-dev", "libgmock-dev"],
        build_file = Label("//third_party:googletest.BUILD"),
        symlinks = {
            "include/gmock": "/usr/include/gmock",
            "include/gtest": "/usr/include/gtest",
        },
        requires = [_LIB + "libgtest.a", _LIB + "libgmock.a"],
    )
    debian_library(
        name = "com_github_google_benchmark",
        apt = ["libbenchmark-dev"],
        build_file = Label("//third_party:benchmark.BUILD"),
        symlinks = {"include/benchmark": "/usr/include/benchmark"},
        requires = [_LIB + "libbenchmark.so"],
    )
    debian_library(
        name = "pybind11",
        apt = ["python3-dev", "pybind11-dev", "python3-numpy"],
        build_file = Label("//third_party:pybind11.BUILD"),
        symlinks = {
            "include/pybind11": "/usr/include/pybind11",
            "python": "/usr/include/python3.11",
        },
        requires = ["/usr/lib/python3/dist-packages/numpy/__init__.py"],
    )
    debian_library(
        name = "highway",
        apt = ["libhwy-dev"],
        build_file = Label("//third_party:highway.BUILD"),
        symlinks = {"include/hwy": "/usr/include/hwy"},
    )
    debian_library(
        name = "nlohmann_json",
        apt = ["nlohmann-json3-dev"],
        build_file = Label("//third_party:nlohmann_json.BUILD"),
        symlinks = {"include/nlohmann": "/usr/include/nlohmann"},
    )
    debian_library(
        name = "rapidjson",
        apt = ["rapidjson-dev"],
        build_file = Label("//third_party:rapidjson.BUILD"),
        symlinks = {"include/rapidjson": "/usr/include/rapidjson"},
    )
    debian_library(
        name = "re2",
        apt = ["libre2-dev"],
        build_file = Label("//third_party:re2.BUILD"),
        symlinks = {"include/re2": "/usr/include/re2"},
        requires = [_LIB + "libre2.so", _LIB + "libre2.a"],
    )
    debian_library(
        name = "zlib",
        apt = ["zlib1g-dev"],
        build_file = Label("//third_party:zlib.BUILD"),
        symlinks = {"include/zlib.h": "/usr/include/zlib.h"},
        requires = [_LIB + "libz.so"],
    )
    debian_library(
        name = "utf8proc",
        apt = ["libutf8proc-dev"],
        build_file = Label("//third_party:utf8proc.BUILD"),
        symlinks = {"include/utf8proc.h": "/usr/include/utf8proc.h"},
        requires = [_LIB + "libutf8proc.so"],
    )
    debian_library(
        name = "xz",
        apt = ["liblzma-dev"],
        build_file = Label("//third_party:xz.BUILD"),
        symlinks = {
            "include/lzma": "/usr/include/lzma",
            "include/lzma.h": "/usr/include/lzma.h",
        },
        requires = [_LIB + "liblzma.so"],
    )
