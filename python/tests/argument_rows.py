# SPDX-License-Identifier: Apache-2.0
"""Rows of the public functions and classes of the package: a valid call of each.

A function whose needed arguments are all named as in ORDINARY has its row by
them; others are in ROWS. NO_ROWS are those that a call can't be made of alone.
"""
import collections

import numpy as np

import switchyard as sy
from switchyard import nn, optim

f32 = np.float32


def matrix(rows=2, columns=3):
    size = rows * columns
    return sy.tensor(np.linspace(0.1, 0.9, size, dtype=f32).reshape(rows, columns))


def image(*extents):
    return sy.tensor(np.ones(extents, f32))


def bits():
    return sy.tensor(np.array([[1, 2, 3], [4, 5, 6]], np.int32))


def square():
    return sy.tensor(np.array([[4.0, 1.0], [1.0, 3.0]], f32))


def labels():
    return sy.tensor(np.array([0, 2]))


def leaf(gradient=False):
    p = sy.tensor(np.array([3.0, 4.0], f32), requires_grad=True)
    if gradient:
        p.grad = sy.ones([2])
    return p


def sgd():
    return optim.SGD([leaf()], 0.1)


def sparse():
    return sy.sparse.to_sparse_coo(matrix())


class Row(collections.namedtuple("Row", "args kwargs")):
    """How a call is made: positional arguments and others, each a function of
    nothing that makes the value, or the value."""

    @staticmethod
    def of(*args, **kwargs):
        return Row(args, kwargs)

    def made(self):
        def value(v):
            return v() if callable(v) and getattr(v, "__name__", "") in _MAKERS else v
        return [value(v) for v in self.args], {
            name: value(v) for name, v in self.kwargs.items()}


_MAKERS = ("matrix", "triples", "two", "image", "bits", "square", "labels", "leaf", "sgd", "sparse",
           "<lambda>", "made")

ORDINARY = {
    "x": matrix, "y": matrix, "input": matrix, "label": matrix,
    "axis": 0, "dim": 0, "parameters": lambda: [leaf(True)], "optimizer": sgd,
    "tensor": matrix, "shape": [2, 3], "kernel_size": 2, "output_size": 1,
    "in_channels": 2, "out_channels": 2, "input_size": 2, "hidden_size": 3,
    "embed_dim": 4, "num_heads": 2, "hidden_dim": 3, "num_layers": 1,
    "num_features": 3, "steps": 10, "dataset": [1, 2, 3], "norm": 1.0,
    "n": 2, "indices": labels, "axes": [1, 0],
}
row = Row.of
ROWS = {}


def _put(prefix, **rows):
    for name, made in rows.items():
        ROWS[f"{prefix}{name}"] = made


