// SPDX-License-Identifier: Apache-2.0
// Floating-point numbers as text: the shortest that reads back as the same
// number, recognisable as floating ("1.0", "0.1", "1e+30", "inf", "-inf",
// "nan"), the same in every locale. For attributes, IR text and messages.
#ifndef SWITCHYARD_FRAMEWORK_BASE_FLOAT_TEXT_H_
#define SWITCHYARD_FRAMEWORK_BASE_FLOAT_TEXT_H_

#include <complex>
#include <string>

namespace switchyard {

std::string ShortestText(float value);
std::string ShortestText(double value);

// Returns "complex(1.0, -0.5)": the real and the imaginary part.
std::string ComplexText(std::complex<float> value);
std::string ComplexText(std::complex<double> value);

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_BASE_FLOAT_TEXT_H_
