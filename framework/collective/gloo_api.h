// SPDX-License-Identifier: Apache-2.0
// GlooApi: what the shared library that is linked with Gloo offers to the
// transport "gloo". Gloo is a C++ library, whose functions can't be looked up
// by name as Open MPI's can: so a library of ours is linked with it, and is
// opened at run time. The two share no type but these, and no exception.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_GLOO_API_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_GLOO_API_H_

#include <cstddef>
#include <cstdint>

namespace switchyard::collective {

// Says why a function failed; ends with a zero.
struct GlooError {
  char text[256];
};

// A function that fails returns null or -1, and writes an error. One thread at
// a time uses a link.
struct GlooApi {
  // Makes the link of a rank, which listens at the address `host`. It may be
  // connected for `patience_ms`.
  void* (*open)(int rank, int size, const char* host, int64_t patience_ms,
                GlooError* error);
  // Returns the number of bytes that say where this rank listens for another
  // one, and points `bytes` at them: those for rank 0, for rank 1, and so on.
  size_t (*address)(void* link, const char** bytes);
  // Connects with all ranks. `addresses` has by rank what each says of where it
  // listens for this one. Returns 0, or -1.
  int (*connect)(void* link, const char* const* addresses, GlooError* error);
  // Begins to receive a message, or to send one.
  void* (*start)(void* link, int peer, uint32_t tag, void* data, size_t size,
                 bool receives, GlooError* error);
  // Begins Gloo's own sum over all ranks, of double or float.
  void* (*sum)(void* link, bool is_double, void* data, size_t count,
               GlooError* error);
  // Returns 1 if the message is done, 0 if not yet, -1 after an error. The
  // request is freed in the first and the last case.
  int (*test)(void* link, void* request, GlooError* error);
  void (*cancel)(void* link, void* request);
  void (*wait)(void* link, int microseconds);
  void (*close)(void* link);
};

}  // namespace switchyard::collective

// The function of that library.
extern "C" const switchyard::collective::GlooApi* SwitchyardGlooApi();

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_GLOO_API_H_