_put("", addcdiv=row(matrix, matrix, matrix), addcmul=row(matrix, matrix, matrix),
     addmm=row(square, square, square), bmm=row(lambda: image(2, 2, 2), lambda: image(2, 2, 2)),
     arange=row(5), as_tensor=row([1.0]), asarray=row([1.0]), astype=row(matrix, "float64"),
     bincount=row(labels), bitwise_and=row(bits, bits), bitwise_or=row(bits, bits),
     bitwise_xor=row(bits, bits), bitwise_not=row(bits), bitwise_invert=row(bits),
     bitwise_left_shift=row(bits, bits), bitwise_right_shift=row(bits, bits),
     broadcast_arrays=row(matrix, matrix), broadcast_shapes=row((2, 3), (3,)),
     broadcast_to=row(matrix, [2, 3]), can_cast=row("float32", "float64"),
     cat=row(lambda: [matrix(), matrix()]), concat=row(lambda: [matrix(), matrix()]),
     chunk=row(matrix, 2), complex=row(matrix, matrix), cross=row(matrix, matrix),
     diag_embed=row(matrix), diagonal=row(square), dot=row(lambda: sy.ones([3]), lambda: sy.ones([3])),
     einsum=row("ij,ij->i", matrix, matrix), expand=row(lambda: sy.ones([1, 3]), 2, 3),
     eye=row(3), finfo=row("float32"), iinfo=row("int32"), full=row([2], 1.0),
     full_like=row(matrix, 1.0), gather=row(matrix, 1, lambda: sy.tensor(np.array([[0, 1]]))),
     index_add=row(matrix, 1, labels, lambda: sy.ones([2, 2])),
     index_select=row(matrix, 1, labels), isdtype=row("float32", "numeric"),
     isin=row(matrix, matrix), lerp=row(matrix, matrix, 0.5),
     linspace=row(0.0, 1.0, 5), logcumsumexp=row(matrix),
     cumulative_sum=row(matrix, 0), cumulative_prod=row(matrix, 0),
     masked_fill=row(matrix, lambda: sy.ones([2, 3], "bool"), 1.0),
     masked_select=row(matrix, lambda: sy.ones([2, 3], "bool")),
     matmul=row(square, square), mm=row(square, square), meshgrid=row(lambda: sy.ones([2]), lambda: sy.ones([3])),
     moveaxis=row(matrix, 0, 1), multinomial=row(matrix, 2), mv=row(square, lambda: sy.ones([2])),
     narrow=row(matrix, 0, 0, 1), normal=row(0.0, 1.0), outer=row(lambda: sy.ones([2]), lambda: sy.ones([3])),
     pad=row(matrix, 1), permute=row(matrix, 1, 0), permute_dims=row(matrix, [1, 0]),
     pow=row(matrix, 2.0), randint=row(0, 5, [2]), randperm=row(5), repeat=row(matrix, 2),
     repeat_interleave=row(matrix, 2), reshape=row(matrix, 3, 2), result_type=row("float32", "float64"),
     roll=row(matrix, 1), scatter=row(matrix, 1, lambda: sy.tensor(np.array([[0], [1]])), 1.0),
     scatter_add=row(matrix, 1, lambda: sy.tensor(np.array([[0], [1]])), 1.0),
     searchsorted=row(lambda: sy.arange(5), labels), select=row(matrix, 0, 1), split=row(matrix, 1),
     stack=row(lambda: [matrix(), matrix()]), swapaxes=row(matrix, 0, 1), squeeze=row(lambda: sy.ones([1, 3]), 0),
     take=row(matrix, labels, axis=1), take_along_axis=row(matrix, lambda: sy.tensor(np.array([[0], [1]]))),
     tensordot=row(square, square), tile=row(matrix, 2, 2), topk=row(matrix, 2), trace=row(square),
     transpose=row(matrix), tril_indices=row(3, 3), triu_indices=row(3, 3), heaviside=row(matrix, matrix),
     where=row(lambda: sy.ones([2, 3], "bool"), matrix, matrix), from_numpy=row(lambda: np.ones(3)),
     from_dlpack=row(matrix), is_tensor=row(3), imag=row(lambda: sy.complex(matrix(), matrix())),
     set_grad_enabled=row(True), logaddexp=row(matrix, matrix), vecdot=row(matrix, matrix), rand=row(2, 3),
     randn=row(2, 3), zeros=row(2, 3), ones=row(2, 3), empty=row(2, 3), unstack=row(matrix), bernoulli=row(matrix),
     kron=row(matrix, matrix), kl_divergence=row(matrix, matrix), array_length=row(lambda: sy.create_array("float32")))
_put("nn.", GroupNorm=row(1, 2), Linear=row(3, 2), Embedding=row(5, 2), LayerNorm=row(3), RMSNorm=row(3),
     PixelShuffle=row(2), Parameter=row(matrix), Buffer=row(matrix), ParameterList=row(lambda: [leaf()]),
     Upsample=row(scale_factor=2.0), ModuleList=row(lambda: [nn.ReLU()]), CosineSimilarity=row(1))
image2 = row(lambda: image(1, 2, 4, 4), 2)
_put("nn.functional.", **{f"{kind}_pool{n}d": row(lambda n=n: image(1, 2, *[4] * n), 2)
                          for kind in ("max", "avg", "adaptive_avg", "adaptive_max") for n in (1, 2, 3)},
     **{f"conv{n}d": row(lambda n=n: image(1, 2, *[4] * n), lambda n=n: image(2, 2, *[2] * n)) for n in (1, 2, 3)},
     **{f"conv_transpose{n}d": row(lambda n=n: image(1, 2, *[4] * n), lambda n=n: image(2, 2, *[2] * n)) for n in (1, 2, 3)},
     batch_norm=row(matrix, lambda: sy.zeros([3]), lambda: sy.ones([3])),
     cosine_embedding_loss=row(matrix, matrix, lambda: sy.tensor([1, -1])), cosine_similarity=row(matrix, matrix),
     cross_entropy=row(matrix, labels), nll_loss=row(matrix, labels),
     ctc_loss=row(lambda: image(4, 1, 3), lambda: sy.tensor(np.array([[1, 2]], np.int32)), lambda: sy.tensor([4]), lambda: sy.tensor([2])),
     embedding=row(labels, lambda: image(5, 2)), group_norm=row(lambda: image(1, 2, 3), 2), interpolate=row(lambda: image(1, 2, 4, 4), 2),
     instance_norm=row(lambda: image(1, 2, 4)), layer_norm=row(matrix, 3), rms_norm=row(matrix, 3), linear=row(matrix, lambda: image(3, 2)),
     one_hot=row(labels, 3), pad=row(matrix, (1, 1)), pixel_shuffle=row(lambda: image(1, 4, 2, 2), 2),
     prelu=row(matrix, lambda: sy.ones([1])), dropout2d=row(lambda: image(1, 2, 3, 3)), glu=row(lambda: image(2, 4)),
     scaled_dot_product_attention=row(lambda: image(1, 2, 4), lambda: image(1, 2, 4), lambda: image(1, 2, 4)),
     triplet_margin_loss=row(matrix, matrix, matrix))
