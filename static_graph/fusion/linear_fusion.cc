// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/linear_fusion.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/dialect/conv2d.gen.h"
#include "static_graph/dialect/conv2d_epilogue.gen.h"
#include "static_graph/dialect/gelu.gen.h"
#include "static_graph/dialect/layer_norm.gen.h"
#include "static_graph/dialect/linear.gen.h"
#include "static_graph/dialect/linear_epilogue.gen.h"
#include "static_graph/dialect/matmul.gen.h"
#include "static_graph/dialect/mul.gen.h"
#include "static_graph/dialect/reshape.gen.h"
#include "static_graph/dialect/transpose.gen.h"
#include "static_graph/fusion/conv_patterns.h"
#include "static_graph/fusion/fixed_values.h"
#include "static_graph/fusion/replacement.h"
#include "static_graph/fusion/sum_pattern.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {
namespace {

// x, as a matrix whose rows its first `row_axes` axes number, times a matrix; a
// bias of each column, an addend of each element, a function of their sum.
struct LinearPattern {
  ir::Value x, matrix;
  int row_axes = 1;
  bool transposed = false;   // The matrix.
  bool is_weight = false;    // Whether no run changes the matrix; not read.
  bool of_pixels = false;    // A convolution of 1 x 1 of images of one pixel.
  ir::Value bias, residual;  // Null: none.
  PostOps post_ops;

