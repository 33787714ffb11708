#include "rezero/graph/program.h"

#include <algorithm>
#include <limits>

#include "rezero/core/contract.h"
#include "rezero/core/error.h"

namespace rezero::graph {

StepRun run_steps(const Program& program, std::size_t first, std::size_t last, int at, Tensor x,
                  const RunOptions& options) {
  StepRun run;
  if (options.rounding) x = Tensor::of(x.dims(), (*options.rounding)(x.reals()));
  run.values[at] = std::move(x);
  for (std::size_t i = first; i < last; ++i) {
    const Step& step = program.steps[i];
    Call call;
    call.node = step.node, call.opset = step.opset, call.prepared = step.prepared.get();
    call.seed = program.seed, call.place = step.place;
    for (const int slot : step.inputs) {
      const bool varies = program.varies(slot);
      call.inputs.push_back(slot < 0 ? nullptr
                            : varies ? &run.values.at(slot)
                                     : &program.slot(slot).constant);
      call.varies.push_back(varies);
      call.wanted.push_back(
          slot >= 0 && call.inputs.back()->is_real() &&
          ((options.derivatives && varies) || (options.parameters && !varies && program.slot(slot).trained)));
    }
    Outcome outcome = step.op->run(call);
    for (std::size_t k = 0; k < step.outputs.size(); ++k) {
      Tensor& value = outcome.outputs[k];
      if (options.rounding && value.is_real())
        value = Tensor::of(value.dims(), (*options.rounding)(value.reals()));
      run.values[step.outputs[k]] = std::move(value);
    }
    // Edges into one slot follow each other.
    std::stable_sort(outcome.partials.begin(), outcome.partials.end(),
                     [](const Partial& a, const Partial& b) { return a.output < b.output; });
    for (Partial& partial : outcome.partials)
      if (partial.output < static_cast<Index>(step.outputs.size()))
        run.edges.push_back({step.inputs[static_cast<std::size_t>(partial.input)],
                             step.outputs[static_cast<std::size_t>(partial.output)], std::move(partial.map)});
  }
  return run;
}

namespace {

/// Buffers by local number of a slot; 0 is the first slot, the last number the last one.
struct LocalEdge {
  std::size_t from, to;
  LinearMapPtr map;
  bool identity = false;
};

/// Only the identity acts in place without an operation.
bool is_identity(const LinearMap& map) {
  Matrix none(map.rows(), 0);
  return map.rows() == map.cols() && map.flops_per_column() == 0 && map.apply_in_place(0, 1, none);
}

class PathMap final : public LinearMap {
 public:
  PathMap(std::vector<LocalEdge> edges, std::vector<Index> sizes)
      : edges_(std::move(edges)), sizes_(std::move(sizes)) {
    last_read_.assign(sizes_.size(), 0), first_read_.assign(sizes_.size(), edges_.size());
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      edges_[e].identity = is_identity(*edges_[e].map);
      last_read_[edges_[e].from] = e;
      first_read_[edges_[e].from] = std::min(first_read_[edges_[e].from], e);
    }
  }
  Index rows() const override { return sizes_.back(); }
  Index cols() const override { return sizes_.front(); }
  Real flops_per_column() const override {
    Real flops = 0;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      flops += edges_[e].map->flops_per_column();
      if (!begins(e)) flops += static_cast<Real>(sizes_[edges_[e].to]);
    }
    return flops;
  }

 private:
  bool begins(std::size_t e) const { return e == 0 || edges_[e - 1].to != edges_[e].to; }
  bool ends(std::size_t e) const { return e + 1 == edges_.size() || edges_[e + 1].to != edges_[e].to; }

