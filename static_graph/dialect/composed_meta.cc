// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/composed_meta.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "phi/core/added_kernels.h"
#include "phi/core/composed_meta.h"
#include "phi/core/infer_meta_context.h"
#include "static_graph/dialect/composite_ops.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/context.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {
namespace {

// The thread's context, for the length of one inference. A context keeps each
// type that was ever made in it, so another one is made where there are many.
class ScratchContext {
 public:
  ScratchContext() {
    State& state = ThisThreads();
    const bool large = state.context != nullptr && state.depth == 0 &&
                       state.context->made().bytes > kMaxBytes;
    if (state.context == nullptr || large) {
      state.context = std::make_unique<ir::Context>();
    }
    ++state.depth;
  }
  ~ScratchContext() { --ThisThreads().depth; }
  ScratchContext(const ScratchContext&) = delete;
  ScratchContext& operator=(const ScratchContext&) = delete;

  ir::Context* get() const { return ThisThreads().context.get(); }

 private:
  // A composite may use operators that are inferred so themselves.
  struct State {
    std::unique_ptr<ir::Context> context;
    int depth = 0;
  };
  static constexpr size_t kMaxBytes = size_t{1} << 20;

  static State& ThisThreads() {
    static thread_local State state;
    return state;
  }
};

// Returns the operator that has the composite.
absl::StatusOr<const DialectOp*> FindComposed(ir::Context* context,
                                              const char* name) {
  const DialectOp* op = FindOperator(*context, name);
  if (op == nullptr) {
    SY_RETURN_IF_ERROR(RegisterDialects(context, AllDialectOps()));
    op = FindOperator(*context, name);
  }
  if (op != nullptr && op->composite != nullptr) return op;
  return absl::UnimplementedError(
      absl::StrCat("what ", name, " yields can't be inferred"));
}

// Adds a value for the elements of each attribute that tensors supply.
std::vector<SuppliedAttr> AddSupplied(absl::Span<const AttrRef> attrs,
                                      ir::Program* program) {
  std::vector<SuppliedAttr> supplied;
  for (size_t i = 0; i < attrs.size(); ++i) {
    if (!attrs[i].supplied()) continue;
    const auto count = static_cast<int64_t>(
        attrs[i].Get<absl::Span<const AttrValue>>().size());
    const ir::Value elements = program->AddFeed(
        absl::StrCat("attribute ", i),
        program->context()->GetTensorType(DataType::kInt64, {count}));
    supplied.push_back({static_cast<int>(i), {elements}});
  }
  return supplied;
}

}  // namespace

absl::Status InferByComposite(const phi::OpInfo& op,
                              const phi::InferMetaContext& context) {
  const ScratchContext scratch;
  SY_ASSIGN_OR_RETURN(const DialectOp* const composed,
                      FindComposed(scratch.get(), op.name));
  ir::Program program(scratch.get(), op.name);
  std::vector<ir::Value> inputs;
  for (const TensorSpec* input : context.inputs.elements()) {
    inputs.emplace_back();
    if (input == nullptr) continue;
    TensorSpec spec = *input;
    spec.layout = LayoutDescriptor();
    inputs.back() = program.AddFeed(absl::StrCat(inputs.size() - 1),
                                    scratch.get()->GetTensorType(spec));
  }
  const std::vector<SuppliedAttr> supplied =
      AddSupplied(context.attrs, &program);
  absl::InlinedVector<bool, 8> wanted;
  for (const TensorSpec* output : context.outputs.elements()) {
    wanted.push_back(output != nullptr);
  }
  ir::Builder builder(scratch.get(), &program.entry());
  std::vector<ir::Value> results;
  SY_RETURN_IF_ERROR(RunComposite(
      builder, *composed, {inputs, context.inputs.segments()}, context.attrs,
      supplied, {wanted, context.outputs.segments()}, &results));
  for (size_t slot = 0; slot < results.size(); ++slot) {
    // An optional result need not be there.
    if (!wanted[slot] || !results[slot]) continue;
    *context.outputs[slot] = results[slot].tensor_type().spec();
  }
  return absl::OkStatus();
}

const DialectOp* WithKernels(const DialectOp* op) {
  if (op->composite == nullptr || op->info->has_infer_meta() ||
      phi::AddedKernels(*op->info) == nullptr) {
    return op;
  }
  const phi::OpInfo* const inferring = phi::WithInferMeta(*op->info);
  if (inferring == nullptr) return op;
  static std::mutex mutex;
  static auto* const records = new std::map<const DialectOp*, DialectOp>();
  const std::lock_guard<std::mutex> lock(mutex);
  DialectOp& record = records->try_emplace(op, *op).first->second;
  record.info = inferring;
  return &record;
}

}  // namespace switchyard::static_graph
