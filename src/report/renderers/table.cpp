/// Tables for people; report/tables/ makes their text.

#include "report/tables/tables.h"

namespace rezero::detail {

RendererKind renderer_table() {
  RendererKind kind;
  kind.name = "table";
  kind.summary = "a readable table: spectra against depth, or one line per check";
  kind.emission = Emission::document;
  kind.report = make_report_table;
  kind.verdict = make_verdict_table;
  return kind;
}

}  // namespace rezero::detail
