// SPDX-License-Identifier: Apache-2.0
// A plugin with kernels for operators that the process composes of others.
// They fill all results with 7, so that a test sees whose they are.
#include "phi/capi/plugin.h"

#define MAX_OUTPUTS 2

static const char* const kUnary[] = {"cos_grad",
                                     "elu_grad",
                                     "exp_grad",
                                     "hardswish_grad",
                                     "mish_grad",
                                     "relu6_grad",
                                     "sin_grad",
                                     "softplus_grad",
                                     "sqrt_grad",
                                     "square_grad",
                                     "leaky_relu_grad",
                                     "cross_entropy",
                                     "cvm",
                                     "frobenius_norm",
                                     "logsumexp",
                                     "p_norm",
                                     "sigmoid_cross_entropy_with_logits",
                                     "slogdet",
                                     "silu_grad",
                                     "cross",
                                     "maxout",
                                     "dot",
                                     "index_sample",
                                     "kron",
                                     "label_smooth",
                                     "masked_fill",
                                     "mv",
                                     "soft_relu"};

// Of three results.
static const char* const kNorms[] = {"group_norm", "instance_norm"};

static void Fill(const SyApi* api, SyTensor* out) {
  float* const to = api->mutable_data(out);
  for (int64_t i = 0; i < api->numel(out); ++i) to[i] = 7;
}

static SyCode One(SyCall* call) {
  SyTensor* const out = call->api->output(call, 0);
  if (out != NULL) Fill(call->api, out);
  return SY_OK;
}

// multiply_grad, send_u_recv: the counts are no floats.
static SyCode Two(SyCall* call) {
  for (int32_t i = 0; i < MAX_OUTPUTS; ++i) {
    SyTensor* const out = call->api->output(call, i);
    if (out == NULL) continue;
    if (call->api->dtype(out)[0] == 'f') {
      Fill(call->api, out);
      continue;
    }
    int32_t* const counts = call->api->mutable_data(out);
    for (int64_t k = 0; k < call->api->numel(out); ++k) counts[k] = 7;
  }
  return SY_OK;
}

static SyCode Three(SyCall* call) {
  for (int32_t i = 0; i < 3; ++i) {
    SyTensor* const out = call->api->output(call, i);
    if (out != NULL) Fill(call->api, out);
  }
  return SY_OK;
}

// masked_select, of which two elements are said to be there.
static SyCode Late(SyCall* call) {
  const int64_t extents[] = {2};
  SyTensor* const out = call->api->late_output(call, 0, "float32", 1, extents);
  if (out != NULL) Fill(call->api, out);
  return SY_OK;
}

static SyCode Add(const SyApi* api, SyRegistry* registry, const char* op,
                  SyFunction function, const SyCondition* condition) {
  const SyKernel kernel = {
      sizeof(SyKernel),  op,       "sevens", "sevens", "float32", condition,
      condition != NULL, function, __FILE__, __LINE__, 0,         0};
  return api->add_kernel(registry, &kernel);
}

static SyCode AddAll(const SyApi* api, SyRegistry* registry) {
  const SyBackend backend = {sizeof(SyBackend), "sevens", "cpu", 250, 1};
  api->add_backend(registry, &backend);
  for (size_t i = 0; i < sizeof(kUnary) / sizeof(kUnary[0]); ++i) {
    Add(api, registry, kUnary[i], &One, NULL);
  }
  Add(api, registry, "multiply_grad", &Two, NULL);
  Add(api, registry, "send_u_recv", &Two, NULL);
  for (size_t i = 0; i < sizeof(kNorms) / sizeof(kNorms[0]); ++i) {
    Add(api, registry, kNorms[i], &Three, NULL);
  }
  const SyKernel select = {sizeof(SyKernel),
                           "masked_select",
                           "sevens",
                           "sevens",
                           "float32",
                           NULL,
                           0,
                           &Late,
                           __FILE__,
                           __LINE__,
                           0,
                           1};
  api->add_kernel(registry, &select);
  const SyCondition wide = {
      sizeof(SyCondition), SY_EXTENT_AT_LEAST, "x", 0, 2, NULL};
  return Add(api, registry, "log_grad", &One, &wide);
}

const SyPlugin sy_plugin = {sizeof(SyPlugin),
                            SY_PLUGIN_ABI_MAJOR,
                            SY_PLUGIN_ABI_MINOR,
                            "composed",
                            "1.0",
                            &AddAll};
