// SPDX-License-Identifier: Apache-2.0
// The simulated device computes what the CPU computes. Every sample of every
// operator, the calls of its gradients and its in-place variant, and the errors
// of invalid calls, once on the CPU and once on sim:0, whose memory the host
// can't touch (framework/device/sim): the same metadata and bits, or the same
// sentence. One source, two tests: sim has a kernel for each one of the CPU, or
// a dozen and falls back for the rest.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "eager/autograd/grad_mode.h"
#include "eager/call/run.h"
#include "eager/tensor/tensor.h"
#include "framework/device/sim/sim_device.h"
#include "framework/device/stream.h"
#include "framework/testing/matchers.h"
#include "phi/core/kernel_tables.h"
#include "phi/dispatch/environment.h"
#include "phi/selection/fallback_log.h"
#include "tests/explain/cases.h"
#include "tests/samples/sample_calls.h"

namespace switchyard {
namespace {

using eager::Tensor;

// True where sim has a dozen kernels only.
bool FewKernels() { return std::getenv("SIM_KERNELS") != nullptr; }

// Reads the samples once for all parts.
const absl::StatusOr<std::vector<SampleCall>>& Samples() {
  static const auto* const samples =
      new absl::StatusOr<std::vector<SampleCall>>(
          ReadSampleCalls("tests/samples"));
  return *samples;
}

// The operators that exceptions.txt lists for this kernel set, with reasons.
const std::map<std::string, std::string>& Exceptions() {
  static const auto* const exceptions = [] {
    auto* const read = new std::map<std::string, std::string>();
    std::ifstream file("tests/sim/exceptions.txt");
    EXPECT_TRUE(file.is_open());
    std::string set, op, reason;
    while (file >> set >> op && std::getline(file, reason)) {
      const bool ours = set == (FewKernels() ? "few" : "all");
      if (ours || set == "both") (*read)[op] = reason;
    }
    return read;
  }();
  return *exceptions;
}

// The tensor on `place`; that it can't be moved fails the test.
DenseTensor On(Place place, const DenseTensor& x) {
  auto moved = Moved(x, place);
  EXPECT_THAT(moved, IsOk());
  return moved.ok() ? *std::move(moved) : DenseTensor();
}

// True if sim has no kernel of an operator.
bool HasNoKernel(const char* op) {
  for (const phi::OpKernels* op_kernels : phi::KernelTables::Current().ops()) {
    if (std::string_view(op_kernels->op) != op) continue;
    for (const phi::KernelDef* kernel : op_kernels->kernels) {
      if (std::string_view(kernel->key.backend->name) == "sim") return false;
    }
  }
  return true;
}

// True if an operator has kernels, but none to compare them with: results of
// no particular order, which a test of their own checks.
bool HasNoReference(const char* op) {
  for (const phi::OpKernels* op_kernels : phi::KernelTables::Current().ops()) {
    if (std::string_view(op_kernels->op) != op) continue;
    for (const phi::KernelDef* kernel : op_kernels->kernels) {
      if (std::string_view(kernel->key.backend->name) == "reference") {
        return false;
      }
    }
  }
  return true;
}

// The result of a call, and the tensors that it may have written.
struct Outcome {
  absl::Status status;
  bool late = false;  // The error came once the call had returned.
  std::vector<Tensor> results;
  std::vector<Tensor> inputs;
};

Outcome RunOn(const Case& call, Place place, bool inplace) {
  const eager::NoGradGuard no_grad;
  phi::dispatch::Environment& environment =
      phi::dispatch::Environment::Current();
  const Place before = environment.default_place;
  environment.default_place = place;
  Outcome outcome;
  std::vector<const Tensor*> inputs(call.tensors.size());
  outcome.inputs.resize(call.tensors.size());
  for (size_t slot = 0; slot < inputs.size(); ++slot) {
    if (call.tensors[slot].dtype() == DataType::kUndefined) continue;
    const bool host = IsRandomState(call, static_cast<int>(slot));
    outcome.inputs[slot] =
        Tensor(On(host ? Place::Cpu() : place, call.tensors[slot]));
    inputs[slot] = &outcome.inputs[slot];
  }
  eager::EagerOp op = *call.op;
  op.inplace = inplace;
  outcome.status = eager::Run(op, {inputs, call.segments()}, call.attr_refs(),
                              &outcome.results);
  if (outcome.status.ok()) {
    // An error of the device comes when the host waits.
    outcome.status = Synchronize(place);
    outcome.late = !outcome.status.ok();
  }
  environment.default_place = before;
  return outcome;
}

std::vector<std::string> ElementsOf(const DenseTensor& x) {
  std::vector<std::string> elements;
  const size_t size = ElementSize(x.dtype());
  for (int64_t i = 0; i < x.numel(); ++i) {
    const int64_t position = ElementOffset(x.shape(), x.strides(), i);
    elements.emplace_back(
        static_cast<const char*>(x.raw_data()) + position * size, size);
  }
  return elements;
}

void ExpectSameDense(const DenseTensor& got, const DenseTensor& want) {
  EXPECT_EQ(Name(got.dtype()), Name(want.dtype()));
  EXPECT_EQ(ToString(got.shape()), ToString(want.shape()));
  EXPECT_EQ(got.allocated(), want.allocated());
  if (testing::Test::HasFailure() || !want.allocated()) return;
  EXPECT_TRUE(ElementsOf(On(Place::Cpu(), got)) == ElementsOf(want))
      << "other bits";
}

void ExpectSameTensor(const Tensor& got, const Tensor& want) {
  ASSERT_EQ(got.defined(), want.defined());
  if (!want.defined()) return;
  ASSERT_EQ(got.kind(), want.kind());
  if (want.kind() == TensorKind::kDense) {
    return ExpectSameDense(got.dense(), want.dense());
  }
  ASSERT_EQ(want.kind(), TensorKind::kSelectedRows);
  EXPECT_EQ(got.selected_rows().rows(), want.selected_rows().rows());
  EXPECT_EQ(got.selected_rows().height(), want.selected_rows().height());
  ExpectSameDense(got.selected_rows().values(), want.selected_rows().values());
}

void ExpectSameTensors(const std::vector<Tensor>& got,
                       const std::vector<Tensor>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    SCOPED_TRACE(absl::StrCat("output ", i));
    ExpectSameTensor(got[i], want[i]);
  }
}

// Returns the bytes of an input's whole buffer, whatever the tensor views.
std::string BytesOf(const Tensor& tensor) {
  if (!tensor.defined() || !tensor.dense().allocated()) return "";
  const DenseTensor host = On(Place::Cpu(), tensor.dense());
  return std::string(static_cast<const char*>(host.buffer()->data()),
                     host.buffer()->size());
}

void ExpectSameInputs(const Outcome& got, const Outcome& want) {
  for (size_t slot = 0; slot < want.inputs.size(); ++slot) {
    EXPECT_TRUE(BytesOf(got.inputs[slot]) == BytesOf(want.inputs[slot]))
        << "input " << slot;
  }
}

bool HasPlace(const Case& call) {
  for (const Attribute& attr : call.attrs) {
    if (attr.ref().type() == AttrType::kPlace) return true;
  }
  return false;
}

// Why sim differs from the CPU; "" if it does not.
std::string Difference(const Case& call, bool inplace) {
  const Outcome want = RunOn(call, Place::Cpu(), inplace);
  const Outcome got = RunOn(call, SimPlace(), inplace);
  const std::string said = absl::StrReplaceAll(got.status.message(),
                                               {{ToString(SimPlace()), "cpu"}});
  if (got.status.code() != want.status.code() ||
      said != want.status.message()) {
    return absl::StrCat("the CPU says ", want.status.ToString(), ", sim ",
                        got.status.ToString());
  }
  // A value that work of the device failed to write in place is lost.
  if (!got.late || !inplace) ExpectSameInputs(got, want);
  if (!want.status.ok()) return "";
  ExpectSameTensors(got.results, want.results);
  for (const Tensor& result : got.results) {
    if (result.defined() && !HasPlace(call)) {
      EXPECT_EQ(ToString(result.place()), ToString(SimPlace()));
    }
  }
  return "";
}

bool HasInplaceVariant(const phi::OpInfo& info) {
  if (info.has(phi::Trait::kInplaceOnly)) return false;
  for (const phi::OutputInfo& output : info.outputs) {
    if (output.inplace_of >= 0) return true;
  }
  return false;
}

constexpr int kParts = 64;

// One part of the samples, so that shards share them.
class SimSamples : public testing::TestWithParam<int> {};

TEST_P(SimSamples, AreTheSameOnSim) {
  const auto& samples = Samples();
  ASSERT_THAT(samples, IsOk());
  ASSERT_FALSE(phi::KernelTables::Current().ops().empty());
  phi::selection::Policy policy;
  policy.allow_fallback = FewKernels();
  const phi::dispatch::PolicyScope scope(policy);
  int runs = 0;
  for (size_t i = GetParam(); i < samples->size(); i += kParts) {
    if (!(*samples)[i].run_by.empty()) continue;  // An exception.
    const auto cases = MakeCases((*samples)[i]);
    if (!cases.ok()) {  // The words of an invalid call may be refused already.
      EXPECT_FALSE((*samples)[i].valid) << cases.status();
      continue;
    }
    for (const Case& call : *cases) {
      for (const bool inplace : {false, true}) {
        if (inplace && !HasInplaceVariant(call.info())) continue;
        SCOPED_TRACE(absl::StrCat(call.info().name, inplace ? "_" : "", " in ",
                                  (*samples)[i].op->name, " ",
                                  (*samples)[i].text));
        const std::string difference = Difference(call, inplace);
        const bool excepted = Exceptions().count(absl::StrCat(
                                  call.info().name, inplace ? "_" : "")) > 0;
        // Tensors with gaps are written in place on the host alone.
        const bool gaps =
            inplace && absl::StrContains(difference,
                                         "must be contiguous to be written in "
                                         "place, got strides with gaps");
        EXPECT_TRUE(difference.empty() || excepted || gaps) << difference;
        ++runs;
      }
    }
  }
  EXPECT_GT(runs, 10);
  EXPECT_EQ(!phi::selection::FallbackLog().empty(), FewKernels());
}

INSTANTIATE_TEST_SUITE_P(Samples, SimSamples, testing::Range(0, kParts));

// The list may only shrink: each of its operators still differs.
TEST(SimSamplesTest, ExceptionsAreNeeded) {
  const auto& samples = Samples();
  ASSERT_THAT(samples, IsOk());
  phi::selection::Policy policy;
  policy.allow_fallback = FewKernels();
  const phi::dispatch::PolicyScope scope(policy);
  std::set<std::string> needed;
  for (const SampleCall& sample : *samples) {
    // Those that a test of their own runs take or make what is not dense, or
    // has sequences: each must be an exception.
    if (!sample.run_by.empty()) {
      const char* const op = sample.op->name;
      EXPECT_EQ(Exceptions().count(op), 1u) << op << " is not run on sim";
      if (HasNoKernel(op) || HasNoReference(op)) needed.insert(op);
      continue;
    }
    const auto cases = MakeCases(sample);
    if (!cases.ok()) continue;
    for (const Case& call : *cases) {
      for (const bool inplace : {false, true}) {
        const std::string name =
            absl::StrCat(call.info().name, inplace ? "_" : "");
        if (Exceptions().count(name) == 0 || needed.count(name) > 0 ||
            (inplace && !HasInplaceVariant(call.info()))) {
          continue;
        }
        if (!Difference(call, inplace).empty()) needed.insert(name);
      }
    }
  }
  for (const auto& [name, reason] : Exceptions()) {
    EXPECT_EQ(needed.count(name), 1u) << name << " differs no longer";
    EXPECT_GT(reason.size(), 10u) << name << " has no reason";
  }
}

}  // namespace
}  // namespace switchyard