_put("nn.", Bilinear=row(2, 3, 4), Fold=row(2, 1), Transformer=row(4, 2, 1, 1, 3), ChannelShuffle=row(2), EmbeddingBag=row(5, 2), PixelUnshuffle=row(2),
     LocalResponseNorm=row(2), ParameterDict=row(lambda: {"a": leaf()}), Threshold=row(0.5, 0.0), TransformerDecoder=row(4, 2, 3, 1), TransformerEncoder=row(4, 2, 3, 1), Unflatten=row(1, [3, 1]),
     **{f"{kind}Pad{n}D": row(1) for kind in ("Circular", "Reflection", "Replication", "Zero") for n in (1, 2, 3)},
     **{f"ConstantPad{n}D": row(1, 2.0) for n in (1, 2, 3)})
_put("nn.functional.", threshold_=row(matrix, 0.5, 0.0), **{f"{name}_": row(matrix) for name in ("celu", "elu", "hardtanh", "leaky_relu", "relu", "rrelu", "selu")})
_put("nn.functional.", affine_grid=row(lambda: image(1, 2, 3), [1, 1, 2, 2]), bilinear=row(matrix, matrix, lambda: image(4, 3, 3)),
     channel_shuffle=row(lambda: image(1, 4, 2), 2), embedding_bag=row(lambda: sy.tensor(np.array([[0, 2]])), lambda: image(5, 2)),
     gaussian_nll_loss=row(matrix, matrix, 1.0), grid_sample=row(lambda: image(1, 1, 2, 2), lambda: image(1, 2, 2, 2)),
     local_response_norm=row(lambda: image(1, 4, 2), 2), margin_ranking_loss=row(matrix, matrix, matrix),
     multi_margin_loss=row(matrix, labels), multilabel_margin_loss=row(matrix, lambda: sy.tensor(np.array([[0, -1, -1], [2, 1, -1]]))),
     linear_cross_entropy=row(matrix, lambda: image(4, 3), labels),
     fractional_max_pool2d=row(lambda: image(1, 2, 4, 4), 2, 2), fractional_max_pool3d=row(lambda: image(1, 2, 4, 4, 4), 2, 2),
     pixel_unshuffle=row(lambda: image(1, 4, 2, 2), 2), threshold=row(matrix, 0.5, 0.0), dropout3d=row(lambda: image(1, 2, 3, 3, 3)),
     dropout1d=row(lambda: image(1, 2, 3)), triplet_margin_with_distance_loss=row(matrix, matrix, matrix),
     upsample_bilinear=row(lambda: image(1, 2, 4, 4), 2), upsample_nearest=row(lambda: image(1, 2, 4, 4), 2),
     unfold=row(lambda: image(1, 2, 4, 4), 2), fold=row(lambda: image(1, 8, 4), 4, 2, 1, 0, 2),
     **{f"max_unpool{n}d": row(lambda n=n: image(1, 2, *[2] * n), lambda n=n: sy.zeros([1, 2, *[2] * n], "int64"), 2) for n in (1, 2, 3)})
_put("nn.", LazyLinear=row(3), AdaptiveLogSoftmaxWithLoss=row(4, 5, [2]), LPPool1D=row(2.0, 2), LPPool2D=row(2.0, 2), LPPool3D=row(2.0, 2),
     UpsamplingNearest2D=row(2), UpsamplingBilinear2D=row(2), FractionalMaxPool2D=row(2, 2), FractionalMaxPool3D=row(2, 2))
_put("nn.functional.", upsample=row(lambda: image(1, 2, 4, 4), 2), lp_pool1d=row(lambda: image(1, 2, 4), 2.0, 2),
     lp_pool2d=row(lambda: image(1, 2, 4, 4), 2.0, 2), lp_pool3d=row(lambda: image(1, 2, 4, 4, 4), 2.0, 2))
