#include "cli/routes_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/limits.h"
#include "rezero/core/text.h"

namespace rezero::cli {
namespace {

constexpr std::size_t most_lines = 16;

/// A number of some cells that may differ between them.
struct Range {
  Real least, most;

  void include(const Range& other) {
    least = std::min(least, other.least), most = std::max(most, other.most);
  }
  friend bool operator==(const Range& a, const Range& b) { return a.least == b.least && a.most == b.most; }

  template <class Text>
  std::string text(const Text& of) const {
    const std::string low = of(least), high = of(most);
    return low == high ? low : low + " to " + high;
  }
};

/// Some cells with a common method.
struct Line {
  std::string method;
  JacobianForm form;
  bool by_rows;
  Range n, bytes, extra, gigaflops;
  std::size_t cells;

  bool same_method(const Line& other) const {
    return form == other.form && by_rows == other.by_rows && method == other.method;
  }
  bool same_route(const Line& other) const {
    return n == other.n && bytes == other.bytes && extra == other.extra && gigaflops == other.gigaflops &&
           same_method(other);
  }
  void join(const Line& other) {
    n.include(other.n), bytes.include(other.bytes), extra.include(other.extra),
        gigaflops.include(other.gigaflops);
    cells += other.cells;
  }
  std::string text() const {
    const auto whole = [](Real x) { return std::to_string(static_cast<Index>(x)); };
    return "method   " + method +
           (form == JacobianForm::map ? " by products"
            : by_rows                 ? " on J formed by rows"
                                      : " on J formed") +
           ", n = " + n.text(whole) + ", " + bytes.text(bytes_text) + extra_text(extra.most) + ", " +
           gigaflops.text(shortest) + " GFLOP each: " + std::to_string(cells) +
           (cells == 1 ? " cell\n" : " cells\n");
  }
};

/// Adds the line to the first one with which it agrees; otherwise appends it.
template <class Agrees>
void add(std::vector<Line>& lines, const Line& line, const Agrees& agrees) {
  const auto known =
      std::find_if(lines.begin(), lines.end(), [&](const Line& before) { return (before.*agrees)(line); });
  if (known == lines.end())
    lines.push_back(line);
  else
    known->join(line);
}

}  // namespace

std::string extra_text(Real bytes) {
  return bytes > 0 ? " (and up to " + bytes_text(bytes) + " more where there is room)" : "";
}

std::string routes_text(const SweepPlan& plan, const CellList& cells, Real limit) {
  std::vector<Line> routes, methods;
  cells.for_each_kind([&](const CellKind& kind) {
    const Route route = route_of(kind.geometry, kind.depths, plan.analysis);
    if (route.method.empty()) return;
    const auto n = static_cast<Real>(kind.geometry.shape().size());
    const Real extra = static_cast<Real>(route.kept_blocks(limit)) * route.bytes_per_kept_block;
    const Real gigaflops = std::round(route.flops / 1e7) / 100;  // routes that read alike are one
    const Line line{route.method,
                    route.form,
                    route.by_rows,
                    {n, n},
                    {route.bytes, route.bytes},
                    {extra, extra},
                    {gigaflops, gigaflops},
                    cells.cells_per_kind()};
    if (routes.size() <= most_lines) add(routes, line, &Line::same_route);
    add(methods, line, &Line::same_method);
  });
  std::string text;
  for (const Line& line : routes.size() <= most_lines ? routes : methods) text += line.text();
  return text;
}

}  // namespace rezero::cli
