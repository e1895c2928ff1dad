// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/reduction/tile_grad.h"

namespace switchyard::phi::kernels::cpu {

absl::InlinedVector<TiledAxis, 4> TiledAxes(const Shape& x, const Shape& out,
                                            IntArray repeat_times) {
  absl::InlinedVector<TiledAxis, 4> axes;
  const int lead = out.rank() - x.rank();
  const int silent = out.rank() - static_cast<int>(repeat_times.size());
  int64_t before = out.numel();
  int64_t after = 1;
  for (int axis = out.rank() - 1; axis >= 0; --axis) {
    const int64_t own = axis < lead ? 1 : x.extent(axis - lead);
    const int64_t copies = axis < silent ? 1 : repeat_times[axis - silent];
    after *= own;
    before /= std::max<int64_t>(1, out.extent(axis));
    if (copies != 1) axes.push_back({before, copies, after});
  }
  return axes;
}

}  // namespace switchyard::phi::kernels::cpu
