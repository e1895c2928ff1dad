// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/conv_fusion.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/hash_map.h"
#include "static_graph/fusion/conv_patterns.h"
#include "static_graph/fusion/conv_weights.h"
#include "static_graph/fusion/fixed_values.h"
#include "static_graph/fusion/replacement.h"
#include "static_graph/ir/builder.h"

namespace switchyard::static_graph {
namespace {

// Lets statistics that batch norms leave alone be their operands, and leaves
// states alone that get their own value back.
bool DropUnchangedStates(ir::Program& program) {
  bool changed = false;
  for (ir::Operation* op : ir::AllOperations(program.entry())) {
    for (ir::Value result : op->results()) {
      if (!result.has_uses()) continue;
      const ir::Value same = UnchangedStatistic(*op, result.index());
      if (!same || same.type() != result.type()) continue;
      result.ReplaceAllUsesWith(same);
      changed = true;
    }
  }
  std::vector<ir::NamedValue> updates = program.new_states();
  const size_t before = updates.size();
  updates.erase(std::remove_if(updates.begin(), updates.end(),
                               [&](const ir::NamedValue& update) {
                                 return program.FindArgument(
                                            ir::ArgumentRole::kState,
                                            update.name) == update.value;
                               }),
                updates.end());
  if (updates.size() == before) return changed;
  program.Return(program.fetches(), updates);
  return true;
}

// Knows which values no run changes, and which images have equal batch, height
// and width even where these are unknown.
class ValueFacts {
 public:
  explicit ValueFacts(const ir::Program& program) : fixed_(program) {}

  // Returns what FixedValues::IsFixed() does.
  bool IsFixed(ir::Value value) const { return fixed_.IsFixed(value); }

  // Learns which values no run changes, from all operations in program order: a
  // convolution's user may read values made after the convolution.
  void AddFixed(absl::Span<ir::Operation* const> all) {
    for (const ir::Operation* op : all) fixed_.Add(*op);
  }

  // Returns true if two images have the same shape in every run.
  bool HaveSameShape(ir::Value a, ir::Value b) const {
    return a.type() == b.type() &&
           (a.tensor_type().shape().known() || Extents(a) == Extents(b));
  }

  // Learns of an operation; called in the order of the program.
  void Add(const ir::Operation& op) {
    if (op.num_results() == 0) return;
    fixed_.Add(op);
    const ir::Value result = op.result(0);
    // An erased value may have had the same address.
    extents_.erase(result);
    batches_.erase(result);
    if (const std::optional<ConvPattern> conv = ReadConv(op)) {
      batches_[result] = Batch(conv->input);
      if (conv->keeps_extents()) extents_[result] = Extents(conv->input);
      return;
    }
    if (op.num_operands() == 0) return;
    const ir::Value x = op.operand(0);
    if (IsPooling(op)) {
      batches_[result] = Batch(x);
      return;
    }
    if (!ReadActivation(op).empty() || ReadChannelStep(op, x)) {
      return Follow(result, x);
    }
    if (op.num_operands() < 2) return;
    const ir::Value y = op.operand(1);
    if (ReadChannelStep(op, y)) return Follow(result, y);
    if (IsProduct(op)) return AddProduct(result, x, y);
    if (ReadAddend(op, x) == y && Extents(x) == Extents(y)) Follow(result, x);
  }

 private:
  // The image that has the batch, or all extents except channels, of `x`.
  ir::Value Batch(ir::Value x) const {
    const auto found = batches_.find(x);
    return found == batches_.end() ? Extents(x) : found->second;
  }
  ir::Value Extents(ir::Value x) const {
    const auto found = extents_.find(x);
    return found == extents_.end() ? x : found->second;
  }
  void Follow(ir::Value result, ir::Value x) {
    extents_[result] = Extents(x);
    batches_[result] = Batch(x);
  }
  // A product with a number for each channel of each image.
  void AddProduct(ir::Value result, ir::Value x, ir::Value y) {
    const auto is_gate = [](ir::Value value) {
      const Shape& shape = value.tensor_type().shape();
      return shape.rank() == 4 && shape[2] == Dim(1) && shape[3] == Dim(1);
    };
    if (is_gate(x)) std::swap(x, y);
    if (is_gate(y) && Batch(x) == Batch(y)) Follow(result, x);
  }

  FixedValues fixed_;
  HashMap<ir::Value, ir::Value> batches_, extents_;
};

// One convolution and the operations fused with it.
class Chain {
 public:
  Chain(ValueFacts* facts, ir::Operation* conv, bool transposed)
      : facts_(*facts),
        ops_({conv}),
        value_(conv->result(0)),
        transposed_(transposed) {}

  size_t size() const { return ops_.size(); }

  // Takes operations as long as they fit, to `limit` of them with the
  // convolution; false if there was none.
  bool Grow(size_t limit) {
    while (ops_.size() < limit) {
      ir::Operation* const user = SoleUser();
      if (user == nullptr || !Take(*user)) break;
      ops_.push_back(user);
      value_ = user->result(0);
    }
    return ops_.size() > 1;
  }

  // Puts one operation in the place of the last, and erases all; returns false
  // if it may not.
  absl::StatusOr<bool> Rewrite(ir::Context* context, const ConvPattern& conv,
                               const ReplaceRule& may_replace) {
    const Replacement replacement(may_replace, ops_.back());
    ir::Builder builder(context);
    builder.SetInsertionPoint(ops_.back());
    ConvBuilder fused(&builder, value_.tensor_type().dtype());
    for (const ChannelPattern& step : steps_) {
      SY_RETURN_IF_ERROR(fused.Add(step));
    }
    SY_ASSIGN_OR_RETURN(ir::Value result, fused.Build(conv, epilogue_));
    SY_ASSIGN_OR_RETURN(const bool allowed, replacement.Allowed());
    if (!allowed) return false;
    result.SetHint(value_.hint_attribute());
    value_.ReplaceAllUsesWith(result);
    for (size_t i = ops_.size(); i-- > 0;) ops_[i]->Erase();
    return true;
  }

