# SPDX-License-Identifier: Apache-2.0
"""Which function draws the cases of which operator."""

import contributed
import elementwise
import indexing
import layers
import learned
import lists
import quantised
import regions
import shapes
import steps
import texts
import windows


# A function, then operators whose cases it draws.
_PLAIN = {
    elementwise.unary: (
        "Abs Acos Acosh Asin Asinh Atan Atanh BitwiseNot Ceil Cos "
        "Cosh Elu Erf Exp Floor HardSigmoid IsNaN LeakyRelu "
        "Log Neg Not Reciprocal Relu Round Selu Sigmoid Sign Sin "
        "Sinh Softplus Sqrt Swish Tan Tanh ThresholdedRelu"),
    elementwise.celu: "Celu",
    elementwise.saturating: "HardSwish Mish Softsign",
    windows.affine_grid: "AffineGrid",
    elementwise.arg_extremum: "ArgMax ArgMin",
    steps.attention: "Attention",
    layers.batch_norm: "BatchNormalization",
    elementwise.bitcast: "BitCast",
    steps.window: "BlackmanWindow HammingWindow HannWindow",
    elementwise.cast: "Cast",
    elementwise.cast_like: "CastLike",
    steps.causal_convolution: "CausalConvWithState",
    shapes.center_crop_pad: "CenterCropPad",
    elementwise.clip: "Clip",
    windows.col2im: "Col2Im",
    shapes.compress: "Compress",
    shapes.concat: "Concat",
    shapes.constant_of_shape: "ConstantOfShape",
    windows.integer_convolution: "ConvInteger",
    elementwise.running: "CumProd CumSum",
    steps.dft: "DFT",
    windows.deform_conv: "DeformConv",
    shapes.depth_to_space: "DepthToSpace",
    layers.dequantize: "DequantizeLinear",
    layers.det: "Det",
    elementwise.dropout: "Dropout",
    layers.dynamic_quantize: "DynamicQuantizeLinear",
    layers.einsum: "Einsum",
    shapes.expand: "Expand",
    shapes.eye_like: "EyeLike",
    shapes.flatten: "Flatten",
    indexing.gather: "Gather",
    indexing.gather_elements: "GatherElements",
    indexing.gather_nd: "GatherND",
    elementwise.gelu: "Gelu",
    layers.gemm: "Gemm",
    windows.grid_sample: "GridSample",
    layers.group_norm: "GroupNormalization",
    elementwise.identity: "Identity",
    layers.instance_norm: "InstanceNormalization",
    elementwise.isinf: "IsInf",
    layers.lrn: "LRN",
    layers.layer_norm: "LayerNormalization",
    steps.linear_attention: "LinearAttention",
    layers.lp_norm: "LpNormalization",
    layers.matmul: "MatMul",
    layers.integer_product: "MatMulInteger",
    elementwise.variadic: "Max Mean Min Sum",
    windows.max_unpool: "MaxUnpool",
    layers.mean_variance: "MeanVarianceNormalization",
    steps.mel_weights: "MelWeightMatrix",
    layers.likelihood_loss: "NegativeLogLikelihoodLoss",
    indexing.suppression: "NonMaxSuppression",
    elementwise.non_zero: "NonZero",
    indexing.one_hot: "OneHot",
    elementwise.prelu: "PRelu",
    shapes.pad: "Pad",
    windows.quantized_convolution: "QLinearConv",
    layers.quantized_product: "QLinearMatMul",
    layers.quantize: "QuantizeLinear",
    shapes.range_: "Range",
    shapes.reshape: "Reshape",
    windows.resize: "Resize",
    shapes.reverse_sequence: "ReverseSequence",
    indexing.roi_align: "RoiAlign",
    steps.rotary_embedding: "RotaryEmbedding",
    steps.stft: "STFT",
    indexing.scatter_elements: "Scatter ScatterElements",
    indexing.scatter_nd: "ScatterND",
    shapes.shape_: "Shape Size",
    elementwise.shrink: "Shrink",
    shapes.slice_: "Slice",
    shapes.space_to_depth: "SpaceToDepth",
    shapes.split: "Split",
    shapes.squeeze: "Squeeze",
    elementwise.swiglu: "SwiGLU",
    indexing.tensor_scatter: "TensorScatter",
    shapes.tile: "Tile",
    indexing.topk: "TopK",
    shapes.transpose: "Transpose",
    shapes.trilu: "Trilu",
    shapes.unique: "Unique",
    shapes.unsqueeze: "Unsqueeze",
    windows.upsample: "Upsample",
    elementwise.where: "Where",
    contributed.simplified_norm: "SimplifiedLayerNormalization",
    lists.at: "SequenceAt",
    lists.bernoulli: "Bernoulli",
    lists.construct: "SequenceConstruct",
    lists.empty: "SequenceEmpty",
    lists.erase: "SequenceErase",
    lists.has_element: "OptionalHasElement",
    lists.insert: "SequenceInsert",
    lists.join: "ConcatFromSequence",
    lists.length: "SequenceLength",
    lists.multinomial: "Multinomial",
    lists.of_optional: "OptionalGetElement",
    lists.optional: "Optional",
    lists.random: "RandomNormal RandomUniform",
    lists.random_like: "RandomNormalLike RandomUniformLike",
    lists.roi_pool: "MaxRoiPool",
    lists.split: "SplitToSequence",
    regions.branch: "If",
    regions.constant: "Constant",
    regions.loop: "Loop",
    regions.scan: "Scan",
    regions.sequence_map: "SequenceMap",
    texts.concat: "StringConcat",
    texts.grams: "TfIdfVectorizer",
    texts.match: "RegexFullMatch",
    texts.normalize: "StringNormalizer",
    texts.split: "StringSplit",
}
# Those that get the operator's name, too.
_NAMED = {
    elementwise.softmax: "Hardmax LogSoftmax Softmax",
    elementwise.reduce: (
        "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax "
        "ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare"),
    elementwise.binary: (
        "Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Div Equal "
        "Greater GreaterOrEqual Less LessOrEqual Mod Mul Or Pow Sub "
        "Xor"),
    windows.pool: (
        "AveragePool LpPool MaxPool"),
    windows.conv: (
        "Conv ConvTranspose"),
    steps.rnn: (
        "GRU LSTM RNN"),
    windows.global_pool: (
        "GlobalAveragePool GlobalLpPool GlobalMaxPool"),
}


