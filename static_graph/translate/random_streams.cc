// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/random_streams.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/add.gen.h"
#include "static_graph/dialect/rng_state.h"
#include "static_graph/translate/control/named_op.h"

namespace switchyard::static_graph {
namespace {

absl::StatusOr<ir::Value> BuildPair(ir::Builder& builder, int64_t first,
                                    int64_t second) {
  ir::Context* const context = builder.context();
  const int64_t pair[] = {first, second};
  SY_ASSIGN_OR_RETURN(
      const ir::Attribute constant,
      context->GetConstant(
          context->GetTensorType(DataType::kInt64, Shape({2})),
          std::string_view(reinterpret_cast<const char*>(pair), sizeof(pair))));
  return builder.Constant(constant);
}

}  // namespace

absl::StatusOr<ir::Value> RandomStreams::Draw(ir::Builder& builder,
                                              const phi::OpInfo& op,
                                              bool in_loop,
                                              MappedOperator* mapped) {
  if (mapped->options.seed.has_value()) {
    return BuildPair(builder, *mapped->options.seed, 0);
  }
  if (in_loop) {
    return absl::UnimplementedError(
        "a random operator without a seed must be outside of while, got one "
        "inside");
  }
  if (!rng_) {
    if (program_->FindArgument(ir::ArgumentRole::kState, kRngState) ||
        program_->FindArgument(ir::ArgumentRole::kFeed, kRngState)) {
      return ArgumentError(
          absl::StrCat("variable '", kRngState, "'"),
          "of another name, since this is the random generator's",
          absl::StrCat("'", kRngState, "'"));
    }
    rng_ = program_->AddState(kRngState, builder.context()->GetTensorType(
                                             DataType::kInt64, Shape({2})));
  }
  mapped->attributes[op.attr_index("stream")] = Attribute(AttrRef(streams_++));
  return rng_;
}

absl::Status RandomStreams::Advance(ir::Builder& builder,
                                    std::vector<ir::NamedValue>* states) const {
  if (!rng_) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const ir::Value step, BuildPair(builder, 0, streams_));
  SY_ASSIGN_OR_RETURN(
      const ir::Value next,
      ResultFor("random numbers need", AddOp::Build(builder, rng_, step)));
  states->push_back({kRngState, next});
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