_put("io.", ChainDataset=row([[1, 2], [3]]))
_put("nn.init.", dirac_=row(lambda: image(2, 2, 3)), eye_=row(matrix), sparse_=row(matrix, 0.5))
_put("nn.init.", Constant=row(1.0), by_inputs=row(3), calculate_gain=row("relu"), constant_=row(matrix, 1.0), fans=row([2, 3]))
_put("io.", DistributedSampler=row([1, 2, 3]))
_put("nn.utils.", clip_grad_norm_=row(lambda: [leaf(True)], 1.0), clip_grad_value_=row(lambda: [leaf(True)], 1.0),
     spectral_norm=row(lambda: nn.Linear(2, 3)), weight_norm=row(lambda: nn.Linear(2, 3)),
     pad_sequence=row(lambda: [sy.ones([2]), sy.ones([3])]), vector_to_parameters=row(lambda: sy.ones([2]), lambda: [leaf()]))
_put("optim.", ClipGradByValue=row(1.0), CosineDecay=row(sgd, 10), EMA=row(lambda: nn.Linear(2, 2)), ExponentialDecay=row(sgd, 0.5),
     Chained=row(lambda: [optim.StepDecay(sgd(), 2)]), InTurn=row(lambda: [optim.StepDecay(sgd(), 2)], []),
     LambdaDecay=row(sgd, lambda: (lambda n: 0.5)), MultiStepDecay=row(sgd, [2, 4]), OneCycle=row(sgd, 0.1, 10), StepDecay=row(sgd, 2),
     clip_grad_norm_=row(lambda: [leaf(True)], 1.0), clip_grad_value_=row(lambda: [leaf(True)], 1.0), global_norm=row(lambda: [sy.ones([2])]))
_put("optim.", Muon=row(lambda: [sy.ones([2, 2], requires_grad=True)]))
_put("io.", ConcatDataset=row(lambda: [[1, 2], [3]]), ArrayDataset=row(lambda: np.ones((2, 3))), BatchSampler=row([1, 2, 3], 2), Subset=row([1, 2, 3], [0, 1]),
     SubsetRandomSampler=row([0, 1]), WeightedRandomSampler=row([1.0, 2.0], 2), collate=row([1, 2]), random_split=row([1, 2, 3], [1, 2]),
     ProgressBar=row([1, 2]))
_put("distributions.", Bernoulli=row(0.5), Categorical=row([0.5, 0.5]), Normal=row(0.0, 1.0), Uniform=row(0.0, 1.0),
     kl_divergence=row(lambda: sy.distributions.Normal(0.0, 1.0), lambda: sy.distributions.Normal(0.0, 1.0)))
_put("distributions.", AffineTransform=row(0.0, 1.0), Beta=row(1.0, 2.0), Cauchy=row(0.0, 1.0), Chi2=row(2.0),
     Dirichlet=row([1.0, 2.0]), Exponential=row(1.0), Gamma=row(1.0, 2.0), Gumbel=row(0.0, 1.0), HalfNormal=row(1.0),
     Independent=row(lambda: sy.distributions.Normal([0.0, 1.0], 1.0), 1), Laplace=row(0.0, 1.0), LogNormal=row(0.0, 1.0),
     MultivariateNormal=row([0.0, 0.0], square), Poisson=row(1.0), StudentT=row(3.0), Geometric=row(0.5), Binomial=row(3, 0.5),
     TransformedDistribution=row(lambda: sy.distributions.Normal(0.0, 1.0), lambda: sy.distributions.ExpTransform()))
_normal, _exp = (lambda: sy.distributions.Normal([0.0, 1.0], 1.0)), (lambda: [sy.distributions.ExpTransform()])
_put("distributions.", ContinuousBernoulli=row(0.5), FisherSnedecor=row(1.0, 2.0), GeneralizedPareto=row(0.0, 1.0, 0.1), HalfCauchy=row(1.0),
     InverseGamma=row(1.0, 2.0), Kumaraswamy=row(1.0, 2.0), LKJCholesky=row(3), LogisticNormal=row([0.0], 1.0), Multinomial=row(2, [0.5, 0.5]),
     LowRankMultivariateNormal=row([0.0, 0.0], square, [1.0, 1.0]), NegativeBinomial=row(2.0, 0.5), OneHotCategorical=row([0.5, 0.5]),
     MixtureSameFamily=row(lambda: sy.distributions.Categorical([0.5, 0.5]), _normal), OneHotCategoricalStraightThrough=row([0.5, 0.5]),
     Pareto=row(1.0, 2.0), RelaxedBernoulli=row(0.5, 0.5), RelaxedOneHotCategorical=row(0.5, [0.5, 0.5]), VonMises=row(0.0, 1.0),
     Weibull=row(1.0, 2.0), Wishart=row(3.0, square), CatTransform=row(_exp), ComposeTransform=row(_exp), StackTransform=row(_exp),
     CumulativeDistributionTransform=row(_normal), IndependentTransform=row(lambda: sy.distributions.ExpTransform(), 1),
     PowerTransform=row(2.0), ReshapeTransform=row([2], [2, 1]), biject_to=row(lambda: sy.distributions.constraints.real),
     transform_to=row(lambda: sy.distributions.constraints.real), register_kl=row(lambda: sy.distributions.Gumbel, lambda: sy.distributions.Gamma))
