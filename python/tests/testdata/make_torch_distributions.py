# SPDX-License-Identifier: Apache-2.0
"""Writes distributions.json: what PyTorch 2.15 says of the distributions of
torch_distribution_cases.py. Run by hand, where there is a PyTorch."""
import json
import pathlib
import sys

import torch
from torch import distributions

torch.set_default_dtype(torch.float64)
folder = pathlib.Path(__file__).parent
sys.path.insert(0, str(folder.parent))
import torch_distribution_cases as cases  # noqa: E402


def listed(function):
    """Elements as lists; None where PyTorch has no formula."""
    try:
        return function().detach().tolist()
    except NotImplementedError:
        return None


def made(spec):
    return cases.built(distributions, spec, torch.tensor)


found = {}
for name, (spec, x) in cases.CASES.items():
    one, x = made(spec), torch.tensor(x, dtype=torch.float64)
    found[name] = {
        "log_prob": listed(lambda: one.log_prob(x)), "entropy": listed(one.entropy),
        "mean": listed(lambda: one.mean), "variance": listed(lambda: one.variance),
        "batch_shape": list(one.batch_shape), "event_shape": list(one.event_shape)}
found["kl"] = {cases.key(pair): listed(lambda: distributions.kl_divergence(
    *map(made, pair))) for pair in cases.PAIRS}
(folder / "distributions.json").write_text(json.dumps(found) + "\n")
