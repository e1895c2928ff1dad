// SPDX-License-Identifier: Apache-2.0
// The words of an explanation that its text and its JSON share. Private to
// phi/selection; both are declared in explain.h.
#ifndef SWITCHYARD_PHI_SELECTION_EXPLANATION_WORDS_H_
#define SWITCHYARD_PHI_SELECTION_EXPLANATION_WORDS_H_

#include <string>
#include <string_view>

#include "phi/selection/explain.h"

namespace switchyard::phi::selection {

// Returns "chosen", "refused", "undecided" or "not asked".
std::string_view Word(Explanation::Outcome outcome);

// Returns where the key dtype comes from: "x", "attribute dtype", "always".
std::string KeySource(const Query& query);

// Returns the name of the preference that the chosen kernel matches, "legacy".
// Requires that preferences decided (Explanation::passed_over).
std::string DecidingPreference(const Explanation& explanation);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_EXPLANATION_WORDS_H_
