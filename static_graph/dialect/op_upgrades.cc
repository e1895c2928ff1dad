// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/op_upgrades.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/dialect/supplied_attrs.h"
#include "static_graph/ir/block.h"
#include "static_graph/ir/segments.h"

namespace switchyard::static_graph {
namespace {

using Ints = absl::Span<const int>;

void CollectVersions(const ir::Block& block, OperatorVersions* versions) {
  for (const ir::Operation* op : block) {
    if (const DialectOp* record = FindDialectOp(*op)) {
      (*versions)[record->info->name] = record->info->version;
    }
    for (int i = 0; i < op->num_regions(); ++i) {
      CollectVersions(op->block(i), versions);
    }
  }
}

// The wider attribute of the same value; nullopt if there is none.
std::optional<AttrRef> Converted(AttrRef value, AttrType to) {
  if (value.type() == AttrType::kFloat && to == AttrType::kDouble) {
    return static_cast<double>(value.Get<float>());
  }
  if (value.type() == AttrType::kInt && to == AttrType::kInt64) {
    return static_cast<int64_t>(value.Get<int>());
  }
  return std::nullopt;
}

// Those of today's arguments (or outputs) that an older version has.
template <typename Infos>
class Known {
 public:
  Known(const Infos& infos, OpUpgrade::Kind added, const DialectOp& op,
        int32_t version)
      : infos_(infos), known_(infos.size(), true) {
    for (const OpUpgrade& rule : op.upgrades) {
      if (rule.kind == added && rule.to > version)
        known_[IndexOf(rule)] = false;
    }
  }

  int count() const {
    return static_cast<int>(std::count(known_.begin(), known_.end(), true));
  }
  // Adds the one that `rule` adds; returns its position among the known ones.
  int Add(const OpUpgrade& rule) {
    const size_t index = IndexOf(rule);
    known_[index] = true;
    return static_cast<int>(
        std::count(known_.begin(), known_.begin() + index, true));
  }

 private:
  // The generator checked that there is one.
  size_t IndexOf(const OpUpgrade& rule) const {
    size_t index = 0;
    while (index + 1 < infos_.size() &&
           std::string_view(infos_[index].name) != rule.name) {
      ++index;
    }
    return index;
  }

  const Infos& infos_;
  std::vector<bool> known_;
};

// Upgrades one call.
class CallUpgrade {
 public:
  CallUpgrade(ir::Context* context, const DialectOp& record, int32_t version,
              ir::Operation* op)
      : context_(context),
        record_(record),
        op_(op),
        inputs_(record.info->inputs, OpUpgrade::Kind::kAddInput, record,
                version),
        outputs_(record.info->outputs, OpUpgrade::Kind::kAddOutput, record,
                 version) {}

  void Apply(const OpUpgrade& rule) {
    switch (rule.kind) {
      case OpUpgrade::Kind::kAddAttr:
        if (!op_->attribute(rule.name)) {
          Set(rule.name, context_->GetAttribute(rule.value));
        }
        return;
      case OpUpgrade::Kind::kConvertAttr:
        return Convert(rule);
      case OpUpgrade::Kind::kAddInput:
        return AddSegment(ir::kOperandSegments, op_->num_operands(),
                          NumSuppliedAttrs(*record_.info), rule, &inputs_);
      case OpUpgrade::Kind::kAddOutput:
        return AddSegment(ir::kResultSegments, op_->num_results(), 0, rule,
                          &outputs_);
      case OpUpgrade::Kind::kJoinPostOps:
        return JoinPostOps(rule);
    }
  }

 private:
  void Set(std::string_view name, ir::Attribute value) {
    op_->SetAttribute(context_->GetString(name), value);
  }

  // The verifier refuses an attribute that cannot be converted.
  void Convert(const OpUpgrade& rule) {
    const ir::Attribute value = op_->attribute(rule.name);
    const std::optional<AttrRef> ref =
        value ? value.ref() : std::optional<AttrRef>();
    if (!ref.has_value()) return;
    const int index = record_.info->attr_index(rule.name);
    const std::optional<AttrRef> wide =
        Converted(*ref, record_.info->attrs[index].type);
    if (wide.has_value()) Set(rule.name, context_->GetAttribute(*wide));
  }

