// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/int8_fusion.h"

#include <optional>
#include <vector>

#include "framework/base/hash_map.h"
#include "static_graph/fusion/fixed_values.h"
#include "static_graph/fusion/int8_patterns.h"
#include "static_graph/fusion/replacement.h"
#include "static_graph/ir/builder.h"

namespace switchyard::static_graph {
namespace {

// The integers of each quantised image, which all its convolutions share, by
// the operation that quantises it.
using Images = HashMap<const ir::Operation*, ir::Value>;

absl::StatusOr<ir::Value> ImageOf(ir::Context* context,
                                  const QuantisedPattern& image,
                                  Images* images) {
  const auto found = images->find(image.op);
  if (found != images->end()) return found->second;
  ir::Builder builder(context);
  builder.SetInsertionPoint(image.op);
  SY_ASSIGN_OR_RETURN(const ir::Value made, BuildQuantised(builder, image));
  images->emplace(image.op, made);
  return made;
}

// Puts a convolution of integers in the place of `op`, if it may.
absl::Status Replace(ir::Context* context, const Int8ConvPattern& pattern,
                     const ReplaceRule& may_replace, ir::Operation* op,
                     Images* images) {
  SY_ASSIGN_OR_RETURN(const ir::Value image,
                      ImageOf(context, pattern.input, images));
  const Replacement replacement(may_replace, op);
  ir::Builder builder(context);
  builder.SetInsertionPoint(op);
  SY_ASSIGN_OR_RETURN(ir::Value result, BuildInt8Conv(builder, pattern, image));
  SY_ASSIGN_OR_RETURN(
      const bool allowed,
      replacement.Allowed({pattern.input.x, pattern.input.scale}));
  if (!allowed) return absl::OkStatus();
  result.SetHint(op->result(0).hint_attribute());
  op->result(0).ReplaceAllUsesWith(result);
  op->Erase();
  return absl::OkStatus();
}

// Lets convolutions yield the integers that the next one reads.
absl::Status Requantise(ir::Program& program, const ReplaceRule& may_replace) {
  for (ir::Operation* op : ir::AllOperations(program.entry())) {
    ir::Operation* const conv = FindRequantised(*op);
    if (conv == nullptr) continue;
    const Replacement replacement(may_replace, op);
    ir::Builder builder(program.context());
    builder.SetInsertionPoint(op);
    SY_ASSIGN_OR_RETURN(const ir::Value result,
                        BuildRequantised(builder, *conv, *op));
    SY_ASSIGN_OR_RETURN(const bool allowed, replacement.Allowed());
    if (!allowed) continue;
    op->result(0).ReplaceAllUsesWith(result);
    op->Erase();
    conv->Erase();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> Int8Fusion::Run(ir::Program& program) {
  ir::Context* const context = program.context();
  if (!CanBuildInt8(*context)) return false;
  const std::vector<ir::Operation*> all = ir::AllOperations(program.entry());
  FixedValues fixed(program);
  for (const ir::Operation* op : all) fixed.Add(*op);
  Images images;
  for (ir::Operation* op : all) {
    const std::optional<Int8ConvPattern> pattern = ReadInt8Conv(
        *op, [&fixed](ir::Value value) { return fixed.IsFixed(value); });
    if (!pattern.has_value()) continue;
    SY_RETURN_IF_ERROR(Replace(context, *pattern, may_replace_, op, &images));
  }
  if (images.empty()) return false;
  // A quantiser that nobody reads any more would count as a use of a
  // convolution's result.
  for (ir::Operation* op : ir::AllOperations(program.entry())) {
    if (images.count(op) != 0 && !op->result(0).has_uses()) op->Erase();
  }
  SY_RETURN_IF_ERROR(Requantise(program, may_replace_));
  return true;
}

}  // namespace switchyard::static_graph
