# SPDX-License-Identifier: Apache-2.0
"""Tensors of public functions that go by a name, for second_tensors_test.py, and
which other shapes are taken: those that broadcast, as documented, and those of which
a function takes any."""

import numpy as np

import switchyard as sy
from switchyard import nn

F = nn.functional
f32 = np.float32


def line(*extents):
    count = int(np.prod(extents))
    return np.linspace(0.1, 0.9, count, dtype=f32).reshape(extents)


def real(*extents):
    return sy.tensor(line(*extents))


def whole(*values):
    return np.array(values)


def index(*values):
    return sy.tensor(np.array(values))


def flags(*extents, value=True):
    return np.full(extents, value)


def layer(make, call):
    """A function of one tensor that a layer in evaluation is called with."""
    sy.seed(0)
    made = make().eval()
    return lambda v: call(made, v)


def written(v):
    x = real(2, 3)
    x[:] = v
    return x


X, LABELS = real(2, 3), index(0, 2)
WORDS = real(2, 3, 4)
IMAGES = {n: real(1, 2, *[4] * n) for n in (1, 2, 3)}
KERNELS = {n: real(2, 2, *[2] * n) for n in (1, 2, 3)}
HIDDEN = flags(2, 3, value=False)
SQUARE = flags(3, 3, value=False)


def functions():
    """{name.argument: (function of that tensor, a right one)} of functions."""
    found = {f"{kind}{n}d.bias": (
        lambda v, n=n, kind=kind: getattr(F, f"{kind}{n}d")(IMAGES[n], KERNELS[n], v),
        line(2)) for n in (1, 2, 3) for kind in ("conv", "conv_transpose")}
    norms = {"group_norm": lambda x, **k: F.group_norm(x, 2, **k),
             "instance_norm": F.instance_norm,
             "layer_norm": lambda x, **k: F.layer_norm(x, 3, **k),
             "batch_norm": lambda x, **k: F.batch_norm(x[:, :, 0], real(4), real(4), **k)}
    found.update({f"{name}.{side}": (
        lambda v, norm=norm, side=side: norm(real(1, 4, 3), **{side: v}),
        line(3 if name == "layer_norm" else 4))
                  for name, norm in norms.items() for side in ("weight", "bias")})
    return {
        **found,
        "linear.bias": (lambda v: F.linear(X, real(3, 2), v), line(2)),
        "bilinear.bias": (lambda v: F.bilinear(X, X, real(4, 3, 3), v), line(4)),
        "rms_norm.weight": (lambda v: F.rms_norm(X, 3, v), line(3)),
        "batch_norm.running_mean": (lambda v: F.batch_norm(X, v, real(3)), line(3)),
        "batch_norm.running_var": (lambda v: F.batch_norm(X, real(3), v), line(3)),
        "embedding_bag.offsets": (
            lambda v: F.embedding_bag(index(0, 2, 1), real(5, 2), v), whole(0, 2)),
        "embedding_bag.per_sample_weights": (
            lambda v: F.embedding_bag(index([0, 2]), real(5, 2), mode="sum",
                                      per_sample_weights=v), line(1, 2)),
        "grid_sample.grid": (lambda v: F.grid_sample(real(1, 1, 2, 2), v),
                             line(1, 2, 2, 2)),
        "prelu.weight": (lambda v: F.prelu(X - 0.5, v), line(3)),
        "bincount.weights": (lambda v: sy.bincount(index(0, 2, 1), v), line(3)),
        "histogram.weight": (lambda v: sy.histogram(real(3), 2, weight=v)[0], line(3)),
        "diff.prepend": (lambda v: sy.diff(X, prepend=v), line(2, 1)),
        "diff.append": (lambda v: sy.diff(X, append=v), line(2, 1)),
        "clip.min": (lambda v: sy.clip(X, v), line(2, 3)),
        "clip.max": (lambda v: sy.clip(X, None, v), line(2, 3)),
        "quantile.q": (lambda v: sy.quantile(X, v), line(2)),
        "repeat_interleave.repeats": (lambda v: sy.repeat_interleave(X, v, 1),
                                      whole(1, 2, 1)),
        "lerp.weight": (lambda v: sy.lerp(X, X + 1.0, v), line(2, 3)),
        "searchsorted.sorter": (
            lambda v: sy.searchsorted(real(3), real(2), sorter=v), whole(0, 1, 2)),
        "index_put.indices": (lambda v: sy.index_put(X, (v,), X), whole(0, 1)),
        "index_put.values": (lambda v: sy.index_put(X, (index(0, 1),), v), line(2, 3)),
        "x[...] = value": (written, line(2, 3)),
        "x[index]": (lambda v: X[v], whole(0, 1)),
        "x[mask]": (lambda v: X[v], flags(2, 3)),
        "trapezoid.x": (lambda v: sy.trapezoid(X, v), line(3)),
        "cumulative_trapezoid.x": (lambda v: sy.cumulative_trapezoid(X, v), line(3)),
        "gradient.spacing": (lambda v: sy.gradient(real(4), spacing=(v,))[0], line(4)),
        "normal.std": (lambda v: sy.normal(X, v), line(2, 3)),
        "stft.window": (lambda v: sy.stft(real(16), 4, 2, window=v,
                                          return_complex=True), line(4)),
        "Tensor.copy_": (lambda v: real(2, 3).copy_(v), line(2, 3)),
        "Tensor.add_": (lambda v: real(2, 3).add_(v), line(2, 3)),
        "index_add.source": (lambda v: sy.index_add(X, 0, index(0, 1), v), line(2, 3)),
        "scaled_dot_product_attention.attn_mask": (
            lambda v: F.scaled_dot_product_attention(WORDS, WORDS, WORDS, v),
            flags(3, 3)),
    }


