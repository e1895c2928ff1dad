// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/attention_patterns.h"

#include <numeric>
#include <utility>
#include <vector>

#include "static_graph/dialect/activation_patterns.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/named_call.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard::static_graph {
namespace {

constexpr char kFused[] = "dot_attention";
constexpr char kTranspose[] = "transpose";

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
  const NamedCall call(*op, {"matmul"});
  if (!call.known()) return std::nullopt;
  return Product{call.input(0), call.input(1), call.Get<bool>("transpose_x"),
                 call.Get<bool>("transpose_y")};
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
  if (x.defining_op() == nullptr) return ir::Value();
  const NamedCall call(*x.defining_op(), {kTranspose});
  if (!call.known() || RankOf(x) < 2) return ir::Value();
  const std::vector<int> swapped = SwappedAxes(RankOf(x));
  return call.Get<absl::Span<const int>>("perm") == absl::MakeSpan(swapped)
             ? call.input(0)
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

// Reads what the softmax is of.
std::optional<AttentionPattern> ReadMasked(ir::Value scores) {
  const ir::Operation* const maker = OwnMaker(scores);
  if (maker == nullptr) return std::nullopt;
  const NamedCall sum(*maker, {"add", "elementwise_add"});
  if (!sum.known()) return ReadScores(scores);
  if (sum.Is("elementwise_add") && sum.Get<int>("axis") != -1) {
    return std::nullopt;
  }
  for (const int i : {0, 1}) {
    const ir::Value mask = sum.input(1 - i);
    std::optional<AttentionPattern> read = ReadScores(sum.input(i));
    if (!read.has_value() || !IsOperand(mask, read->q.tensor_type().dtype()) ||
        RankOf(mask) > RankOf(read->q)) {
      continue;
    }
    read->mask = mask;
    return read;
  }
  return std::nullopt;
}

}  // namespace

std::optional<AttentionPattern> ReadAttention(const ir::Operation& op) {
  const std::optional<Product> product = ReadProduct(&op);
  if (!product.has_value() || product->transpose_x || product->transpose_y) {
    return std::nullopt;
  }
  const ir::Operation* const maker = OwnMaker(product->x);
  if (maker == nullptr) return std::nullopt;
  const NamedCall softmax(*maker, {"softmax"});
  if (!softmax.known() || RankOf(product->x) < 2) return std::nullopt;
  const int axis = softmax.Get<int>("axis");
  if (axis != -1 && axis != RankOf(product->x) - 1) return std::nullopt;
  std::optional<AttentionPattern> read = ReadMasked(softmax.input(0));
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
  const DialectOp* const fused = FindOperator(*builder.context(), kFused);
  const DialectOp* const transpose =
      FindOperator(*builder.context(), kTranspose);
  if (fused == nullptr) return absl::NotFoundError(kFused);
  if (transpose == nullptr) return absl::NotFoundError(kTranspose);
  ir::Value k = pattern.k;
  if (pattern.k_transposed) {
    const std::vector<int> swapped = SwappedAxes(RankOf(k));
    SY_ASSIGN_OR_RETURN(k, BuildOp(builder, *transpose, {k},
                                   {AttrRef(absl::MakeConstSpan(swapped))}));
  }
  return BuildOp(builder, *fused, {pattern.q, k, pattern.v, pattern.mask},
                 {AttrRef(static_cast<float>(pattern.scale))});
}

}  // namespace switchyard::static_graph
