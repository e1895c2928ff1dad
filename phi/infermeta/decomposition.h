// SPDX-License-Identifier: Apache-2.0
// InferMeta of decompositions of stacks of matrices, x [..., m, n]; k is the
// smaller one of m and n. Operators on square matrices are in linear_solve.h.
#ifndef SWITCHYARD_PHI_INFERMETA_DECOMPOSITION_H_
#define SWITCHYARD_PHI_INFERMETA_DECOMPOSITION_H_

#include <string_view>

#include "framework/base/status.h"
#include "framework/tensor/meta_tensor.h"

namespace switchyard::phi {

// q [..., m, k] and r [..., k, n] for mode "reduced", q [..., m, m] and r
// [..., m, n] for "complete"; for "r", r as for "reduced" and q of no elements,
// [0].
absl::Status QrInferMeta(const MetaTensor& x, std::string_view mode,
                         MetaTensor* q, MetaTensor* r);

// x_grad: as x. The gradients look as q and r, which are those of x.
absl::Status QrGradInferMeta(const MetaTensor& x, const MetaTensor& q,
                             const MetaTensor& r, const MetaTensor& q_grad,
                             const MetaTensor& r_grad, std::string_view mode,
                             MetaTensor* x_grad);

// u [..., m, k], s [..., k] and vh [..., k, n]; with full_matrices u [..., m,
// m] and vh [..., n, n].
absl::Status SvdInferMeta(const MetaTensor& x, bool full_matrices,
                          MetaTensor* u, MetaTensor* s, MetaTensor* vh);

// x_grad [..., m, n] for u [..., m, any], s [..., k] and vh [..., any, n]. The
// gradients look as these.
absl::Status SvdGradInferMeta(const MetaTensor& u, const MetaTensor& s,
                              const MetaTensor& vh, const MetaTensor& u_grad,
                              const MetaTensor& s_grad,
                              const MetaTensor& vh_grad, MetaTensor* x_grad);

// s [..., k].
absl::Status SvdvalsInferMeta(const MetaTensor& x, MetaTensor* s);
absl::Status SvdvalsGradInferMeta(const MetaTensor& x, const MetaTensor& s_grad,
                                  MetaTensor* x_grad);

// out_w [..., n] and out_v as x, which is square; uplo is "L" or "U".
absl::Status EighInferMeta(const MetaTensor& x, std::string_view uplo,
                           MetaTensor* out_w, MetaTensor* out_v);
absl::Status EighGradInferMeta(const MetaTensor& out_w, const MetaTensor& out_v,
                               const MetaTensor& out_w_grad,
                               const MetaTensor& out_v_grad,
                               MetaTensor* x_grad);

// eigenvalues: as out_w of EighInferMeta.
absl::Status EigvalshInferMeta(const MetaTensor& x, std::string_view uplo,
                               MetaTensor* eigenvalues);
absl::Status EigvalshGradInferMeta(const MetaTensor& x,
                                   const MetaTensor& eigenvalues_grad,
                                   std::string_view uplo, MetaTensor* x_grad);

// out as x; pivots [..., k] and infos [...] of int32.
absl::Status LuInferMeta(const MetaTensor& x, MetaTensor* out,
                         MetaTensor* pivots, MetaTensor* infos);

// out: int64, the leading axes of x, which broadcast with tol_tensor, if it is
// there. tol_tensor is of x's dtype, x square with `hermitian`.
absl::Status MatrixRankInferMeta(const MetaTensor& x,
                                 const MetaTensor* tol_tensor, bool hermitian,
                                 MetaTensor* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_DECOMPOSITION_H_