# Those of ai.onnx.ml.
_LEARNED = {
    learned.binarizer: "Binarizer",
    learned.categories: "CategoryMapper",
    learned.ensemble: "TreeEnsemble",
    learned.extractor: "ArrayFeatureExtractor",
    learned.features: "FeatureVectorizer",
    learned.imputer: "Imputer",
    learned.label_encoder: "LabelEncoder",
    learned.linear_classifier: "LinearClassifier",
    learned.linear_regressor: "LinearRegressor",
    learned.normalizer: "Normalizer",
    learned.one_hot: "OneHotEncoder",
    learned.scaler: "Scaler",
    learned.tree_classifier: "TreeEnsembleClassifier",
    learned.tree_regressor: "TreeEnsembleRegressor",
    learned.vector_classifier: "SVMClassifier",
    learned.vector_regressor: "SVMRegressor",
    learned.zip_map: "ZipMap",
}
# Those of ONNX Runtime, in its domain.
_MICROSOFT = {
    contributed.unary: "Gelu QuickGelu",
    contributed.biased: "BiasGelu",
    contributed.perhaps_biased: "FastGelu",
    contributed.product: "FusedMatMul",
    contributed.fused_gemm: "FusedGemm",
    contributed.fused_conv: "FusedConv",
    contributed.embed: "EmbedLayerNormalization",
    contributed.skip_norm: "SkipLayerNormalization",
    contributed.skip_simplified_norm: "SkipSimplifiedLayerNormalization",
    contributed.self_attention: "Attention",
    contributed.multi_head: "MultiHeadAttention",
    contributed.grouped: "GroupQueryAttention",
    contributed.rotary: "RotaryEmbedding",
    quantised.attention: "QAttention",
    quantised.average_pool: "QLinearAveragePool",
    quantised.binary: "QLinearAdd QLinearMul",
    quantised.concat: "QLinearConcat",
    quantised.convolution: "QLinearConv",
    quantised.dequantize: "DequantizeLinear",
    quantised.dynamic_product: "DynamicQuantizeMatMul",
    quantised.gemm: "QGemm",
    quantised.global_pool: "QLinearGlobalAveragePool",
    quantised.lstm: "DynamicQuantizeLSTM",
    quantised.mean: "QLinearReduceMean",
    quantised.packed_product: "MatMulNBits",
    quantised.product: "MatMulIntegerToFloat",
    quantised.quantize: "QuantizeLinear",
    quantised.softmax: "QLinearSoftmax",
    quantised.unary: "QLinearLeakyRelu QLinearSigmoid",
    quantised.where: "QLinearWhere",
}


def _table():
    table = {}
    for function, names in _PLAIN.items():
        for name in names.split():
            table[name] = function
    for function, names in _NAMED.items():
        for name in names.split():
            table[name] = (lambda g, function=function, name=name:
                           function(g, name))
    for domain, functions in (("ai.onnx.ml", _LEARNED),
                              ("com.microsoft", _MICROSOFT)):
        for function, names in functions.items():
            for name in names.split():
                table[f"{domain}.{name}"] = function
    for name in ("Adagrad", "Adam", "Momentum"):
        table["ai.onnx.preview.training." + name] = (
            lambda g, name=name: lists.optimizer(g, name))
    table["RMSNormalization"] = lambda g: layers.layer_norm(g, False)
    table["SoftmaxCrossEntropyLoss"] = lambda g: layers.likelihood_loss(g, True)
    return table


TABLE = _table()
