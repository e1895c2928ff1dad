// SPDX-License-Identifier: Apache-2.0
// A plugin in C for load_plugin_test.cc, compiled once as it is and once for
// each fault, which a macro puts in. Its results are not those of the
// operators, so that a test sees whose they are.
#include <stdlib.h>

#include "phi/capi/plugin.h"

#ifdef LATER_MAJOR
#define MAJOR (SY_PLUGIN_ABI_MAJOR + 1)
#else
#define MAJOR SY_PLUGIN_ABI_MAJOR
#endif
#ifdef LATER_MINOR
#define MINOR (SY_PLUGIN_ABI_MINOR + 1)
#else
#define MINOR SY_PLUGIN_ABI_MINOR
#endif
#ifdef SHORT_STRUCT
#define PLUGIN_SIZE 8
#else
#define PLUGIN_SIZE sizeof(SyPlugin)
#endif

#ifdef UNDEFINED_SYMBOL
SyCode DefinedNowhere(SyCall* call);
#endif

// relu: x + 1.
static SyCode Next(SyCall* call) {
  const SyApi* api = call->api;
  const SyTensor* x = api->input(call, 0);
  SyTensor* out = api->output(call, 0);
  const float* from = api->data(x);
  float* to = api->mutable_data(out);
  const int64_t count = api->numel(x);
  for (int64_t i = 0; i < count; ++i) to[i] = from[i] + 1;
  return SY_OK;
}

// leaky_relu: the slope, times 10 and plus the first extent.
static SyCode Slope(SyCall* call) {
  const SyApi* api = call->api;
  const SyTensor* x = api->input(call, 0);
  SyTensor* out = api->output(call, 0);
  float* to = api->mutable_data(out);
  const double extent = api->rank(x) > 0 ? (double)api->extent(x, 0) : 0;
  for (int64_t i = 0; i < api->numel(x); ++i) {
    to[i] = (float)(10 * api->attr_float(call, 0) + extent);
  }
  return SY_OK;
}

// leaky_relu: reads the slope as what it is not.
static SyCode WrongType(SyCall* call) {
  call->api->attr_int(call, 0);
  return SY_OK;
}

// exp: asks for an input that there can't be.
static SyCode WrongNumber(SyCall* call) {
  return call->api->input(call, 1) == NULL ? SY_OK : SY_INTERNAL;
}

// gelu: refuses.
static SyCode Refuse(SyCall* call) {
  return call->api->fail(call, SY_UNIMPLEMENTED, "not on Thursdays");
}

// gelu: refuses and says nothing.
static SyCode RefuseSilently(SyCall* call) {
  (void)call;
  return 4711;
}

// concat: how many tensors there are; then, of each, the first element and how
// many there are.
static SyCode Count(SyCall* call) {
  const SyApi* api = call->api;
  SyTensor* out = api->output_at(call, 0, 0);
  float* to = api->mutable_data(out);
  float* const end = to + api->numel(out);
  const int64_t count = api->input_count(call, 0);
  *to++ = (float)count;
  for (int64_t i = 0; i < count; ++i) {
    const SyTensor* x = api->input_at(call, 0, i);
    if (to < end) *to++ = ((const float*)api->data(x))[0];
    if (to < end) *to++ = (float)api->extent(x, 0);
  }
  while (to < end) *to++ = (float)api->output_count(call, 0);
  return SY_OK;
}

// concat: asks for a tensor that is not in the list.
static SyCode BeyondTheList(SyCall* call) {
  const int64_t count = call->api->input_count(call, 0);
  return call->api->input_at(call, 0, count) == NULL ? SY_OK : SY_INTERNAL;
}

static SyCode AddKernel(const SyApi* api, SyRegistry* registry, const char* op,
                        const char* dtype, SyFunction function,
                        const SyCondition* condition) {
  const SyKernel kernel = {
      sizeof(SyKernel),  op,       op,       "sample", dtype, condition,
      condition != NULL, function, __FILE__, __LINE__, 0,     0};
  return api->add_kernel(registry, &kernel);
}

// Returns `condition` with the fault that this library has.
static SyCondition Faulty(SyCondition condition) {
#if defined BAD_CONDITION_KIND
  condition.kind = 99;
#elif defined BAD_CONDITION_ARGUMENT
  condition.argument = "y";
#elif defined BAD_CONDITION_AXIS
  condition.axis = 9;
#elif defined SHORT_RECORD
  condition.struct_size = 8;
#endif
  return condition;
}

#if defined BRINGS_OPERATOR || defined BAD_SIGNATURE || \
    defined TAKEN_OPERATOR || defined BODY_AND_INFER || defined BAD_GRADIENT
