// SPDX-License-Identifier: Apache-2.0
// Every operator that is a gradient or has a composite, called with arguments
// that a file or a caller may hold: in eager, recorded and not; by its legacy
// names; and as text of a program whose results claim to be what the valid call
// yields. The answer is an error that names the operator, or a result, which is
// the same everywhere; never a crash (the sanitizers watch), never an Internal
// error.
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "eager/autograd/grad_mode.h"
#include "eager/legacy/run_legacy_op.h"
#include "eager/ops/every_operator.h"
#include "gtest/gtest.h"
#include "phi/core/kernel_tables.h"
#include "phi/dispatch/transforms.h"
#include "phi/legacy/every_operator.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/parser.h"
#include "static_graph/ir/printer.h"
#include "static_graph/ir/segments.h"
#include "static_graph/program/executable.h"
#include "tests/faults/fault_injection.h"
#include "tests/faults/operator_calls.h"
#include "tests/samples/sample_calls.h"

namespace switchyard {
namespace {

namespace ir = static_graph::ir;
using eager::EagerOp;
using eager::Tensor;
using Results = absl::StatusOr<std::vector<DenseTensor>>;

constexpr char kFolder[] = "tests/samples";
// A number of classes or repetitions may ask for any amount.
constexpr int64_t kMaxBytes = 1 << 24;
// A context keeps every type that was ever made in it.
constexpr int kProgramsPerContext = 500;

std::string BytesOf(const DenseTensor& strided) {
  DenseTensor tensor = strided;
  if (!strided.contiguous()) {
    tensor = *phi::dispatch::Copied(strided, Place::Cpu());
  }
  std::string text =
      absl::StrCat(std::string(Name(tensor.dtype())), ToString(tensor.shape()));
  if (tensor.dtype() == DataType::kUndefined) return text;
  const auto* data = static_cast<const char*>(tensor.data<void>());
  return text.append(data, tensor.numel() * ElementSize(tensor.dtype()));
}

// Gives NaN one spelling: an attribute that is NaN has no sign in a program's
// text, and the sign of a NaN that comes out of arithmetic follows its
// operands'.
template <typename T>
void SpellNans(DenseTensor* tensor) {
  T* const data = tensor->mutable_data<T>();
  for (int64_t i = 0; i < tensor->numel(); ++i) {
    if (std::isnan(data[i])) data[i] = std::numeric_limits<T>::quiet_NaN();
  }
}

// Returns the elements as bytes, all NaNs alike.
std::string ComparedBytes(DenseTensor tensor) {
  if (tensor.allocated() && tensor.contiguous()) {
    if (tensor.dtype() == DataType::kFloat32) SpellNans<float>(&tensor);
    if (tensor.dtype() == DataType::kFloat64) SpellNans<double>(&tensor);
  }
  return BytesOf(tensor);
}

// Programs have dense results alone.
Results Dense(const OperatorCall& call, bool recorded) {
  SY_ASSIGN_OR_RETURN(const std::vector<Tensor> outputs,
                      RunEager(call, recorded));
  std::vector<DenseTensor> results;
  for (const Tensor& output : outputs) {
    if (output.defined() && output.kind() != TensorKind::kDense) {
      return absl::UnimplementedError(
          absl::StrCat(call.op->info->name, ": its result is not dense"));
    }
    results.push_back(output.defined() ? output.dense() : DenseTensor());
  }
  return results;
}

void ExpectSound(const absl::Status& status, const std::string& op) {
  if (status.ok()) return;
  EXPECT_NE(status.code(), absl::StatusCode::kInternal) << status;
  EXPECT_NE(status.code(), absl::StatusCode::kUnknown) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), op)) << status;
}

void ExpectSame(const Results& got, const Results& want) {
  ASSERT_EQ(got.ok(), want.ok()) << got.status() << " | " << want.status();
  if (!got.ok()) return;
  ASSERT_EQ(got->size(), want->size());
  for (size_t i = 0; i < got->size(); ++i) {
    EXPECT_EQ(ComparedBytes((*got)[i]), ComparedBytes((*want)[i]))
        << "output " << i;
  }
}

// ---- As a program ----

std::unique_ptr<ir::Context> NewContext() {
  auto context = std::make_unique<ir::Context>();
  EXPECT_TRUE(static_graph::RegisterDialects(context.get(),
                                             static_graph::AllDialectOps())
                  .ok());
  return context;
}

ir::TensorType TypeOf(ir::Context* context, const DenseTensor& tensor) {
  TensorSpec spec;
  spec.dtype = tensor.dtype();
  spec.shape = tensor.shape();
  return context->GetTensorType(spec);
}

