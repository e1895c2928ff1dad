# SPDX-License-Identifier: Apache-2.0
"""All transforms, as ``torch.distributions.transforms`` has them."""

from switchyard.distributions.number_transforms import (
    AbsTransform, AffineTransform, CumulativeDistributionTransform, ExpTransform,
    PowerTransform, SigmoidTransform, SoftmaxTransform, SoftplusTransform,
    TanhTransform, Transform, identity_transform)
from switchyard.distributions.vector_transforms import (
    CatTransform, ComposeTransform, CorrCholeskyTransform, IndependentTransform,
    LowerCholeskyTransform, PositiveDefiniteTransform, ReshapeTransform,
    StackTransform, StickBreakingTransform)

__all__ = ["AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform",
           "CorrCholeskyTransform", "CumulativeDistributionTransform", "ExpTransform",
           "IndependentTransform", "LowerCholeskyTransform",
           "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform",
           "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform",
           "StackTransform", "StickBreakingTransform", "TanhTransform", "Transform",
           "identity_transform"]


def __dir__():
    return __all__