_put("linalg.", **{name: row(square) for name in ("cholesky", "det", "eigh", "eigvalsh", "inv", "matrix_norm", "matrix_rank", "pinv", "qr",
                                                    "slogdet", "svd", "svdvals", "trace", "diagonal")},
     matrix_power=row(square, 2), solve=row(square, square), matmul=row(square, square), tensordot=row(square, square),
     outer=row(lambda: sy.ones([2]), lambda: sy.ones([3])), cross=row(matrix, matrix), vecdot=row(matrix, matrix))
_put("fft.", irfft=row(matrix), hfft=row(matrix))
_put("sparse.", **{name: row(sparse) for name in ("coalesce", "relu", "sum", "to_dense", "values")}, transpose=row(sparse, [1, 0]),
     matmul=row(sparse, lambda: image(3, 2)), mm=row(sparse, lambda: image(3, 2)), multiply=row(sparse, sparse), sparse_coo_tensor=row([[0, 1]], [1.0, 2.0], [2]),
     sparse_csr_tensor=row([0, 1, 2], [0, 1], [1.0, 2.0], [2, 2]), to_sparse_csr=row(matrix))
_put("", sparse_coo_tensor=row([[0, 1]], [1.0, 2.0], [2]), sparse_csr_tensor=row([0, 1, 2], [0, 1], [1.0, 2.0], [2, 2]))
_put("strings.", tensor=row("a"), lower=row(lambda: sy.strings.tensor("A")), upper=row(lambda: sy.strings.tensor("A")),
     concat=row(lambda: sy.strings.tensor("A"), lambda: sy.strings.tensor("B")), from_number=row([1.5]),
     to_number=row(lambda: sy.strings.tensor("1")), normalize=row(lambda: sy.strings.tensor(["A"])),
     split=row(lambda: sy.strings.tensor(["A b"])), find=row(lambda: sy.strings.tensor(["A"]), ["A"]), take=row([0], ["A"]),
     full_match=row(lambda: sy.strings.tensor(["A"]), "A"))
_put("static.", InputSpec=row([2, 3]), cond=row(lambda: sy.tensor([True]), then=lambda: (lambda: 1), otherwise=lambda: (lambda: 2)),
     trace=row(function=lambda: nn.ReLU(), examples=None), while_loop=row(condition=lambda: (lambda i: i < 2), body=lambda: (lambda i: i + 1), init=(0,)),
     train_step=row(lambda: nn.Linear(2, 2), loss=lambda: nn.MSELoss(), optimizer=None),
     TrainStep=row(lambda: nn.Linear(2, 2), loss=lambda: nn.MSELoss(), optimizer=None))

# Functions of PyTorch.


def triples():
    return image(2, 3, 3)


def two():
    return [matrix(), matrix()]