def losses():
    both = lambda loss, v, **k: getattr(F, loss)(X, X, **k, weight=v)  # noqa: E731
    return {
        "cross_entropy.weight": (lambda v: F.cross_entropy(X, LABELS, v), line(3)),
        "nll_loss.weight": (lambda v: F.nll_loss(X, LABELS, v), line(3)),
        "binary_cross_entropy_with_logits.pos_weight": (
            lambda v: F.binary_cross_entropy_with_logits(X, X, pos_weight=v), line(3)),
        "multi_margin_loss.weight": (
            lambda v: F.multi_margin_loss(X, LABELS, weight=v), line(3)),
        "multilabel_soft_margin_loss.weight": (
            lambda v: both("multilabel_soft_margin_loss", v), line(3)),
        "gaussian_nll_loss.var": (lambda v: F.gaussian_nll_loss(X, X + 1.0, v),
                                  line(2, 3)),
        "linear_cross_entropy.linear_bias": (
            lambda v: F.linear_cross_entropy(X, real(4, 3), LABELS, linear_bias=v),
            line(4)),
        "cosine_embedding_loss.label": (
            lambda v: F.cosine_embedding_loss(X, X + 1.0, v), whole(1, -1)),
    }


def layers():
    attention = lambda: nn.MultiHeadAttention(4, 2)  # noqa: E731
    torch_attention = lambda: nn.MultiheadAttention(  # noqa: E731
        4, 2, batch_first=True)
    encoder = lambda: nn.TransformerEncoderLayer(4, 2, 3)  # noqa: E731
    decoder = lambda: nn.TransformerDecoderLayer(4, 2, 3)  # noqa: E731
    steps = real(3, 2, 2)
    return {
        "MultiHeadAttention.mask": (
            layer(attention, lambda m, v: m(WORDS, WORDS, WORDS, v)), flags(3, 3)),
        "MultiheadAttention.attn_mask": (layer(torch_attention, lambda m, v: m(
            WORDS, WORDS, WORDS, attn_mask=v)), SQUARE),
        "MultiheadAttention.key_padding_mask": (layer(torch_attention, lambda m, v: m(
            WORDS, WORDS, WORDS, key_padding_mask=v)), HIDDEN),
        "TransformerEncoderLayer.src_key_padding_mask": (layer(
            encoder, lambda m, v: m(WORDS, src_key_padding_mask=v)), HIDDEN),
        "TransformerDecoderLayer.tgt_mask": (layer(
            decoder, lambda m, v: m(WORDS, WORDS, tgt_mask=v)), SQUARE),
        "TransformerDecoderLayer.memory_key_padding_mask": (layer(
            decoder, lambda m, v: m(WORDS, WORDS, memory_key_padding_mask=v)), HIDDEN),
        "LSTM.lengths": (layer(lambda: nn.LSTM(2, 3), lambda m, v: m(
            steps, lengths=v)), whole(3, 2)),
        "LSTM.state": (layer(lambda: nn.LSTM(2, 3), lambda m, v: m(
            steps, (v, real(1, 2, 3)))), line(1, 2, 3)),
        "LSTM.state of the cell": (layer(lambda: nn.LSTM(2, 3), lambda m, v: m(
            steps, (real(1, 2, 3), v))), line(1, 2, 3)),
        "GRU.state": (layer(lambda: nn.GRU(2, 3), lambda m, v: m(steps, v)),
                      line(1, 2, 3)),
        "RNN.state": (layer(lambda: nn.RNN(2, 3), lambda m, v: m(steps, v)),
                      line(1, 2, 3)),
        "LSTMCell.state": (layer(lambda: nn.LSTMCell(2, 3), lambda m, v: m(
            real(2, 2), (v, real(2, 3)))), line(2, 3)),
        "LSTMCell.state of the cell": (layer(lambda: nn.LSTMCell(2, 3), lambda m, v: m(
            real(2, 2), (real(2, 3), v))), line(2, 3)),
        "GRUCell.state": (layer(lambda: nn.GRUCell(2, 3), lambda m, v: m(
            real(2, 2), v)), line(2, 3)),
        "RNNCell.state": (layer(lambda: nn.RNNCell(2, 3), lambda m, v: m(
            real(2, 2), v)), line(2, 3)),
    }


