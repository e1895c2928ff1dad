// SPDX-License-Identifier: Apache-2.0
// InferMeta of decompositions of stacks of matrices, x [..., m, n]; k is the
// smaller one of m and n. Operators on square matrices are in linear_solve.h.
#ifndef SWITCHYARD_PHI_INFERMETA_DECOMPOSITION_DECOMPOSITION_H_
#define SWITCHYARD_PHI_INFERMETA_DECOMPOSITION_DECOMPOSITION_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// q [..., m, k] and r [..., k, n] for mode "reduced", q [..., m, m] and r
// [..., m, n] for "complete"; for "r", r as for "reduced" and q of no elements,
// [0].
absl::Status QrInferMeta(const TensorSpec& x, std::string_view mode,
                         TensorSpec* q, TensorSpec* r);

// a as x and tau [..., k].
absl::Status GeqrfInferMeta(const TensorSpec& x, TensorSpec* a,
                            TensorSpec* tau);

// u [..., m, k], s [..., k] and vh [..., k, n]; with full_matrices u [..., m,
// m] and vh [..., n, n].
absl::Status SvdInferMeta(const TensorSpec& x, bool full_matrices,
                          TensorSpec* u, TensorSpec* s, TensorSpec* vh);

// x_grad [..., m, n] for u [..., m, any], s [..., k] and vh [..., any, n]. The
// gradients look as these.
absl::Status SvdGradInferMeta(const TensorSpec& u, const TensorSpec& s,
                              const TensorSpec& vh, const TensorSpec& u_grad,
                              const TensorSpec& s_grad,
                              const TensorSpec& vh_grad, TensorSpec* x_grad);

// s [..., k].
absl::Status SvdvalsInferMeta(const TensorSpec& x, TensorSpec* s);

// out_w [..., n] and out_v as x, which is square; uplo is "L" or "U".
absl::Status EighInferMeta(const TensorSpec& x, std::string_view uplo,
                           TensorSpec* out_w, TensorSpec* out_v);
absl::Status EighGradInferMeta(const TensorSpec& out_w, const TensorSpec& out_v,
                               const TensorSpec& out_w_grad,
                               const TensorSpec& out_v_grad,
                               TensorSpec* x_grad);

// eigenvalues: as out_w of EighInferMeta.
absl::Status EigvalshInferMeta(const TensorSpec& x, std::string_view uplo,
                               TensorSpec* eigenvalues);

// out as x; pivots [..., k] and infos [...] of int32.
absl::Status LuInferMeta(const TensorSpec& x, TensorSpec* out,
                         TensorSpec* pivots, TensorSpec* infos);

// out: int64, the leading axes of x, which broadcast with tol_tensor, if it is
// there. tol_tensor is of x's dtype, x square with `hermitian`.
absl::Status MatrixRankInferMeta(const TensorSpec& x,
                                 const TensorSpec* tol_tensor, bool hermitian,
                                 TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DECOMPOSITION_DECOMPOSITION_H_
