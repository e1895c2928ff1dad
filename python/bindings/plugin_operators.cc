// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/plugin_operators.h"

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "eager/call/eager_op.h"
#include "eager/call/run.h"
#include "eager/ops/autograd_ops.h"
#include "eager/tensor/tensor.h"
#include "framework/base/hash_map.h"
#include "python/bindings/known_operators.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard::python {
namespace {

using phi::capi::PluginOperator;

absl::Status NoSuchOperator(std::string_view name) {
  return absl::NotFoundError(absl::StrCat(
      "there is no operator named '", std::string(name), "' to compute with"));
}

// Checks that a body can call the operator with these inputs.
absl::Status CheckCall(const phi::OpInfo& info, size_t num_inputs) {
  for (const phi::InputInfo& input : info.inputs) {
    if (!input.list) continue;
    return absl::UnimplementedError(
        absl::StrCat(info.name, ": ", input.name,
                     " is a list of tensors, which plugins can't pass yet"));
  }
  if (num_inputs <= info.inputs.size()) return absl::OkStatus();
  return Annotate(
      ArgumentError("inputs", absl::StrCat("at most ", info.inputs.size()),
                    absl::StrCat(num_inputs)),
      info.name);
}

// The attributes of a call as the operator's own, with what they refer to.
class Attributes {
 public:
  static absl::StatusOr<Attributes> Parse(const phi::OpInfo& info,
                                          std::string_view text) {
    Attributes made;
    auto values = phi::capi::ParseAttributes(info, text);
    if (!values.ok()) return Annotate(values.status(), info.name);
    made.values_ = *std::move(values);
    for (const Attribute& value : made.values_) {
      made.refs_.push_back(value.ref());
    }
    return made;
  }
  Attributes(Attributes&&) = default;
  absl::Span<const AttrRef> refs() const { return refs_; }

 private:
  Attributes() = default;

  std::vector<Attribute> values_;
  std::vector<AttrRef> refs_;
};

// Returns an operator by name; null if there is none.
const eager::EagerOp* FindEager(std::string_view name) {
  // Generated ones do not change, and added ones are few.
  static const auto* const generated = [] {
    auto* const found = new HashMap<std::string, const eager::EagerOp*>();
    for (const eager::EagerOp* op : KnownOperators()) {
      found->emplace(op->info->name, op);
    }
    return found;
  }();
  const auto known = generated->find(std::string(name));
  if (known != generated->end()) return known->second;
  const phi::AddedOp* const added = phi::OpTable::Current().Find(name);
  return added == nullptr ? nullptr : added->eager;
}

// A body's values as tensors.
class EagerComposer final : public phi::capi::Composer {
 public:
  explicit EagerComposer(const eager::CompositeArgs& args) : args_(args) {}

  const SyValue* Input(int number) override {
    const eager::Tensor& input = args_.inputs.one(number);
    return input.defined() ? Handle(input) : nullptr;
  }
  absl::StatusOr<const SyValue*> Compute(
      std::string_view name, absl::Span<const SyValue* const> inputs,
      std::string_view attrs) override {
    const eager::EagerOp* const op = FindEager(name);
    if (op == nullptr) return NoSuchOperator(name);
    SY_RETURN_IF_ERROR(CheckCall(*op->info, inputs.size()));
    SY_ASSIGN_OR_RETURN(const Attributes attributes,
                        Attributes::Parse(*op->info, attrs));
    std::vector<const eager::Tensor*> tensors(op->info->inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      tensors[i] = reinterpret_cast<const eager::Tensor*>(inputs[i]);
    }
    std::vector<eager::Tensor> outputs;
    SY_RETURN_IF_ERROR(eager::Run(*op, tensors, attributes.refs(), &outputs));
    values_.push_back(std::move(outputs[0]));
    return Handle(values_.back());
  }
  bool IsWanted(int output) override {
    return args_.outputs.optional(output) != nullptr;
  }
  void Yield(int output, const SyValue* value) override {
    *args_.outputs.optional(output) =
        *reinterpret_cast<const eager::Tensor*>(value);
  }

 private:
  static const SyValue* Handle(const eager::Tensor& tensor) {
    return reinterpret_cast<const SyValue*>(&tensor);
  }

  const eager::CompositeArgs& args_;
  std::deque<eager::Tensor> values_;  // Keep their addresses.
};

// A body's values as those of a program.
class GraphComposer final : public phi::capi::Composer {
 public:
  GraphComposer(static_graph::ir::Builder& builder,
                const static_graph::CompositeArgs& args)
      : builder_(builder), args_(args) {}

