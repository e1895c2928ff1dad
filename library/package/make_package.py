# SPDX-License-Identifier: Apache-2.0
"""Writes a .deb of libswitchyard: library, headers, CMake's and pkg-config's files, licences.

    make_package.py DEB VERSION LICENSE LIBRARY HEADER...

Libraries that it needs go to a folder of their own, where it looks for them and they for each
other (DT_RPATH, $ORIGIN/switchyard): nothing else finds them there but a program's linker, which
wants them all (-rpath-link). Those of gcc and glibc are the system's. All paths in the package are relative, so it also works where it is unpacked. The
same files give the same bytes.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import make_wheel

# Libraries that the system brings: a process must have one of each.
THERE = make_wheel.GLIBC | {"libgcc_s.so.1", "libgomp.so.1", "libstdc++.so.6"}
LIBRARIES = "usr/lib/x86_64-linux-gnu"
TIME = 315532800  # 1980, as in the wheel.

CONTROL = """\
Package: libswitchyard
Version: {version}
Architecture: amd64
Maintainer: Switchyard <switchyard@localhost>
Section: libdevel
Priority: optional
Depends: libc6 (>= 2.36), libgcc-s1, libgomp1, libstdc++6 (>= 12)
Installed-Size: {kilobytes}
Description: runs deep-learning models, by an interface in C
 The library, its headers for C and C++17, and what CMake and pkg-config need
 to find them.
"""
CONFIG = """\
# SPDX-License-Identifier: Apache-2.0
# find_package(switchyard) gives the target switchyard::switchyard.
if(NOT TARGET switchyard::switchyard)
  get_filename_component(_switchyard_lib "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
  get_filename_component(_switchyard_prefix "${_switchyard_lib}/../.." ABSOLUTE)
  add_library(switchyard::switchyard SHARED IMPORTED)
  set_target_properties(switchyard::switchyard PROPERTIES
    IMPORTED_LOCATION "${_switchyard_lib}/libswitchyard.so.1"
    IMPORTED_SONAME "libswitchyard.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${_switchyard_prefix}/include"
    INTERFACE_LINK_OPTIONS "LINKER:-rpath-link,${_switchyard_lib}/switchyard")
  unset(_switchyard_lib)
  unset(_switchyard_prefix)
endif()
"""
CONFIG_VERSION = """\
# SPDX-License-Identifier: Apache-2.0
set(PACKAGE_VERSION "{version}")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
"""
PKG_CONFIG = """\
prefix=${{pcfiledir}}/../../..
libdir=${{pcfiledir}}/..
includedir=${{prefix}}/include

Name: switchyard
Description: runs deep-learning models
Version: {version}
Libs: -L${{libdir}} -lswitchyard -Wl,-rpath-link,${{libdir}}/switchyard
Cflags: -I${{includedir}}
"""


def files_of(version, licence, library, headers):
    """{path: bytes, or the text of a link}."""
    binary = make_wheel.stripped(library)
    needed = make_wheel.libraries(binary, THERE)
    made = {f"usr/include/{header.name}": header.read_bytes() for header in headers}
    made[f"{LIBRARIES}/libswitchyard.so.1"] = binary
    made[f"{LIBRARIES}/libswitchyard.so"] = "libswitchyard.so.1"
    for name, path in needed.items():
        made[f"{LIBRARIES}/switchyard/{name}"] = path.read_bytes()
    cmake = f"{LIBRARIES}/cmake/switchyard/switchyard-config"
    made[cmake + ".cmake"] = CONFIG.encode()
    made[cmake + "-version.cmake"] = CONFIG_VERSION.format(version=version).encode()
    made[f"{LIBRARIES}/pkgconfig/switchyard.pc"] = PKG_CONFIG.format(version=version).encode()
    made["usr/share/doc/libswitchyard/copyright"] = licence.read_bytes()
    for package, text in make_wheel.licences(needed.values()).items():
        made[f"usr/share/doc/libswitchyard/{package}.txt"] = text
    return made


def write(root, files):
    """Writes the files, all with one time."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            path.symlink_to(content)
        else:
            path.write_bytes(content)
            path.chmod(0o644)
    for path in [root, *root.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
        os.utime(path, (TIME, TIME), follow_symlinks=False)


def main():
    deb, version, licence, library, *headers = sys.argv[1:]
    files = files_of(version, pathlib.Path(licence), pathlib.Path(library), map(pathlib.Path, headers))
    kilobytes = sum(len(content) for content in files.values()) // 1024
    files["DEBIAN/control"] = CONTROL.format(version=version, kilobytes=kilobytes).encode()
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, "root")
        write(root, files)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", root, deb], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": str(TIME)})


if __name__ == "__main__":
    main()
