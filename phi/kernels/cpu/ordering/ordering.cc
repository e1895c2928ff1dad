// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/ordering/ordering.h"

namespace switchyard::phi::kernels::cpu {

void SortFirst(OrderEntry* entries, int64_t n, int64_t count) {
  const auto before = [](const OrderEntry& a, const OrderEntry& b) {
    return a.key != b.key ? a.key < b.key : a.position < b.position;
  };
  if (count < n)
    std::nth_element(entries, entries + count, entries + n, before);
  std::sort(entries, entries + count, before);
}

}  // namespace switchyard::phi::kernels::cpu