  // Leaves what is no name of a function with two numbers to the verifier,
  // which refuses it.
  void JoinPostOps(const OpUpgrade& rule) {
    std::array<ir::Attribute, 3> old;
    for (size_t i = 0; i < old.size(); ++i) {
      old[i] = op_->attribute(rule.joined[i]);
    }
    const auto name = old[0].As<std::string_view>();
    const auto alpha = old[1].As<float>(), beta = old[2].As<float>();
    if (!name.has_value() || !alpha.has_value() || !beta.has_value()) return;
    const std::optional<PostOpKind> kind = FindPostOpKind(*name);
    if (!kind.has_value()) return;
    const PostOp step = {*kind, *alpha, *beta};
    const auto ops = PostOps::Make(rule.name, absl::MakeConstSpan(&step, 1));
    for (const char* attribute : rule.joined) {
      op_->RemoveAttribute(attribute);
    }
    Set(rule.name, context_->GetAttribute(*ops));
  }

  // Adds an empty segment. `after` are segments that follow the arguments'.
  template <typename Infos>
  void AddSegment(const char* name, int values, int after,
                  const OpUpgrade& rule, Known<Infos>* known) {
    const int before = known->count();
    const int position = known->Add(rule);
    std::vector<int> sizes(static_cast<size_t>(values), 1);
    if (const ir::Attribute attribute = op_->attribute(name)) {
      const std::optional<Ints> given = attribute.As<Ints>();
      if (!given.has_value()) return;
      sizes.assign(given->begin(), given->end());
    }
    const int count = static_cast<int>(sizes.size());
    if (count != before && (after == 0 || count != before + after)) return;
    sizes.insert(sizes.begin() + position, 0);
    Set(name, context_->GetAttribute(absl::MakeConstSpan(sizes)));
  }

  ir::Context* context_;
  const DialectOp& record_;
  ir::Operation* op_;
  Known<absl::Span<const phi::InputInfo>> inputs_;
  Known<absl::Span<const phi::OutputInfo>> outputs_;
};

// Recursion depth equals region nesting, which the reader bounds.
void UpgradeBlock(const OperatorVersions& versions, ir::Context* context,
                  ir::Block& block) {
  for (ir::Operation* op : block) {
    for (int i = 0; i < op->num_regions(); ++i) {
      UpgradeBlock(versions, context, op->block(i));
    }
    const DialectOp* record = FindDialectOp(*op);
    if (record == nullptr || record->upgrades.empty()) continue;
    const auto version = versions.find(record->info->name);
    if (version == versions.end() || version->second >= record->info->version) {
      continue;
    }
    CallUpgrade call(context, *record, version->second, op);
    for (const OpUpgrade& rule : record->upgrades) {
      if (rule.to > version->second) call.Apply(rule);
    }
  }
}

}  // namespace

OperatorVersions VersionsOf(const ir::Program& program) {
  OperatorVersions versions;
  CollectVersions(program.entry(), &versions);
  return versions;
}

absl::Status CheckUpgrades(const ir::Context& context,
                           const OperatorVersions& versions) {
  for (const auto& [name, version] : versions) {
    const DialectOp* op = FindOperator(context, name);
    if (op == nullptr) {
      return absl::NotFoundError(absl::StrCat("saved program: the operator ",
                                              name, " is not registered"));
    }
    const int32_t known = op->info->version;
    if (version == known) continue;
    const std::string sentence =
        absl::StrCat(name, ": the program has version ", version,
                     " of the operator, this image version ", known);
    if (version > known) {
      return absl::FailedPreconditionError(
          absl::StrCat(sentence, ", which is older"));
    }
    // The rules reach from the version before the first to today's.
    if (op->upgrades.empty() || version < op->upgrades.front().to - 1) {
      return absl::FailedPreconditionError(
          absl::StrCat(sentence, " and no rules to upgrade it"));
    }
  }
  return absl::OkStatus();
}

void UpgradeOperators(const OperatorVersions& versions, ir::Program* program) {
  UpgradeBlock(versions, program->context(), program->entry());
}

}  // namespace switchyard::static_graph
