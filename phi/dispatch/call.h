// SPDX-License-Identifier: Apache-2.0
// Call: one eager call of an operator, in five steps: promote, infer, select,
// transform, launch. The generated functions of phi/api, eager's Run and the
// legacy calls are packs around it; it knows no operator and no autograd. The
// static executor takes the same steps at lowering (static_graph/lowering) by
// the same functions of phi/promotion, phi/infermeta and phi/selection.
//
//   absl::StatusOr<DenseTensor> softmax(const DenseTensor& x, int axis) {
//     const TensorBase* const inputs[] = {&x};
//     const AttrRef attrs[] = {axis};
//     DenseTensor out;
//     TensorBase* const outputs[] = {&out};
//     Call call(info_softmax, {inputs, attrs, outputs});
//     SY_RETURN_IF_ERROR(call.Run(kernels_softmax.Get()));
//     return out;
//   }
//
// Nothing is written, and no output changes, before every check has passed. A
// warm call of up to eight tensors takes no memory from the heap but that of
// its outputs' elements, and neither hashes nor compares strings. One that is
// like an earlier one is not even inferred and selected again
// (dispatch_cache.h).
#ifndef SWITCHYARD_PHI_DISPATCH_CALL_H_
#define SWITCHYARD_PHI_DISPATCH_CALL_H_

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/optimization.h"
#include "framework/base/small_array.h"
#include "framework/tensor/selected_rows.h"
#include "phi/core/infer_meta_context.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_table.h"
#include "phi/dispatch/dispatch_cache.h"
#include "phi/dispatch/environment.h"
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

// One call, whose steps are made in the order above. It belongs to one thread,
// for the length of a function; the first step that fails ends it, with an
// error that names the operator.
class Call {
 public:
  // All arguments are borrowed until Launch returned. Output tensors are empty,
  // except those that are written in place: they hold the buffer to write (a
  // copy of the input's DenseTensor), and InferMeta's dtype and shape must be
  // theirs. They are dense as a rule; `maker` replaces those of which InferMeta
  // says otherwise, and without it that is a TypeError. With lists, the caller
  // sizes outputs by LayOutOutputs().
  Call(const OpInfo& info, const TensorArgs& args, OutputMaker* maker = nullptr)
      : info_(info),
        inputs_(args.inputs),
        attrs_(args.attrs),
        outputs_(args.outputs),
        maker_(maker) {}

  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Lets outputs have another layout than strided: for transforms, whose
  // results go to a kernel. All other callers get an error instead.
  void AllowLayouts() { layouts_allowed_ = true; }

  // Lets Prepare() choose the composite that ends the operator's row, and no
  // kernel (phi/selection/composite.h); for callers that can run it. Where the
  // entry has no kernels, what Prepare() would refuse is the composite's to
  // refuse.
  void AllowComposite() { query_.composes = true; }
  // Returns whether Prepare() chose it; then Launch() must not be called.
  bool composes() const { return selection_.composed; }

  // Does everything except the launch, under the thread's Environment.
  // Afterwards the inputs are what the kernel asks for and the outputs have
  // metadata and memory (except views and those that the kernel allocates).
  // Errors carry the operator's name.
  absl::Status Prepare(const OpKernels& op_kernels);

  // Runs the kernel; requires that Prepare() succeeded. Does nothing where no
  // output has elements and the kernel has no other effect. Moves the outputs
  // of a fallback back to the call's place.
  absl::Status Launch();

  absl::Status Run(const OpKernels& op_kernels) {
    SY_RETURN_IF_ERROR(Prepare(op_kernels));
    if (ABSL_PREDICT_FALSE(composes())) return absl::OkStatus();
    return Launch();
  }

  // Returns the selected kernel. Requires Prepare().
  const KernelDef& kernel() const { return *selection_.kernel; }
  // Returns an input as the kernel gets it: promoted and transformed. Requires
  // Prepare().
  const TensorBase* input(int slot) const { return inputs_[slot]; }

 private:
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

  // The steps of Prepare(). Their errors lack the operator's name, except
  // SelectKernel's.
  absl::Status CheckArguments(Place default_place);
  absl::Status CheckCounts() const;
  absl::Status DescribeInputs();
  absl::Status CheckInput(int argument, int slot) const;
  absl::Status Promote();
  absl::Status InferMeta();
  absl::Status MakeOutputs();
  // Has the maker put a tensor of `kind` into `slot`, unless one is there.
  absl::Status MakeOutput(int slot, TensorKind kind);
  absl::Status SelectKernel(const OpKernels& op_kernels,
                            const selection::Policy& policy);
  absl::Status CheckOutputs();
  absl::Status CheckInPlace(int slot, const DenseTensor& tensor) const;
  // An error if a fallback would have to copy a tensor that is neither dense
  // nor SelectedRows.
  absl::Status CheckFallback() const;
  // WriteToCopy() makes an output that is written in place a copy where the
  // call runs; RestoreWritten() puts the caller's tensors back.
  absl::Status WriteToCopy(DenseTensor* output);
  void RestoreWritten();
  absl::Status TransformInputs();
  absl::Status TransformInput(const selection::Transform& transform);
  absl::Status SeparateOverlaps();
  bool IsIdle() const;
  absl::Status AllocateOutputs();
  absl::Status AllocateOutput(DenseTensor* tensor, int64_t bytes) const;
  // Gives the kernel tensors of its own for outputs that it yields in another
  // layout than strided, and makes the call's outputs of them after it.
  absl::Status AllocateReordered();
  absl::Status ReorderOutputs();
  bool IsReordered(size_t slot) const;
  absl::Status CheckLayout(LayoutDescriptor layout) const;
  absl::Status ReturnFromFallback();
  // Replay() applies a cached result; Remember() stores one.
  absl::Status Replay(const DispatchCacheEntry& cached);
  absl::Status ReplayTransformed(const DispatchCacheEntry& cached);
  void Remember(const DispatchCacheKey& key) const;

  Replacements& MutableReplacements();
  // Returns the metadata in `slot`, to be changed for this call.
  TensorMeta& MutableInputMeta(int slot);
  // Owns `tensor` for the length of the call and puts it into `slot`.
  void ReplaceInput(int slot, DenseTensor tensor);

  const OpInfo& info_;
  ArgList<const TensorBase* const> inputs_;
  absl::Span<const AttrRef> attrs_;
  ArgList<TensorBase* const> outputs_;
  absl::Span<TensorBase* const> given_outputs_;  // If some are reordered.
  OutputMaker* maker_;
  DataType promoted_ = DataType::kUndefined;  // Where promotion does anything.
  Place run_place_;        // Where it runs (a fallback: the CPU),
  Place output_place_;     // and where its outputs lie then.
  bool mixed_ = false;     // Inputs have different dtypes.
  bool in_place_ = false;  // Some output came with a buffer.
  bool idle_ = false;      // The outputs have no elements: no launch.
  bool layouts_allowed_ = false;
  DeviceContext* device_ = nullptr;
  selection::Query query_;  // Complete after CheckArguments().
  selection::Selection selection_;
  std::unique_ptr<Replacements> replacements_;
  SmallArray<const TensorSpec*, kInlineInputs> input_metas_;   // Null: absent.
  SmallArray<const TensorMeta*, kInlineInputs> query_inputs_;  // The same.
  SmallArray<Output, kInlineOutputs> results_;
  SmallArray<TensorSpec*, kInlineOutputs> output_metas_;  // Null: not wanted.
};

}  // namespace switchyard::phi::dispatch

#endif  // SWITCHYARD_PHI_DISPATCH_CALL_H_