_put("", addbmm=row(matrix, lambda: image(1, 2, 2), lambda: image(1, 2, 3)), addmv=row(lambda: sy.ones([2]), square, lambda: sy.ones([2])),
     addr=row(matrix, lambda: sy.ones([2]), lambda: sy.ones([3])), baddbmm=row(lambda: image(1, 2, 2), lambda: image(1, 2, 2), lambda: image(1, 2, 2)),
     as_strided=row(matrix, [2], [1]), as_strided_copy=row(matrix, [2], [1]), as_strided_scatter=row(matrix, lambda: sy.ones([2]), [2], [1]),
     block_diag=row(matrix, square), broadcast_tensors=row(matrix, matrix), bucketize=row(matrix, lambda: sy.arange(3.0)),
     atleast_1d=row(matrix), atleast_2d=row(matrix), atleast_3d=row(matrix), cartesian_prod=row(lambda: sy.ones([2]), lambda: sy.ones([3])),
     cholesky=row(square), cholesky_inverse=row(square), cholesky_solve=row(square, square), column_stack=row(two), hstack=row(two), vstack=row(two),
     dstack=row(two), combinations=row(lambda: sy.ones([3])), constant_pad_nd=row(matrix, (1, 1)), clamp_max=row(matrix, 0.5), clamp_min=row(matrix, 0.5),
     det=row(square), inverse=row(square), slogdet=row(square), logdet=row(square), matrix_exp=row(square), matrix_power=row(square, 2),
     pinverse=row(square), qr=row(square), svd=row(square), lu=row(square), lu_unpack=row(square, lambda: sy.tensor(np.array([1, 2], np.int32))),
     lu_solve=row(square, square, lambda: sy.tensor(np.array([1, 2], np.int32))), triangular_solve=row(square, square),
     geqrf=row(square), stft=row(lambda: image(20), 4, return_complex=True), istft=row(lambda: sy.complex(image(3, 9), image(3, 9)), 4),
     ormqr=row(square, lambda: sy.ones([2]), square), diagonal_copy=row(square), diagonal_scatter=row(square, lambda: sy.ones([2])),
     hsplit=row(lambda: image(2, 4), 2), vsplit=row(lambda: image(2, 4), 2), dsplit=row(lambda: image(1, 1, 4), 2),
     tensor_split=row(matrix, 2), split_with_sizes=row(matrix, [1, 1]), split_with_sizes_copy=row(matrix, [1, 1]), unsafe_split=row(matrix, 1),
     unsafe_chunk=row(matrix, 2), expand_copy=row(lambda: image(1, 3), [2, 3]), narrow_copy=row(matrix, 0, 0, 1), permute_copy=row(matrix, [1, 0]),
     transpose_copy=row(matrix, 0, 1), unfold=row(matrix, 1, 2, 1), unfold_copy=row(matrix, 1, 2, 1), view_copy=row(matrix, [3, 2]),
     unflatten=row(matrix, 0, [2, 1]), movedim=row(matrix, 0, 1), sum_to_size=row(matrix, 1, 3), view_as_complex=row(lambda: image(3, 2)),
     view_as_real=row(lambda: sy.complex(matrix(), matrix())), float_power=row(matrix, 2.0), gcd=row(bits, bits), lcm=row(bits, bits),
     ldexp=row(matrix, matrix), mvlgamma=row(lambda: image(2) * 3.0, 2), igamma=row(matrix, matrix), igammac=row(matrix, matrix), polar=row(matrix, matrix), polygamma=row(1, matrix),
     geometric=row(matrix, 0.5), quantile=row(matrix, 0.5), nanquantile=row(matrix, 0.5), histogram=row(matrix, 4), histogramdd=row(matrix, 4),
     kthvalue=row(matrix, 1), take_along_dim=row(matrix, lambda: sy.tensor(np.array([[0], [1]])), 1),
     fill=row(matrix, 1.0), index_fill=row(matrix, 1, labels, 1.0), index_copy=row(matrix, 1, labels, lambda: image(2, 2)),
     index_put=row(matrix, lambda: [labels() - labels()], 1.0), index_reduce=row(triples, 1, labels, lambda: image(2, 2, 3), "amax"),
     masked_scatter=row(matrix, lambda: sy.ones([2, 3], "bool"), matrix), put=row(matrix, labels, lambda: sy.ones([2])),
     scatter_reduce=row(matrix, 1, lambda: sy.tensor(np.array([[0], [1]])), matrix, "sum"), select_scatter=row(matrix, lambda: sy.ones([3]), 0, 1),
     slice_scatter=row(matrix, matrix), trapezoid=row(matrix), trapz=row(matrix), cumulative_trapezoid=row(matrix),
     inner=row(matrix, matrix), vdot=row(lambda: sy.ones([3]), lambda: sy.ones([3])), cdist=row(matrix, matrix), renorm=row(matrix, 2.0, 0, 1.0),
     empty_permuted=row([2, 3], [0, 1]), empty_strided=row([2, 3], [3, 1]), logspace=row(0.0, 1.0, 5), nonzero_static=row(matrix, size=2),
     randint_like=row(matrix, 5), scalar_tensor=row(1.0), unravel_index=row(labels, [2, 3]))
