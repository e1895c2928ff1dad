// SPDX-License-Identifier: Apache-2.0
// ExecutionContext: the arguments of one launch as legacy class kernels read
// them: by slot ("X", "Out") and by legacy attribute name. It is a view of the
// KernelContext (phi/core/kernel_context.h) that every kernel is launched with,
// through the names of a LegacyForm (phi/legacy/forms/legacy_form.h). What a
// class kernel is, and how it becomes a KernelDef:
// phi/legacy/kernels/op_kernel.h and
// phi/legacy/kernels/register_legacy_kernel.h.
//
// Inputs come as the kernel's ArgDefs ask, outputs with metadata and memory,
// except those that a kernel allocates itself (SelfAllocated): their extents
// depend on values or on sequences (LoD), and Allocate() makes them. An input
// and an attribute that old programs don't have, such as the random numbers'
// state, have our name. Other names that the form lacks are mistakes of the
// kernel's author: a tensor reads as absent, a list as empty, an attribute as
// an error of code Internal.
#ifndef SWITCHYARD_PHI_LEGACY_KERNELS_EXECUTION_CONTEXT_H_
#define SWITCHYARD_PHI_LEGACY_KERNELS_EXECUTION_CONTEXT_H_

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/lod.h"
#include "framework/tensor/selected_rows.h"
#include "framework/tensor/tensor_array.h"
#include "phi/core/kernel_context.h"
#include "phi/legacy/forms/legacy_form.h"

namespace switchyard::phi::fluid {

// Borrows what it is given.
class ExecutionContext {
 public:
  ExecutionContext(const KernelContext& call, const LegacyForm& form)
      : call_(call), form_(form) {}

  const LegacyForm& form() const { return form_; }
  const DeviceContext& device() const { return call_.device(); }
  // Returns it as the context of the kernel's backend, by which a class kernel
  // of two parameters is named.
  template <typename Context>
  const Context& device() const {
    return static_cast<const Context&>(call_.device());
  }

  // The tensor in a slot that holds one; null if it is absent.
  const DenseTensor* Input(std::string_view slot) const {
    return InputNamed(slot);
  }
  template <size_t N>
  const DenseTensor* Input(const char (&slot)[N]) const {
    return InputNamed(slot);
  }
  bool HasInput(std::string_view slot) const { return Input(slot) != nullptr; }
  // The rows in a slot of which the kernel's signature says that it holds
  // SelectedRows; null if they are absent.
  const SelectedRows* InputRows(std::string_view slot) const;
  // Does what InputRows does, for an array.
  const TensorArray* InputArray(std::string_view slot) const;
  // The tensors in a slot that holds any number of them.
  DenseList MultiInput(std::string_view slot) const;

  // Returns null if the output is not wanted.
  DenseTensor* Output(std::string_view slot) const { return OutputNamed(slot); }
  template <size_t N>
  DenseTensor* Output(const char (&slot)[N]) const {
    return OutputNamed(slot);
  }
  // Does what InputRows does, for an output.
  SelectedRows* OutputRows(std::string_view slot) const;
  // Does what InputArray does, for an output.
  TensorArray* OutputArray(std::string_view slot) const;
  // The tensors in an output that holds any number of them, null where one is
  // not wanted.
  DenseOutputs MultiOutput(std::string_view slot) const;

  // Gives an output that the kernel allocates itself dtype, shape and memory,
  // and takes the sequences of an earlier run from it. Does nothing for one
  // that is not wanted. Errors as AllocateOutput (phi/core/allocate_output.h).
  absl::Status Allocate(std::string_view slot, DataType dtype,
                        const Shape& shape) const;

  // The value of a legacy attribute, or of one of ours that forms fix
  // (`constants:`) by our name; T is the C++ type of our attribute after it
  // (framework/types/attribute.h).
  template <typename T>
  absl::StatusOr<T> Attr(std::string_view name) const {
    return AttrNamed<T>(name);
  }
  template <typename T, size_t N>
  ABSL_ATTRIBUTE_ALWAYS_INLINE absl::StatusOr<T> Attr(
      const char (&name)[N]) const {
    return AttrNamed<T>(name);
  }

