# SPDX-License-Identifier: Apache-2.0
"""Kinds of arguments: for each, values that are outside of what the docs allow.

A kind is a function of nothing that returns the wrong values; each of them must
be an error with a sentence. KINDS has the kind of each argument's name, with what
is valid where there is no default; OF_FUNCTION those of a function that means
something else by the name.
"""
import numpy as np

import switchyard as sy

NAN, INF = float("nan"), float("inf")


class Thing:
    """An object that no function takes."""

    def __repr__(self):
        return "Thing()"


def endless():
    """A list of more elements than can be read."""
    return sy.expand(sy.ones([1], "int64"), [2**40])


OTHERS = (Thing(), "nonsense")


def tensor():
    return [*OTHERS, {}]


def whole():
    return [*OTHERS, 1.5, NAN, [1, 2], 2**70]


def from_0():
    return [*whole(), -1]


def from_1():
    return [*from_0(), 0]


def real():
    return [*OTHERS, [1.0, 2.0], 1j]


def number():
    return [*real(), NAN]


def not_negative():
    return [*number(), -1.0]


def positive():
    return [*not_negative(), 0.0]


def share():
    return [*not_negative(), 1.5]


def inner_share():
    return [*share(), 0.0, 1.0]


def inner_share_or_1():
    return [*share(), 0.0]


def beta():
    return [*share(), 1.0]


def betas():
    return [*OTHERS, 0.9, [0.9], [0.9, 1.5], [NAN, 0.9], [0.9, "text"]]


def axis():
    return [*OTHERS, 99, -99, 1.5, NAN, 2**70]


def axes():
    return [*OTHERS, [99], [0, 0, 0, 0], 1.5, [1.5]]


def flag():
    return [*OTHERS, 2, [1, 2]]


def word():
    return [*OTHERS, 3, ["nonsense"]]


def function():
    return [*OTHERS, 3]


def listed():
    return [Thing(), 3.5, endless()]


def sizes():
    """A number, or one for each extent, from 1."""
    return [*OTHERS, 0, -1, [1] * 9, 1.5, NAN, endless()]


def paddings():
    return [*OTHERS, -1, [1] * 9, 1.5, endless()]


def shape():
    return [*OTHERS, [-5], [1.5], [2**40, 2**40], ["a"], endless()]


def dtype():
    return [*OTHERS, 3.5]


def place():
    return [*OTHERS, 3.5]


def instance():
    return [*OTHERS, 3]


def unchecked():
    return []


def any_number_beside():
    """A number or a tensor that broadcasts."""
    return [*OTHERS, {}]


def x():
    return sy.tensor(np.linspace(0.1, 0.9, 6, dtype=np.float32).reshape(2, 3))