  // Returns true if it is more than a product.
  bool has_epilogue() const { return bias || residual || !post_ops.empty(); }
};

// Whether `x` is a tensor of a dtype in which the fused operator has kernels.
bool IsTensor(ir::Value x) {
  const ir::TensorType type = x.tensor_type();
  return type && type.kind() == TensorKind::kDense && type.layout().strided() &&
         (type.dtype() == DataType::kFloat32 ||
          type.dtype() == DataType::kFloat64);
}

// Returns true if `bias`, aligned to the sums at `axis` (-1: at their last
// axes), has a number for each column.
bool IsColumnwise(ir::Value bias, int axis, ir::Value sums) {
  const ir::TensorType type = bias.tensor_type(), of_sums = sums.tensor_type();
  if (!type || type.kind() != TensorKind::kDense || !type.shape().known() ||
      type.dtype() != of_sums.dtype()) {
    return false;
  }
  const Shape &shape = type.shape(), &whole = of_sums.shape();
  if (shape.rank() == 0 || shape.rank() > whole.rank() ||
      (axis >= 0 && axis + shape.rank() != whole.rank())) {
    return false;
  }
  for (int i = 0; i + 1 < shape.rank(); ++i) {
    if (shape[i] != Dim(1)) return false;
  }
  return shape[shape.rank() - 1] == whole[whole.rank() - 1];
}

// Which operand of the sum is a bias of `sums`; null for none.
ir::Value ReadBias(const SumPattern& sum, ir::Value sums) {
  const bool first = sum.x == sums;
  const ir::Value bias = first ? sum.y : sum.x;
  // An axis counts for the second operand.
  if (bias == sums || (!first && sum.axis >= 0) ||
      !IsColumnwise(bias, sum.axis, sums)) {
    return ir::Value();
  }
  return bias;
}

// Whether `x` has rank 4 and its last two extents are 1.
bool IsOfPixels(ir::Value x) {
  const Shape& shape = x.tensor_type().shape();
  return shape.rank() == 4 && shape[2] == Dim(1) && shape[3] == Dim(1);
}

// Whether a convolution of 1 x 1 takes nothing but the pixel of each image.
bool TakesPixels(const LinearPattern& linear, int groups,
                 absl::Span<const int> paddings,
                 std::string_view padding_algorithm) {
  if (!IsTensor(linear.x) || !IsOfPixels(linear.x) ||
      linear.x.tensor_type().shape()[0].symbolic() ||
      !IsTensor(linear.matrix) || !IsOfPixels(linear.matrix) ||
      !linear.matrix.tensor_type().shape().known() || groups != 1) {
    return false;
  }
  return padding_algorithm != "EXPLICIT" ||
         std::all_of(paddings.begin(), paddings.end(),
                     [](int padding) { return padding == 0; });
}

// Reads conv2d and conv2d_epilogue of images of one pixel.
std::optional<LinearPattern> ReadConvOfPixels(const ir::Operation& op) {
  LinearPattern linear;
  linear.of_pixels = linear.transposed = true;
  if (const auto conv = Conv2dOp::Match(op)) {
    linear.x = conv->input();
    linear.matrix = conv->filter();
    if (conv->data_format() != "NCHW" ||
        !TakesPixels(linear, conv->groups(), conv->paddings(),
                     conv->padding_algorithm())) {
      return std::nullopt;
    }
    return linear;
  }
  const auto conv = Conv2dEpilogueOp::Match(op);
  if (!conv.has_value()) return std::nullopt;
  linear.x = conv->input();
  linear.matrix = conv->filter();
  linear.bias = conv->bias();
  if (!TakesPixels(linear, conv->groups(), conv->paddings(),
                   conv->padding_algorithm()) ||
      conv->residual() || conv->out_scale() || conv->out_shift()) {
    return std::nullopt;
  }
  linear.post_ops = conv->post_ops();
  return linear;
}

PostOps ReadLinearActivation(const ir::Operation& op) {
  if (const auto gelu = GeluOp::Match(op)) {
    return MakePostOps(gelu->approximate() ? PostOpKind::kGeluTanh
                                           : PostOpKind::kGelu);
  }
  return ReadActivation(op);
}

// Reads linear, matmul and mul (fc in a program) of float32 or float64 by a
// matrix, and convolutions of 1 x 1 of images of one pixel by a transposed one.
std::optional<LinearPattern> ReadLinear(const ir::Operation& op) {
  LinearPattern linear;
  if (const auto product = MatmulOp::Match(op)) {
    if (product->transpose_x() || !IsTensor(product->x())) return std::nullopt;
    linear.x = product->x();
    linear.matrix = product->y();
    linear.transposed = product->transpose_y();
    linear.row_axes = linear.x.tensor_type().shape().rank() - 1;
  } else if (const auto layer = LinearOp::Match(op)) {
    if (!IsTensor(layer->x())) return std::nullopt;
    linear.x = layer->x();
    linear.matrix = layer->weight();
    linear.bias = layer->bias();
    linear.row_axes = linear.x.tensor_type().shape().rank() - 1;
  } else if (const auto product = MulOp::Match(op)) {
    linear.x = product->x();
    linear.matrix = product->y();
    linear.row_axes = product->x_num_col_dims();
  } else {
    return ReadConvOfPixels(op);
  }
  if (linear.row_axes < 1 || !IsTensor(linear.x) || !IsTensor(linear.matrix) ||
      linear.matrix.tensor_type().shape().rank() != 2) {
    return std::nullopt;
  }
  return linear;
}

// Returns the addend of `x` if `op` is a sum of two tensors of one type, else
// null.
ir::Value ReadElementAddend(const ir::Operation& op, ir::Value x) {
  const std::optional<SumPattern> sum = ReadSum(op);
  if (!sum.has_value()) return ir::Value();
  const ir::Value other = sum->other(x);
  return other != x && other.type() == x.type() ? other : ir::Value();
}

// Returns the operand that has all extents of the result except the last one;
// null for an operation that is not known to have one.
ir::Value ReadRows(const ir::Operation& op) {
  if (op.num_results() == 0 || op.num_operands() == 0) return ir::Value();
  const ir::Value x = op.operand(0);
  const ir::TensorType type = x.tensor_type();
  if (!type || !op.result(0).tensor_type()) return ir::Value();
  if (const std::optional<LinearPattern> linear = ReadLinear(op)) {
    return linear->row_axes == type.shape().rank() - 1 ? x : ir::Value();
  }
  if (op.has<ir::ElementwiseTrait>() && op.num_operands() == 1) return x;
  if (LayerNormOp::Match(op).has_value()) return x;
  const std::optional<SumPattern> sum = ReadSum(op);
  if (!sum.has_value()) return ir::Value();
  for (const ir::Value sums : {sum->x, sum->y}) {
    if (sums.type() == op.result(0).type() && ReadBias(*sum, sums)) return sums;
  }
  return ir::Value();
}

// Takes `op`, which uses the layer's result `sums`, into the layer: a sum with
// a number for each column, then one with a tensor of the same shape, which
// `have_same_shape` knows, then an activation function. Returns false, and
// changes nothing, if it is none of these.
bool TakeStep(const ir::Operation& op, ir::Value sums,
              absl::FunctionRef<bool(ir::Value, ir::Value)> have_same_shape,
              LinearPattern* linear) {
  if (linear->of_pixels || !linear->post_ops.empty() || op.num_results() != 1 ||
      op.result(0).type() != sums.type()) {
    return false;
  }
  if (!linear->bias && !linear->residual) {
    const std::optional<SumPattern> sum = ReadSum(op);
    if (sum.has_value()) linear->bias = ReadBias(*sum, sums);
    if (linear->bias) return true;
  }
  if (!linear->residual) {
    const ir::Value addend = ReadElementAddend(op, sums);
    if (addend && have_same_shape(sums, addend)) {
      linear->residual = addend;
      return true;
    }
  }
  linear->post_ops = ReadLinearActivation(op);
  return !linear->post_ops.empty();
}

absl::StatusOr<ir::Value> BuildLinear(ir::Builder& builder,
                                      const LinearPattern& linear) {
  const auto reshaped =
      [&](ir::Value x,
          absl::Span<const int64_t> shape) -> absl::StatusOr<ir::Value> {
    SY_ASSIGN_OR_RETURN(const ReshapeOp reshape,
                        ReshapeOp::Build(builder, x, shape));
    return reshape.out();
  };
  ir::Value matrix = linear.matrix, bias = linear.bias;
  if (linear.of_pixels) {
    const Shape& filter = matrix.tensor_type().shape();
    SY_ASSIGN_OR_RETURN(matrix,
                        reshaped(matrix, {filter.extent(0), filter.extent(1)}));
  }
  if (linear.transposed) {
    SY_ASSIGN_OR_RETURN(const TransposeOp transposed,
                        TransposeOp::Build(builder, matrix, {1, 0}));
    matrix = transposed.out();
  }
  if (bias && bias.tensor_type().shape().rank() != 1) {
    SY_ASSIGN_OR_RETURN(bias, reshaped(bias, {-1}));
  }
  SY_ASSIGN_OR_RETURN(const LinearEpilogueOp fused,
                      LinearEpilogueOp::Build(
                          builder, linear.x, matrix, bias, linear.residual,
                          linear.row_axes, linear.post_ops, linear.is_weight));
  if (!linear.of_pixels) return fused.out();
  return reshaped(fused.out(),
                  {-1, matrix.tensor_type().shape().extent(1), 1, 1});
}

// The only user of the result of `op`, in its block; null if there is none.
ir::Operation* SoleUser(const ir::Operation& op) {
  const ir::Value value = op.result(0);
  if (!value.has_one_use()) return nullptr;
  ir::Operation* const user = (*value.uses().begin()).owner();
  return user->parent() == op.parent() ? user : nullptr;
}

// Knows which values have the same extents in every run, except the last one.
class RowFacts {
 public:
  // Learns of an operation; called in the order of the program.
  void Add(const ir::Operation& op) {
    if (op.num_results() == 0) return;
    const ir::Value result = op.result(0);
    if (const ir::Value x = ReadRows(op)) {
      Follow(result, x);
      return;
    }
    for (const ir::Value x : op.operands()) {
      const ir::Value y = ReadElementAddend(op, x);
      if (!y) return;
      if (HaveSameShape(x, y)) Follow(result, x);
    }
  }

