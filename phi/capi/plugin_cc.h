// SPDX-License-Identifier: Apache-2.0
// Plugins in C++: classes over the C interface (phi/capi/plugin.h), all inline.
//
//   void Double(sy::plugin::Call& call) {
//     const sy::plugin::Input x = call.input(0);
//     float* out = call.output<float>(0);
//     for (int64_t i = 0; i < x.numel(); ++i) out[i] = 2 * x.data<float>()[i];
//   }
//   void AddAll(sy::plugin::Registry& registry) {
//     registry.AddBackend({"mine", /*rank=*/250});
//     registry.Add(sy::plugin::Kernel("twice", "mine", "float32",
//                                     sy::plugin::Run<&Double>));
//   }
//   SY_PLUGIN("mine", "1.0", AddAll)
//
// An exception that leaves one of these functions is caught here: the call, or
// loading, fails with its text.
#ifndef SWITCHYARD_PHI_CAPI_PLUGIN_CC_H_
#define SWITCHYARD_PHI_CAPI_PLUGIN_CC_H_

#include <cstdint>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "phi/capi/conditions_cc.h"
#include "phi/capi/plugin.h"

namespace sy::plugin {

// An error with a code of its own; any other exception is SY_INTERNAL,
// std::bad_alloc SY_RESOURCE_EXHAUSTED.
class Error : public std::runtime_error {
 public:
  Error(SyCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  SyCode code() const { return code_; }

 private:
  SyCode code_;
};

// Calls `function`, and `fail(code, message)` if it throws.
template <typename Function, typename Fail>
SyCode Guarded(const Function& function, const Fail& fail) {
  try {
    function();
    return SY_OK;
  } catch (const Error& error) {
    return fail(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(SY_RESOURCE_EXHAUSTED, "out of memory");
  } catch (const std::exception& error) {
    return fail(SY_INTERNAL, error.what());
  }
}

// An input of a call, which is there.
class Input {
 public:
  Input(const SyApi* api, const SyTensor* tensor)
      : api_(api), tensor_(tensor) {}

  template <typename T>
  const T* data() const {
    return static_cast<const T*>(api_->data(tensor_));
  }
  int rank() const { return api_->rank(tensor_); }
  // A negative axis counts from the last.
  int64_t extent(int axis) const {
    return api_->extent(tensor_, axis < 0 ? axis + rank() : axis);
  }
  int64_t numel() const { return api_->numel(tensor_); }
  // In elements, of an axis in [0, rank).
  int64_t stride(int axis) const { return api_->stride(tensor_, axis); }
  std::string dtype() const { return api_->dtype(tensor_); }

 private:
  const SyApi* api_;
  const SyTensor* tensor_;
};

// The arguments of a launch, for the length of it.
class Call {
 public:
  explicit Call(SyCall* call) : call_(call), api_(call->api) {}

  Input input(int number) const { return input(number, 0); }
  // Tensor `index` of an argument that is a list.
  Input input(int number, int64_t index) const {
    const SyTensor* const tensor = api_->input_at(call_, number, index);
    if (tensor == nullptr) {
      throw Error(SY_INVALID_ARGUMENT,
                  "input " + std::to_string(number) + " is absent");
    }
    return {api_, tensor};
  }
  // Returns the memory of an output; null if it is not wanted.
  template <typename T>
  T* output(int number, int64_t index = 0) const {
    SyTensor* const tensor = api_->output_at(call_, number, index);
    return tensor == nullptr ? nullptr
                             : static_cast<T*>(api_->mutable_data(tensor));
  }
  // Makes an output that Kernel::Late() names; null if it is not wanted.
  template <typename T>
  T* late_output(int number, const char* dtype,
                 const std::vector<int64_t>& extents) const {
    SyTensor* const tensor =
        api_->late_output(call_, number, dtype,
                          static_cast<int32_t>(extents.size()), extents.data());
    return tensor == nullptr ? nullptr
                             : static_cast<T*>(api_->mutable_data(tensor));
  }
  int64_t numel_of_output(int number) const {
    return api_->numel(api_->output(call_, number));
  }
  // How many tensors an argument is: 1 unless it is a list.
  int64_t input_count(int number) const {
    return api_->input_count(call_, number);
  }
  int64_t output_count(int number) const {
    return api_->output_count(call_, number);
  }
  // Returns the device's stream, to which a kernel gives its work.
  void* stream() const { return api_->stream(call_); }
  int64_t attr_int(int number) const { return api_->attr_int(call_, number); }
  double attr_float(int number) const {
    return api_->attr_float(call_, number);
  }
  int64_t attr_count(int number) const {
    return api_->attr_count(call_, number);
  }
  int64_t attr_int_at(int number, int64_t index) const {
    return api_->attr_int_at(call_, number, index);
  }
  bool attr_is(int number, const char* text) const {
    return api_->attr_is(call_, number, text) != 0;
  }

 private:
  SyCall* call_;
  const SyApi* api_;
};

// A dtype and shape of a call: SyOperator::infer.
class Inference {
 public:
  explicit Inference(SyCall* call) : call_(call), api_(call->api) {}

  int rank(int input) const { return api_->infer_rank(call_, input); }
  // Negative if it is not known yet. A negative axis counts from the last.
  int64_t extent(int input, int axis) const {
    return api_->infer_extent(call_, input,
                              axis < 0 ? axis + rank(input) : axis);
  }
  // Sets an output, of the dtype of input `like`.
  void Set(int output, int like, const std::vector<int64_t>& extents) const {
    api_->infer_output(call_, output, like,
                       static_cast<int32_t>(extents.size()), extents.data());
  }

 private:
  SyCall* call_;
  const SyApi* api_;
};

// A tensor in a body, while the body runs.
using Value = const SyValue*;

// A call of an operator that is written as others: SyOperator::body and
// ::gradient. The first error ends it.
class Body {
 public:
  explicit Body(SyCall* call) : call_(call), api_(call->api) {}

  Value input(int number) const { return Checked(api_->value(call_, number)); }
  int64_t attr_int(int number) const { return api_->attr_int(call_, number); }
  double attr_float(int number) const {
    return api_->attr_float(call_, number);
  }
  // The first output of another operator; `attrs` as "axis=[1], keepdim=true".
  Value Compute(const char* op, std::initializer_list<Value> inputs,
                const std::string& attrs = "") const {
    return Checked(
        api_->compute(call_, op, inputs.begin(), inputs.size(), attrs.c_str()));
  }
  // Returns x * factor + offset.
  Value Scale(Value x, double factor, double offset = 0) const {
    return Compute("scale", {x},
                   "scale=" + Text(factor) + ", bias=" + Text(offset));
  }
  bool wanted(int output) const { return api_->wanted(call_, output) != 0; }
  void Yield(int output, Value value) const {
    if (api_->yield_value(call_, output, value) != SY_OK) Checked(nullptr);
  }

  // All digits of a number.
  static std::string Text(double number) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.17g", number);
    return text;
  }

 private:
  // The host has already recorded the error message.
  static Value Checked(Value value) {
    if (value == nullptr) throw Error(SY_INTERNAL, "the body ended early");
    return value;
  }

  SyCall* call_;
  const SyApi* api_;
};

// The entry point of kFunction: a kernel (void(Call&)), an infer function
// (void(Inference&)) or a body (void(Body&)).
template <auto kFunction>
struct EntryPoint;
template <typename Argument, void (*kFunction)(Argument&)>
struct EntryPoint<kFunction> {
  static SyCode Run(SyCall* c) {
    return Guarded(
        [c] {
          Argument call(c);
          kFunction(call);
        },
        [c](SyCode code, const char* message) {
          return c->api->fail(c, code, message);
        });
  }
};
template <auto kFunction>
inline constexpr SyFunction Run = &EntryPoint<kFunction>::Run;

// A kernel to be registered. Its file and line are where this is written.
class Kernel {
 public:
  Kernel(const char* op, const char* backend, const char* dtype,
         SyFunction function, const char* file = __builtin_FILE(),
         int line = __builtin_LINE())
      : kernel_{sizeof(SyKernel), op,   op,   backend, dtype, nullptr, 0,
                function,         file, line, 0,       0} {}