static SyCode AddOperator(const SyApi* api, SyRegistry* registry) {
  SyOperator op = {sizeof(SyOperator),
                   "twist(Tensor x) -> (Tensor out)",
                   "Twists.",
                   NULL,
                   NULL,
                   NULL,
                   NULL,
                   __FILE__,
                   __LINE__};
#if defined BAD_SIGNATURE
  op.signature = "twist(Tensor x)";
#elif defined TAKEN_OPERATOR
  op.signature = "relu(Tensor x) -> (Tensor out)";
#elif defined BODY_AND_INFER
  op.body = op.infer = &Refuse;
#elif defined BAD_GRADIENT
  op.gradient = &Refuse;
  op.gradient_inputs = "x, grad";
#endif
  return api->add_operator(registry, &op);
}
#endif

static SyCode AddFaults(const SyApi* api, SyRegistry* registry) {
  (void)api;
  (void)registry;
#if defined UNKNOWN_OP
  return AddKernel(api, registry, "rleu", "float32", &Next, NULL);
#elif defined BAD_DTYPE
  return AddKernel(api, registry, "relu", "float31", &Next, NULL);
#elif defined NO_FUNCTION
  return AddKernel(api, registry, "relu", "float64", NULL, NULL);
#elif defined TWIN_KERNELS
  return AddKernel(api, registry, "relu", "float32", &Next, NULL);
#elif defined VIEWS
  return AddKernel(api, registry, "split", "float32", &Next, NULL);
#elif defined BRINGS_OPERATOR || defined BAD_SIGNATURE || \
    defined TAKEN_OPERATOR || defined BODY_AND_INFER || defined BAD_GRADIENT
  return AddOperator(api, registry);
#elif defined BAD_CONDITION_ATTR
  const SyCondition condition = {
      sizeof(SyCondition), SY_ATTR_EQUALS, "negative_slope", 0, 1, NULL};
  return AddKernel(api, registry, "leaky_relu", "float16", &Next, &condition);
#elif defined TAKEN_DEVICE
  const SyDevice device = {.struct_size = sizeof(SyDevice), .name = "gpu"};
  return api->add_device(registry, &device);
#elif defined EMPTY_DEVICE
  const SyDevice device = {.struct_size = sizeof(SyDevice), .name = "abacus"};
  return api->add_device(registry, &device);
#elif defined FAILS
  return api->fail_registration(registry, SY_UNIMPLEMENTED, "no such chip");
#elif defined FAILS_SILENTLY
  return SY_UNIMPLEMENTED;
#elif defined ABORTS
  abort();
#elif defined UNDEFINED_SYMBOL
  return AddKernel(api, registry, "relu", "float64", &DefinedNowhere, NULL);
#elif defined BAD_NAME
  const SyKernel kernel = {sizeof(SyKernel), "relu",   "", "sample",
                           "float64",        NULL,     0,  &Next,
                           __FILE__,         __LINE__, 0,  0};
  return api->add_kernel(registry, &kernel);
#else
  return SY_OK;
#endif
}

static SyCode AddAll(const SyApi* api, SyRegistry* registry) {
  SyBackend backend = {sizeof(SyBackend), "sample", "cpu", 250, 1};
#if defined TAKEN_BACKEND
  backend.name = "cpu";
#elif defined BAD_BACKEND_NAME
  backend.name = "two words";
#elif defined BAD_DEVICE
  backend.device = "abacus";
#elif defined BAD_RANK
  backend.rank = 40000;
#endif
#ifdef NO_BACKEND
  (void)backend;
#else
  api->add_backend(registry, &backend);
#endif
  const SyCondition two_axes = Faulty(
      (SyCondition){sizeof(SyCondition), SY_RANK_AT_LEAST, "x", 0, 2, NULL});
  AddKernel(api, registry, "relu", "float32", &Next, &two_axes);
  AddKernel(api, registry, "leaky_relu", "float32", &Slope, NULL);
  AddKernel(api, registry, "leaky_relu", "float64", &WrongType, NULL);
  AddKernel(api, registry, "exp", "float32", &WrongNumber, NULL);
  AddKernel(api, registry, "concat", "float32", &Count, NULL);
  AddKernel(api, registry, "concat", "float64", &BeyondTheList, NULL);
  AddKernel(api, registry, "gelu", "float32", &Refuse, NULL);
  AddKernel(api, registry, "gelu", "float64", &RefuseSilently, NULL);
  return AddFaults(api, registry);
}

const SyPlugin sy_plugin = {PLUGIN_SIZE, MAJOR, MINOR,
                            "sample",    "1.2", &AddAll};