template <typename Infos>
void AddSegments(ir::Builder& builder, const char* name, const Infos& infos,
                 const phi::ArgSegments& segments,
                 const std::vector<DenseTensor>& tensors,
                 ir::OperationState* state) {
  bool needed = false;
  std::vector<int> sizes;
  for (size_t i = 0; i < infos.size(); ++i) {
    needed |= infos[i].list || infos[i].optional;
    sizes.push_back(0);
    const int argument = static_cast<int>(i);
    for (int slot = segments.begin(argument); slot < segments.end(argument);
         ++slot) {
      sizes.back() += tensors[slot].dtype() != DataType::kUndefined;
    }
  }
  if (!needed) return;
  state->attributes.push_back(
      builder.Named(name, AttrRef(absl::MakeConstSpan(sizes))));
}

// The text of a program of this one call, unchecked, whose results look as
// `results`.
std::string ProgramText(ir::Context* context, const OperatorCall& call,
                        const std::vector<DenseTensor>& results,
                        const phi::ArgSegments& result_segments) {
  const phi::OpInfo& info = *call.op->info;
  ir::Program program(context, "p");
  ir::Builder builder(context, &program.entry());
  ir::OperationState state;
  state.definition = context->FindOp(absl::StrCat("op.", info.name));
  for (size_t slot = 0; slot < call.inputs.size(); ++slot) {
    const DenseTensor& input = call.inputs[slot];
    if (input.dtype() == DataType::kUndefined) continue;
    state.operands.push_back(
        program.AddFeed(absl::StrCat("f", slot), TypeOf(context, input)));
  }
  for (const DenseTensor& result : results) {
    if (result.dtype() == DataType::kUndefined) continue;
    state.results.push_back(TypeOf(context, result));
  }
  const std::vector<AttrRef> attrs = call.attr_refs();
  for (size_t i = 0; i < attrs.size(); ++i) {
    state.attributes.push_back(builder.Named(info.attrs[i].name, attrs[i]));
  }
  AddSegments(builder, ir::kOperandSegments, info.inputs, call.segments(),
              call.inputs, &state);
  AddSegments(builder, ir::kResultSegments, info.outputs, result_segments,
              results, &state);
  const ir::Operation* op = builder.Create(state);
  std::vector<ir::NamedValue> fetches;
  for (int i = 0; i < op->num_results(); ++i) {
    fetches.push_back({absl::StrCat("o", i), op->result(i)});
  }
  program.Return(fetches, {});
  return ir::Print(program);
}

// Results by slot, as `results` of the text has them.
Results RunText(ir::Context* context, const std::string& text,
                const OperatorCall& call,
                const std::vector<DenseTensor>& results) {
  SY_ASSIGN_OR_RETURN(const ir::Program graph, ir::Parse(context, text));
  SY_ASSIGN_OR_RETURN(
      const auto program,
      static_graph::Executable::Compile(graph, phi::KernelTables::Current()));
  std::vector<DenseTensor> feeds, fetches;
  for (const DenseTensor& input : call.inputs) {
    if (input.dtype() != DataType::kUndefined) feeds.push_back(input);
  }
  SY_RETURN_IF_ERROR(program->RunInOrder(feeds, nullptr, &fetches));
  std::vector<DenseTensor> by_slot;
  size_t next = 0;
  for (const DenseTensor& result : results) {
    const bool there = result.dtype() != DataType::kUndefined;
    by_slot.push_back(there ? fetches[next++] : DenseTensor());
  }
  return by_slot;
}

// ---- By legacy names ----

// The call as `form` writes it; false if the form can't say it.
bool ByLegacyNames(const OperatorCall& call, const phi::LegacyForm& form,
                   std::vector<eager::SlotTensors>* inputs,
                   std::vector<eager::LegacyAttribute>* attrs) {
  const phi::ArgSegments slots = call.segments();
  for (const phi::LegacySlot& slot : form.inputs) {
    if (slot.argument < 0) continue;
    eager::SlotTensors named = {slot.name, {}, slot.duplicable};
    for (int i = slots.begin(slot.argument); i < slots.end(slot.argument);
         ++i) {
      if (call.inputs[i].dtype() == DataType::kUndefined) continue;
      named.tensors.emplace_back(call.inputs[i]);
    }
    if (!named.tensors.empty()) inputs->push_back(std::move(named));
  }
  for (const phi::LegacyAttr& attr : form.attrs) {
    if (attr.attr < 0 || !attr.values.empty() || attr.repeats) continue;
    attrs->push_back({attr.name, call.attrs[attr.attr]});
  }
  return inputs->size() > 0;
}