  const SyValue* Input(int number) override {
    const static_graph::ir::Value input = args_.inputs.optional(number);
    return input ? Keep(input) : nullptr;
  }
  absl::StatusOr<const SyValue*> Compute(
      std::string_view name, absl::Span<const SyValue* const> inputs,
      std::string_view attrs) override {
    const static_graph::DialectOp* const op =
        static_graph::FindOperator(*builder_.context(), name);
    if (op == nullptr) return NoSuchOperator(name);
    SY_RETURN_IF_ERROR(CheckCall(*op->info, inputs.size()));
    SY_ASSIGN_OR_RETURN(const Attributes attributes,
                        Attributes::Parse(*op->info, attrs));
    std::vector<static_graph::ir::Value> values(op->info->inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] != nullptr) values[i] = ValueOf(inputs[i]);
    }
    std::vector<static_graph::ir::Value> outputs;
    SY_RETURN_IF_ERROR(static_graph::BuildOp(builder_, *op, values,
                                             attributes.refs(), &outputs));
    return Keep(outputs[0]);
  }
  bool IsWanted(int output) override {
    return args_.outputs.optional(output) != nullptr;
  }
  void Yield(int output, const SyValue* value) override {
    *args_.outputs.optional(output) = ValueOf(value);
  }

 private:
  static static_graph::ir::Value ValueOf(const SyValue* value) {
    return *reinterpret_cast<const static_graph::ir::Value*>(value);
  }
  const SyValue* Keep(static_graph::ir::Value value) {
    values_.push_back(value);
    return reinterpret_cast<const SyValue*>(&values_.back());
  }

  static_graph::ir::Builder& builder_;
  const static_graph::CompositeArgs& args_;
  std::deque<static_graph::ir::Value> values_;  // Keep their addresses.
};

// The operators with bodies by number. Append-only; written while a plugin is
// loaded, read by its calls alone.
std::atomic<int> num_bodies{0};
const PluginOperator* bodies[kMaxBodies];

template <int kNumber>
absl::Status ComposeEagerly(const eager::CompositeArgs& args) {
  EagerComposer composer(args);
  return phi::capi::RunBody(*bodies[kNumber], args.attrs, composer);
}

template <int kNumber>
absl::Status ComposeGraph(static_graph::ir::Builder& builder,
                          const static_graph::CompositeArgs& args) {
  GraphComposer composer(builder, args);
  return phi::capi::RunBody(*bodies[kNumber], args.attrs, composer);
}

template <int... kNumbers>
constexpr std::array<eager::CompositeFunction, kMaxBodies> EagerFunctions(
    std::integer_sequence<int, kNumbers...>) {
  return {&ComposeEagerly<kNumbers>...};
}
template <int... kNumbers>
constexpr std::array<static_graph::CompositeBuilder, kMaxBodies> GraphFunctions(
    std::integer_sequence<int, kNumbers...>) {
  return {&ComposeGraph<kNumbers>...};
}
constexpr auto kEagerFunctions =
    EagerFunctions(std::make_integer_sequence<int, kMaxBodies>());
constexpr auto kGraphFunctions =
    GraphFunctions(std::make_integer_sequence<int, kMaxBodies>());

// Both records of one operator.
struct Layers {
  eager::EagerOp eager = {};
  static_graph::DialectOp dialect = {};
};

}  // namespace

absl::Status MakeOperatorLayers(std::list<PluginOperator>* ops) {
  int number = num_bodies.load();
  std::vector<std::unique_ptr<Layers>> made;
  HashMap<const PluginOperator*, Layers*> layers_of;
  for (PluginOperator& op : *ops) {
    made.push_back(std::make_unique<Layers>());
    Layers& layers = *made.back();
    layers_of[&op] = &layers;
    layers.eager.info = layers.dialect.info = &op;
    layers.eager.autograd = &eager::autograd_ops;
    if (op.body != nullptr) {
      if (number == kMaxBodies) {
        return absl::ResourceExhaustedError(absl::StrCat(
            "plugins must have at most ", kMaxBodies,
            " operators with bodies, got one more with ", op.name));
      }
      layers.eager.composite = kEagerFunctions[number];
      layers.dialect.composite = kGraphFunctions[number];
      layers.dialect.composite_only = true;
      bodies[number++] = &op;
    } else {
      layers.eager.slot = &*op.slot;
    }
    op.added = {&op, &layers.eager, &layers.dialect};
  }
  for (PluginOperator& op : *ops) {
    if (op.backward == nullptr) continue;
    Layers& layers = *layers_of[&op];
    const Layers& backward = *layers_of[op.backward];
    layers.eager.grad = layers.dialect.grad = &op.grad;
    layers.eager.backward = &backward.eager;
    layers.dialect.backward = &backward.dialect;
  }
  num_bodies.store(number);
  for (auto& layers : made) layers.release();
  return absl::OkStatus();
}

}  // namespace switchyard::python