  Kernel& Named(const char* name) {
    kernel_.name = name;
    return *this;
  }
  // Its inputs may have any strides.
  Kernel& Strided() {
    kernel_.strided = 1;
    return *this;
  }
  // The size of this output depends on data: Call::late_output() makes it.
  Kernel& Late(int output) {
    kernel_.late_outputs |= int32_t{1} << output;
    return *this;
  }
  Kernel& When(SyCondition condition) {
    conditions_.push_back(condition);
    return *this;
  }
  // One of these conditions holds.
  Kernel& WhenAnyOf(std::initializer_list<SyCondition> conditions) {
    conditions_.push_back(Condition(SY_ANY_OF, nullptr, 0,
                                    static_cast<int64_t>(conditions.size())));
    conditions_.insert(conditions_.end(), conditions);
    return *this;
  }
  SyKernel record() const {
    SyKernel record = kernel_;
    record.conditions = conditions_.data();
    record.num_conditions = conditions_.size();
    return record;
  }

 private:
  SyKernel kernel_;
  std::vector<SyCondition> conditions_;
};

// An operator to be registered, by its signature (SyOperator::signature).
class Operator {
 public:
  explicit Operator(const char* signature, const char* doc,
                    const char* file = __builtin_FILE(),
                    int line = __builtin_LINE())
      : operator_{sizeof(SyOperator),
                  signature,
                  doc,
                  nullptr,
                  nullptr,
                  nullptr,
                  nullptr,
                  file,
                  line} {}

