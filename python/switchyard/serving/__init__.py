# SPDX-License-Identifier: Apache-2.0
"""A model over HTTP: what ``python -m switchyard serve`` runs.

``requests.py`` reads requests within bounds, ``arrays.py``, ``npy.py`` and
``json_body.py`` make arrays of their bodies, ``rows.py`` says whether requests
may share a run, ``queue.py`` makes runs of them, ``server.py`` is the whole.
The page for users is docs/python/serving.md.
"""
