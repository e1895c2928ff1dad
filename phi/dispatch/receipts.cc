// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/receipts.h"

namespace switchyard::phi::dispatch {
namespace {

std::vector<Receipt>& ThreadReceipts() {
  thread_local std::vector<Receipt> receipts;
  return receipts;
}

}  // namespace

const std::vector<Receipt>& Receipts() { return ThreadReceipts(); }

void ClearReceipts() { ThreadReceipts().clear(); }

void LeaveReceipt(const char* op, Place from, Place to, int64_t bytes) {
  for (Receipt& receipt : ThreadReceipts()) {
    if (receipt.op != op || receipt.from != from || receipt.to != to) continue;
    receipt.bytes += bytes;
    ++receipt.count;
    return;
  }
  ThreadReceipts().push_back({op, from, to, bytes, 1});
}

}  // namespace switchyard::phi::dispatch
