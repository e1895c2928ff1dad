# SPDX-License-Identifier: Apache-2.0
"""The functions of one and of two real numbers without columns of their own, and why.
elementwise_rows_test.py finds all that are public."""

# They have the bits of another function, whose columns they share.
SAME_AS = {
    "expit": "sigmoid", "gammaln": "lgamma", "negative": "neg", "psi": "digamma",
    "sgn": "sign", "tanhshrink": "tanh_shrink",
    "modified_bessel_i0": "i0", "modified_bessel_i1": "i1",
    "sub": "subtract", "mul": "multiply", "div": "divide", "true_divide": "divide",
    "igamma": "gammainc", "igammac": "gammaincc", "max": "maximum", "min": "minimum",
    "clamp": "maximum", "clip": "maximum", "clamp_min": "maximum",
    "clamp_max": "minimum", "elementwise_add": "add", "elementwise_sub": "subtract",
    "elementwise_mul": "multiply", "elementwise_div": "divide",
    "elementwise_max": "maximum", "elementwise_min": "minimum",
    "elementwise_floordiv": "floor_divide", "elementwise_mod": "remainder",
    "elementwise_pow": "pow", "legacy_elementwise_pow": "pow",
}

# They give one of the arguments, bit for bit: the first, or the second.
FIRST = frozenset("""alias_copy as_tensor asarray assign astype atleast_1d cartesian_prod
    cast clamp clip conj conj_physical contiguous detach expand_as flatten from_dlpack
    hstack label_smooth legacy_crop merge_selected_rows nan_to_num
    positive pow ravel real reduce_as resolve_conj resolve_neg scale
    squeeze squeeze_copy t_copy tensor tile tile_as transfer_layout transpose
    unique_consecutive with_sequences""".split())
SECOND = frozenset({"pad_constant_like", "slice_scatter"})

# The reasons why the others have no columns.
REASONS = {
    "ones_like": "a constant", "zeros_like": "a constant", "fill": "a constant",
    "fill_any": "a constant", "empty_like": "no values",
    "alpha_dropout": "at random", "feature_alpha_dropout": "at random",
    "float_power": "pow's kernel in float64",
    "increment": "add of 1",
    "rsub": "subtract, the other way round",
    "nextafter": "bits, of //phi/kernels:all",
    "view_dtype": "bits, of //python/tests:view_dtype_test",
    "bce_loss": "a loss of labels in [0, 1]: loss_test, half_precision_test",
    "sigmoid_cross_entropy_with_logits": "the same",
    "expm1_grad": "a gradient, within the columns of expm1",
    "selu_grad": "a gradient, within the columns of selu",
    "dequantize": "by a scale that is given, of //tests/optest",
    "dequantize_linear": "by a scale that is given, of //tests/optest",
    "quantize_dequantize": "by a scale that is given, of //tests/optest",
}
