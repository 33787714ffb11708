#pragma once
/// Options that exclude each other, found before anything is read. Each message names both.

#include "rezero/config/resolve.h"

namespace rezero::detail {

void refuse_contradictions(const PlanOptions& options, PlanUse use);
/// Options that the family has no use for.
void refuse_misfits(const PlanOptions& options, const Family& family);
/// What the spectrum methods cannot do at this dimension.
void refuse_impossible_request(const AnalysisOptions& analysis, Index dimension);

}  // namespace rezero::detail