# {name: kind}, by their kinds.
_BY_KIND = {
    tensor: "x y input label tensor1 tensor2 vec weight_ tensor source "
            "mask values indices elements anchor positive negative x1 x2 query key "
            "value_ input_lengths label_lengths condition crows cols real imag",
    whole: "k diagonal offset n decimals seed ignore_index row col",
    from_0: "num steps count minlength num_workers epoch patience cooldown total "
            "length sparse_dim num_samples embedding_dim",
    from_1: "in_channels out_channels groups input_size hidden_size num_layers "
            "embed_dim num_heads hidden_dim num_features num_groups num_channels "
            "in_features out_features num_parameters num_embeddings upscale_factor "
            "batch_size prefetch chunks every multiply max_iter history_size "
            "growth_interval accumulate n_rows n_cols num_classes",
    real: "value fill_value val padding_value",
    number: "negative_slope slope margin min_val max_val mean param alpha",
    not_negative: "epsilon weight_decay momentum_decay learning_rate gamma end "
                  "power threshold_ min_rate max_rate tolerance_grad max_norm "
                  "tolerance_change initial_accumulator_value std rtol atol eps gain",
    positive: "delta beta div final_div limit clip_value",
    share: "p dropout dropout_p label_smoothing rho decay probs momentum",
    inner_share: "share backoff_factor",
    beta: "beta1 beta2",
    betas: "betas",
    axis: "axis dim axis1 axis2 dim1 dim2 start_axis stop_axis start_dim end_dim",
    axes: "axes dims perm destination",
    flag: "inplace keepdims keepdim descending stable exclusive ceil_mode bias_ "
          "affine elementwise_affine nesterov multi_precision amsgrad centered "
          "batch_first bidirectional shuffle drop_last replacement zero_infinity "
          "soft_label log_target swap sparse persistent lazy_mode always_adapt "
          "error_if_nonfinite enabled is_causal enable_gqa training upper "
          "full_matrices use_utf8_encoding include_initial invert right largest "
          "sorted return_inverse return_counts requires_grad equal_nan endpoint "
          "retain_graph create_graph allow_unused transpose_x transpose_y reverse "
          "flatten unbiased batch_first align_corners use_stack "
          "allow_out_of_range relaxed",
    word: "reduction mode padding_mode nonlinearity activation side indexing norm "
          "threshold_mode line_search data_format",
    function: "factor after then otherwise body function weight_init bias_init "
              "collate loss",
    listed: "parameters schedules milestones sequences gradients items lengths "
            "numbers arrays layers",
    sizes: "kernel_size stride dilation output_size",
    paddings: "padding output_padding",
    shape: "shape size normalized_shape",
    dtype: "dtype",
    place: "device",
    instance: "optimizer dataset model sampler modules q",
}
KINDS = {name: kind for kind, names in _BY_KIND.items() for name in names.split()}

def of_layer():
    """An axis that only a call can compare with a number of axes."""
    return [*OTHERS, 1.5, NAN, 2**70]


def source():
    """A dataset or a sampler: a text has items, too."""
    return [Thing(), 3]


def mapping():
    return [Thing(), "nonsense", 3]


def any_padding():
    """A layer's padding of either sign."""
    return [*OTHERS, [1] * 9, 1.5, endless()]


def stop():
    return [*OTHERS, -1, 1.5, [1.5], [-1], endless()]


