// SPDX-License-Identifier: Apache-2.0
// The floating-point control word of a thread: what becomes of denormal
// numbers.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_CPU_FLOAT_CONTROL_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_CPU_FLOAT_CONTROL_H_

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace switchyard {

// Returns the control bits of the calling thread: roundings, masks of
// exceptions, denormals. 0 on a CPU of which nothing is known here.
inline uint32_t FloatControl() {
#if defined(__x86_64__)
  constexpr uint32_t kSeen = 0x3f;  // Exceptions that there were.
  return _mm_getcsr() & ~kSeen;
#elif defined(__aarch64__)
  uint64_t control;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(control));
  return static_cast<uint32_t>(control);
#else
  return 0;
#endif
}

// Sets what FloatControl() returns.
inline void SetFloatControl(uint32_t control) {
#if defined(__x86_64__)
  _mm_setcsr(control);
#elif defined(__aarch64__)
  const uint64_t wide = control;
  __asm__ __volatile__("msr fpcr, %0" : : "r"(wide));
#else
  static_cast<void>(control);
#endif
}

// While it lives, the calling thread, and workers that help it, read denormal
// numbers as zero and write zero for them: a sum of denormals takes an
// AVX2 machine a hundred times as long as one of ordinary numbers. Restores
// what was there before. Does nothing where `flush` is false.
class DenormalsFlushed {
 public:
  explicit DenormalsFlushed(bool flush = true) : before_(FloatControl()) {
    if (flush && (before_ & kFlush) != kFlush) {
      SetFloatControl(before_ | kFlush);
      changed_ = true;
    }
  }
  ~DenormalsFlushed() {
    if (changed_) SetFloatControl(before_);
  }
  DenormalsFlushed(const DenormalsFlushed&) = delete;
  DenormalsFlushed& operator=(const DenormalsFlushed&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr uint32_t kFlush = 0x8040;  // FTZ and DAZ.
#elif defined(__aarch64__)
  static constexpr uint32_t kFlush = 1u << 24;  // FZ.
#else
  static constexpr uint32_t kFlush = 0;
#endif
  uint32_t before_;
  bool changed_ = false;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_CPU_FLOAT_CONTROL_H_