NAMED = {**functions(), **losses(), **layers()}

# Others of these are written out along the axes of one place that they lack or have
# once, as NumPy has it; results are those of the tensor that is written out.
BROADCAST = frozenset("""
    as_strided_scatter.src addcdiv.tensor1 addcdiv.tensor2 addcmul.tensor1
    addcmul.tensor2 bitwise_left_shift.count bitwise_right_shift.count hypot.y
    logaddexp.y gather.index scatter.index scatter_add.index broadcast_tensors.tensors
    meshgrid.indexing cdist.y cross.y dist.y einsum.operands inner.y tensordot.y
    vecdot.y gcd.y igamma.other igammac.other lcm.y ldexp.other logaddexp2.y polar.angle
    rsub.y true_divide.y xlogy.y isin.elements masked_fill.mask searchsorted.values
    take.indices take_along_axis.indices take_along_dim.indices broadcast_arrays.arrays
    cholesky_solve.factor ormqr.other triangular_solve.A index_fill.index
    masked_scatter.mask masked_scatter.source put.index put.source scatter_reduce.index
    scatter_reduce.src add.y allclose.y atan2.y bitwise_and.y bitwise_or.y bitwise_xor.y
    complex.imag copysign.y div.y divide.y eq.y equal.y floor_divide.y fmax.y fmin.y
    fmod.y ge.y greater.y greater_equal.y greater_than.y gt.y heaviside.y isclose.y
    kron.y le.y lerp.y less.y less_equal.y less_than.y logical_and.y logical_or.y
    logical_xor.y lt.y masked_select.mask matmul.y maximum.y minimum.y mm.y mul.y
    multiply.y ne.y nextafter.y not_equal.y remainder.y sub.y subtract.y where.x where.y
    nn.Bilinear.y nn.CTCLoss.label nn.CTCLoss.input_lengths nn.CosineSimilarity.y
    nn.GaussianNLLLoss.label nn.GaussianNLLLoss.var nn.HingeEmbeddingLoss.label
    nn.MarginRankingLoss.x2 nn.MarginRankingLoss.label nn.PairwiseDistance.y
    nn.PoissonNLLLoss.label nn.SoftMarginLoss.label nn.Transformer.tgt
    nn.TransformerDecoder.memory nn.TransformerDecoderLayer.memory
    nn.TripletMarginLoss.positive nn.TripletMarginLoss.negative
    nn.TripletMarginWithDistanceLoss.positive nn.TripletMarginWithDistanceLoss.negative
    nn.functional.cosine_similarity.y nn.functional.ctc_loss.label
    nn.functional.ctc_loss.input_lengths nn.functional.linear.weight
    nn.functional.prelu.weight nn.functional.scaled_dot_product_attention.key
    nn.functional.scaled_dot_product_attention.value
    nn.functional.triplet_margin_loss.positive
    nn.functional.triplet_margin_loss.negative nn.functional.bilinear.y
    nn.functional.gaussian_nll_loss.label nn.functional.hinge_embedding_loss.label
    nn.functional.margin_ranking_loss.x2 nn.functional.margin_ranking_loss.label
    nn.functional.pairwise_distance.y nn.functional.poisson_nll_loss.label
    nn.functional.soft_margin_loss.label
    nn.functional.triplet_margin_with_distance_loss.positive
    nn.functional.triplet_margin_with_distance_loss.negative linalg.cross.y
    linalg.solve.y linalg.tensordot.y linalg.vecdot.y linalg.matmul.y linalg.lstsq.y
    linalg.lu_solve.B linalg.solve_ex.y linalg.solve_triangular.y special.xlog1py.y
    special.xlogy.y special.zeta.q special.gammainc.x special.gammaincc.x prelu.weight
    histogram.weight diff.prepend diff.append clip.min clip.max quantile.q
    repeat_interleave.repeats lerp.weight index_put.indices index_put.values x[index]
    trapezoid.x cumulative_trapezoid.x normal.std Tensor.add_
    scaled_dot_product_attention.attn_mask binary_cross_entropy_with_logits.pos_weight
    multilabel_soft_margin_loss.weight gaussian_nll_loss.var MultiHeadAttention.mask
    MultiheadAttention.attn_mask MultiheadAttention.key_padding_mask
    TransformerEncoderLayer.src_key_padding_mask TransformerDecoderLayer.tgt_mask
    TransformerDecoderLayer.memory_key_padding_mask""".split()) | {
    "x[...] = value", "LSTMCell.state of the cell"}