# {"function.argument": kind} where the name means something else, or where it is
# free: unchecked.
OF_FUNCTION = {
    **{f"{name}.axis": of_layer for name in (
        "nn.CosineSimilarity", "nn.CrossEntropyLoss", "nn.NLLLoss", "nn.GLU",
        "nn.Softmax", "nn.LogSoftmax", "nn.Softmin", "nn.Unflatten")},
    **{f"nn.{kind}Pad{n}D.padding": any_padding for n in (1, 2, 3) for kind in (
        "Circular", "Constant", "Reflection", "Replication", "Zero")},
    "nn.PairwiseDistance.p": not_negative, "nn.PairwiseDistance.epsilon": real,
    "nn.functional.pairwise_distance.p": not_negative,
    "nn.functional.pairwise_distance.epsilon": real,
    "nn.functional.pdist.p": not_negative, "nn.RReLU.upper": not_negative,
    **{f"nn.Flatten.{name}": of_layer for name in ("start_axis", "stop_axis")},
    **{f"io.{name}": source for name in (
        "DataLoader.dataset", "DistributedSampler.dataset", "RandomSampler.dataset", "SequentialSampler.dataset",
        "Subset.dataset", "DataLoader.sampler", "BatchSampler.sampler")},
    "generate.tokens": tensor, "generate.max_tokens": from_0, "generate.pad": from_0,
    "generate.temperature": not_negative, "generate.top_k": from_1,
    "generate.top_p": inner_share_or_1, "generate.repetition_penalty": positive,
    "generate.seed": from_0, "generate.stop": stop, "generate.stream": flag,
    "nn.KeyValueCache.room": from_1,
    "eye.n_rows": from_0, "eye.n_cols": from_0, "nn.Linear.in_features": from_0,
    "nn.Linear.out_features": from_0, "nn.LazyLinear.out_features": from_0, "nn.TripletMarginLoss.p": positive,
    "nn.functional.triplet_margin_loss.p": positive, "norm.p": number,
    "linalg.norm.p": number, "nn.functional.normalize.p": not_negative,
    "optim.Momentum.momentum": not_negative, "optim.SGD.momentum": not_negative,
    **{f"nn.{home}.{name}": number for name in ("beta", "k")
       for home in ("LocalResponseNorm", "functional.local_response_norm")},
    "nn.ParameterDict.parameters": mapping,
    "optim.RMSprop.momentum": not_negative,
    "optim.ClipGradByNorm.norm": positive,
    "optim.ClipGradByGlobalNorm.norm": positive,
    **{f"{name}.{factor}": number for factor in ("alpha", "beta") for name in (
        "addbmm", "addmv", "addr", "baddbmm")},
    "distributions.LKJCholesky.dim": from_1, "rsub.alpha": number, "index_add.alpha": number, "logspace.end": number, "arange.end": unchecked,
    "signal.windows.kaiser.beta": not_negative, "nn.SmoothL1Loss.beta": not_negative,
    "nn.functional.smooth_l1_loss.beta": not_negative, "cdist.p": not_negative, "dist.p": number,
    # Numbers of which all are right, a list or a tensor among them.
    **dict.fromkeys((
        "isdtype.kind", "addcdiv.value", "addcmul.value", "full.fill_value",
        "masked_fill.value", "normal.mean", "normal.std", "roll.dims",
        "bitwise_left_shift.count", "bitwise_right_shift.count",
        "leaky_relu.negative_slope", "nn.functional.leaky_relu.negative_slope",
        "nn.functional.leaky_relu_.negative_slope", "nn.functional.elu_.alpha",
        "nn.functional.celu_.alpha",
        "nn.functional.scaled_dot_product_attention.value",
        "distributions.Bernoulli.probs", "distributions.Binomial.probs",
        "distributions.Geometric.probs", "distributions.Categorical.probs",
        *(f"distributions.{name}.probs" for name in (
            "ContinuousBernoulli", "Multinomial", "NegativeBinomial", "OneHotCategorical",
            "OneHotCategoricalStraightThrough", "RelaxedBernoulli", "RelaxedOneHotCategorical")),
        "distributions.Pareto.alpha", "optim.Adafactor.epsilon",
        # The number of axes is that of the argument of the call.
        "distributions.CatTransform.dim", "distributions.StackTransform.dim",
        "linalg.matrix_rank.rtol", "linalg.pinv.rtol", "linalg.matrix_rank.atol",
        "linalg.pinv.atol", "special.zeta.q", "as_strided.stride",
        "as_strided_copy.stride", "as_strided_scatter.stride", "unravel_index.shape",
        "index_put.accumulate", "put.accumulate", "linalg.cond.p", "renorm.p",
        "tile.dims", "nn.init.fans.shape",
        # The number of extents is that of the call's x.
        "nn.Upsample.size", "nn.UpsamplingNearest2D.size", "nn.UpsamplingBilinear2D.size", "static.InputSpec.shape",
        # A tensor is a parameter.
        "nn.utils.clip_grad_norm_.parameters", "optim.clip_grad_norm_.parameters",
        "nn.utils.clip_grad_value_.parameters",
        "optim.clip_grad_value_.parameters"), unchecked),
}


def text(wrong):
    """A wrong value as a case's name."""
    return f"tensor{tuple(wrong.shape)}" if isinstance(wrong, sy.Tensor) else repr(wrong)

# The words by which an operator that is called within names an argument.
SAME = {"dim": ("axis",), "keepdims": ("keepdim",), "dims": ("axis", "perm"),
        "dim1": ("axis",), "dim2": ("axis",), "source": ("axis",),
        "destination": ("axis", "as many axes"),
        "axes": ("axis",), "label": ("input",), "size": ("shape",),
        "device": ("place",), "output_size": ("kernel_size",),
        "example": ("x0",), "group": ("parameter",), "state": ("state_dict",)}
