// SPDX-License-Identifier: Apache-2.0
// Filling memory with one element, by several threads.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_CREATION_FILL_H_
#define SWITCHYARD_PHI_KERNELS_CPU_CREATION_FILL_H_

#include <cstddef>
#include <cstdint>

namespace switchyard::phi::kernels::cpu {

// `count` elements of `element_size` (1, 2, 4 or 8) bytes, each as `value`.
void FillElements(size_t element_size, const void* value, int64_t count,
                  void* to);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_CREATION_FILL_H_
