# SPDX-License-Identifier: Apache-2.0
"""Makes the files of torch.save here, with PyTorch 1.13 or newer:

    python make_torch_files.py FOLDER
"""
import pathlib
import sys

import torch

folder = pathlib.Path(sys.argv[1])
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4),
                            torch.nn.Linear(4, 2))
torch.save(model.state_dict(), folder / "state_dict.pt")

optimizer = torch.optim.Adam(model.parameters())
model(torch.ones(5, 3)).sum().backward()
optimizer.step()
base = torch.arange(12.0).reshape(3, 4)
torch.save({
    "optimizer": optimizer.state_dict(), "epoch": 3, "name": "é",
    "rates": [0.1, (1, 2)], "rows": base[1:], "turned": base.t(),
    "expanded": torch.ones(1).expand(5), "bool": torch.tensor([True, False]),
    "bfloat16": torch.arange(5.0).bfloat16(), "half": torch.arange(3.0).half(),
    "int64": torch.arange(3), "empty": torch.empty(0, 3),
    "complex": torch.complex(torch.ones(2), torch.zeros(2)),
    "scalar": torch.tensor(3.5), "size": torch.Size([2, 3]),
    "dtype": torch.float32, "none": None, "set": {1, 2}, "bytes": b"ab"},
    folder / "checkpoint.pt")
torch.save(model, folder / "module.pt")
torch.save({"a": torch.ones(3).to(torch.float8_e4m3fn)}, folder / "float8.pt")
