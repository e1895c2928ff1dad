// SPDX-License-Identifier: Apache-2.0
// PythonOperator: an operator made at run time whose InferMeta and kernels are
// Python functions; switchyard/custom.py makes them of what a user writes. It
// has what every operator has (OpInfo, KernelDefs of the backend `python`, the
// eager and the static record, a gradient, a legacy form) and is in
// phi::OpTable, so eager calls, graphs, programs, importers and explain treat
// it as any other.
//
// The functions run with the GIL held, on whichever thread launches the kernel.
// What they raise leaves through the call: see HoldPythonError (errors.h).
#ifndef SWITCHYARD_PYTHON_BINDINGS_CUSTOM_OP_H_
#define SWITCHYARD_PYTHON_BINDINGS_CUSTOM_OP_H_

#include <pybind11/pybind11.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "eager/call/eager_op.h"
#include "framework/base/status.h"
#include "framework/types/attribute.h"
#include "phi/core/grad_info.h"
#include "phi/core/infer_meta_context.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_table.h"
#include "phi/legacy/forms/legacy_form.h"
#include "python/bindings/python_ops.h"

namespace switchyard::python {

// Kernels that are Python functions, over tensors of the CPU.
extern const BackendInfo backend_python;

// An operator made at run time whose kernels and InferMeta are Python
// functions.
class PythonOperator {
 public:
  struct Input {
    std::string name;
    bool read;  // Its elements are; otherwise only its dtype and shape.
  };
  struct Attr {
    std::string name;
    AttrType type;
    std::optional<Attribute> default_value;
  };
  struct Output {
    std::string name;
    bool optional;  // Of a gradient: may be not wanted, and None stands for 0.
  };
  // The legacy type by which old programs know the operator.
  struct Legacy {
    struct Slot {
      std::string name;
      int argument;  // -1: none, the slot is known and not read.
    };
    std::string type;
    std::vector<Slot> inputs, outputs;
    std::vector<std::string> attrs;  // Their legacy names, in order.
  };
  struct Signature {
    std::string name;
    std::string doc;
    std::string file;
    int line = 0;
    std::vector<Input> inputs;
    std::vector<Attr> attrs;
    std::vector<Output> outputs;
    std::optional<Legacy> legacy;
  };

  explicit PythonOperator(Signature signature);
  PythonOperator(const PythonOperator&) = delete;
  PythonOperator& operator=(const PythonOperator&) = delete;

  // Puts the operator into the table, from when on it must not be destroyed.
  absl::Status Register();
  // infer(metas, attrs) -> metas and run(tensors, attrs, wanted) -> results;
  // custom.py says more. May be called again: later calls use the new ones.
  void SetFunctions(pybind11::object infer, pybind11::object run);
  // The operator's gradient is `backward`, whose inputs are these and whose
  // attributes are the operator's own; output number i is the gradient of input
  // number i.
  void SetGradient(PythonOperator& backward,
                   std::vector<phi::GradSource> sources);

  // Returns the records that its Python function is made of.
  PythonOp python_op() const {
    return {&eager_, &dialect_, signature_.doc.c_str()};
  }

 private:
  // The records lead back to the operator.
  struct Info : phi::OpInfo {
    const PythonOperator* op = nullptr;
  };
  struct Kernel : phi::KernelDef {
    const PythonOperator* op = nullptr;
  };

  void MakeInfo();
  void MakeKernels();
  void MakeForm(const Legacy& legacy);
  static absl::Status InferThunk(const phi::OpInfo& info,
                                 const phi::InferMetaContext& context);
  static absl::Status RunThunk(phi::KernelContext& context);
  absl::Status Infer(const phi::InferMetaContext& context) const;
  absl::Status Run(const phi::KernelContext& context) const;
  // Writes what the function returned for output number i.
  absl::Status Take(int i, pybind11::handle result,
                    const phi::KernelContext& context) const;
  pybind11::tuple Attributes(absl::Span<const AttrRef> attrs) const;

  const Signature signature_;
  std::vector<phi::InputInfo> inputs_;
  std::vector<phi::AttrInfo> attrs_;
  std::vector<phi::OutputInfo> outputs_;
  std::vector<phi::ArgDef> input_defs_, output_defs_;
  Info info_ = {};
  // One a dtype; that of kUndefined is not registered.
  std::array<Kernel, kNumDataTypes> kernels_ = {};
  phi::OpSlot slot_;
  std::vector<phi::GradSource> grad_inputs_;
  std::vector<int16_t> grad_attrs_, grad_outputs_;
  phi::GradInfo grad_ = {};
  eager::EagerOp eager_ = {};
  static_graph::DialectOp dialect_ = {};
  std::vector<phi::LegacySlot> legacy_inputs_, legacy_outputs_;
  std::vector<phi::LegacyAttr> legacy_attrs_;
  phi::LegacyForm form_ = {};
  std::vector<const phi::LegacyForm*> forms_;  // `form_`, or none.
  pybind11::object infer_, run_;
};

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_CUSTOM_OP_H_
