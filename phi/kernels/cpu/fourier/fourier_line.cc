// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/fourier/fourier_line.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "unsupported/Eigen/FFT"

namespace switchyard::phi::kernels::cpu {
namespace {

// Whether kissfft has a step of its own for each factor: its step for others
// takes n * n steps, and memory that threads can't share.
bool HasSmallFactors(int64_t n) {
  for (const int64_t factor : {2, 3, 5}) {
    while (n % factor == 0) n /= factor;
  }
  return n == 1;
}

// The transform of a length with small factors.
template <typename T>
class SmallFactors {
 public:
  SmallFactors() = default;
  SmallFactors(int64_t n, bool forward) : n_(n) {
    if (n == 1) return;
    plan_.make_twiddles(static_cast<int>(n), !forward);
    plan_.factorize(static_cast<int>(n));
  }
  void Run(const std::complex<T>* x, std::complex<T>* out) const {
    if (n_ == 1) {
      *out = *x;
      return;
    }
    // Not const in Eigen, though it writes only for other factors.
    const_cast<Plan&>(plan_).work(0, out, x, 1, 1);
  }

 private:
  using Plan = Eigen::internal::kiss_cpx_fft<T>;
  int64_t n_ = 1;
  Plan plan_{};  // Eigen leaves a member unset.
};

}  // namespace

// With j k = (j^2 + k^2 - (k - j)^2) / 2 the transform is a convolution of
// x[j] c[j] with 1 / c, times c[k], where c[j] = exp(-+pi i j^2 / n). It is
// done by transforms of a length with small factors, 2 n - 1 or more.
template <typename T>
struct FourierLine<T>::Plans {
  using Complex = std::complex<T>;

  Plans(int64_t n, bool forward) {
    if (HasSmallFactors(n)) {
      to = SmallFactors<T>(n, forward);
      return;
    }
    length = 1;
    while (length < 2 * n - 1) length *= 2;
    to = SmallFactors<T>(length, true);
    back = SmallFactors<T>(length, false);
    chirp.resize(n);
    std::vector<Complex> inverse(length);
    const double step = (forward ? -1 : 1) * std::acos(-1.0) / n;
    for (int64_t j = 0; j < n; ++j) {
      const double angle = step * static_cast<double>(j * j % (2 * n));
      chirp[j] = Complex(static_cast<T>(std::cos(angle)),
                         static_cast<T>(std::sin(angle)));
      inverse[j] = std::conj(chirp[j]) / static_cast<T>(length);
      if (j > 0) inverse[length - j] = inverse[j];
    }
    filter.resize(length);
    to.Run(inverse.data(), filter.data());
  }

  int64_t length = 0;  // Of the convolution; 0 where there is none.
  SmallFactors<T> to;
  SmallFactors<T> back;
  std::vector<Complex> chirp;
  std::vector<Complex> filter;  // The transform of 1 / c, over `length`.
};

template <typename T>
FourierLine<T>::FourierLine(int64_t n, bool forward)
    : n_(n), plans_(std::make_unique<const Plans>(n, forward)) {}

template <typename T>
FourierLine<T>::~FourierLine() = default;

template <typename T>
int64_t FourierLine<T>::workspace() const {
  return 2 * plans_->length;
}

template <typename T>
void FourierLine<T>::Run(const std::complex<T>* x, std::complex<T>* out,
                         std::complex<T>* workspace) const {
  const Plans& plans = *plans_;
  if (plans.length == 0) return plans.to.Run(x, out);
  std::complex<T>* const a = workspace;
  std::complex<T>* const b = workspace + plans.length;
  for (int64_t j = 0; j < n_; ++j) a[j] = x[j] * plans.chirp[j];
  std::fill(a + n_, a + plans.length, std::complex<T>());
  plans.to.Run(a, b);
  for (int64_t j = 0; j < plans.length; ++j) b[j] *= plans.filter[j];
  plans.back.Run(b, a);
  for (int64_t k = 0; k < n_; ++k) out[k] = a[k] * plans.chirp[k];
}

template class FourierLine<float>;
template class FourierLine<double>;

}  // namespace switchyard::phi::kernels::cpu
