// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/rewrites/rewritten_program.h"

#include "static_graph/foreign/load_budget.h"
#include "static_graph/translate/rewrites/json_rewrites.h"

namespace switchyard::static_graph {

int RewrittenBlock::ops_size() const {
  return parts_.empty() ? written_.ops_size() : static_cast<int>(parts_.size());
}

void RewrittenBlock::Read(int i, ForeignOperator* op) const {
  const Operator at = parts_.empty() ? Operator{i} : parts_[i];
  written_.Read(at.index, op);
  if (program_.vocabulary() == Vocabulary::kPaddleJson) {
    RewriteJsonOperator(written_, *context_, op);
  } else {
    rewrites_.Apply(at.part, op);
  }
}

std::string_view RewrittenBlock::TypeOf(int i) const {
  const Operator at = parts_.empty() ? Operator{i} : parts_[i];
  const bool power = at.part == Rewrites::Part::kFirstPower ||
                     at.part == Rewrites::Part::kSecondPower;
  return power ? "scale" : written_.TypeOf(at.index);
}

void RewrittenBlock::AdvancePowers() {
  std::vector<Operator> parts;
  parts.reserve(static_cast<size_t>(written_.ops_size()));
  ForeignOperator op;
  for (int i = 0; i < written_.ops_size(); ++i) {
    if (written_.TypeOf(i) == Rewrites::kAdam) {
      written_.Read(i, &op);
      if (rewrites_.AdvancesPowers(op)) {
        parts.push_back({i, Rewrites::Part::kFirstPower});
        parts.push_back({i, Rewrites::Part::kSecondPower});
        parts.push_back({i, Rewrites::Part::kBehindPowers});
        continue;
      }
    }
    parts.push_back({i, Rewrites::Part::kWhole});
  }
  parts_ = std::move(parts);
}

RewrittenProgram::RewrittenProgram(const ForeignProgram& written,
                                   const ir::Context* context)
    : written_(written) {
  rewrites_.SetVersion(written.version());
  for (int i = 0; i < written.blocks_size(); ++i) {
    blocks_.emplace_back(written.blocks(i), this, &rewrites_, context);
  }
  if (written.vocabulary() == Vocabulary::kPaddle) Note();
}

void RewrittenProgram::Note() {
  ForeignOperator op;
  for (int b = 0; b < written_.blocks_size(); ++b) {
    const ForeignBlock& block = written_.blocks(b);
    for (int i = 0; i < block.ops_size(); ++i) {
      if (!Rewrites::MakesRows(block.TypeOf(i))) {
        rewrites_.SkipGradients();
        continue;
      }
      block.Read(i, &op);
      rewrites_.NoteGradients(op);
      held_ = rewrites_.held();
      if (!CheckLoaded(file_size(), held()).ok()) return;
    }
  }
  if (!rewrites_.has_gradients()) return;
  for (int b = 0; b < written_.blocks_size(); ++b) {
    for (const ForeignOperator& one : written_.blocks(b).ops()) {
      rewrites_.NoteReads(one);
    }
  }
  rewrites_.SettleReads();
  for (RewrittenBlock& block : blocks_) {
    block.AdvancePowers();
    held_ += block.held();
  }
}

}  // namespace switchyard::static_graph
