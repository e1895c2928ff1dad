// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/policy_rules.h"

#include <string>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace switchyard::phi::selection {
namespace {

// The device that a kernel of this role is of.
DeviceType KernelDevice(const Query& query, Role role) {
  return role == Role::kOwn ? query.place.type : DeviceType::kCpu;
}

bool IsListed(const KernelDef& def, const Policy& policy) {
  if (ABSL_PREDICT_TRUE(policy.lists == nullptr)) return true;
  const OperatorList* const list = policy.lists->Find(*def.key.backend);
  return list == nullptr || list->Admits(def.op);
}

Mismatch DescribeList(const KernelDef& def, const Policy& policy) {
  const OperatorList& list = *policy.lists->Find(*def.key.backend);
  const char* const backend = list.backend->name;
  if (list.off.find(def.op) != list.off.end()) {
    return {"operator",
            absl::StrCat("none that the policy keeps off ", backend, " (",
                         absl::StrJoin(list.off, ", "), ")"),
            def.op};
  }
  return {"operator",
          absl::StrCat("one that the policy gives to ", backend, " (",
                       list.on.empty() ? "none" : absl::StrJoin(list.on, ", "),
                       ")"),
          def.op};
}

}  // namespace

Requirement BrokenRule(const KernelDef& def, const Query& query,
                       const Policy& policy, Role role) {
  const BackendInfo& backend = *def.key.backend;
  if (backend.device != FindDevice(KernelDevice(query, role))) {
    return Requirement::kDevice;
  }
  if (!policy.backends.contains(backend)) return Requirement::kAdmitted;
  if (!IsListed(def, policy)) return Requirement::kListed;
  if (policy.declined.contains(backend)) return Requirement::kLibrary;
  if (policy.origin.has_value() && *policy.origin != def.origin) {
    return Requirement::kOrigin;
  }
  if (!def.thread_invariant && !policy.allow_thread_variant) {
    return Requirement::kThreadInvariant;
  }
  return Requirement::kNone;
}

Mismatch DescribeRule(Requirement rule, const KernelDef& def,
                      const Query& query, const Policy& policy, Role role) {
  const BackendInfo& backend = *def.key.backend;
  switch (rule) {
    case Requirement::kDevice:
      return {"device", Name(KernelDevice(query, role)), backend.device->name};
    case Requirement::kAdmitted:
      return {"backend",
              absl::StrCat("admitted by the policy (",
                           policy.backends.ToString(), ")"),
              backend.name};
    case Requirement::kListed:
      return DescribeList(def, policy);
    case Requirement::kLibrary:
      return {"library", "one that the call does not decline", backend.name};
    case Requirement::kOrigin:
      return {"origin", std::string(Name(*policy.origin)),
              std::string(Name(def.origin))};
    default:
      return {"bits", "the same with any number of threads",
              "a kernel whose bits vary"};
  }
}

Tristate EvaluateLibrary(const KernelDef& def, const Policy& policy) {
  return policy.requested.contains(*def.key.backend) ? Tristate::kTrue
                                                     : Tristate::kFalse;
}

Mismatch DescribeLibrary(const KernelDef& def) {
  return {"library", absl::StrCat(def.key.backend->name, " by an attribute"),
          "a call that does not ask for it"};
}

}  // namespace switchyard::phi::selection
