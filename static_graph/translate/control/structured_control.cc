// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/control/structured_control.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/tensor/tensor_array.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/create_array.gen.h"
#include "static_graph/dialect/equal.gen.h"
#include "static_graph/dialect/full.gen.h"
#include "static_graph/dialect/reshape.gen.h"
#include "static_graph/translate/control/named_op.h"

namespace switchyard::static_graph {
namespace {

constexpr std::string_view kNeed = "control flow needs";

std::vector<int64_t> ExtentsOf(const Shape& shape, int64_t unknown) {
  std::vector<int64_t> extents;
  for (const Dim dim : shape.dims()) {
    extents.push_back(dim.known() ? dim.value() : unknown);
  }
  return extents;
}

// Whether the mask chooses the first of `values`, which are more than one.
absl::StatusOr<ir::Value> IsFirst(ir::Builder& builder, ir::Value mask,
                                  int64_t first) {
  SY_ASSIGN_OR_RETURN(const ir::Value number, BuildNumber(builder, first));
  return ResultFor(kNeed, EqualOp::Build(builder, mask, number));
}

absl::StatusOr<ir::Value> BuildChoice(ir::Builder& builder, ir::Value condition,
                                      BranchFunction then_branch,
                                      BranchFunction else_branch) {
  SY_ASSIGN_OR_RETURN(const std::vector<ir::Value> results,
                      BuildIf(builder, condition, then_branch, else_branch));
  return results[0];
}

// values[mask - first].
absl::StatusOr<ir::Value> SelectFrom(ir::Builder& builder, ir::Value mask,
                                     int64_t first,
                                     absl::Span<const ir::Value> values) {
  if (values.size() == 1) return values[0];
  SY_ASSIGN_OR_RETURN(const ir::Value here, IsFirst(builder, mask, first));
  ir::Type type = values[0].type();
  return BuildChoice(
      builder, here,
      [&](ir::Builder&) { return std::vector<ir::Value>{values[0]}; },
      [&](ir::Builder& inner) -> absl::StatusOr<std::vector<ir::Value>> {
        SY_ASSIGN_OR_RETURN(ir::Value other, SelectFrom(inner, mask, first + 1,
                                                        values.subspan(1)));
        SY_ASSIGN_OR_RETURN(other, BuildLike(inner, other, type));
        return std::vector<ir::Value>{other};
      });
}

// Whether a loop's value is something before the loop only because it has to
// be: the body, which never reads it, writes a tensor of another rank or dtype.
bool IsPlaceholder(ir::Value value, ir::Value next) {
  const auto from = value.type().As<ir::TensorType>();
  const auto to = next.type().As<ir::TensorType>();
  if (!from || !to || value.has_uses()) return false;
  return from.kind() != to.kind() || from.dtype() != to.dtype() ||
         from.shape().rank() != to.shape().rank();
}

}  // namespace

absl::StatusOr<ir::Value> BuildNumber(ir::Builder& builder, int64_t number) {
  ir::Context* const context = builder.context();
  SY_ASSIGN_OR_RETURN(
      const ir::Attribute constant,
      context->GetConstant(
          context->GetTensorType(DataType::kInt64, Shape({1})),
          std::string_view(reinterpret_cast<const char*>(&number),
                           sizeof(number))));
  return builder.Constant(constant);
}

absl::StatusOr<ir::Value> BuildLike(ir::Builder& builder, ir::Value value,
                                    ir::Type like) {
  const auto from = value.type().As<ir::TensorType>();
  const auto to = like.As<ir::TensorType>();
  if (!from || !to || from.kind() != TensorKind::kDense ||
      to.kind() != TensorKind::kDense) {
    return value;
  }
  const auto is_number = [](const Shape& shape) {
    return shape.rank() == 0 || shape == Shape{1};
  };
  if (from.shape().rank() == to.shape().rank() || !is_number(from.shape()) ||
      !is_number(to.shape())) {
    return value;
  }
  const std::vector<int64_t> extents(to.shape().rank(), 1);
  return ResultFor(kNeed, ReshapeOp::Build(builder, value, extents));
}

absl::StatusOr<std::vector<ir::Value>> BuildConditionLoop(
    ir::Builder& builder, absl::Span<const ir::Value> init, int condition,
    BodyFunction body) {
  std::vector<ir::Value> first(init.begin(), init.end());
  // Each time fewer values have a placeholder of another rank, so this ends.
  for (;;) {
    std::vector<std::pair<size_t, TensorSpec>> placeholders;
    absl::StatusOr<std::vector<ir::Value>> results = BuildWhile(
        builder, first,
        [&](ir::Builder&, absl::Span<const ir::Value> values)
            -> absl::StatusOr<ir::Value> { return values[condition]; },
        [&](ir::Builder& inner, absl::Span<const ir::Value> values)
            -> absl::StatusOr<std::vector<ir::Value>> {
          SY_ASSIGN_OR_RETURN(std::vector<ir::Value> next, body(inner, values));
          placeholders.clear();
          for (size_t i = 0; i < next.size() && i < values.size(); ++i) {
            SY_ASSIGN_OR_RETURN(next[i],
                                BuildLike(inner, next[i], values[i].type()));
            if (IsPlaceholder(values[i], next[i])) {
              placeholders.emplace_back(i, next[i].tensor_type().spec());
            }
          }
          return next;
        });
    if (results.ok() || placeholders.empty()) return results;
    for (const auto& [i, spec] : placeholders) {
      SY_ASSIGN_OR_RETURN(first[i], BuildUnwritten(builder, spec));
    }
  }
}

absl::StatusOr<ir::Value> BuildSelection(ir::Builder& builder, ir::Value mask,
                                         absl::Span<const ir::Value> values) {
  if (values.size() == 1) return values[0];
  if (values.size() > 2) {
    SY_ASSIGN_OR_RETURN(mask, BuildCast(builder, mask, DataType::kInt64));
    return SelectFrom(builder, mask, 0, values);
  }
  SY_ASSIGN_OR_RETURN(mask, BuildCast(builder, mask, DataType::kBool));
  return BuildChoice(
      builder, mask,
      [&](ir::Builder& inner) -> absl::StatusOr<std::vector<ir::Value>> {
        SY_ASSIGN_OR_RETURN(const ir::Value second,
                            BuildLike(inner, values[1], values[0].type()));
        return std::vector<ir::Value>{second};
      },
      [&](ir::Builder&) { return std::vector<ir::Value>{values[0]}; });
}

absl::StatusOr<ir::Value> BuildUnwritten(ir::Builder& builder,
                                         const TensorSpec& spec) {
  if (spec.kind == TensorKind::kTensorArray) {
    const std::vector<int64_t> extents =
        ExtentsOf(ElementShape(spec.shape), -1);
    return ResultFor(kNeed, CreateArrayOp::Build(builder, spec.dtype, extents));
  }
  const std::vector<int64_t> extents = ExtentsOf(spec.shape, 0);
  return ResultFor(kNeed,
                   FullOp::Build(builder, extents, Scalar(0), spec.dtype));
}

}  // namespace switchyard::static_graph
