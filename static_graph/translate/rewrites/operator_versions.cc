// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/rewrites/operator_versions.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace switchyard::static_graph {
namespace {

struct TypeVersion {
  std::string_view type;
  int newest;
};

// Sorted by type: the largest numbers in the tables that PaddlePaddle 2.0
// to 3.3 write into programs. Every release writes all that it knows.
constexpr TypeVersion kNewest[] = {
    {"adam", 4},
    {"affine_grid", 1},
    {"allclose", 2},
    {"arg_max", 1},
    {"arg_min", 1},
    {"argsort", 1},
    {"assign_value", 1},
    {"auc", 1},
    {"clip", 1},
    {"coalesce_tensor", 2},
    {"collect_fpn_proposals", 1},
    {"conv2d", 1},
    {"conv2d_transpose", 2},
    {"conv3d", 1},
    {"conv3d_transpose", 1},
    {"conv_transpose", 1},
    {"cudnn_lstm", 1},
    {"cumprod", 1},
    {"cumsum", 1},
    {"data_norm", 1},
    {"depthwise_conv2d", 1},
    {"depthwise_conv2d_transpose", 1},
    {"dequantize", 1},
    {"distribute_fpn_proposals", 2},
    {"elementwise_add", 1},
    {"elementwise_div", 1},
    {"elementwise_floordiv", 1},
    {"elementwise_max", 1},
    {"elementwise_min", 1},
    {"elementwise_mod", 1},
    {"elementwise_mul", 1},
    {"elementwise_pow", 1},
    {"elementwise_sub", 1},
    {"equal", 1},
    {"expand_as_v2", 1},
    {"fake_channel_wise_dequantize_max_abs", 2},
    {"fake_channel_wise_quantize_abs_max", 1},
    {"fill_constant", 2},
    {"flip", 1},
    {"fused_attention", 1},
    {"fused_feedforward", 1},
    {"fused_multi_transformer", 1},
    {"fusion_gru", 1},
    {"gather", 1},
    {"gaussian_random", 1},
    {"generate_proposal_labels", 2},
    {"generate_proposals", 2},
    {"generate_proposals_v2", 1},
    {"global_gather", 1},
    {"global_scatter", 1},
    {"greater_equal", 1},
    {"greater_than", 1},
    {"grid_sampler", 1},
    {"hard_shrink", 1},
    {"histogram", 1},
    {"instance_norm", 1},
    {"kldiv_loss", 1},
    {"lamb", 1},
    {"leaky_relu", 1},
    {"less_equal", 1},
    {"less_than", 1},
    {"linspace", 1},
    {"lookup_table", 1},
    {"lookup_table_v2", 1},
    {"lstsq", 1},
    {"matmul", 1},
    {"matrix_nms", 1},
    {"max_pool2d_with_index", 1},
    {"max_pool3d_with_index", 1},
    {"mish", 1},
    {"momentum", 1},
    {"moving_average_abs_max_scale", 2},
    {"not_equal", 1},
    {"p_norm", 1},
    {"partial_allgather", 1},
    {"pixel_shuffle", 1},
    {"print", 1},
    {"quantize", 2},
    {"rank_attention", 1},
    {"requantize", 1},
    {"roi_align", 3},
    {"roi_pool", 2},
    {"roll", 2},
    {"round", 1},
    {"seed", 1},
    {"send_and_recv", 1},
    {"set_value", 4},
    {"softmax_with_cross_entropy", 1},
    {"softplus", 1},
    {"thresholded_relu", 1},
    {"trace", 1},
    {"transfer_layout", 1},
    {"truncated_gaussian_random", 1},
    {"unique", 1},
    {"unique_consecutive", 1},
    {"weight_dequantize", 1},
    {"weight_only_linear", 1},
    {"weight_quantize", 1},
    {"yolo_box", 1},
};

}  // namespace

int NewestVersion(std::string_view type) {
  const TypeVersion* const row = std::lower_bound(
      std::begin(kNewest), std::end(kNewest), type,
      [](const TypeVersion& a, std::string_view b) { return a.type < b; });
  return row != std::end(kNewest) && row->type == type ? row->newest : 0;
}

LegacyOpVersions::LegacyOpVersions(const ForeignProgram& program) {
  for (const OperatorVersion& one : program.operator_versions()) {
    if (one.version < 0 || one.version > NewestVersion(one.type)) {
      wrong_[one.type] = one.version;
    }
  }
}

absl::Status LegacyOpVersions::Check(std::string_view type) {
  if (wrong_.empty()) return absl::OkStatus();
  const auto found = wrong_.find(std::string(type));
  if (found == wrong_.end()) return absl::OkStatus();
  const int version = found->second;
  wrong_.erase(found);
  const int newest = NewestVersion(type);
  if (version < 0) {
    return ArgumentError("version of the operator", "0 or more",
                         absl::StrCat(version));
  }
  return absl::UnimplementedError(
      absl::StrCat("version of the operator must be at most ", newest,
                   ", the newest that is known, got ", version));
}

}  // namespace switchyard::static_graph
