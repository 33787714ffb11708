#include "rezero/report/renderer.h"

#include "rezero/core/error.h"

namespace rezero {

namespace detail {
#define REZERO_RENDERER(name) RendererKind name##_renderer();
#include "report/renderers/renderers.def"
#undef REZERO_RENDERER
}  // namespace detail

const Registry<RendererKind>& renderers() {
  static const Registry<RendererKind> table("format", {
#define REZERO_RENDERER(name) detail::name##_renderer(),
#include "report/renderers/renderers.def"
#undef REZERO_RENDERER
                                                      });
  return table;
}

std::unique_ptr<Renderer> make_renderer(std::string_view name, ReportKind kind, Output output) {
  const RendererKind& renderer = renderers().at(name);
  if (kind == ReportKind::report) return renderer.report(std::move(output));
  if (!renderer.verdict)
    throw UsageError("format '" + std::string(renderer.name) +
                     "' has no verdicts: use --format json, ndjson or table");
  return renderer.verdict(std::move(output));
}

}  // namespace rezero