 private:
  enum class Stage { kChannels, kSum, kActivation, kScale, kShift };

  // The only user of the last value, in its block.
  ir::Operation* SoleUser() const {
    if (!value_.has_one_use()) return nullptr;
    ir::Operation* const user = (*value_.uses().begin()).owner();
    return user->parent() == ops_.back()->parent() && user->num_results() > 0
               ? user
               : nullptr;
  }

  bool Take(const ir::Operation& user) {
    if (user.result(0).type() != value_.type()) return false;
    for (int i = 1; i < user.num_results(); ++i) {
      if (user.result(i).has_uses()) return false;
    }
    const std::optional<ChannelPattern> step = ReadChannelStep(user, value_);
    if (step.has_value() && AllFixed(user)) {
      if (stage_ != Stage::kChannels) return TakeNumber(*step);
      steps_.push_back(*step);
      return true;
    }
    if (stage_ < Stage::kSum && !transposed_) {
      const ir::Value addend = ReadAddend(user, value_);
      // Channel steps keep the extents of the sums, for which facts are known.
      if (addend && addend != value_ &&
          facts_.HaveSameShape(addend, ops_.front()->result(0))) {
        epilogue_.residual = addend;
        stage_ = Stage::kSum;
        return true;
      }
    }
    if (stage_ >= Stage::kActivation) return false;
    const PostOps function = ReadActivation(user);
    if (function.empty() || (transposed_ && !IsCheap(function))) {
      return false;
    }
    epilogue_.post_ops = function;
    stage_ = Stage::kActivation;
    return true;
  }

  // A step after the sum: of one number for all channels.
  bool TakeNumber(const ChannelPattern& step) {
    if (transposed_ || !step.factor ||
        step.factor.tensor_type().shape().numel() != 1) {
      return false;
    }
    if (step.kind == ChannelPattern::Kind::kMultiply &&
        stage_ < Stage::kScale) {
      epilogue_.out_scale = step.factor;
      stage_ = Stage::kScale;
      return true;
    }
    if (step.kind == ChannelPattern::Kind::kAdd && stage_ < Stage::kShift) {
      epilogue_.out_shift = step.factor;
      stage_ = Stage::kShift;
      return true;
    }
    return false;
  }

  // All operands except the image are fixed.
  bool AllFixed(const ir::Operation& user) const {
    for (ir::Value operand : user.operands()) {
      if (operand != value_ && !facts_.IsFixed(operand)) return false;
    }
    return true;
  }

  ValueFacts& facts_;
  std::vector<ir::Operation*> ops_;
  ir::Value value_;
  const bool transposed_;  // Without sums and numbers after the activation.
  std::vector<ChannelPattern> steps_;
  ConvBuilder::Epilogue epilogue_;
  Stage stage_ = Stage::kChannels;
};

// Fuses `op` with the longest chain after it that fits and may be replaced;
// false if there is none.
absl::StatusOr<bool> FuseConv(ir::Context* context, ValueFacts* facts,
                              const ReplaceRule& may_replace,
                              const ConvPattern& conv, ir::Operation* op) {
  size_t limit = std::numeric_limits<size_t>::max();
  while (true) {
    Chain chain(facts, op, conv.transposed);
    if (!chain.Grow(limit)) return false;
    SY_ASSIGN_OR_RETURN(const bool fused,
                        chain.Rewrite(context, conv, may_replace));
    if (fused) return true;
    limit = chain.size() - 1;
  }
}

// Recursion is as deep as regions are nested, which the verifier limits.
absl::StatusOr<bool> FuseBlock(ir::Context* context, ValueFacts* facts,
                               const ReplaceRule& may_replace,
                               ir::Block& block) {
  bool changed = false;
  for (ir::Operation* op = block.front(); op != nullptr;) {
    for (int i = 0; i < op->num_regions(); ++i) {
      SY_ASSIGN_OR_RETURN(const bool inner,
                          FuseBlock(context, facts, may_replace, op->block(i)));
      changed |= inner;
    }
    const std::optional<ConvPattern> conv = ReadConv(*op);
    ir::Operation* const next = op->next();
    facts->Add(*op);
    if (conv.has_value() && !conv->fused && facts->IsFixed(conv->filter)) {
      ir::Operation* const before = op->previous();
      SY_ASSIGN_OR_RETURN(const bool fused,
                          FuseConv(context, facts, may_replace, *conv, op));
      if (fused) {
        changed = true;
        // Continues with the operations between, and the new ones, in order.
        op = before == nullptr ? block.front() : before->next();
        continue;
      }
    }
    op = next;
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> ConvFusion::Run(ir::Program& program) {
  if (!CanBuildConv(*program.context())) return false;
  bool changed = DropUnchangedStates(program);
  // Facts cost time, and most programs of very many operators have no images.
  const std::vector<ir::Operation*> all = ir::AllOperations(program.entry());
  if (std::none_of(all.begin(), all.end(), [](const ir::Operation* op) {
        return ReadConv(*op).has_value();
      })) {
    return changed;
  }
  ValueFacts facts(program);
  facts.AddFixed(all);
  SY_ASSIGN_OR_RETURN(
      const bool fused,
      FuseBlock(program.context(), &facts, may_replace_, program.entry()));
  changed |= fused;
  return changed;
}

}  // namespace switchyard::static_graph
