// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/attention_fusion.h"

#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "static_graph/dialect/dot_attention.gen.h"
#include "static_graph/dialect/matmul.gen.h"
#include "static_graph/dialect/softmax.gen.h"
#include "static_graph/dialect/transpose.gen.h"
#include "static_graph/fusion/factors.h"
#include "static_graph/fusion/replacement.h"
#include "static_graph/fusion/sum_pattern.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph {
namespace {

// softmax(scale q k^T + mask) v.
struct AttentionPattern {
  ir::Value q, k, v;
  ir::Value mask;             // Null: none.
  bool k_transposed = false;  // The product has k itself in place of k^T.
  double scale = 1;
};

// Whether `x` is a tensor that the fused operator takes with others of `dtype`.
bool IsOperand(ir::Value x, DataType dtype) {
  const ir::TensorType type = x.tensor_type();
  return type && type.kind() == TensorKind::kDense && type.layout().strided() &&
         type.dtype() == dtype &&
         (dtype == DataType::kFloat32 || dtype == DataType::kFloat64);
}

// Returns the maker of `value` if nothing else uses it; null otherwise.
const ir::Operation* OwnMaker(ir::Value value) {
  return value.has_one_use() ? value.defining_op() : nullptr;
}

// A product of stacks of matrices.
struct Product {
  ir::Value x, y;
  bool transpose_x, transpose_y;
};
std::optional<Product> ReadProduct(const ir::Operation* op) {
  if (op == nullptr) return std::nullopt;
  const auto product = MatmulOp::Match(*op);
  if (!product.has_value()) return std::nullopt;
  return Product{product->x(), product->y(), product->transpose_x(),
                 product->transpose_y()};
}

int RankOf(ir::Value x) { return x.tensor_type().shape().rank(); }

// The order of axes that swaps the last two.
std::vector<int> SwappedAxes(int rank) {
  std::vector<int> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[rank - 1], axes[rank - 2]);
  return axes;
}

// The operand of a transposition that swaps the last two axes alone; null for
// any other value.
ir::Value Swapped(ir::Value x) {
  const auto transposed = TransposeOp::Match(x);
  if (!transposed.has_value() || RankOf(x) < 2) return ir::Value();
  const std::vector<int> swapped = SwappedAxes(RankOf(x));
  return transposed->perm() == absl::MakeSpan(swapped) ? transposed->x()
                                                       : ir::Value();
}

// Reads scores without a mask: the product of q and k, times factors.
std::optional<AttentionPattern> ReadScores(ir::Value scores) {
  if (!scores.has_one_use()) return std::nullopt;
  const Scaled whole = WithoutFactors(scores);
  const std::optional<Product> product = ReadProduct(OwnMaker(whole.value));
  if (!product.has_value() || product->transpose_x) return std::nullopt;
  const Scaled q = WithoutFactors(product->x), k = WithoutFactors(product->y);
  AttentionPattern read;
  read.q = q.value;
  read.k = k.value;
  read.k_transposed = !product->transpose_y;
  read.scale = whole.factor * q.factor * k.factor;
  if (const ir::Value plain = Swapped(read.k); plain && read.k_transposed) {
    read.k = plain;
    read.k_transposed = false;
  }
  return read;
}

// Reads the operand of the softmax.
std::optional<AttentionPattern> ReadMasked(ir::Value scores) {
  const ir::Operation* const maker = OwnMaker(scores);
  if (maker == nullptr) return std::nullopt;
  const std::optional<SumPattern> sum = ReadSum(*maker);
  if (!sum.has_value()) return ReadScores(scores);
  if (sum->axis != -1) return std::nullopt;
  for (const ir::Value unmasked : {sum->x, sum->y}) {
    const ir::Value mask = sum->other(unmasked);
    std::optional<AttentionPattern> read = ReadScores(unmasked);
    if (!read.has_value() || !IsOperand(mask, read->q.tensor_type().dtype()) ||
        RankOf(mask) > RankOf(read->q)) {
      continue;
    }
    read->mask = mask;
    return read;
  }
  return std::nullopt;
}

// Matches `op`, the product with v, if the intermediate values have no other
// users. The scale may be on either factor, on their product, or spread over
// all three.
std::optional<AttentionPattern> ReadAttention(const ir::Operation& op) {
  const std::optional<Product> product = ReadProduct(&op);
  if (!product.has_value() || product->transpose_x || product->transpose_y) {
    return std::nullopt;
  }
  const ir::Operation* const maker = OwnMaker(product->x);
  if (maker == nullptr) return std::nullopt;
  const auto softmax = SoftmaxOp::Match(*maker);
  if (!softmax.has_value() || RankOf(product->x) < 2) return std::nullopt;
  const int axis = softmax->axis();
  if (axis != -1 && axis != RankOf(product->x) - 1) return std::nullopt;
  std::optional<AttentionPattern> read = ReadMasked(softmax->x());
  if (!read.has_value()) return std::nullopt;
  read->v = product->y;
  const DataType dtype = op.result(0).tensor_type().dtype();
  for (const ir::Value x : {read->q, read->k, read->v}) {
    if (!IsOperand(x, dtype) || RankOf(x) != RankOf(product->x)) {
      return std::nullopt;
    }
  }
  return read;
}

absl::StatusOr<ir::Value> BuildAttention(ir::Builder& builder,
                                         const AttentionPattern& pattern) {
  ir::Value k = pattern.k;
  if (pattern.k_transposed) {
    SY_ASSIGN_OR_RETURN(const TransposeOp transposed,
                        TransposeOp::Build(builder, k, SwappedAxes(RankOf(k))));
    k = transposed.out();
  }
  SY_ASSIGN_OR_RETURN(
      const DotAttentionOp attention,
      DotAttentionOp::Build(builder, pattern.q, k, pattern.v, pattern.mask,
                            static_cast<float>(pattern.scale)));
  return attention.out();
}

}  // namespace

absl::StatusOr<bool> AttentionFusion::Run(ir::Program& program) {
  bool changed = false;
  ir::Builder builder(program.context());
  for (ir::Operation* op : ir::AllOperations(program.entry())) {
    const std::optional<AttentionPattern> attention = ReadAttention(*op);
    if (!attention.has_value()) continue;
    const Replacement replacement(may_replace_, op);
    builder.SetInsertionPoint(op);
    absl::StatusOr<ir::Value> fused = BuildAttention(builder, *attention);
    // Its shape must be known as precisely as the replaced value's.
    if (fused.ok() && fused->type() != op->result(0).type()) {
      replacement.Discard();
      continue;
    }
    SY_ASSIGN_OR_RETURN(const bool replaced, replacement.Put(std::move(fused)));
    changed |= replaced;
  }
  return changed;
}

}  // namespace switchyard::static_graph
