// SPDX-License-Identifier: Apache-2.0
// Every sample of every operator that has kernels, through promotion,
// InferMeta, selection, transforms and launch, without generated functions:
// little enough to run under the sanitizers. Whether the values are right is
// for reference_test.py; here: dtypes and shapes as inferred, the errors of
// invalid calls, and inputs that stay as they were.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/testing/matchers.h"
#include "phi/core/infer_meta_context.h"
#include "phi/core/kernel_table.h"
#include "phi/core/kernel_tables.h"
#include "phi/dispatch/call.h"
#include "phi/dispatch/environment.h"
#include "phi/promotion/op_promotion.h"
#include "phi/selection/call_parser.h"
#include "tests/samples/sample_calls.h"

namespace switchyard {
namespace {

using phi::OpInfo;
using phi::OpKernels;
using phi::selection::ParsedCall;
using phi::selection::Policy;
using Tensors = std::vector<DenseTensor>;

constexpr char kFolder[] = "tests/samples";

absl::StatusOr<ParsedCall> Parse(const SampleCall& sample) {
  absl::StatusOr<ParsedCall> call = phi::selection::ParseCall(
      *sample.op, sample.inputs, sample.attrs, Place::Cpu());
  if (!call.ok()) return Annotate(call.status(), sample.op->name);
  return call;
}

// The argument that output `argument` is written over; -1 if it has memory of
// its own.
int Overwritten(const OpInfo& info, int argument) {
  return info.has(phi::Trait::kInplaceOnly) ? info.outputs[argument].inplace_of
                                            : -1;
}

// Outputs by slot, without dtype where the call has none.
absl::StatusOr<Tensors> Run(const OpInfo& info, const OpKernels& row,
                            const ParsedCall& call, const Tensors& inputs) {
  std::vector<const TensorBase*> given;
  for (const DenseTensor& input : inputs) {
    given.push_back(input.dtype() == DataType::kUndefined ? nullptr : &input);
  }
  const phi::ArgSegments in = call.tensors().segments();
  phi::ArgLayout layout;
  SY_RETURN_IF_ERROR(
      Annotate(phi::LayOutOutputs(info, in, call.attrs(), &layout), info.name));
  const phi::ArgSegments out = layout.segments();
  Tensors outputs(layout.size());
  std::vector<TensorBase*> results(outputs.size());
  for (int argument = 0; argument < out.arguments(); ++argument) {
    const int input = Overwritten(info, argument);
    for (int slot = out.begin(argument); slot < out.end(argument); ++slot) {
      if (input >= 0) {
        const int k = slot - out.begin(argument);
        outputs[slot] = inputs[in.begin(input) + k];
        if (outputs[slot].dtype() == DataType::kUndefined) continue;
      }
      results[slot] = &outputs[slot];
    }
  }
  phi::dispatch::Call dispatched(info,
                                 {{given, in}, call.attrs(), {results, out}});
  SY_RETURN_IF_ERROR(dispatched.Run(row));
  return outputs;
}

// Returns what InferMeta infers for the wanted outputs.
absl::StatusOr<std::vector<TensorSpec>> Infer(const OpInfo& info,
                                              const ParsedCall& call,
                                              const Tensors& inputs,
                                              const Tensors& outputs) {
  const phi::ArgSegments segments = call.tensors().segments();
  std::vector<TensorSpec> metas;
  for (const DenseTensor& input : inputs) metas.push_back(input.meta());
  std::vector<const TensorSpec*> given;
  for (const TensorSpec& meta : metas) {
    given.push_back(meta.dtype == DataType::kUndefined ? nullptr : &meta);
  }
  SY_ASSIGN_OR_RETURN(const DataType promoted,
                      phi::promotion::PromotedDtype(info, {given, segments}));
  for (int slot = 0; slot < segments.size(); ++slot) {
    if (promoted != DataType::kUndefined && given[slot] != nullptr &&
        phi::promotion::IsPromoted(info, segments.argument_of(slot))) {
      metas[slot].dtype = promoted;
    }
  }
  phi::ArgLayout layout;
  SY_RETURN_IF_ERROR(phi::LayOutOutputs(info, segments, call.attrs(), &layout));
  std::vector<TensorSpec> inferred(outputs.size());
  std::vector<TensorSpec*> wanted;
  for (size_t slot = 0; slot < outputs.size(); ++slot) {
    const bool there = outputs[slot].dtype() != DataType::kUndefined;
    wanted.push_back(there ? &inferred[slot] : nullptr);
  }
  SY_RETURN_IF_ERROR(info.InferMeta(
      {{given, segments}, call.attrs(), {wanted, layout.segments()}}));
  return inferred;
}

std::vector<std::string> BytesOf(const Tensors& tensors) {
  std::vector<std::string> bytes;
  for (const DenseTensor& tensor : tensors) {
    bytes.emplace_back();
    if (!tensor.allocated()) continue;
    bytes.back().assign(static_cast<const char*>(tensor.buffer()->data()),
                        tensor.buffer()->size());
  }
  return bytes;
}

// Only what the operator is there to write may have changed.
void ExpectInputsKept(const OpInfo& info, const phi::ArgSegments& segments,
                      const Tensors& inputs,
                      const std::vector<std::string>& before) {
  const std::vector<std::string> after = BytesOf(inputs);
  std::set<int> overwritten;
  for (size_t i = 0; i < info.outputs.size(); ++i) {
    overwritten.insert(Overwritten(info, static_cast<int>(i)));
  }
  for (size_t slot = 0; slot < inputs.size(); ++slot) {
    const int argument = segments.argument_of(static_cast<int>(slot));
    if (overwritten.count(argument) > 0) continue;
    EXPECT_TRUE(after[slot] == before[slot])
        << info.inputs[argument].name << " has changed";
  }
}

// True for the operators whose kernels find out how large a result is.
bool TellsShapes(std::string_view op) {
  constexpr std::string_view kOps[] = {"nonzero",
                                       "compress",
                                       "unique",
                                       "legacy_unique",
                                       "unique_consecutive",
                                       "repeat_indices",
                                       "bincount",
                                       "nms",
                                       "multiclass_nms3",
                                       "multiclass_nms_lod",
                                       "matrix_nms",
                                       "mine_hard_examples",
                                       "generate_proposals",
                                       "legacy_generate_proposals",
                                       "distribute_fpn_proposals",
                                       "collect_fpn_proposals"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

void CheckValid(const SampleCall& sample, const OpKernels& row) {
  const OpInfo& info = *sample.op;
  absl::StatusOr<ParsedCall> call = Parse(sample);
  ASSERT_THAT(call, IsOk());
  const Tensors inputs = SampleTensors(sample, *call);
  const std::vector<std::string> before = BytesOf(inputs);
  const absl::StatusOr<Tensors> outputs = Run(info, row, *call, inputs);
  ASSERT_THAT(outputs, IsOk());
  ExpectInputsKept(info, call->tensors().segments(), inputs, before);
  const auto inferred = Infer(info, *call, inputs, *outputs);
  ASSERT_THAT(inferred, IsOk());
  size_t there = 0;
  for (size_t slot = 0; slot < outputs->size(); ++slot) {
    const DenseTensor& output = (*outputs)[slot];
    if (output.dtype() == DataType::kUndefined) continue;
    ++there;
    EXPECT_TRUE(output.allocated()) << "output " << slot;
    // An extent that only the elements tell is all that may be unknown.
    const Shape& shape = (*inferred)[slot].shape;
    EXPECT_TRUE(MayEqual(output.shape(), shape))
        << ToString(output.shape()) << " and " << ToString(shape);
    EXPECT_TRUE(shape.known() || TellsShapes(info.name)) << ToString(shape);
    EXPECT_EQ(Name(output.dtype()), Name((*inferred)[slot].dtype));
  }
  EXPECT_GT(there, 0u);
}

absl::StatusCode CodeOf(const std::string& code) {
  if (code == "out_of_range") return absl::StatusCode::kOutOfRange;
  if (code == "size") return absl::StatusCode::kResourceExhausted;
  return absl::StatusCode::kInvalidArgument;
}

void CheckInvalid(const SampleCall& sample, const OpKernels& row) {
  absl::StatusOr<ParsedCall> call = Parse(sample);
  absl::Status status = call.status();
  if (call.ok()) {
    const Tensors inputs = SampleTensors(sample, *call);
    const std::vector<std::string> before = BytesOf(inputs);
    status = Run(*sample.op, row, *call, inputs).status();
    EXPECT_EQ(BytesOf(inputs), before);
  }
  EXPECT_THAT(status, StatusIs(CodeOf(sample.code),
                               testing::ContainsRegex(absl::StrCat(
                                   "^", sample.op->name, ": ", sample.argument,
                                   "([^a-z0-9_].*)? must .*, got "))));
  EXPECT_EQ(IsTypeError(status), sample.code == "type_error") << status;
}

struct NamedPolicy {
  const char* name;
  Policy policy;
};

std::vector<NamedPolicy> Policies() {
  return {{"any backend", Policy()},
          {"cpu", Policy::Only(backend_cpu)},
          {"reference", Policy::Only(backend_reference)}};
}

TEST(DispatchSamples, RunOrFailAsTheListsSay) {
  const auto samples = ReadSampleCalls(kFolder);
  ASSERT_THAT(samples, IsOk());
  int valid = 0, invalid = 0;
  std::set<std::string> operators, composites;
  for (const SampleCall& sample : *samples) {
    operators.insert(sample.op->name);
    const OpKernels* row = phi::KernelTables::Current().Find(sample.op->name);
    if (row == nullptr) {  // Made of others, which are in the lists too.
      composites.insert(sample.op->name);
      continue;
    }
    if (!sample.run_by.empty()) continue;
    SCOPED_TRACE(absl::StrCat(sample.op->name, " ", sample.text));
    for (const NamedPolicy& policy : Policies()) {
      SCOPED_TRACE(policy.name);
      const phi::dispatch::PolicyScope scope(policy.policy);
      if (sample.valid) {
        CheckValid(sample, *row);
      } else {
        CheckInvalid(sample, *row);
      }
    }
    ++(sample.valid ? valid : invalid);
  }
  if (OnlyOperators() != nullptr) return;
  EXPECT_GT(valid, 900);
  EXPECT_GT(invalid, 250);
  EXPECT_LT(composites.size() * 3, operators.size());
  EXPECT_EQ(composites.count("elementwise_sub"), 1u);
}

}  // namespace
}  // namespace switchyard
