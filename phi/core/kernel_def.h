// SPDX-License-Identifier: Apache-2.0
// KernelDef: one kernel for one (operator, backend, dtype), as constant data.
// Its conditions are in phi/core/condition.h, its layouts in
// phi/core/kernel_layouts.h.
#ifndef SWITCHYARD_PHI_CORE_KERNEL_DEF_H_
#define SWITCHYARD_PHI_CORE_KERNEL_DEF_H_

#include <cstdint>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/backend.h"
#include "framework/device/device_context.h"
#include "framework/tensor/tensor_base.h"
#include "framework/types/data_layout.h"
#include "framework/types/data_type.h"
#include "phi/core/condition.h"
#include "phi/core/kernel_layouts.h"

namespace switchyard::phi {

class KernelContext;
using KernelThunk = absl::Status (*)(KernelContext&);

// The coordinates by which selection finds a kernel of an operator.
struct KernelKey {
  const BackendInfo* backend;  // A constant; see framework/device/backend.h.
  // The class of the layouts that it works on; KernelDef::layouts tells which.
  DataLayout layout = DataLayout::kStrided;
  DataType dtype;
};

// Where a kernel comes from: a functional kernel of our own, or one of the
// legacy kind (phi/legacy/kernels).
enum class KernelOrigin : uint8_t { kPhi, kFluid };

// Says what a kernel needs of an input or yields in an output. Selection,
// transforms and both executors read it; nothing else says so.
struct ArgDef {
  enum class Dtype : uint8_t { kKey, kFixed, kSet, kAny };
  Dtype dtype_rule = Dtype::kKey;
  DataType fixed = DataType::kUndefined;  // kFixed: this one.
  DataTypeSet set;                        // kSet: one of these.
  TensorKind kind = TensorKind::kDense;
  bool strided = false;  // Input: any strides will do. Otherwise contiguous.
  bool host = false;     // Input: is read on the host, whatever the place.
  // Any layout will do. Output: of the layout that InferMeta says. Otherwise as
  // KernelDef::layouts says.
  bool any_layout = false;
  bool self_allocated = false;  // Output: the kernel allocates it, unless a
                                // program knew its shape (it is not dense, or
                                // its size depends on data).
};

// The record of one kernel for one (operator, backend, dtype): its entry point,
// what it needs and yields (ArgDef), when it applies (Condition), and where it
// was written. Constant data: made by SY_REGISTER_KERNEL
// (phi/core/register_kernel.h), listed by a kernel_set and gathered into
// OpKernels when a table is made (phi/core/kernel_table.h), never changed, and
// used by any number of threads. Nothing here runs before main.
struct KernelDef {
  const char* op;      // "softmax"
  const char* kernel;  // Kernel function's name in YAML; often the operator's.
  KernelKey key;
  KernelOrigin origin = KernelOrigin::kPhi;
  // True if the kernel computes the same bits with any number of threads.
  bool thread_invariant = true;
  // True if the kernel takes inputs without elements. Otherwise dispatch
  // answers such calls only through a kernel that does.
  bool empty_ok = true;
  // True if the kernel treats all elements alike, wherever they lie: inputs of
  // one rank may have one layout that pads none of them, which the outputs then
  // have too.
  bool keeps_layout = false;
  absl::Span<const ArgDef> inputs;   // By argument, lists once.
  absl::Span<const ArgDef> outputs;  // By result, lists once.
  absl::Span<const Condition> conditions;
  // The layouts of its tensors; null: all are strided.
  LayoutFunction layouts = nullptr;
  KernelThunk thunk;
  const char* file;
  int32_t line;
};

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_KERNEL_DEF_H_
