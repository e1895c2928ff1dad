// SPDX-License-Identifier: Apache-2.0
// WorldLink: what the transports "thread" and "model" share. The ranks are
// threads of one process, and an object, the World, holds the messages between
// them: it has TryReceive() and Leave(). How a message is sent is each one's
// own.
#ifndef SWITCHYARD_FRAMEWORK_COLLECTIVE_WORLD_LINK_H_
#define SWITCHYARD_FRAMEWORK_COLLECTIVE_WORLD_LINK_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "framework/base/status.h"

namespace switchyard::collective {

// One rank's end of a world, which outlives it, and the functions of a
// transport over it: transport.h says what each of them does, and which thread
// may call it. A request is new memory until TestOf() has returned true or an
// error, or Cancel() has returned.
template <typename World>
struct WorldLink {
  // A message that the rank receives, or has sent.
  struct Request {
    bool receives = false;
    int peer = 0;
    uint32_t tag = 0;
    void* data = nullptr;
    size_t size = 0;
    double sent = 0;  // When, where time is virtual.
  };

  static WorldLink& Of(void* link) { return *static_cast<WorldLink*>(link); }

  static absl::StatusOr<void*> IRecv(void* link, int peer, uint32_t tag,
                                     void* data, size_t size) {
    (void)link;
    return new Request{true, peer, tag, data, size};
  }

  // Calls on_sent(request) for a message that the rank has sent, which is done
  // at once: the world has a copy of it.
  template <typename OnSent>
  static absl::StatusOr<bool> TestOf(void* link, void* request,
                                     OnSent on_sent) {
    const WorldLink& own = Of(link);
    std::unique_ptr<Request> held(static_cast<Request*>(request));
    if (!held->receives) {
      on_sent(*held);
      return true;
    }
    SY_ASSIGN_OR_RETURN(const bool done,
                        own.world->TryReceive(held->peer, own.rank, held->tag,
                                              held->data, held->size));
    if (!done) held.release();
    return done;
  }

  static void Cancel(void* link, void* request) {
    (void)link;
    delete static_cast<Request*>(request);
  }

  static void Close(void* link, bool failed) {
    (void)failed;
    const std::unique_ptr<WorldLink> own(static_cast<WorldLink*>(link));
    own->world->Leave(own->rank);
  }

  World* world;
  int rank;
};

}  // namespace switchyard::collective

#endif  // SWITCHYARD_FRAMEWORK_COLLECTIVE_WORLD_LINK_H_
