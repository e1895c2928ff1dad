// SPDX-License-Identifier: Apache-2.0
// Control flow of programs in JSON: `if` and `while`, whose blocks end with a
// `yield`, as the dialect `cf`. What a block writes over outside of it comes
// out of it as further results.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/translate/control/structured_control.h"
#include "static_graph/translate/json/json_rewrite.h"
#include "static_graph/translate/json/json_translation.h"

namespace switchyard::static_graph {
namespace {

constexpr std::string_view kYield = "cf.yield";

// Adds the values that the blocks of an operator write over, each once, and
// those that they define.
void AddWritten(const JsonOperator& op, const ir::Context& context,
                std::vector<int64_t>* written, HashSet<int64_t>* seen,
                HashSet<int64_t>* defined) {
  for (const JsonBlock& block : op.blocks) {
    for (const JsonValue& argument : block.arguments) {
      defined->insert(argument.id);
    }
    for (const JsonOperator& inner : block.operators) {
      for (const OverwrittenOperand& one : OverwrittenBy(inner, context)) {
        if (seen->insert(one.value).second) written->push_back(one.value);
      }
      AddWritten(inner, context, written, seen, defined);
      for (const JsonValue& result : inner.results) defined->insert(result.id);
    }
  }
}

absl::Status CheckBlocks(const JsonOperator& op, size_t count) {
  if (op.blocks.size() != count) {
    return ArgumentError("blocks", absl::StrCat(count),
                         absl::StrCat(op.blocks.size()));
  }
  for (const JsonBlock& block : op.blocks) {
    if (block.operators.empty() || block.operators.back().name != kYield) {
      return ArgumentError("block", "one that ends with a yield", "another");
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<int64_t> JsonTranslation::WrittenBy(const JsonOperator& op) const {
  std::vector<int64_t> written;
  HashSet<int64_t> seen, defined;
  AddWritten(op, *builder_->context(), &written, &seen, &defined);
  const auto inside = [&](int64_t id) {
    return defined.count(id) > 0 || ValuesOf(id).size() != 1;
  };
  written.erase(std::remove_if(written.begin(), written.end(), inside),
                written.end());
  return written;
}

absl::StatusOr<JsonTranslation::Values> JsonTranslation::Inner(
    const JsonBlock& block, ir::Builder& builder,
    absl::Span<const int64_t> written) {
  std::vector<Values> before;
  for (const int64_t id : written) before.push_back(ValuesOf(id));
  ir::Builder* const outer = std::exchange(builder_, &builder);
  absl::Status status = Block(block);
  builder_ = outer;
  Values yielded;
  const JsonOperator& yield = block.operators.back();
  for (size_t i = 0; i < yield.operands.size() && status.ok(); ++i) {
    const absl::StatusOr<ir::Value> value = One(yield, i);
    status = value.ok() ? absl::OkStatus()
                        : Annotate(value.status(), JsonPlace(block, yield));
    if (value.ok()) yielded.push_back(*value);
  }
  for (size_t i = 0; i < written.size(); ++i) {
    yielded.push_back(ValuesOf(written[i])[0]);
    values_[written[i]] = std::move(before[i]);
  }
  if (!status.ok()) return status;
  return yielded;
}

absl::Status JsonTranslation::Bind(const JsonOperator& op,
                                   absl::Span<const ir::Value> results,
                                   absl::Span<const int64_t> written) {
  const size_t own = results.size() - written.size();
  if (op.results.size() != own) {
    return ArgumentError("results", absl::StrCat(own),
                         absl::StrCat(op.results.size()));
  }
  for (size_t i = 0; i < own; ++i) {
    values_[op.results[i].id] = {results[i]};
  }
  for (size_t i = 0; i < written.size(); ++i) {
    values_[written[i]] = {results[own + i]};
  }
  return absl::OkStatus();
}

absl::Status JsonTranslation::Branch(const JsonOperator& op) {
  SY_RETURN_IF_ERROR(CheckBlocks(op, 2));
  SY_ASSIGN_OR_RETURN(const ir::Value condition, One(op, 0));
  const std::vector<int64_t> written = WrittenBy(op);
  std::vector<ir::Type> types;
  SY_ASSIGN_OR_RETURN(
      const Values results,
      BuildIf(
          *builder_, condition,
          [&](ir::Builder& inner) -> absl::StatusOr<Values> {
            SY_ASSIGN_OR_RETURN(Values yielded,
                                Inner(op.blocks[0], inner, written));
            for (const ir::Value value : yielded) types.push_back(value.type());
            return yielded;
          },
          [&](ir::Builder& inner) -> absl::StatusOr<Values> {
            SY_ASSIGN_OR_RETURN(Values yielded,
                                Inner(op.blocks[1], inner, written));
            for (size_t i = 0; i < yielded.size() && i < types.size(); ++i) {
              SY_ASSIGN_OR_RETURN(yielded[i],
                                  BuildLike(inner, yielded[i], types[i]));
            }
            return yielded;
          }));
  return Bind(op, results, written);
}

// The values of the loop are the condition, those of the block, and those that
// it writes over.
absl::Status JsonTranslation::Loop(const JsonOperator& op) {
  SY_RETURN_IF_ERROR(CheckBlocks(op, 1));
  const JsonBlock& block = op.blocks[0];
  const std::vector<int64_t> written = WrittenBy(op);
  Values init;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    SY_ASSIGN_OR_RETURN(init.emplace_back(), One(op, i));
  }
  const size_t own = init.size();
  if (own != block.arguments.size() + 1) {
    return ArgumentError("arguments of the block",
                         absl::StrCat(own == 0 ? 0 : own - 1),
                         absl::StrCat(block.arguments.size()));
  }
  for (const int64_t id : written) init.push_back(ValuesOf(id)[0]);
  ++loops_;
  absl::StatusOr<Values> built = BuildConditionLoop(
      *builder_, init, 0,
      [&](ir::Builder& inner,
          absl::Span<const ir::Value> values) -> absl::StatusOr<Values> {
        for (size_t i = 0; i < block.arguments.size(); ++i) {
          values_[block.arguments[i].id] = {values[i + 1]};
        }
        std::vector<Values> before;
        for (size_t i = 0; i < written.size(); ++i) {
          before.push_back(
              std::exchange(values_[written[i]], Values{values[own + i]}));
        }
        absl::StatusOr<Values> next = Inner(block, inner, written);
        for (size_t i = 0; i < written.size(); ++i) {
          values_[written[i]] = std::move(before[i]);
        }
        return next;
      });
  --loops_;
  SY_ASSIGN_OR_RETURN(Values results, std::move(built));
  results.erase(results.begin());
  return Bind(op, results, written);
}

}  // namespace switchyard::static_graph
