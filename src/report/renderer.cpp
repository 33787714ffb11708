#include "rezero/report/renderer.h"

#include "rezero/core/error.h"

namespace rezero {

namespace detail {
#define REZERO_ENTRY(name) RendererKind renderer_##name();
#include "report/renderers/renderers.def"
}  // namespace detail

const Registry<RendererKind>& renderers() {
  static const Registry<RendererKind> table("format", {
#define REZERO_ENTRY(name) detail::renderer_##name(),
#include "report/renderers/renderers.def"
                                                      });
  return table;
}

std::string format_names(ReportKind kind) {
  std::vector<std::string_view> names;
  for (const RendererKind& renderer : renderers())
    if (kind == ReportKind::report || renderer.verdict) names.push_back(renderer.name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + std::string(names[i]);
  return text;
}

std::unique_ptr<Renderer> make_renderer(std::string_view name, ReportKind kind, Output output) {
  const RendererKind& renderer = renderers().at(name);
  if (kind == ReportKind::report) return renderer.report(std::move(output));
  if (!renderer.verdict)
    throw UsageError("format '" + std::string(renderer.name) + "' has no verdicts: use --format " +
                     format_names(kind));
  return renderer.verdict(std::move(output));
}

}  // namespace rezero
