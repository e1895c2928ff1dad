// SPDX-License-Identifier: Apache-2.0
// Grad mode: whether the calling thread records what it computes. On by
// default, in every thread. The engine turns it off for its own calls unless
// create_graph is set.
#ifndef SWITCHYARD_EAGER_AUTOGRAD_GRAD_MODE_H_
#define SWITCHYARD_EAGER_AUTOGRAD_GRAD_MODE_H_

namespace switchyard::eager {

// Whether calls are recorded, so that gradients can be had of their results.
enum class GradMode : bool { kOff, kOn };

namespace internal {
// Constant-initialised and trivially destroyed, so that access is one load.
inline thread_local GradMode grad_mode = GradMode::kOn;
}  // namespace internal

// Return and set the calling thread's mode.
inline GradMode CurrentGradMode() { return internal::grad_mode; }
inline void SetGradMode(GradMode mode) { internal::grad_mode = mode; }

// Sets the calling thread's mode for a scope.
class GradModeGuard {
 public:
  explicit GradModeGuard(GradMode mode) : before_(CurrentGradMode()) {
    SetGradMode(mode);
  }
  ~GradModeGuard() { SetGradMode(before_); }
  GradModeGuard(const GradModeGuard&) = delete;
  GradModeGuard& operator=(const GradModeGuard&) = delete;

 private:
  GradMode before_;
};

// Turns recording off for a scope (`no_grad`).
class NoGradGuard : public GradModeGuard {
 public:
  NoGradGuard() : GradModeGuard(GradMode::kOff) {}
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_AUTOGRAD_GRAD_MODE_H_