_put("linalg.", **{name: row(square) for name in ("cholesky_ex", "cond", "eig", "eigvals", "polar", "inv_ex", "lu", "lu_factor", "lu_factor_ex", "matrix_exp", "vander")},
     householder_product=row(square, lambda: sy.ones([2])), lstsq=row(square, square), multi_dot=row(lambda: [square(), square()]),
     lu_solve=row(square, lambda: sy.tensor(np.array([1, 2], np.int32)), square), solve_ex=row(square, square),
     solve_triangular=row(square, square, upper=True), tensorinv=row(lambda: sy.ops.reshape(sy.eye(4), [2, 2, 2, 2])),
     tensorsolve=row(lambda: sy.ops.reshape(sy.eye(4), [2, 2, 2, 2]), square))
_put("special.", **{name: row(matrix, 2) for name in sy.special.__all__ if "polynomial" in name}, polygamma=row(1, matrix),
     multigammaln=row(lambda: image(2) * 3.0, 2), gammainc=row(matrix, matrix),
     gammaincc=row(matrix, matrix), zeta=row(lambda: matrix() + 2.0, matrix))
_put("signal.windows.", **{name: row(5) for name in sy.signal.windows.__all__ if name != "general_cosine"}, general_cosine=row(5, a=[0.5, 0.5]))

ROWS["autograd.set_grad_enabled"] = row(True)
ROWS["detect_anomaly"] = ROWS["autograd.detect_anomaly"] = row(False)

ROWS["generate"] = row(lambda: (lambda tokens, cache: sy.ones([*tokens.shape, 3])), [[0, 1]], 2)
ROWS["quantize"] = row(lambda: nn.Linear(2, 2), inputs=lambda: [square()])
ROWS["static.decode_step"] = ROWS["static.DecodeStep"] = row(lambda: nn.Linear(3, 2))

# Results, bases of users' classes, blocks and files.
NO_ROWS = frozenset("""
Event Stream Tensor TensorSpec array_pop array_read array_to_tensor array_write create_array current_stream
custom_op default_place device devices enable_grad explain export_onnx fallback_log inference_mode is_grad_enabled load load_state
manual_seed no_grad num_threads policy record_selections rng_state save seed set_default_place set_num_threads
set_rng_state synchronize tensor grad autograd.grad nn.Module nn.ModuleDict nn.Sequential nn.Identity nn.GlobalAvgPool2D
optim.Optimizer optim.Schedule io.Dataset io.IterableDataset io.StackDataset io.Sampler io.WorkerInfo io.worker_info
distributions.Distribution distributions.identity_transform amp.autocast amp.autocast_dtype static.Port static.Profile static.Program static.State
static.Symbol static.TrainFunction static.Value static.load static.save static.stages static.train_function
autograd.Function autograd.enable_grad autograd.inference_mode autograd.is_grad_enabled autograd.no_grad
plugins.Kernel plugins.Plugin plugins.load plugins.loaded static.train_step static.TrainStep static.trace
""".split())

