// SPDX-License-Identifier: Apache-2.0
// OperatorWithKernel: what a legacy operator says of its kernels, as code:
// which type of kernel a call expects, and of which type each variable must
// then be. Its class kernels are op_kernel.h's.
//
// Both functions run when a kernel is registered, at compile time, for each of
// the operator's kernels. What they return are Conditions and ArgDefs, so that
// the one selection evaluates them call by call, and explain prints which one a
// kernel fails. Nothing is called back from selection.
//
//   struct LookupTableOperator : OperatorWithKernel<LookupTableSignature> {
//     static constexpr ArgDef GetKernelTypeForVar(int input, KernelType type) {
//       if (input == Signature::kIds) return KernelTypeOf(DataType::kInt64);
//       return OperatorWithKernel::GetKernelTypeForVar(input, type);
//     }
//   };
//   constexpr OperatorSpec<LookupTableOperator> kSpec(
//       KernelSpec<LookupTableSignature>());
#ifndef SWITCHYARD_PHI_LEGACY_KERNELS_OPERATOR_WITH_KERNEL_H_
#define SWITCHYARD_PHI_LEGACY_KERNELS_OPERATOR_WITH_KERNEL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "phi/core/kernel_spec.h"
#include "phi/core/library_asked.h"

namespace switchyard::phi::fluid {

// The library that a kernel calls: none, or oneDNN (use_mkldnn of a call).
enum class Library : uint8_t { kPlain, kOnednn };

// The type of a kernel, as far as an operator chooses it. The place is the
// call's.
struct KernelType {
  Library library = Library::kPlain;
  DataType dtype;
};

// When a call expects a kernel of one type: where all conditions hold.
class Expected {
 public:
  static constexpr size_t kMaxConditions = 4;

  static constexpr Expected Always() { return Expected(); }
  // Where the call asks for the kernel's library by its attribute.
  static constexpr Expected WhenAsked() {
    return Always().When(LibraryAsked());
  }
  // No call does: a kernel of that type must not be registered.
  static constexpr Expected Never() {
    Expected never;
    never.possible_ = false;
    return never;
  }
  constexpr Expected When(Condition condition) const {
    Expected more = *this;
    more.conditions_[more.size_++] = condition;
    return more;
  }

  constexpr bool possible() const { return possible_; }
  constexpr const Condition* data() const { return conditions_.data(); }
  constexpr size_t size() const { return size_; }

 private:
  std::array<Condition, kMaxConditions> conditions_ = {};
  size_t size_ = 0;
  bool possible_ = true;
};

// The base of legacy operators; one overrides a function by another of the same
// name. `S` is the operator's generated signature.
template <typename S>
struct OperatorWithKernel {
  using Signature = S;

  // When a call expects a kernel of this type. Kernels of a library wait for
  // calls that ask for it.
  static constexpr Expected GetExpectedKernelType(KernelType type) {
    return type.library == Library::kPlain ? Expected::Always()
                                           : Expected::WhenAsked();
  }

  // Returns what an input must be for a kernel of the type that is expected:
  // dense, contiguous and of its dtype.
  static constexpr ArgDef GetKernelTypeForVar(int /*input*/, KernelType) {
    return ArgDef();
  }
};

// Not constexpr: to register a kernel that is never expected doesn't compile.
inline void NoCallExpectsAKernelOfThisType() {}

// The KernelSpec of an operator's kernels of one library, for the registration:
// `base` (outputs, and what else differs) with what the operator says.
template <typename Operator, Library kLibrary = Library::kPlain>
class OperatorSpec {
 public:
  using Signature = typename Operator::Signature;

  struct OfDtype : KernelSpec<Signature> {
    constexpr explicit OfDtype(const KernelSpec<Signature>& base)
        : KernelSpec<Signature>(base) {}
    Expected conditions;  // Hides those of the base, of which there are none.
  };

  constexpr explicit OperatorSpec(const KernelSpec<Signature>& base)
      : OperatorSpec(base, std::make_index_sequence<kNumDataTypes>()) {}

  constexpr const OfDtype& For(DataType dtype) const {
    const OfDtype& spec = by_dtype_[static_cast<size_t>(dtype)];
    if (!spec.conditions.possible()) NoCallExpectsAKernelOfThisType();
    return spec;
  }

 private:
  template <size_t... kDtypes>
  constexpr OperatorSpec(const KernelSpec<Signature>& base,
                         std::index_sequence<kDtypes...>)
      : by_dtype_{MakeOfDtype(base, static_cast<DataType>(kDtypes))...} {}

  static constexpr OfDtype MakeOfDtype(const KernelSpec<Signature>& base,
                                       DataType dtype) {
    OfDtype spec(base);
    const KernelType type = {kLibrary, dtype};
    for (int i = 0; i < Signature::kNumInputs; ++i) {
      const TensorKind kind = spec.inputs[i].kind;
      spec.inputs[i] = Operator::GetKernelTypeForVar(i, type);
      spec.inputs[i].kind = kind;
    }
    spec.conditions = Operator::GetExpectedKernelType(type);
    return spec;
  }

  std::array<OfDtype, kNumDataTypes> by_dtype_;
};

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_LEGACY_KERNELS_OPERATOR_WITH_KERNEL_H_
