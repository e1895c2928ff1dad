# SPDX-License-Identifier: Apache-2.0
"""The table of PyTorch's names of arguments.

A row is {PyTorch's name: ours}, or one of the classes below where a name has no
counterpart. A name that means something else here is in no row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from switchyard.checks import flag, shown


class Not(NamedTuple):
    """A flag whose opposite is ours."""

    name: str

    def inverse(self, who, argument, value):
        """The value for our name."""
        flag(who, argument, value)
        return not value

    def text(self):
        """Returns how ``help`` says it."""
        return f"for ``not {self.name}``"


class NoEffect(NamedTuple):
    """A hint, which only tells PyTorch how to compute its results."""

    def text(self):
        """Returns how ``help`` says it."""
        return "(without effect)"


class Only(NamedTuple):
    """A name that has only some values here; ``why``: what to do about others."""

    values: tuple
    why: str

    def check(self, who, argument, value):
        """ValueError for another value."""
        if not any(value is each or (type(value) is type(each) and value == each)
                   for each in self.values):
            known = " or ".join(map(repr, self.values))
            raise ValueError(f"{who}: {argument} must be {known}, got "
                             f"{shown(value)}: {self.why}")

    def text(self):
        """Returns how ``help`` says it."""
        return f"({' or '.join(map(repr, self.values))})"


class Elsewhere(NamedTuple):
    """An argument that another class has; ``name`` is that."""

    name: str


class Then(NamedTuple):
    """An argument by which the thing that was made is changed."""

    do: Callable[[Any, Any], Any]
    says: str

    def text(self):
        """Returns how ``help`` says it."""
        return f"({self.says})"


# Wherever a function or class has ours.
COMMON = {"collate_fn": "collate", "dim": "axis", "end_dim": "stop_axis",
          "eps": "epsilon", "input": "x", "lr": "learning_rate",
          "start_dim": "start_axis"}

# Arguments of functions, beside what is common.
_SUMS = dict.fromkeys(("size_average", "reduce"), Only(
    (None,), "reduction is 'mean', 'sum' or 'none'"))
_TENSORS = {"input": "x", "target": "label", "other": "y", **_SUMS}
_WEIGHED = {**_TENSORS, "weight": Only(
    (None,), "multiply the losses of reduction='none'")}
_PAIRS = {"input1": "x1", "input2": "x2", "target": "label", **_SUMS}
FUNCTIONS = {
    "binary_cross_entropy": _TENSORS, "binary_cross_entropy_with_logits": _TENSORS,
    "cosine_embedding_loss": _PAIRS, "margin_ranking_loss": _PAIRS,
    "cosine_similarity": {"x1": "x", "x2": "y"}, "cross_entropy": _TENSORS,
    "ctc_loss": {"log_probs": "input", "targets": "label",
                 "target_lengths": "label_lengths"},
    "pairwise_distance": {"x1": "x", "x2": "y"},
    **{name: _TENSORS for name in (
        "gaussian_nll_loss", "hinge_embedding_loss", "multi_margin_loss",
        "multilabel_margin_loss", "multilabel_soft_margin_loss", "poisson_nll_loss",
        "soft_margin_loss")},
    "gumbel_softmax": {"logits": "x", "eps": NoEffect()},
    "normalize": {"out": Only((None,), "the result is a new tensor")},
    "triplet_margin_loss": _SUMS,
    "linear_cross_entropy": {**_TENSORS, "options": NoEffect()},
    "interpolate": {"antialias": Only(
        (False,), "there is no filter against aliasing")},
    "huber_loss": _WEIGHED, "kl_div": _TENSORS, "l1_loss": _WEIGHED,
    "mse_loss": _WEIGHED, "nll_loss": _TENSORS, "smooth_l1_loss": _TENSORS,
}

_HINT = NoEffect()
_MADE = {"device": Then(lambda layer, where: where is None or layer.to(device=where),
                        "moves it there"),
         "dtype": Then(lambda layer, kind: kind is None or layer.to(dtype=kind),
                       "makes it of that dtype")}
_SEED = Only((None,), "seed says the order")
_COUPLED = Only((False,), "sy.optim.AdamW decouples it")
_DOWN = Only((False,), "negate the loss instead")
_LAYER = {"d_model": "embed_dim", "nhead": "num_heads",
          "dim_feedforward": "hidden_dim",
          "layer_norm_eps": "epsilon", **_MADE}

# Arguments of calls of layers: of kinds of them, and of classes by their names.
FORWARDS: dict[str, dict[str, str]] = {
    "Layer": {"input": "x"},
    "Bilinear": {"input1": "x", "input2": "y"},
    "TransformerEncoder": {"src": "x"}, "TransformerEncoderLayer": {"src": "x"},
    "TransformerDecoder": {"tgt": "x", "tgt_is_causal": "is_causal"},
    "TransformerDecoderLayer": {"tgt": "x", "tgt_is_causal": "is_causal"},
    "Loss": {"target": "label", "log_probs": "input", "targets": "label",
             "target_lengths": "label_lengths", "input1": "x1", "input2": "x2"},
    "Recurrent": {"input": "x", "hx": "state"},
    "Pairs": {"x1": "x", "x2": "y"},
}

# Arguments of classes and of all that are derived from them.
CLASSES: dict[str, dict] = {
    **dict.fromkeys((
        "Linear", "Embedding", "EmbeddingBag", "Bilinear", "_Conv", "Conv2D", "_BatchNorm", "GroupNorm",
        "InstanceNorm", "LayerNorm", "RMSNorm", "_Recurrent", "_Cell",
        "AdaptiveLogSoftmaxWithLoss"), _MADE),
    "MultiHeadAttention": {**_MADE, "add_bias_kv": Only(
        (False,), "keys and values have no rows of the layer's"), "add_zero_attn": Only(
            (False,), "keys and values have no rows of zeros")},
    "SyncBatchNorm": {"process_group": Only(
        (None,), "the shards are those of DataParallel")},
    "Loss": _SUMS,
    "_ConvTranspose": {"padding_mode": Only(
        ("zeros",), "transposed convolutions have no other")},
    "Hardtanh": {"min_value": "min_val", "max_value": "max_val"},
    "Unflatten": {"unflattened_size": "sizes"},
    "ModuleList": {"modules": "layers"}, "ParameterList": {"values": "parameters"},
    "PReLU": {"init": "slope", **_MADE},
    "_Mean": {"count_include_pad": Not("exclusive")},
    "TransformerEncoderLayer": _LAYER, "TransformerDecoderLayer": _LAYER,
    "Transformer": _LAYER,
    "TransformerEncoder": {**_LAYER, "encoder_layer": "embed_dim",
                           "enable_nested_tensor": _HINT, "mask_check": _HINT},
    "TransformerDecoder": {**_LAYER, "decoder_layer": "embed_dim"},
    "Optimizer": {
        "params": "parameters", "foreach": _HINT, "fused": _HINT,
        "capturable": _HINT, "differentiable": Only((False,), "a step is not "
                                                    "differentiated"),
        "maximize": _DOWN, "momentum": Elsewhere("sy.optim.Momentum"),
        "nesterov": Elsewhere("sy.optim.Momentum")},
    "SGD": {"dampening": Only((0, 0.0), "velocity takes the whole gradient")},
    "Adagrad": {"lr_decay": Only((0, 0.0), "sy.optim.LambdaDecay lowers the rate")},
    "Distribution": {"validate_args": _HINT},
    **dict.fromkeys(("Adam", "NAdam", "RAdam"), {"decoupled_weight_decay": _COUPLED}),
    "LBFGS": {"line_search_fn": "line_search",
              "max_eval": Only((None,), "max_iter bounds a step")},
    "Schedule": {"last_epoch": Only((-1,), "load_state_dict resumes a schedule"),
                 "verbose": Only((False, "deprecated"), "print get_last_lr()")},
    "MultiplicativeLR": {"lr_lambda": "factor"},
    "StepDecay": {"step_size": "every"},
    "CosineDecay": {"T_max": "steps", "eta_min": "end"},
    "CosineWarmRestarts": {"T_0": "steps", "T_mult": "multiply", "eta_min": "end"},
    "LambdaDecay": {"lr_lambda": "factor"},
    "PolynomialDecay": {"total_iters": "steps"},
    "OneCycle": {
        "max_lr": "max_rate", "total_steps": "steps", "pct_start": "share",
        "div_factor": "div", "final_div_factor": "final_div",
        "anneal_strategy": Only(("cos",), "the rate follows half cosines"),
        "cycle_momentum": Only((False,), "the rate alone changes"),
        "three_phase": Only((False,), "there are two phases")},
    "ReduceLROnPlateau": {"min_lr": "min_rate"},
    "Chained": {"schedulers": "schedules"}, "InTurn": {"schedulers": "schedules"},
    "DataLoader": {
        "prefetch_factor": "prefetch", "pin_memory": _HINT, "generator": _SEED,
        "worker_init_fn": Only((None,), "a dataset can see io.worker_info()"),
        "multiprocessing_context": Only((None,), "processes=True starts them"),
        "pin_memory_device": _HINT, "persistent_workers": _HINT,
        "timeout": Only((0,), "workers are waited for"),
        "in_order": Only((True,), "batches come in order")},
    "Sampler": {"data_source": "dataset", "generator": _SEED},
    "Subset": {"indices": "numbers"},
    "SubsetRandomSampler": {"indices": "numbers"},
}
