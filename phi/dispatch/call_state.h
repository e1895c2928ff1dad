// SPDX-License-Identifier: Apache-2.0
// CallState: what the steps of one call (call.h) hand to one another. They are
// functions: those of call_arguments.h describe the call, those of
// call_inputs.h and call_outputs.h make its tensors ready, and those of
// call_fallback.h bring it to the CPU and back.
#ifndef SWITCHYARD_PHI_DISPATCH_CALL_STATE_H_
#define SWITCHYARD_PHI_DISPATCH_CALL_STATE_H_

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "framework/base/small_array.h"
#include "framework/tensor/selected_rows.h"
#include "phi/core/infer_meta_context.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_table.h"
#include "phi/selection/selection.h"

namespace switchyard::phi::dispatch {

// Makes outputs of the kinds that InferMeta reports, for callers that take
// results of any kind. It is called only for outputs whose slot holds a tensor
// of another kind.
class OutputMaker {
 public:
  // Puts an empty tensor of `kind` into `slot` of the call's outputs.
  virtual void Make(int slot, TensorKind kind) = 0;

 protected:
  ~OutputMaker() = default;
};

// A call on its way. Each step says which of it it reads and fills in; the
// arguments are borrowed as Call says.
struct CallState {
  CallState(const OpInfo& info, const TensorArgs& args, OutputMaker* maker)
      : info(info),
        inputs(args.inputs),
        attrs(args.attrs),
        outputs(args.outputs),
        maker(maker) {}

  const KernelDef& kernel() const { return *selection.kernel; }

  static constexpr int kInlineInputs = 8;
  static constexpr int kInlineOutputs = 4;

  struct Output {
    TensorSpec meta;
    // The output's tensor if dispatch makes its metadata: it is wanted, dense,
    // and not the kernel's to allocate.
    DenseTensor* own = nullptr;
    int64_t bytes = 0;  // Of `own`.
  };

  // Holds what only few calls have: inputs that differ from those the caller
  // gave, and metadata that no tensor holds.
  struct Replacements {
    std::vector<const TensorBase*> inputs;  // By slot.
    std::deque<DenseTensor> tensors;        // Promoted and transformed.
    std::deque<SelectedRows> rows;          // Of transformed values.
    std::vector<TensorBase*> outputs;       // By slot, if some are reordered.
    std::deque<TensorMeta> metas;
    // Outputs that a fallback writes in a copy, as the caller gave them.
    std::vector<std::pair<DenseTensor*, DenseTensor>> written;
  };

  // The arguments. Inputs and outputs become those that the kernel gets:
  // promoted and transformed, or in another layout.
  const OpInfo& info;
  ArgList<const TensorBase* const> inputs;
  absl::Span<const AttrRef> attrs;
  ArgList<TensorBase* const> outputs;
  absl::Span<TensorBase* const> given_outputs;  // If some are reordered.
  OutputMaker* maker;  // Null: all outputs are of the kinds that they have.
  // Allows outputs that are not strided, for callers that say so.
  bool layouts_allowed = false;

  // DescribeCall() fills these in. The query is complete afterwards.
  DataType promoted = DataType::kUndefined;  // Where promotion does anything.
  bool mixed = false;                        // Inputs have different dtypes.
  selection::Query query;
  SmallArray<const TensorSpec*, kInlineInputs> input_metas;   // Null: absent.
  SmallArray<const TensorMeta*, kInlineInputs> query_inputs;  // The same.
  SmallArray<TensorSpec*, kInlineOutputs> output_metas;  // Null: not wanted.
  // Described there; CheckOutputs() finds which are dispatch's own to make.
  SmallArray<Output, kInlineOutputs> results;

  // The selection says these, or a call like this one (dispatch_cache.h).
  selection::Selection selection;
  Place run_place;     // Where it runs (a fallback: the CPU),
  Place output_place;  // and where its outputs lie then.
  DeviceContext* device = nullptr;

  // CheckOutputs() and AllocateOutputs() find out these.
  bool in_place = false;  // Some output came with a buffer.
  bool idle = false;      // The outputs have no elements: no launch.

  // Made by the first step that needs them; most calls have none.
  std::unique_ptr<Replacements> replacements;
};

}  // namespace switchyard::phi::dispatch

#endif  // SWITCHYARD_PHI_DISPATCH_CALL_STATE_H_