  Operator& Infer(SyFunction infer) {
    operator_.infer = infer;
    return *this;
  }
  Operator& Body(SyFunction body) {
    operator_.body = body;
    return *this;
  }
  // `inputs` as SyOperator::gradient_inputs.
  Operator& Gradient(const char* inputs, SyFunction gradient) {
    operator_.gradient_inputs = inputs;
    operator_.gradient = gradient;
    return *this;
  }
  const SyOperator& record() const { return operator_; }

 private:
  SyOperator operator_;
};

// A library of kernels, for the host's memory or a device of the plugin.
struct Backend {
  const char* name;
  int rank;
  bool by_default = true;
  const char* device = "cpu";
};

// Registers the plugin's parts. Throws if the host refuses one.
class Registry {
 public:
  Registry(const SyApi* api, SyRegistry* registry)
      : api_(api), registry_(registry) {}

  void AddDevice(const SyDevice& device) {
    Check(api_->add_device(registry_, &device));
  }
  void AddBackend(const Backend& backend) {
    const SyBackend record = {sizeof(SyBackend), backend.name, backend.device,
                              backend.rank, backend.by_default};
    Check(api_->add_backend(registry_, &record));
  }
  void Add(const Operator& op) {
    Check(api_->add_operator(registry_, &op.record()));
  }
  void Add(const Kernel& kernel) {
    const SyKernel record = kernel.record();
    Check(api_->add_kernel(registry_, &record));
  }

 private:
  // The host keeps its own message, which came first.
  static void Check(SyCode code) {
    if (code != SY_OK) throw Error(code, "registering failed");
  }

  const SyApi* api_;
  SyRegistry* registry_;
};

template <void (*kAddAll)(Registry&)>
SyCode AddAll(const SyApi* api, SyRegistry* records) {
  return Guarded(
      [&] {
        Registry registry(api, records);
        kAddAll(registry);
      },
      [&](SyCode code, const char* message) {
        return api->fail_registration(records, code, message);
      });
}

}  // namespace sy::plugin

// Defines the library's exported symbol. `add_all` is a function
// void(sy::plugin::Registry&).
#define SY_PLUGIN(name, version, add_all)          \
  const SyPlugin sy_plugin = {sizeof(SyPlugin),    \
                              SY_PLUGIN_ABI_MAJOR, \
                              SY_PLUGIN_ABI_MINOR, \
                              name,                \
                              version,             \
                              &::sy::plugin::AddAll<add_all>};

#endif  // SWITCHYARD_PHI_CAPI_PLUGIN_CC_H_