  // The sequences of an input that is present: one level or more, whose last
  // one ends at the tensor's rows. ArgumentError where there are none, or they
  // don't fit the tensor. They live as long as the input.
  absl::StatusOr<const LoD*> Sequences(std::string_view slot) const;
  // Does this for any tensor of a launch; `argument` is its name in errors.
  static absl::StatusOr<const LoD*> SequencesOf(std::string_view argument,
                                                const DenseTensor& tensor);

  // Gives an output, which may be absent, sequences. They fit its rows.
  void SetLod(std::string_view output, LoD lod) const;
  // Gives the sequences of an input to an output, also where it has none: an
  // output may keep those of an earlier run. Either may be absent.
  void ShareLod(std::string_view input, std::string_view output) const;

  // Our name of the argument in an input slot, for errors; the slot's own if
  // the form lacks it.
  std::string_view ArgumentName(std::string_view slot) const;

 private:
  static bool IsName(const char* known, std::string_view name) {
    for (const char c : name) {
      if (*known++ != c) return false;
    }
    return *known == '\0';
  }
  // A launch looks up each of its arguments by a name that stands in the
  // kernel: in place, each character is one comparison with a constant. The
  // first that differs ends it, at the latest where `known` does.
  template <size_t N>
  ABSL_ATTRIBUTE_ALWAYS_INLINE static bool IsName(const char* known,
                                                  const char (&name)[N]) {
    return HasCharacters(known, name, std::make_index_sequence<N>());
  }
  template <size_t N, size_t... kAt>
  ABSL_ATTRIBUTE_ALWAYS_INLINE static bool HasCharacters(
      const char* known, const char (&name)[N], std::index_sequence<kAt...>) {
    return ((known[kAt] == name[kAt]) && ...);
  }
  // Returns null if there is none of that name.
  template <typename Row, typename SlotName>
  ABSL_ATTRIBUTE_ALWAYS_INLINE static const Row* Find(
      absl::Span<const Row> rows, const SlotName& name) {
    for (const Row& row : rows) {
      if (IsName(row.name, name)) return &row;
    }
    return nullptr;
  }
  // Returns our argument in a slot; -1 if there is none.
  template <typename SlotName>
  ABSL_ATTRIBUTE_ALWAYS_INLINE static int ArgumentOf(
      absl::Span<const LegacySlot> slots, const SlotName& name) {
    const LegacySlot* const slot = Find(slots, name);
    return slot == nullptr ? -1 : slot->argument;
  }
  template <typename SlotName>
  ABSL_ATTRIBUTE_ALWAYS_INLINE const DenseTensor* InputNamed(
      const SlotName& slot) const {
    const LegacySlot* const known = Find(form_.inputs, slot);
    const int argument =
        known != nullptr ? int{known->argument} : FindInput(slot);
    if (argument < 0) return nullptr;
    return static_cast<const DenseTensor*>(call_.inputs.optional(argument));
  }
  template <typename SlotName>
  ABSL_ATTRIBUTE_ALWAYS_INLINE DenseTensor* OutputNamed(
      const SlotName& slot) const {
    const int argument = ArgumentOf(form_.outputs, slot);
    if (argument < 0) return nullptr;
    return static_cast<DenseTensor*>(call_.outputs.optional(argument));
  }
  template <typename T, typename AttrName>
  ABSL_ATTRIBUTE_ALWAYS_INLINE absl::StatusOr<T> AttrNamed(
      const AttrName& name) const {
    const LegacyAttr* const attr = Find(form_.attrs, name);
    const AttrType type = AttrRef(T()).type();
    if (attr != nullptr && attr->attr >= 0) {
      const AttrRef& value = call_.attrs[attr->attr];
      if (value.type() == type) return value.Get<T>();
    }
    SY_ASSIGN_OR_RETURN(const AttrRef value, FindAttr(name, type));
    return value.Get<T>();
  }
  // Our position of an input; -1 if there is none.
  int FindInput(std::string_view slot) const;
  // Finds attributes that forms fix, too, and says what is wrong with others.
  absl::StatusOr<AttrRef> FindAttr(std::string_view name, AttrType type) const;

  const KernelContext& call_;
  const LegacyForm& form_;
};

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_LEGACY_KERNELS_EXECUTION_CONTEXT_H_
