# SPDX-License-Identifier: Apache-2.0
"""The state of a PyTorch model as that of the same model of ours.

    state = sy.load_state("model.safetensors", pytorch=model)
    model.load_state_dict(state)
"""

from __future__ import annotations

import numpy as np

from switchyard import _core, nn
from switchyard.nn.multi_head import MultiHeadAttention
from switchyard.nn.norm import InstanceNorm, _BatchNorm

# Modules that have another name there: {ours: theirs}.
_NAMES = {
    nn.TransformerEncoderLayer: {"attention": "self_attn"},
    nn.TransformerDecoderLayer: {"self_attention": "self_attn",
                                 "cross_attention": "multihead_attn"},
}


def converted(state: dict, model: nn.Module) -> dict:
    """PyTorch's {name: tensor} in the names and layouts of ``model``.

    The two models have the same attributes, made of the same layers. A Linear's
    weight is transposed, a LayerNorm's are put in a row, a MultiHeadAttention's three projections are taken
    apart, inner names of transformer layers are ours, and BatchNorm's counter is
    left out; names that are another's tensor here (tied weights) too. Whatever
    else differs stays, for ``load_state_dict`` to refuse.
    """
    rest, made = dict(state), {}
    for name, theirs, module in _walk(model, "", ""):
        given = {key: rest.pop(theirs + key) for key in _keys(module)
                 if theirs + key in rest}
        made.update({name + key: tensor
                     for key, tensor in _layer(module, given).items()})
    own = {name for name, _ in model.named_slots()}
    tied = {name for name, _ in model._places()} - own
    return {name: tensor for name, tensor in {**made, **rest}.items()
            if name not in tied}


def _walk(module, ours, theirs):
    """(prefix here, prefix there, module) of each module inside, this one too."""
    yield ours, theirs, module
    if isinstance(module, MultiHeadAttention):
        return  # Its parts have no modules there.
    names = next((names for kind, names in _NAMES.items()
                  if isinstance(module, kind)), {})
    for name, inner in module._modules.items():
        yield from _walk(inner, f"{ours}{name}.",
                         f"{theirs}{names.get(name, name)}.")


def _keys(module):
    """The names of the tensors that a module has there, in itself."""
    if isinstance(module, MultiHeadAttention):
        return ("in_proj_weight", "in_proj_bias", "q_proj_weight",
                "k_proj_weight", "v_proj_weight", "out_proj.weight",
                "out_proj.bias")
    own = (*module._parameters, *module._buffers)
    return (*own, "num_batches_tracked") if isinstance(
        module, (_BatchNorm, InstanceNorm)) else own


def _layer(module, given):
    """{name here: tensor} of one module's own tensors."""
    given.pop("num_batches_tracked", None)
    if isinstance(module, MultiHeadAttention):
        return _attention(given)
    if isinstance(module, nn.Linear) and "weight" in given:
        given["weight"] = _transposed(given["weight"])
    if isinstance(module, nn.LayerNorm):
        return {name: _core.ops.reshape(tensor, [-1])
                for name, tensor in given.items()}
    return given


def _attention(given):
    made = {}
    for kind in ("weight", "bias"):
        joined = given.get(f"in_proj_{kind}")
        if joined is not None:
            parts = np.split(np.asarray(joined.numpy()), 3)
            for name, part in zip("qkv", parts):
                made[f"{name}_proj.{kind}"] = _core.tensor(part, joined.dtype)
        if f"out_proj.{kind}" in given:
            made[f"out_proj.{kind}"] = given[f"out_proj.{kind}"]
    for name in "qkv":
        if f"{name}_proj_weight" in given:
            made[f"{name}_proj.weight"] = given[f"{name}_proj_weight"]
    return {name: _transposed(tensor) if name.endswith(".weight") else tensor
            for name, tensor in made.items()}


def _transposed(weight):
    if len(weight.shape) != 2:
        return weight
    return _core.ops.assign(_core.ops.transpose(weight, [1, 0]))
