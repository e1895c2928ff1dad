# SPDX-License-Identifier: Apache-2.0
"""Losses as functions, with the names of torch.nn.functional."""

from __future__ import annotations

from collections.abc import Callable

from switchyard import _core
from switchyard.checks import whole
from switchyard.functions.arguments import check_list, tensor_of
from switchyard.functions.precision import in_float32
from switchyard.nn import class_loss, likelihood_loss, loss, margin_loss
from switchyard.spelling import spelled

_ops = _core.ops


@spelled
def cross_entropy(input, label, weight=None, ignore_index: int = -100,
                  label_smoothing: float = 0.0, soft_label: bool = False,
                  axis: int | None = None, reduction: str = "mean"):
    """The loss that CrossEntropyLoss is."""
    return class_loss.CrossEntropyLoss(
        weight, ignore_index, label_smoothing, soft_label, axis,
        reduction)(input, label)


@spelled
def nll_loss(input, label, weight=None, ignore_index: int = -100,
             axis: int | None = None, reduction: str = "mean"):
    """The loss that NLLLoss is."""
    return class_loss.NLLLoss(weight, ignore_index, axis, reduction)(input, label)


@spelled
def mse_loss(input, label, reduction: str = "mean"):
    """The loss that MSELoss is."""
    return loss.MSELoss(reduction)(input, label)


@spelled
def l1_loss(input, label, reduction: str = "mean"):
    """The loss that L1Loss is."""
    return loss.L1Loss(reduction)(input, label)


@spelled
def smooth_l1_loss(input, label, reduction: str = "mean", beta: float = 1.0):
    """The loss that SmoothL1Loss is."""
    return loss.SmoothL1Loss(reduction, beta)(input, label)


@spelled
def huber_loss(input, label, reduction: str = "mean", delta: float = 1.0):
    """The loss that HuberLoss is."""
    return loss.HuberLoss(reduction, delta)(input, label)


@spelled
def binary_cross_entropy(input, label, reduction: str = "mean", weight=None):
    """The loss that BCELoss is."""
    return loss.BCELoss(reduction, weight)(input, label)


@spelled
def binary_cross_entropy_with_logits(input, label, reduction: str = "mean",
                                     pos_weight=None, weight=None):
    """The loss that BCEWithLogitsLoss is."""
    return loss.BCEWithLogitsLoss(reduction, pos_weight, weight)(input, label)


@spelled
def kl_div(input, label, reduction: str = "mean", log_target: bool = False):
    """The loss that KLDivLoss is."""
    return loss.KLDivLoss(reduction, log_target)(input, label)


@spelled
def triplet_margin_loss(anchor, positive, negative, margin: float = 1.0,
                        p: float = 2.0, eps: float = 1e-06, swap: bool = False,
                        reduction: str = "mean"):
    """The loss that TripletMarginLoss is."""
    return loss.TripletMarginLoss(margin, p, eps, swap, reduction)(
        anchor, positive, negative)


@spelled
def cosine_embedding_loss(x1, x2, label, margin: float = 0.0,
                          reduction: str = "mean"):
    """The loss that CosineEmbeddingLoss is."""
    return loss.CosineEmbeddingLoss(margin, reduction)(x1, x2, label)


@spelled
def ctc_loss(input, label, input_lengths, label_lengths, blank: int = 0,
             reduction: str = "mean", zero_infinity: bool = False):
    """The loss that CTCLoss is."""
    return class_loss.CTCLoss(blank, reduction, zero_infinity)(
        input, label, input_lengths, label_lengths)


@spelled
def margin_ranking_loss(x1, x2, label, margin: float = 0.0, reduction: str = "mean"):
    """The loss that MarginRankingLoss is."""
    return margin_loss.MarginRankingLoss(margin, reduction)(x1, x2, label)


@spelled
def hinge_embedding_loss(input, label, margin: float = 1.0, reduction: str = "mean"):
    """The loss that HingeEmbeddingLoss is."""
    return margin_loss.HingeEmbeddingLoss(margin, reduction)(input, label)