  // Returns true if two tensors have the same shape in every run.
  bool HaveSameShape(ir::Value a, ir::Value b) const {
    if (a.type() != b.type()) return false;
    if (Rows(a) == Rows(b)) return true;
    const absl::Span<const Dim> dims = a.tensor_type().shape().dims();
    return std::all_of(dims.begin(), dims.end(),
                       [](Dim dim) { return dim.known() || dim.symbolic(); });
  }

  // Lets `value`, which takes the place of `x`, have its extents.
  void Follow(ir::Value value, ir::Value x) { rows_[value] = Rows(x); }

 private:
  ir::Value Rows(ir::Value x) const {
    const auto found = rows_.find(x);
    return found == rows_.end() ? x : found->second;
  }

  HashMap<ir::Value, ir::Value> rows_;
};

// Puts one operation in the place of the last of `parts`, and erases all;
// returns false if it may not.
absl::StatusOr<bool> Rewrite(ir::Builder& builder, const LinearPattern& linear,
                             const std::vector<ir::Operation*>& parts,
                             const ReplaceRule& may_replace, RowFacts* rows) {
  const ir::Value result = parts.back()->result(0);
  const Replacement replacement(may_replace, parts.back());
  builder.SetInsertionPoint(parts.back());
  absl::StatusOr<ir::Value> fused = BuildLinear(builder, linear);
  if (absl::IsNotFound(fused.status())) {
    replacement.Discard();
    return false;
  }
  if (!fused.ok()) return fused.status();
  SY_ASSIGN_OR_RETURN(const bool allowed, replacement.Allowed());
  if (!allowed) return false;
  rows->Follow(*fused, result);
  fused->SetHint(result.hint_attribute());
  result.ReplaceAllUsesWith(*fused);
  for (size_t i = parts.size(); i-- > 0;) parts[i]->Erase();
  return true;
}

// Fuses `product` with the longest chain after it that fits and may be
// replaced; false if there is none.
absl::StatusOr<bool> FuseProduct(ir::Builder& builder,
                                 const LinearPattern& linear,
                                 const ReplaceRule& may_replace,
                                 ir::Operation* product, RowFacts* rows) {
  const auto have_same_shape = [rows](ir::Value a, ir::Value b) {
    return rows->HaveSameShape(a, b);
  };
  size_t limit = std::numeric_limits<size_t>::max();
  while (limit > 0) {
    LinearPattern taken = linear;
    std::vector<ir::Operation*> parts = {product};
    while (parts.size() < limit) {
      ir::Operation* const user = SoleUser(*parts.back());
      if (user == nullptr ||
          !TakeStep(*user, parts.back()->result(0), have_same_shape, &taken)) {
        break;
      }
      parts.push_back(user);
    }
    if (!taken.has_epilogue() && !taken.is_weight) return false;
    SY_ASSIGN_OR_RETURN(const bool fused,
                        Rewrite(builder, taken, parts, may_replace, rows));
    if (fused) return true;
    limit = parts.size() - 1;
  }
  return false;
}

}  // namespace

absl::StatusOr<bool> LinearFusion::Run(ir::Program& program) {
  bool changed = false;
  ir::Builder builder(program.context());
  // Backwards: operations that are erased with a product come after it.
  const std::vector<ir::Operation*> all = ir::AllOperations(program.entry());
  RowFacts rows;
  FixedValues fixed(program);
  for (const ir::Operation* op : all) {
    rows.Add(*op);
    fixed.Add(*op);
  }
  for (size_t i = all.size(); i-- > 0;) {
    std::optional<LinearPattern> linear = ReadLinear(*all[i]);
    if (!linear.has_value()) continue;
    // In an inner block each run would pack it.
    linear->is_weight =
        all[i]->parent() == &program.entry() && fixed.IsFixed(linear->matrix);
    if (linear->transposed && !linear->is_weight) continue;
    SY_ASSIGN_OR_RETURN(
        const bool fused,
        FuseProduct(builder, *linear, may_replace_, all[i], &rows));
    changed |= fused;
  }
  return changed;
}

}  // namespace switchyard::static_graph
