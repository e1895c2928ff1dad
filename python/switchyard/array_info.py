# SPDX-License-Identifier: Apache-2.0
"""The namespace as the Array API standard describes one: versions, dtypes,
devices."""

from __future__ import annotations

from switchyard import _core
from switchyard.functions.data_types import isdtype, name_of

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")

_DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "float32",
           "float64", "complex64", "complex128")
_KINDS = ("bool", "signed integer", "unsigned integer", "integral",
          "real floating", "complex floating", "numeric")
_MOST_AXES = 9


def namespace(api_version=None):
    """The module ``switchyard``; ValueError for an unknown version."""
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError("__array_namespace__: api_version must be one of "
                         f"{', '.join(VERSIONS)}, got {api_version!r}")
    import switchyard
    return switchyard


class ArrayNamespaceInfo:
    """The namespace's dtypes, devices and capabilities, as the Array API standard
    names them."""

    def capabilities(self) -> dict:
        """{"boolean indexing": ..., "data-dependent shapes": ..., "max
        dimensions": ...}."""
        return {"boolean indexing": True, "data-dependent shapes": True,
                "max dimensions": _MOST_AXES}

    def default_device(self) -> str:
        """The place on which this thread makes tensors."""
        return _core.default_place()

    def devices(self) -> list[str]:
        """The places there are."""
        return [device["place"] for device in _core.devices()]

    def default_dtypes(self, *, device=None) -> dict[str, str]:
        """{kind: the dtype of what is made without one}."""
        _checked("default_dtypes", device)
        return {"real floating": "float32", "complex floating": "complex64",
                "integral": "int64", "indexing": "int64"}

    def dtypes(self, *, device=None, kind=None) -> dict[str, str]:
        """{name: dtype} of the standard's dtypes, of ``kind`` (a word, or several
        in a tuple) if one is given. float16 and bfloat16 are not the standard's.
        """
        _checked("dtypes", device)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        for each in kinds:
            if each is not None and each not in _KINDS:
                raise ValueError("dtypes: kind must be one of "
                                 f"{', '.join(_KINDS)}, got {each!r}")
        return {name: name_of(name) for name in _DTYPES
                if kind is None or isdtype(name, kinds)}


def _checked(name, device):
    if device is not None:
        try:
            _core.place(device)
        except (TypeError, ValueError, RuntimeError):
            raise ValueError(f"{name}: device must be one of sy.devices(), got "
                             f"{device!r}") from None


def __array_namespace_info__() -> ArrayNamespaceInfo:
    """Returns a description of this namespace: dtypes, devices, capabilities."""
    return ArrayNamespaceInfo()
