#pragma once
/// The readable formats: spectra against depth, and one line per check.

#include <memory>

#include "rezero/report/renderer.h"

namespace rezero::detail {

std::unique_ptr<Renderer> make_report_table(Output output);
std::unique_ptr<Renderer> make_verdict_table(Output output);

}  // namespace rezero::detail