@spelled
def soft_margin_loss(input, label, reduction: str = "mean"):
    """The loss that SoftMarginLoss is."""
    return margin_loss.SoftMarginLoss(reduction)(input, label)


@spelled
def multi_margin_loss(input, label, p: int = 1, margin: float = 1.0, weight=None,
                      reduction: str = "mean"):
    """The loss that MultiMarginLoss is."""
    return margin_loss.MultiMarginLoss(p, margin, weight, reduction)(input, label)


@spelled
def multilabel_margin_loss(input, label, reduction: str = "mean"):
    """The loss that MultiLabelMarginLoss is."""
    return margin_loss.MultiLabelMarginLoss(reduction)(input, label)


@spelled
def multilabel_soft_margin_loss(input, label, weight=None, reduction: str = "mean"):
    """The loss that MultiLabelSoftMarginLoss is."""
    return margin_loss.MultiLabelSoftMarginLoss(weight, reduction)(input, label)


@spelled
def triplet_margin_with_distance_loss(anchor, positive, negative, *,
                                      distance_function: Callable | None = None,
                                      margin: float = 1.0, swap: bool = False,
                                      reduction: str = "mean"):
    """The loss that TripletMarginWithDistanceLoss is."""
    return margin_loss.TripletMarginWithDistanceLoss(
        distance_function=distance_function, margin=margin, swap=swap,
        reduction=reduction)(anchor, positive, negative)


@spelled
def gaussian_nll_loss(input, label, var, full: bool = False, eps: float = 1e-06,
                      reduction: str = "mean"):
    """The loss that GaussianNLLLoss is."""
    return likelihood_loss.GaussianNLLLoss(full=full, eps=eps, reduction=reduction)(
        input, label, var)


@spelled
def poisson_nll_loss(input, label, log_input: bool = True, full: bool = False,
                     eps: float = 1e-08, reduction: str = "mean"):
    """The loss that PoissonNLLLoss is."""
    return likelihood_loss.PoissonNLLLoss(log_input, full, eps, reduction)(
        input, label)


@spelled
@in_float32
def linear_cross_entropy(x, linear_weight, label, *, linear_bias=None, weight=None,
                         reduction: str = "mean", ignore_index: int | None = None,
                         label_smoothing: float = 0.0):
    """``cross_entropy`` of x [..., inputs] @ linear_weightᵀ + linear_bias, whose
    weight is [classes, inputs], as in PyTorch; or [*extents, classes, inputs] of
    x [n, inputs] and labels [n, *extents]."""
    x, linear_weight = tensor_of(x), tensor_of(linear_weight)
    if len(linear_weight.shape) < 2 or not x.shape:
        raise ValueError("linear_cross_entropy: linear_weight must have 2 axes or more, "
                         f"and x one, got {len(linear_weight.shape)} and {len(x.shape)}")
    rows = list(linear_weight.shape)
    if len(rows) > 2 and len(x.shape) != 2:
        raise ValueError("linear_cross_entropy: x must have 2 axes where linear_weight "
                         f"has {len(rows)}, got {len(x.shape)}")
    ignored = -100 if ignore_index is None else whole(
        "linear_cross_entropy", "ignore_index", ignore_index)
    label = tensor_of(label)
    if len(rows) == 2 and "int" in label.dtype:  # The weight's gradient reads all rows.
        some = _ops.unsqueeze(_ops.not_equal(label, ignored), [-1])
        x = _ops.where(some, x, _ops.zeros_like(x))
    flat = _ops.reshape(linear_weight, [-1, rows[-1]])
    logits = _ops.matmul(x, flat, transpose_y=True)
    logits = _ops.reshape(logits, [*x.shape[:-1], *rows[:-1]])
    if linear_bias is not None:
        linear_bias = tensor_of(linear_bias)
        check_list("linear_bias", linear_bias, logits.shape[-1])
        logits = _ops.add(logits, linear_bias)
    return cross_entropy(logits, label, weight=weight, reduction=reduction,
                         ignore_index=ignored,
                         label_smoothing=label_smoothing)