void TraceAll(const OperatorCall& call) {
  static const auto* forms = [] {
    auto* by_op =
        new std::map<const phi::OpInfo*, std::vector<const phi::LegacyForm*>>;
    for (const phi::LegacyForm* form : phi::AllLegacyForms()) {
      (*by_op)[form->op].push_back(form);
    }
    return by_op;
  }();
  const auto found = forms->find(call.op->info);
  if (found == forms->end()) return;
  for (const phi::LegacyForm* form : found->second) {
    std::vector<eager::SlotTensors> inputs;
    std::vector<eager::LegacyAttribute> attrs;
    if (!ByLegacyNames(call, *form, &inputs, &attrs)) continue;
    SCOPED_TRACE(form->type);
    ExpectSound(eager::RunLegacyOp(form->type, inputs, attrs).status(),
                form->type);
  }
}

// ---- Tests ----

// The operators whose tensors are not dense, which no text of a call writes.
std::set<std::string> RunElsewhere() {
  std::set<std::string> names;
  const auto samples = ReadSampleCalls(kFolder);
  EXPECT_TRUE(samples.ok()) << samples.status();
  for (const SampleCall& sample : *samples) {
    if (!sample.run_by.empty()) names.insert(sample.op->name);
  }
  return names;
}

std::set<std::string> AskedOperators() {
  std::set<std::string> names;
  const std::set<std::string> elsewhere = RunElsewhere();
  for (const EagerOp* op : eager::AllEagerOps()) {
    if (elsewhere.count(op->info->name) > 0) continue;
    if (op->composite != nullptr) names.insert(op->info->name);
    if (op->backward != nullptr) names.insert(op->backward->info->name);
  }
  return names;
}

phi::ArgLayout OutputLayout(const OperatorCall& call) {
  phi::ArgLayout layout;
  const std::vector<AttrRef> attrs = call.attr_refs();
  EXPECT_TRUE(
      phi::LayOutOutputs(*call.op->info, call.segments(), attrs, &layout).ok());
  return layout;
}

// Returns false for an operator that is a call of others, which is no operation
// of a program, and for a list with absent entries, which an operation cannot
// have.
bool HasProgram(const OperatorCall& call) {
  const phi::OpInfo& info = *call.op->info;
  for (size_t slot = 0; slot < call.inputs.size(); ++slot) {
    const int argument = call.segments().argument_of(static_cast<int>(slot));
    if (info.inputs[argument].list &&
        call.inputs[slot].dtype() == DataType::kUndefined) {
      return false;
    }
  }
  return info.infer_meta != nullptr;
}

class SpoiltCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    SyRefuseAllocationsOver(kMaxBytes);
    context_ = NewContext();
  }
  void TearDown() override { SyRefuseAllocationsOver(INT64_MAX); }

  // `valid`: what the unchanged call yields.
  void Check(const OperatorCall& call, const std::vector<DenseTensor>& valid) {
    const std::string name = call.op->info->name;
    const Results results = Dense(call, /*recorded=*/false);
    ExpectSound(results.status(), name);
    const Results recorded = Dense(call, /*recorded=*/true);
    ExpectSound(recorded.status(), name);
    TraceAll(call);
    if (!HasProgram(call)) return;
    if (++programs_ % kProgramsPerContext == 0) context_ = NewContext();
    const bool same = results.ok();
    const std::vector<DenseTensor>& claimed = same ? *results : valid;
    const phi::ArgLayout layout = OutputLayout(call);
    if (layout.size() != claimed.size()) return;
    const std::string text =
        ProgramText(context_.get(), call, claimed, layout.segments());
    const Results run = RunText(context_.get(), text, call, claimed);
    // A composite is written out: what fails at run is one of its operators.
    ExpectSound(run.status(), run.ok() ? name : " must ");
    ExpectSame(run, results);
    ran_ += run.ok();
    refused_ += !run.ok();
  }

  int ran_ = 0, refused_ = 0;

 private:
  std::unique_ptr<ir::Context> context_;
  int programs_ = 0;
};

TEST_F(SpoiltCalls, AreRefusedOrAnswered) {
  std::set<std::string> missing = AskedOperators();
  for (const OperatorCall& call : ValidCalls(kFolder)) {
    missing.erase(call.op->info->name);
    const Results valid = Dense(call, /*recorded=*/false);
    ASSERT_TRUE(valid.ok()) << valid.status();
    for (const OperatorCall& changed : ChangedCalls(call)) {
      SCOPED_TRACE(absl::StrCat(call.op->info->name, ", ", changed.change));
      Check(changed, *valid);
    }
  }
  EXPECT_TRUE(missing.empty())
      << "no valid call of " << absl::StrJoin(missing, ", ");
  EXPECT_GT(ran_, 1000);
  EXPECT_GT(refused_, 1000);
}

}  // namespace
}  // namespace switchyard