# The arguments of each layer's forward; a matrix for each that is needed where it is not listed.
_IMAGES = {1: lambda: image(1, 2, 4), 2: lambda: image(1, 2, 4, 4), 3: lambda: image(1, 2, 4, 4, 4)}
_POINTS = {1: matrix, 2: lambda: image(2, 3, 2, 2), 3: lambda: image(2, 3, 2, 2, 2)}
_WORDS = lambda: image(1, 2, 4)
FORWARDS = {
    **{f"{name}{n}D{end}": row(_IMAGES[n]) for n in (1, 2, 3)
       for name, end in (("Conv", ""), ("Conv", "Transpose"), ("LazyConv", ""), ("LazyConv", "Transpose"),
                         ("MaxPool", ""), ("AvgPool", ""), ("AdaptiveAvgPool", ""), ("AdaptiveMaxPool", ""))},
    **{f"{lazy}BatchNorm{n}D": row(_POINTS[n]) for n in (1, 2, 3) for lazy in ("", "Lazy")},
    **{f"{lazy}InstanceNorm{n}D": row(lambda n=n: image(2, 3, *[2] * n)) for n in (1, 2, 3) for lazy in ("", "Lazy")},
    "Dropout2D": row(_IMAGES[2]), "Upsample": row(_IMAGES[2]), "GroupNorm": row(_IMAGES[1]),
    "PixelShuffle": row(lambda: image(1, 4, 2, 2)), "Embedding": row(labels), "GLU": row(_WORDS),
    "CrossEntropyLoss": row(matrix, labels), "NLLLoss": row(matrix, labels),
    "CosineEmbeddingLoss": row(matrix, matrix, lambda: sy.tensor([1, -1])),
    "CTCLoss": row(lambda: image(4, 1, 3), lambda: sy.tensor(np.array([[1, 2]], np.int32)),
                   lambda: sy.tensor([4]), lambda: sy.tensor([2])),
    **{name: row(lambda: image(2, 1, 2)) for name in ("RNN", "LSTM", "GRU")},
    **{f"{name}Cell": row(lambda: image(1, 2)) for name in ("RNN", "LSTM", "GRU")},
    "SyncBatchNorm": row(_POINTS[2]), "MultiheadAttention": row(_WORDS, _WORDS, _WORDS),
    "MultiHeadAttention": row(_WORDS), "TransformerEncoderLayer": row(_WORDS), "TransformerEncoder": row(_WORDS),
    "TransformerDecoderLayer": row(_WORDS, _WORDS), "TransformerDecoder": row(_WORDS, _WORDS),
    **{f"{kind}Pad{n}D": row(_IMAGES[n]) for n in (2, 3)
       for kind in ("Circular", "Constant", "Reflection", "Replication", "Zero")},
    "ChannelShuffle": row(_IMAGES[2]), "Dropout3D": row(_IMAGES[3]), "Softmax2D": row(_IMAGES[2]),
    "PixelUnshuffle": row(_IMAGES[2]), "Unfold": row(_IMAGES[2]),
    "EmbeddingBag": row(lambda: sy.tensor(np.array([[0, 1]]))),
    "Bilinear": row(lambda: image(1, 2), lambda: image(1, 3)),
    "MultiMarginLoss": row(matrix, labels),
    "MultiLabelMarginLoss": row(matrix, lambda: sy.tensor(np.array([[0, -1, -1], [1, 2, -1]]))),
    **{f"MaxUnpool{n}D": row(_IMAGES[n], lambda n=n: sy.zeros([1, 2, *[4] * n], "int64")) for n in (1, 2, 3)},
    "AdaptiveLogSoftmaxWithLoss": row(lambda: image(2, 4), lambda: sy.tensor(np.array([0, 4]))),
    **{f"LPPool{n}D": row(_IMAGES[n]) for n in (1, 2, 3)}, "UpsamplingNearest2D": row(_IMAGES[2]),
    "UpsamplingBilinear2D": row(_IMAGES[2]), "FractionalMaxPool2D": row(_IMAGES[2]), "FractionalMaxPool3D": row(_IMAGES[3]),
    "LocalResponseNorm": row(_IMAGES[2]), "Transformer": row(_WORDS, _WORDS), "Fold": row(_WORDS),
}


def train_step(**arguments):
    """A TrainStep of a layer, with some arguments in place of the usual."""
    model = nn.Linear(3, 2)
    usual = {"model": model, "loss": nn.CrossEntropyLoss(),
             "optimizer": optim.SGD(model.parameters(), 0.1)}
    return sy.static.train_step(**{**usual, **arguments})


def train_function(**arguments):
    """A TrainFunction, likewise."""
    model = nn.Linear(3, 2)
    usual = {"function": lambda x: model(x).sum(), "modules": [model],
             "optimizers": [optim.SGD(model.parameters(), 0.1)]}
    return sy.static.train_function(**{**usual, **arguments})


def trained(**arguments):
    """A step of a TrainStep, likewise."""
    usual = {"inputs": np.ones((2, 3), f32), "labels": np.array([0, 1])}
    return train_step()(**{**usual, **arguments})


def traced(**arguments):
    """A trace of a function of one example, likewise."""
    usual = {"function": lambda x: x + 1, "example": np.ones((2, 3), f32)}
    usual.update(arguments)
    return sy.static.trace(usual.pop("function"), usual.pop("example"), **usual)


# (function, {argument: what is wrong besides OTHERS}) of what is traced and trained.
TRACES = (
    (traced, {"function": [3], "example": [{}], "names": [3, [3], ["a", "b"]], "relaxed": [3],
              "policy": [3]}),
    (train_step, {"model": [3], "loss": [3], "optimizer": [3, leaf()], "inputs": [3], "labels": [3],
                  "scaler": [3], "accumulate": [1.5, 0, -1, float("nan"), 2**70, [1, 2]]}),
    (train_function, {"function": [3], "modules": [3, [3]], "optimizers": [3, [3]], "inputs": [3],
                      "scaler": [3]}),
    (trained, {"inputs": [], "labels": []}),
)
# {method of an optimizer: (argument, what is wrong besides OTHERS)}.
STEPS = {"step": ("closure", [3]), "minimize": ("loss", [3]), "load_state_dict": ("state", [3]),
         "add_param_group": ("group", [3])}