  void do_apply(ConstColumns v, Columns out) const override {
    std::vector<Matrix> at(sizes_.size());
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const LocalEdge& edge = edges_[e];
      const bool last = edge.to + 1 == sizes_.size(), dying = edge.from != 0 && last_read_[edge.from] == e;
      Matrix& to = at[edge.to];
      if (begins(e) && ends(e) && dying && !last && edge.map->apply_in_place(0, 1, at[edge.from])) {
        to.swap(at[edge.from]);
        continue;
      }
      const ConstColumns in = edge.from == 0 ? v : ConstColumns(at[edge.from]);
      if (begins(e)) {
        if (!last) to.resize(sizes_[edge.to], v.cols());
        last ? edge.map->apply(in, out) : edge.map->apply(in, to);
      } else {
        add(edge, in, last ? Columns(out) : Columns(to));
      }
      if (dying) at[edge.from].resize(0, 0);
    }
  }
  static void add(const LocalEdge& edge, const ConstColumns& in, Columns to) {
    if (edge.identity) {
      to += in;
      return;
    }
    Matrix part(to.rows(), to.cols());
    edge.map->apply(in, part);
    to += part;
  }

  void do_apply_transpose(ConstColumns u, Columns out) const override {
    std::vector<Matrix> at(sizes_.size());
    for (std::size_t e = edges_.size(); e-- > 0;) {
      const LocalEdge& edge = edges_[e];
      const ConstColumns in = edge.to + 1 == sizes_.size() ? u : ConstColumns(at[edge.to]);
      const bool fresh = last_read_[edge.from] == e;
      if (edge.from == 0) {
        if (fresh)
          edge.map->apply_transpose(in, out);
        else
          add_transpose(*edge.map, in, out);
      } else {
        Matrix& from = at[edge.from];
        if (fresh) from.resize(sizes_[edge.from], u.cols());
        if (fresh)
          edge.map->apply_transpose(in, from);
        else
          add_transpose(*edge.map, in, from);
      }
      if (begins(e)) at[edge.to].resize(0, 0);
    }
  }
  static void add_transpose(const LinearMap& map, const ConstColumns& in, Columns to) {
    Matrix part(to.rows(), to.cols());
    map.apply_transpose(in, part);
    to += part;
  }

  /// Sums that cancel exactly must not do so in another rounding, but what passes unchanged still does.
  LinearMapPtr do_in_other_rounding(SimulatedRounding& rounding) const override {
    std::vector<bool> passes(sizes_.size(), false);
    for (const LocalEdge& edge : edges_) passes[edge.to] = passes[edge.to] || edge.identity;
    std::vector<LocalEdge> edges;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const LocalEdge& edge = edges_[e];
      LinearMapPtr map = in_other_rounding(edge.map, rounding);
      const bool one_of_several = !(begins(e) && ends(e));
      if (one_of_several && (passes[edge.to] ? !edge.identity : !begins(e)))
        map = product_map({map, diagonal_map(rounding.factors(map->rows()))});
      edges.push_back({edge.from, edge.to, std::move(map)});
    }
    return std::make_shared<PathMap>(std::move(edges), sizes_);
  }

  LinearMapPtr do_condense_parts(Index columns) const override {
    std::vector<LocalEdge> edges;
    for (const LocalEdge& edge : edges_) edges.push_back({edge.from, edge.to, condense(edge.map, columns)});
    return std::make_shared<PathMap>(std::move(edges), sizes_);
  }

  std::vector<LocalEdge> edges_;
  std::vector<Index> sizes_;
  std::vector<std::size_t> last_read_, first_read_;
};

/// v ↦ 0.
class Zero final : public LinearMap {
 public:
  Zero(Index rows, Index cols) : rows_(rows), cols_(cols) {}
  Index rows() const override { return rows_; }
  Index cols() const override { return cols_; }
  Real flops_per_column() const override { return 0; }
  Index rank_bound() const override { return 0; }

 private:
  void do_apply(ConstColumns, Columns out) const override { out.setZero(); }
  void do_apply_transpose(ConstColumns, Columns out) const override { out.setZero(); }
  Index rows_, cols_;
};

