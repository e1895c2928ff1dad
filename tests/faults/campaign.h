// SPDX-License-Identifier: Apache-2.0
// Campaign: random calls of the whole library, each in a process that may end
// (forked_cases.h), with an answer that is demanded of each: a result, or an
// error that names the operator and is not Internal; the library usable after
// it. docs/robustness.md says what came of it.
#ifndef SWITCHYARD_TESTS_FAULTS_CAMPAIGN_H_
#define SWITCHYARD_TESTS_FAULTS_CAMPAIGN_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "eager/call/eager_op.h"
#include "tests/faults/forked_cases.h"
#include "tests/faults/random_calls.h"

namespace switchyard {

// Says what the calls of a campaign are.
enum class CampaignKind {
  kCalls,     // Eager calls, recorded or not, and their backward.
  kLegacy,    // By legacy type, gradients' types too.
  kPrograms,  // A file with one operation as text, with right checksums.
};

// Calls by number, made of the samples in a folder and a seed.
class Campaign {
 public:
  Campaign(CampaignKind kind, const std::string& folder, uint64_t seed);

  // Runs the cases from `start` on, `count` of them; returns what is wrong.
  std::vector<Finding> Run(int64_t start, int64_t count,
                           const CaseLimits& limits) const;

  // Returns what the case of that number calls, in words.
  std::string Describe(int64_t index) const;

 private:
  // A call and the form that the campaign gives it.
  struct Case {
    OperatorCall call;
    LegacyCall legacy;
    bool recorded = false;
  };

  Case Make(CallMaker& maker) const;
  std::string Check(int64_t index) const;
  std::string CheckCall(const Case& made) const;
  std::string CheckLegacy(const LegacyCall& call) const;
  std::string CheckProgram(const OperatorCall& call, int64_t index,
                           CallMaker& maker) const;

  const CampaignKind kind_;
  const uint64_t seed_;
  std::vector<OperatorCall> valid_;
  CallMaker::Bases bases_;
  std::map<const phi::OpInfo*, const eager::EagerOp*> operators_;
  std::map<const phi::OpInfo*, eager::EagerOp> inplace_;  // In-place variants.
};

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_FAULTS_CAMPAIGN_H_
