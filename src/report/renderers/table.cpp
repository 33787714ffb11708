/// Tables for people; their text is made in report/tables/.

#include "report/tables/tables.h"

namespace rezero::detail {

RendererKind table_renderer() {
  return {"table",
          {},
          "a table to read: spectra against depth, or one line per check",
          {},
          Emission::document,
          make_report_table,
          make_verdict_table};
}

}  // namespace rezero::detail