/// The edges on paths between the two slots.
std::vector<Edge> between(const std::vector<Edge>& edges, int from, int to) {
  std::unordered_map<int, bool> reached{{from, true}}, leads{{to, true}};
  std::vector<Edge> forward, both;
  for (const Edge& edge : edges)
    if (edge.to != from && reached.count(edge.from)) reached[edge.to] = true, forward.push_back(edge);
  for (std::size_t e = forward.size(); e-- > 0;)
    if (leads.count(forward[e].to)) leads[forward[e].from] = true, both.push_back(forward[e]);
  std::reverse(both.begin(), both.end());
  return both;
}

}  // namespace

LinearMapPtr map_along(const std::vector<Edge>& edges, int from, Index from_size, int to, Index to_size) {
  if (from == to) return identity_map(from_size);
  const std::vector<Edge> path = between(edges, from, to);
  if (path.empty()) return std::make_shared<Zero>(to_size, from_size);
  if (path.size() == 1) return path.front().map;
  std::unordered_map<int, std::size_t> local{{from, 0}};
  std::vector<Index> sizes = {from_size};
  std::vector<LocalEdge> numbered;
  for (const Edge& edge : path) {
    if (local.emplace(edge.to, sizes.size()).second) sizes.push_back(edge.map->rows());
    numbered.push_back({local.at(edge.from), local.at(edge.to), edge.map});
  }
  REZERO_REQUIRE(local.at(to) + 1 == sizes.size());
  return std::make_shared<PathMap>(std::move(numbered), std::move(sizes));
}

std::unordered_map<int, Vector> pull_back(const std::vector<Edge>& edges, int to, const Vector& u) {
  std::unordered_map<int, Vector> at{{to, u}};
  for (std::size_t e = edges.size(); e-- > 0;) {
    const auto known = at.find(edges[e].to);
    if (known == at.end()) continue;
    Matrix part(edges[e].map->cols(), 1);
    edges[e].map->apply_transpose(known->second, part);
    const auto [place, fresh] = at.emplace(edges[e].from, part.col(0));
    if (!fresh) place->second += part.col(0);
  }
  return at;
}

std::vector<BlockSpan> find_blocks(const Program& program,
                                   const std::function<bool(const std::string&)>& accept) {
  const std::size_t count = program.steps.size();
  std::vector<std::size_t> last_read(program.slots.size(), 0);
  for (std::size_t i = 0; i < count; ++i)
    for (const int slot : program.steps[i].inputs)
      if (program.varies(slot)) last_read[static_cast<std::size_t>(slot)] = i;
  last_read[static_cast<std::size_t>(program.to)] = count;

  std::vector<BlockSpan> blocks;
  int cut = program.from;     // the last tensor through which everything passes
  std::size_t after_cut = 0;  // the step after it
  std::size_t reach =
      last_read[static_cast<std::size_t>(program.from)];  // the last reader of any tensor so far
  for (std::size_t i = 0; i < count; ++i) {
    const Step& step = program.steps[i];
    const bool all_pass = reach <= i;
    std::vector<int> distinct = step.inputs;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    const bool adds = step.node->type == "Add" || step.node->type == "Sum";
    const bool operands_vary =
        distinct.size() >= 2 && distinct.size() == step.inputs.size() &&
        std::all_of(distinct.begin(), distinct.end(), [&](int s) { return program.varies(s); });
    if (all_pass && adds && operands_vary && (!accept || accept(program.slot(step.outputs[0]).name))) {
      if (!blocks.empty()) blocks.back().exit = cut, blocks.back().last = after_cut;
      const bool first = blocks.empty();
      blocks.push_back(
          {first ? program.from : cut, program.to, first ? 0 : after_cut, count, i, cut, after_cut});
    }
    int live = -1, live_count = 0;
    for (const int slot : step.outputs)
      if (const std::size_t read = last_read[static_cast<std::size_t>(slot)]; read > i) {
        live = slot, ++live_count;
        reach = std::max(reach, read);
      }
    if (all_pass && live_count == 1) cut = live, after_cut = i + 1;
  }
  if (blocks.empty()) blocks.push_back({program.from, program.to, 0, count, std::nullopt, program.from, 0});
  return blocks;
}

}  // namespace rezero::graph