# Shapes of which a function takes any: numbers of indices, rows and columns of
# products, channels and kernels of weights, sides of systems.
TAKEN = {name: shapes.split(", ") for shapes, names in (
    ("axis after",
     "as_strided_scatter.src tensordot.y put.index put.source "
     "nn.CrossEntropyLoss.label nn.NLLLoss.label nn.functional.cross_entropy.label "
     "nn.functional.nll_loss.label linalg.tensordot.y histogram.weight"),
    ("empty, fewer 1, more 1, one 1",
     "gather.index"),
    ("empty, fewer 0, more 0, one 0",
     "index_select.index cartesian_prod.tensors outer.y bucketize.boundaries "
     "linalg.outer.y embedding_bag.offsets"),
    ("empty, fewer 0, one 0",
     "scatter.index scatter_add.index ormqr.tau scatter_reduce.index "
     "linalg.householder_product.tau"),
    ("empty, fewer 0, more 0, one 0, fewer 1, more 1, one 1, axis less",
     "block_diag.tensors"),
    ("axis after, empty, fewer 0, more 0, one 0, axis less",
     "meshgrid.indexing searchsorted.values take.indices quantile.q x[index]"),
    ("fewer 0, more 0, one 0",
     "cdist.y nn.functional.bilinear.weight"),
    ("one 1",
     "einsum.operands"),
    ("fewer 0, more 0, one 0, axis less",
     "inner.y"),
    ("axis after, empty, more 0, fewer 1, more 1",
     "isin.elements"),
    ("axis after, fewer 1, more 1, one 1, axis less",
     "ormqr.other matmul.y mm.y linalg.solve.y linalg.matmul.y linalg.lstsq.y "
     "linalg.solve_ex.y"),
    ("empty, more 0",
     "index_fill.index"),
    ("axis after, more 0, more 1",
     "masked_scatter.source"),
    ("more 0, fewer 1, more 1",
     "scatter_reduce.src"),
    ("fewer 2, more 2, one 2",
     "bmm.y nn.functional.scaled_dot_product_attention.value"),
    ("axis after, empty, fewer 0, more 0, one 0, fewer 1, more 1, one 1, axis less",
     "kron.y"),
    ("more 1",
     "nn.CTCLoss.label nn.TransformerDecoder.memory "
     "nn.TransformerDecoderLayer.memory nn.functional.ctc_loss.label"),
    ("fewer 0, more 0, one 0, fewer 2, more 2, one 2",
     "nn.functional.conv1d.weight"),
    ("fewer 0, more 0, one 0, fewer 2, more 2, one 2, fewer 3, more 3, one 3",
     "nn.functional.conv2d.weight"),
    ("fewer 0, more 0, one 0, fewer 2, more 2, one 2, fewer 3, more 3, one 3, fewer 4, more 4, one 4",
     "nn.functional.conv3d.weight"),
    ("fewer 1, more 1, one 1, fewer 2, more 2, one 2",
     "nn.functional.conv_transpose1d.weight nn.functional.grid_sample.grid "
     "grid_sample.grid"),
    ("fewer 1, more 1, one 1, fewer 2, more 2, one 2, fewer 3, more 3, one 3",
     "nn.functional.conv_transpose2d.weight"),
    ("fewer 1, more 1, one 1, fewer 2, more 2, one 2, fewer 3, more 3, one 3, fewer 4, more 4, one 4",
     "nn.functional.conv_transpose3d.weight"),
    ("empty, fewer 0, more 0, fewer 1, more 1, one 1",
     "nn.functional.embedding.weight nn.functional.embedding_bag.weight"),
    ("fewer 1, more 1, one 1",
     "nn.functional.linear.weight"),
    ("fewer 0, more 0",
     "nn.functional.linear_cross_entropy.linear_weight"),
    ("axis after, fewer 1, more 1, one 1",
     "linalg.lu_solve.B linalg.solve_triangular.y"),
    ("axis less",
     "gradient.spacing"),
) for name in names.split()}
