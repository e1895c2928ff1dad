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

std::unique_ptr<Pass> MakeConstantFolding(const PassEnvironment& environment) {
  return std::make_unique<ConstantFolding>(environment.fold);
}

constexpr PassInfo kPasses[] = {
    {"to_value_form", Exactness::kExact,
     "Replaces in-place variants by operations that make new values.",
     "What uses a written value afterwards, or a view of it, uses the new one; "
     "a base is made again from a view that was written, if the view has all "
     "of "
     "its elements. Refuses writes that control flow decides about. All other "
     "passes, autodiff and lowering refuse in-place variants.",
     Make<ToValueForm>},
    {"identity_elimination", Exactness::kExact,
     "Replaces the result of an operation that changes nothing by its operand.",
     "A cast to the same dtype, a reshape to the same shape, a transposition "
     "that moves no axis, a dropout that only training scales, in the test "
     "phase, and the like; also two of them in a row of which the second gives "
     "back what the first one took. A scale by one is not among them: it turns "
     "-0.0 "
     "into 0.0.",
     Make<IdentityElimination>},
    {"type_inference", Exactness::kExact,
     "Infers the types of results again, where operands are known better.",
     "Keeps what is known already, and the types of values that control flow "
     "reads, whose blocks declare them.",
     Make<TypeInference>},
    {"constant_folding", Exactness::kExact,
     "Runs pure operations on constants and keeps their results instead.",
     "Leaves alone what draws random numbers, control flow, results over 64 "
     "KiB, and operations that fail on their constants: the run will say why.",
     MakeConstantFolding},
    {"common_subexpression_elimination", Exactness::kExact,
     "Keeps the first of equal pure operations.",
     "The first two operands of a commutative operator on integers may be in "
     "either order. Leaves alone what draws random numbers and control flow.",
     Make<CommonSubexpressionElimination>},
    {"scale_fusion", Exactness::kRelaxed,
     "Makes one scale of two in a row, and none of one that scales by one.",
     "For floating tensors only, and where nobody else uses the inner result. "
     "Rounds once where two operators rounded twice.",
     Make<ScaleFusion>},
    {"activation_fusion", Exactness::kRelaxed,
     "Makes one operation of the parts of hard-swish and SiLU.",
     "As x * clip(x + 3, 0, 6) / 6 and x * sigmoid(x), with factors at any "
     "place. Also x * (gate + 1) of x + x * gate, for a gate that is "
     "broadcast. Leaves alone other numbers, which may be off by 1e-6 of "
     "these.",
     MakeFusion<ActivationFusion>},
    {"conv_fusion", Exactness::kRelaxed,
     "Makes one operation of a convolution and what follows it.",
     "Batch norms by running statistics, biases and scales of channels go into "
     "the weights; a sum with a tensor of surely the same extents, an "
     "activation function and one affine map of all elements into the "
     "convolution's epilogue. Leaves alone what others use between, and "
     "weights that the program writes. Rounds sums otherwise, and oneDNN's "
     "activation functions make numbers of NaN.",
     MakeFusion<ConvFusion>},
    {"int8_fusion", Exactness::kRelaxed,
     "Makes convolutions of integers of those between quantisers.",
     "Off unless a program is loaded with `relaxed=\"precision=int8\"`. Of "
     "images and filters that went through a quantiser and dequantiser of 8 "
     "bits, with scales that no run changes; takes the epilogue that "
     "conv_fusion gave the convolution along, except an affine map. A filter "
     "becomes integers once; a result becomes those of the next convolution "
     "where nothing else reads it. Leaves alone what integers make slower: "
     "convolutions by groups, of fewer than 256 products for each sum, and of "
     "single pixels. Sums are exact. A number near the middle of two steps may "
     "become the other one, which later layers may amplify.",
     MakeFusion<Int8Fusion>},
    {"squeeze_excite_fusion", Exactness::kRelaxed,
     "Makes one operation of a squeeze-and-excite block.",
     "Of the mean of each channel, two convolutions of 1 x 1 that conv_fusion "
     "has given their activation functions, and the product with the image, "
     "of the gate or of the gate plus a number. "
     "Leaves alone what others use between. Rounds sums otherwise.",
     MakeFusion<SqueezeExciteFusion>},
    {"linear_fusion", Exactness::kRelaxed,
     "Makes one operation of a product with a matrix and what follows it.",
     "A bias of each column, a tensor of surely the same extents, then an "
     "activation function, gelu among them. Takes matmul and mul, which fc "
     "is too, of float32 and float64, and convolutions of 1 x 1 of images of "
     "one pixel. A matrix that no run changes is packed "
     "once, whether anything follows or not; only such a one may be "
     "transposed, or a filter. Leaves alone what others use between.",
     MakeFusion<LinearFusion>},
    {"attention_fusion", Exactness::kRelaxed,
     "Makes one operation of attention.",
     "Of softmax(scale q k^T + mask) v, with the scale at either factor, at "
     "their product or in parts at all, k transposed by the product or before "
     "it, with a mask or without. Its scores are those of some rows at a time. "
     "Leaves alone what others use between, and q, k and v of different ranks. "
     "Rounds the scale otherwise.",
     MakeFusion<AttentionFusion>},
    {"dead_code_elimination", Exactness::kExact,
     "Removes pure operations whose results nobody uses.",
     "Keeps what has a side effect, and all feeds and states.",
     Make<DeadCodeElimination>},
    {"inplace", Exactness::kExact,
     "Lets kernels write into the memory of operands that die there.",
     "For the kernel dialect. Never overwrites feeds, states, constants, "
     "arguments of inner blocks or results of control flow.",
     Make<Inplace>},
};

}  // namespace

absl::Span<const PassInfo> AllPasses() { return kPasses; }

}  // namespace switchyard::static_graph
