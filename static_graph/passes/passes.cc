// SPDX-License-Identifier: Apache-2.0
#include "static_graph/passes/passes.h"

#include <memory>

#include "static_graph/fusion/activation_fusion.h"
#include "static_graph/fusion/attention_fusion.h"
#include "static_graph/fusion/conv_fusion.h"
#include "static_graph/fusion/int8_fusion.h"
#include "static_graph/fusion/linear_fusion.h"
#include "static_graph/fusion/scale_fusion.h"
#include "static_graph/fusion/squeeze_excite_fusion.h"
#include "static_graph/passes/bfloat16_products.h"
#include "static_graph/passes/common_subexpression_elimination.h"
#include "static_graph/passes/constant_folding.h"
#include "static_graph/passes/dead_code_elimination.h"
#include "static_graph/passes/identity_elimination.h"
#include "static_graph/passes/inplace.h"
#include "static_graph/passes/to_value_form.h"
#include "static_graph/passes/type_inference.h"

namespace switchyard::static_graph {
namespace {

template <typename P>
std::unique_ptr<Pass> Make(const PassEnvironment&) {
  return std::make_unique<P>();
}

template <typename P>
std::unique_ptr<Pass> MakeFusion(const PassEnvironment& environment) {
  return std::make_unique<P>(environment.may_replace);
}

std::unique_ptr<Pass> MakeBfloat16Products(const PassEnvironment& environment) {
  return std::make_unique<Bfloat16Products>(environment.has_kernel);
}

std::unique_ptr<Pass> MakeConstantFolding(const PassEnvironment& environment) {
  return std::make_unique<ConstantFolding>(environment.fold);
}

constexpr PassInfo kPasses[] = {
    {"to_value_form", Exactness::kExact,
     "Replaces in-place variants by operations that make new values.",
     "Later readers of the written tensor, or of a view of it, read the new "
     "value. If a view was written that covers all elements of its base, the "
     "base is rebuilt from the view. Fails if control flow decides whether a "
     "write happens. Every other pass, autodiff and lowering require this "
     "form.",
     Make<ToValueForm>},
    {"identity_elimination", Exactness::kExact,
     "Replaces the result of an operation that changes nothing by its "
     "operand.",
     "Matches a cast to the same dtype, a reshape to the same shape, a "
     "transpose that moves no axis, a dropout in the test phase that scales "
     "only in training, and pairs of such operations where the second undoes "
     "the first. Keeps a scale by one, which turns -0.0 into 0.0.",
     Make<IdentityElimination>},
    {"type_inference", Exactness::kExact,
     "Infers result types again where operand types are known better.",
     "Keeps types that are known already, and the types of values that "
     "control flow carries, because its blocks declare them.",
     Make<TypeInference>},
    {"constant_folding", Exactness::kExact,
     "Evaluates pure operations on constants while the program loads.",
     "Skips random operators, control flow, results larger than 64 KiB, and "
     "operations that fail on their constants: those report their error when "
     "they run.",
     MakeConstantFolding},
    {"common_subexpression_elimination", Exactness::kExact,
     "Keeps the first of several equal pure operations.",
     "Treats the first two operands of a commutative operator on integers as "
     "unordered. Skips random operators and control flow.",
     Make<CommonSubexpressionElimination>},
    {"scale_fusion", Exactness::kRelaxed,
     "Merges two scales in a row and removes a scale by one.",
     "Applies to floating tensors, and only if the inner result has no other "
     "user. Rounds once where the two operators rounded twice.",
     Make<ScaleFusion>},
    {"activation_fusion", Exactness::kRelaxed,
     "Merges the parts of hard-swish and SiLU into one operation.",
     "Matches x * clip(x + 3, 0, 6) / 6 and x * sigmoid(x) with the factors "
     "in any order, and rewrites x + x * gate as x * (gate + 1) if the gate "
     "is broadcast. Constants may differ from these by 1e-6.",
     MakeFusion<ActivationFusion>},
    {"conv_fusion", Exactness::kRelaxed,
     "Merges a convolution with the operations that follow it.",
     "Folds batch norms by running statistics, biases and per-channel scales "
     "into the weights. Moves a sum with a tensor of provably equal extents, "
     "an activation function and one affine map of all elements into the "
     "epilogue of the convolution. Skips a match whose intermediate values "
     "have other users, and weights that the program writes. Changes the "
     "rounding of sums; the activation functions of oneDNN turn NaN into "
     "numbers.",
     MakeFusion<ConvFusion>},
    {"int8_fusion", Exactness::kRelaxed,
     "Runs convolutions between quantisers in integers.",
     "Off unless the program is loaded with `relaxed=\"precision=int8\"`. "
     "Matches convolutions whose image and filter pass through 8-bit quantise "
     "and dequantise operations with constant scales, or whose filter is held "
     "in 8 bits, as sy.quantize makes it, together with the epilogue that "
     "conv_fusion gave them, except an affine map. Quantises the filter once, "
     "and passes integers on if the next convolution is the only reader. "
     "Skips convolutions that integers make slower: grouped "
     "ones, sums of fewer than 256 products, and images of one pixel. Sums "
     "are exact; a value near the middle of two quantisation steps may round "
     "to the other step, and later layers may amplify that.",
     MakeFusion<Int8Fusion>},
    {"squeeze_excite_fusion", Exactness::kRelaxed,
     "Merges a squeeze-and-excite block into one operation.",
     "Matches mean over pixels, 1 x 1 convolution, 1 x 1 convolution (both "
     "with activations fused by conv_fusion), then the product of the image "
     "with the gate or with the gate plus a number. Skips a match whose "
     "intermediate values have other users. Changes the rounding of sums.",
     MakeFusion<SqueezeExciteFusion>},
    {"linear_fusion", Exactness::kRelaxed,
     "Merges a product with a matrix and the operations that follow it.",
     "Matches linear, matmul and mul (which fc becomes) of float32 and "
     "float64, and 1 x 1 convolutions of images of one pixel, followed by a "
     "bias per column, a sum with a tensor of provably equal extents and an "
     "activation function, gelu included. Packs the matrix once if no run "
     "changes it, even if nothing follows; only such a matrix may be "
     "transposed or a filter. Skips a match whose intermediate values have "
     "other users.",
     MakeFusion<LinearFusion>},
    {"attention_fusion", Exactness::kRelaxed,
     "Merges the operations of attention into one.",
     "Matches softmax(scale q k^T + mask) v: the scale on either factor, on "
     "their product or absent, k transposed by the product or before it, the "
     "mask optional. Holds the scores of some rows at a time, never all of "
     "them. Skips a match whose intermediate values have other users, and q, "
     "k and v of different ranks. Applies the scale at another place, which "
     "changes rounding.",
     MakeFusion<AttentionFusion>},
    {"bfloat16_products", Exactness::kRelaxed,
     "Computes products and convolutions in bfloat16.",
     "Off unless the program is loaded with `relaxed=\"precision=bfloat16\"` "
     "or `\"precision=bfloat16_emulated\"`. Goes by the rules of autocast: "
     "an operator that is narrow gets bfloat16, and so does one without a "
     "rule, as an activation function, a pooling or a reshape, if all that it "
     "reads is bfloat16 already, a parameter of one number a channel, or a "
     "constant that stays finite. Everything else gets float32: norms, "
     "softmax, sums, losses, fetches, states and the blocks of control flow. "
     "Skips operators without a kernel of bfloat16, composites that are not "
     "narrow, float64, and casts that the program has itself.",
     MakeBfloat16Products},
    {"dead_code_elimination", Exactness::kExact,
     "Removes pure operations whose results are unused.",
     "Keeps operations with side effects, feeds and states.",
     Make<DeadCodeElimination>},
    {"inplace", Exactness::kExact,
     "Lets kernels write into the memory of operands that die there.",
     "Runs on the kernel dialect. Never overwrites feeds, states, constants, "
     "arguments of inner blocks or results of control flow.",
     Make<Inplace>},
};

}  // namespace

absl::Span<const PassInfo> AllPasses() { return kPasses; }

}  // namespace switchyard::static_graph
