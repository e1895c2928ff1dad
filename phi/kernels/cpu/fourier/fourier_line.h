// SPDX-License-Identifier: Apache-2.0
// FourierLine: the discrete Fourier transform of one line of complex numbers.
// How kernels find the lines of a tensor is in fourier.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_FOURIER_FOURIER_LINE_H_
#define SWITCHYARD_PHI_KERNELS_CPU_FOURIER_FOURIER_LINE_H_

#include <complex>
#include <cstdint>
#include <memory>

namespace switchyard::phi::kernels::cpu {

// Owns what transforms of n elements share; T is float or double. Lengths of
// the factors 2, 3 and 5 are transformed by kissfft (of Eigen), others by
// Bluestein's convolution of such a length, so that all take n log n steps.
// Immutable: any number of threads may use one at once.
template <typename T>
class FourierLine {
 public:
  // n in [1, 2 * kMaxFourierLength]. May throw bad_alloc, which Run() doesn't.
  FourierLine(int64_t n, bool forward);
  ~FourierLine();

  int64_t n() const { return n_; }
  // Returns how many numbers Run() needs to work in.
  int64_t workspace() const;
  // out[k] = the sum of x[j] exp(-2 pi i j k / n), +2 unless forward. x and out
  // must not overlap.
  void Run(const std::complex<T>* x, std::complex<T>* out,
           std::complex<T>* workspace) const;

 private:
  struct Plans;

  int64_t n_;
  std::unique_ptr<const Plans> plans_;
};

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_FOURIER_FOURIER_LINE_H_
