// SPDX-License-Identifier: Apache-2.0
// Options, Model, Session: the handles of switchyard.h with owners that free
// them, for C++17. Everything else is done by that header's functions.
//
//   switchyard::Model model("inference_model");
//   switchyard::Session session(model);
//   switchyard::Check(switchyard_session_run(session.get()));
#ifndef SWITCHYARD_HANDLES_H_
#define SWITCHYARD_HANDLES_H_

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "switchyard.h"

namespace switchyard {

// Says which call of switchyard.h failed: what() is its sentence.
class CallError : public std::runtime_error {
 public:
  CallError(switchyard_status status, const char* text)
      : std::runtime_error(text), status_(status) {}
  switchyard_status status() const { return status_; }

 private:
  switchyard_status status_;
};

// Throws CallError unless a call has succeeded.
inline void Check(switchyard_status status) {
  if (status != SWITCHYARD_OK) throw CallError(status, switchyard_error());
}

// Owns a handle and frees it by `Free`. It can be moved; what was moved from
// has 0, which is no handle.
template <switchyard_status (*Free)(uint64_t)>
class Handle {
 public:
  Handle(Handle&& other) noexcept
      : handle_(std::exchange(other.handle_, uint64_t{0})) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() {
    if (handle_ != 0) Free(handle_);
  }

  uint64_t get() const { return handle_; }

 protected:
  // Makes the handle by `make(&handle)`. Throws CallError if that fails.
  template <typename Make>
  explicit Handle(Make&& make) {
    Check(make(&handle_));
  }

 private:
  uint64_t handle_ = 0;
};

// Owns options, which switchyard_options_set_...(options.get(), ...) set.
class Options : public Handle<&switchyard_options_free> {
 public:
  Options()
      : Handle([](uint64_t* made) { return switchyard_options_new(made); }) {}
};

// Owns a model, which sessions of any thread share.
class Model : public Handle<&switchyard_model_free> {
 public:
  // Loads the model of a file or folder.
  explicit Model(const std::string& path, switchyard_options options = 0)
      : Handle([&](uint64_t* made) {
          return switchyard_model_load(path.c_str(), options, made);
        }) {}
  // Loads one from memory; `weights` may be null.
  Model(const void* program, size_t program_bytes, const void* weights,
        size_t weights_bytes, switchyard_options options = 0)
      : Handle([&](uint64_t* made) {
          return switchyard_model_load_bytes(program, program_bytes, weights,
                                             weights_bytes, options, made);
        }) {}
};

// Owns a session, which one thread uses at a time. It may outlive its model.
class Session : public Handle<&switchyard_session_free> {
 public:
  explicit Session(const Model& model, switchyard_options options = 0)
      : Handle([&](uint64_t* made) {
          return switchyard_session_new(model.get(), options, made);
        }) {}
};

}  // namespace switchyard

#endif  // SWITCHYARD_HANDLES_H_
