# SPDX-License-Identifier: Apache-2.0
"""Losses as functions, with the names of torch.nn.functional."""

from __future__ import annotations

from switchyard.nn import class_loss, loss


def cross_entropy(input, label, weight=None, ignore_index: int = -100,
                  label_smoothing: float = 0.0, soft_label: bool = False,
                  axis: int | None = None, reduction: str = "mean"):
    """The loss that CrossEntropyLoss is."""
    return class_loss.CrossEntropyLoss(
        weight, ignore_index, label_smoothing, soft_label, axis,
        reduction)(input, label)


def nll_loss(input, label, weight=None, ignore_index: int = -100,
             axis: int | None = None, reduction: str = "mean"):
    """The loss that NLLLoss is."""
    return class_loss.NLLLoss(weight, ignore_index, axis, reduction)(input, label)


def mse_loss(input, label, reduction: str = "mean"):
    """The loss that MSELoss is."""
    return loss.MSELoss(reduction)(input, label)


def l1_loss(input, label, reduction: str = "mean"):
    """The loss that L1Loss is."""
    return loss.L1Loss(reduction)(input, label)


def smooth_l1_loss(input, label, reduction: str = "mean", beta: float = 1.0):
    """The loss that SmoothL1Loss is."""
    return loss.SmoothL1Loss(reduction, beta)(input, label)


def huber_loss(input, label, reduction: str = "mean", delta: float = 1.0):
    """The loss that HuberLoss is."""
    return loss.HuberLoss(reduction, delta)(input, label)


def binary_cross_entropy(input, label, reduction: str = "mean", weight=None):
    """The loss that BCELoss is."""
    return loss.BCELoss(reduction, weight)(input, label)


def binary_cross_entropy_with_logits(input, label, reduction: str = "mean",
                                     pos_weight=None, weight=None):
    """The loss that BCEWithLogitsLoss is."""
    return loss.BCEWithLogitsLoss(reduction, pos_weight, weight)(input, label)


def kl_div(input, label, reduction: str = "mean", log_target: bool = False):
    """The loss that KLDivLoss is."""
    return loss.KLDivLoss(reduction, log_target)(input, label)


def triplet_margin_loss(anchor, positive, negative, margin: float = 1.0,
                        p: float = 2.0, eps: float = 1e-06, swap: bool = False,
                        reduction: str = "mean"):
    """The loss that TripletMarginLoss is."""
    return loss.TripletMarginLoss(margin, p, eps, swap, reduction)(
        anchor, positive, negative)


def cosine_embedding_loss(x1, x2, label, margin: float = 0.0,
                          reduction: str = "mean"):
    """The loss that CosineEmbeddingLoss is."""
    return loss.CosineEmbeddingLoss(margin, reduction)(x1, x2, label)


def ctc_loss(input, label, input_lengths, label_lengths, blank: int = 0,
             reduction: str = "mean", zero_infinity: bool = False):
    """The loss that CTCLoss is."""
    return class_loss.CTCLoss(blank, reduction, zero_infinity)(
        input, label, input_lengths, label_lengths)
