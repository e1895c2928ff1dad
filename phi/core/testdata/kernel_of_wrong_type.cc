// SPDX-License-Identifier: Apache-2.0
// Compiled by register_kernel_negative_test.sh: kernels of operators whose YAML
// entries all say `Tensor x, int axis` and `Tensor(out)`. With WRONG defined,
// also kernels with other parameters.
#include "phi/core/kernel_args.h"
#include "phi/core/register_kernel.h"

namespace switchyard {

class FakeContext : public DeviceContext {
 public:
  static const ContextProvider kContexts;
};

extern const BackendInfo backend_cpu;

namespace phi {

// Defines the signature of a kernel, as ops_gen does, and its spec.
#define SIGNATURE(kernel, Name)                                               \
  struct Name##Signature {                                                    \
    static constexpr const char* kOp = #kernel;                               \
    using Function = absl::Status(const DeviceContext&, const DenseTensor& x, \
                                  int axis, DenseTensor* out);                \
    enum class Parameter { context, x, axis, out };                           \
    static constexpr Param kParams[] = {{Param::Kind::kInput, 0},             \
                                        {Param::Kind::kAttr, 0},              \
                                        {Param::Kind::kOutput, 0}};           \
    static constexpr int kNumInputs = 1;                                      \
    static constexpr int kNumOutputs = 1;                                     \
    static constexpr std::array<TensorKind, 1> kInputKinds = {};              \
    static constexpr std::array<TensorKind, 1> kOutputKinds = {};             \
  };                                                                          \
  namespace kernels::cpu {                                                    \
  template <typename S>                                                       \
  inline constexpr auto k##Name##Spec = KernelSpec<S>();                      \
  }

// Registers a kernel with these parameters after its context.
#define KERNEL(kernel, Name, ...)                             \
  SIGNATURE(kernel, Name)                                     \
  namespace kernels::cpu {                                    \
  template <typename T>                                       \
  absl::Status Name##Kernel(const FakeContext& __VA_ARGS__) { \
    return absl::OkStatus();                                  \
  }                                                           \
  }                                                           \
  SY_REGISTER_KERNEL(kernel, Name, cpu, FakeContext, float32)

KERNEL(right, Right, , const DenseTensor& x, int axis, DenseTensor* out);

#ifdef WRONG
KERNEL(type, Type, , const DenseTensor& x, float axis, DenseTensor* out);
KERNEL(first, First, , const DenseTensor* x, int axis, DenseTensor* out);
KERNEL(last, Last, , const DenseTensor& x, int axis, const DenseTensor& out);
// The number differs: it is said, and the first parameter that is another.
KERNEL(lacks, Lacks, , const DenseTensor& x, DenseTensor* out);
KERNEL(lacks_last, LacksLast, , const DenseTensor& x, int axis);
KERNEL(none, None);
KERNEL(more, More, , const DenseTensor& x, bool more, int axis,
       DenseTensor* out);
KERNEL(more_last, MoreLast, , const DenseTensor& x, int axis, DenseTensor* out,
       bool more);

// The struct of another operator's arguments.
struct OtherArgs {
  const DenseTensor& x;
  int64_t axis;
  DenseTensor* out;

  using Types = KernelArgTypes<const DenseTensor&, int64_t, DenseTensor*>;
};
KERNEL(other, Other, , const OtherArgs& args);
#endif

}  // namespace phi
}  // namespace switchyard
