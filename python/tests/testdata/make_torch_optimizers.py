# SPDX-License-Identifier: Apache-2.0
"""Writes optimizers.json: what PyTorch 2.15 makes of parameters and rates. Run by
hand, where there is a PyTorch."""
import json
import pathlib
import warnings

import numpy as np
import torch
from torch import optim

warnings.simplefilter("ignore")
STEPS = 7
# {name: (class, arguments)} of optimizers; the test reads them from the file, too.
OPTIMIZERS = {
    "Rprop": ("Rprop", {"lr": 0.05}),
    "Rprop etas": ("Rprop", {"lr": 0.05, "etas": [0.3, 1.5], "step_sizes": [0.01, 0.06]}),
    "ASGD": ("ASGD", {"lr": 0.05}),
    "ASGD mean": ("ASGD", {"lr": 0.05, "lambd": 0.1, "alpha": 0.5, "t0": 2, "weight_decay": 0.1}),
    "Adafactor": ("Adafactor", {"lr": 0.05}),
    "Adafactor cut": ("Adafactor", {"lr": 2.0, "d": 1.1, "weight_decay": 0.1,
                                    "beta2_decay": -0.5, "eps": [0.2, 0.01]}),
    "Muon": ("Muon", {"lr": 0.05}),
    "Muon wide": ("Muon", {"lr": 0.05, "nesterov": False, "weight_decay": 0.0, "momentum": 0.8,
                           "adjust_lr_fn": "match_rms_adamw"}),
}
# {name: (class, arguments, steps)} of schedules of a rate of 0.5.
SCHEDULES = {
    "CyclicLR": ("CyclicLR", {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 3}, 14),
    "CyclicLR half": ("CyclicLR", {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 3,
                                   "step_size_down": 2, "mode": "triangular2"}, 14),
    "CyclicLR power": ("CyclicLR", {"base_lr": 0.1, "max_lr": 1.0, "step_size_up": 3,
                                    "mode": "exp_range", "gamma": 0.9,
                                    "base_momentum": 0.5, "max_momentum": 0.6}, 14),
    "SWALR": ("SWALR", {"swa_lr": 0.05, "anneal_epochs": 4}, 7),
    "SWALR line": ("SWALR", {"swa_lr": 0.05, "anneal_epochs": 4, "anneal_strategy": "linear"}, 7),
}
rng = np.random.default_rng(0)
shapes = {"matrix": (3, 2), "wide": (2, 4), "vector": (4,)}
start = {name: rng.normal(size=shape) for name, shape in shapes.items()}
gradients = [{name: rng.normal(size=shape) for name, shape in shapes.items()}
             for _ in range(STEPS)]


def stepped(kind, arguments):
    names = [n for n in shapes if kind != "Muon" or n != "vector"]
    params = {name: torch.tensor(start[name], requires_grad=True) for name in names}
    optimizer = getattr(optim, kind)(list(params.values()), **arguments)
    for each in gradients:
        for name, param in params.items():
            param.grad = torch.tensor(each[name])
        optimizer.step()
    kept = {name: optimizer.state[param]["ax"].tolist() for name, param in params.items()
            if kind == "ASGD"}
    return {"params": {n: p.tolist() for n, p in params.items()}, "ax": kept}


def rates(kind, arguments, steps):
    optimizer = optim.SGD([torch.ones(1, requires_grad=True)], lr=0.5, momentum=0.9)
    home = optim.swa_utils if kind == "SWALR" else optim.lr_scheduler
    schedule = getattr(home, kind)(optimizer, **arguments)
    seen = []
    for _ in range(steps):
        group = optimizer.param_groups[0]
        seen.append([group["lr"], group["momentum"]])
        schedule.step()
    return seen


found = {
    "start": {n: x.tolist() for n, x in start.items()},
    "gradients": [{n: x.tolist() for n, x in each.items()} for each in gradients],
    "optimizers": {n: {"kind": k, "arguments": a, **stepped(k, a)}
                   for n, (k, a) in OPTIMIZERS.items()},
    "schedules": {n: {"kind": k, "arguments": a, "rates": rates(k, a, s)}
                  for n, (k, a, s) in SCHEDULES.items()}}
path = pathlib.Path(__file__).with_name("optimizers.json")
path.write_text(json.dumps(found) + "\n")
