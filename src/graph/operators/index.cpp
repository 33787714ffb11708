/// Numbers picked by index: slices, gathers, joins, padding, repetition, and their counterparts that write.

#include <algorithm>
#include <numeric>

#include "parts.h"

namespace rezero::graph {
namespace {

using namespace operator_parts;  // NOLINT: the vocabulary of this folder

Outcome run_slice(const Call& call) {
  const bool inputs = call.opset >= 10;
  const Dims& dims = call.in(0).dims();
  const auto starts = inputs ? call.integers_in(1) : call.integers("starts");
  const auto ends = inputs ? call.integers_in(2) : call.integers("ends");
  if (!starts || !ends || starts->size() != ends->size()) throw ShapeError("starts and ends do not fit");
  Dims all(starts->size());
  std::iota(all.begin(), all.end(), 0);
  const Dims axes = (inputs ? call.integers_in(3) : call.integers("axes")).value_or(all);
  const Dims steps = (inputs ? call.integers_in(4) : std::nullopt).value_or(Dims(starts->size(), 1));
  if (axes.size() != starts->size() || steps.size() != starts->size())
    throw ShapeError("starts, axes and steps are not as many");
  Dims to = dims, strides = strides_of(dims);
  Index offset = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t a = at(axis_of(axes[i], call.in(0).rank()));
    const Index n = dims[a], step = steps[i];
    if (step == 0) throw ShapeError("a step is zero");
    const auto bounded = [&](Index x, Index low, Index high) {
      return std::clamp(x < 0 ? (x < -n ? low : x + n) : x, low, high);
    };
    const Index start = step > 0 ? bounded((*starts)[i], 0, n) : bounded((*starts)[i], 0, n - 1);
    const Index end = step > 0 ? bounded((*ends)[i], 0, n) : bounded((*ends)[i], -1, n - 1);
    // Divided so that no step can overflow.
    const Index distance = step > 0 ? end - start : start - end;
    const Index stride = step > 0 ? step : step < -n ? n + 1 : -step;
    to[a] = distance <= 0 ? 0 : (distance - 1) / stride + 1;
    offset += start * strides[a];
    strides[a] *= to[a] > 1 ? step : 1;
  }
  return moved(call, strided_indices(offset, to, strides), to);
}

Index inside(std::int64_t index, Index extent) {
  if (index < -extent || index >= extent)
    throw ShapeError("index " + std::to_string(index) + " is outside an axis of " + std::to_string(extent));
  return index < 0 ? index + extent : index;
}

Outcome run_gather(const Call& call) {
  const Dims& dims = call.in(0).dims();
  const Index rank = call.in(0).rank(), axis = axis_of(call.integer("axis", 0), rank);
  const Index outer = count_between(dims, 0, axis), inner = count_between(dims, axis + 1, rank),
              n = dims[at(axis)];
  Dims to(dims.begin(), dims.begin() + axis);
  to.insert(to.end(), call.in(1).dims().begin(), call.in(1).dims().end());
  to.insert(to.end(), dims.begin() + axis + 1, dims.end());
  Indices indices;
  indices.reserve(at(count_of(to)));
  for (Index o = 0; o < outer; ++o)
    for (const std::int64_t index : call.in(1).integers()) {
      const Index start = (o * n + inside(index, n)) * inner;
      for (Index i = 0; i < inner; ++i) indices.push_back(start + i);
    }
  return moved(call, indices, std::move(to));
}

/// Places of the elements of `indices` along an axis of a tensor with extents `dims`.
Indices element_places(const Tensor& indices, const Dims& dims, Index axis) {
  if (indices.dims().size() != dims.size())
    throw ShapeError("the indices do not have as many axes as the data");
  for (std::size_t a = 0; a < dims.size(); ++a)
    if (at(axis) != a && indices.dims()[a] > dims[a])
      throw ShapeError("the indices are larger than the data");
  Dims strides = strides_of(dims);
  const Index step = strides[at(axis)];
  strides[at(axis)] = 0;
  Indices places = strided_indices(0, indices.dims(), strides);
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] += inside(indices.integers()[i], dims[at(axis)]) * step;
  return places;
}

Outcome run_gather_elements(const Call& call) {
  const Index axis = axis_of(call.integer("axis", 0), call.in(0).rank());
  return moved(call, element_places(call.in(1), call.in(0).dims(), axis), call.in(1).dims());
}

/// Starts of the parts that index tuples select, and the extents of a part.
struct TupleParts {
  Indices starts;
  Dims part, outer;

  TupleParts(const Dims& dims, const Tensor& tuples, Index batch) {
    if (tuples.rank() < 1) throw ShapeError("the indices have no axis");
    const Index width = tuples.dims().back(), rank = static_cast<Index>(dims.size());
    if (width < 1 || batch + width > rank)
      throw ShapeError("the indices have more numbers than the data axes");
    part.assign(dims.begin() + batch + width, dims.end());
    outer.assign(tuples.dims().begin(), tuples.dims().end() - 1);
    const Dims strides = strides_of(dims);
    const Index count = tuples.size() / width, batches = count_between(dims, 0, batch);
    const Index per_batch = batches == 0 ? 1 : std::max<Index>(1, count / batches);
    const Index batch_size = count_between(dims, batch, rank);
    for (Index t = 0; t < count; ++t) {
      Index start = batch > 0 ? t / per_batch * batch_size : 0;
      for (Index a = 0; a < width; ++a)
        start += inside(tuples.integers()[at(t * width + a)], dims[at(batch + a)]) * strides[at(batch + a)];
      starts.push_back(start);
    }
  }
  Indices places() const {
    const Index size = count_of(part);
    Indices all;
    for (const Index start : starts)
      for (Index i = 0; i < size; ++i) all.push_back(start + i);
    return all;
  }
};

Outcome run_gather_nd(const Call& call) {
  const TupleParts parts(call.in(0).dims(), call.in(1), call.integer("batch_dims", 0));
  Dims to = parts.outer;
  to.insert(to.end(), parts.part.begin(), parts.part.end());
  return moved(call, parts.places(), std::move(to));
}

/// The data with `updates` (input 2) written at `places`; the last of equal places counts.
Outcome scattered(const Call& call, const Indices& places) {
  const std::string how = call.text("reduction", "none");
  const Tensor &data = call.in(0), &updates = call.in(2);
  if (how != "none") throw ShapeError("reduction '" + how + "' is not supported");
  if (static_cast<Index>(places.size()) != updates.size())
    throw ShapeError("the updates do not fit the indices");
  Indices from_data(at(data.size())), from_updates(at(data.size()), -1);
  std::iota(from_data.begin(), from_data.end(), 0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    from_data[at(places[i])] = -1;
    from_updates[at(places[i])] = static_cast<Index>(i);
  }
  const Tensor kept = gathered(data, from_data, data.dims()),
               written = gathered(updates, from_updates, data.dims());
  if (!data.is_real()) {
    Integers sum = kept.integers();
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += written.integers()[i];
    return one(Tensor::of(data.dims(), std::move(sum), data.element()));
  }
  Outcome outcome = one(Tensor::of(data.dims(), Vector(kept.reals() + written.reals())));
  if (call.wants(0)) add(outcome, 0, gather_map(data.size(), std::move(from_data)));
  if (call.wants(2)) add(outcome, 2, gather_map(updates.size(), std::move(from_updates)));
  return outcome;
}

Outcome run_scatter_elements(const Call& call) {
  return scattered(call, element_places(call.in(1), call.in(0).dims(),
                                        axis_of(call.integer("axis", 0), call.in(0).rank())));
}

Outcome run_scatter_nd(const Call& call) {
  return scattered(call, TupleParts(call.in(0).dims(), call.in(1), 0).places());
}

Outcome run_concat(const Call& call) {
  const Index rank = call.in(0).rank(), axis = axis_of(call.integer("axis", 0), rank);
  Dims dims = call.in(0).dims();
  dims[at(axis)] = 0;
  for (Index i = 0; i < call.size(); ++i) {
    const Dims& own = call.in(i).dims();
    if (own.size() != dims.size()) throw ShapeError("the inputs do not have equally many axes");
    for (std::size_t a = 0; a < dims.size(); ++a)
      if (a != at(axis) && own[a] != dims[a])
        throw ShapeError("tensors of " + text_of(call.in(0).dims()) + " and " + text_of(own) + " do not fit");
    dims[at(axis)] += own[at(axis)];
  }
  const Index outer = count_between(dims, 0, axis), run = count_between(dims, axis, rank);
  const bool real = call.in(0).is_real();
  Vector reals(real ? count_of(dims) : 0);
  Integers whole(real ? 0 : at(count_of(dims)));
  Outcome outcome;
  Index begin = 0;
  for (Index i = 0; i < call.size(); ++i) {
    const Index own = count_between(call.in(i).dims(), axis, rank);
    Indices from(call.wants(i) ? at(outer * run) : 0, -1);
    for (Index o = 0; o < outer; ++o)
      for (Index k = 0; k < own; ++k) {
        const Index to = o * run + begin + k, source = o * own + k;
        if (real)
          reals(to) = call.in(i).reals()(source);
        else
          whole[at(to)] = call.in(i).integers()[at(source)];
        if (call.wants(i)) from[at(to)] = source;
      }
    if (call.wants(i) && real) add(outcome, i, gather_map(call.in(i).size(), std::move(from)));
    begin += own;
  }
  outcome.outputs.push_back(real ? Tensor::of(dims, std::move(reals))
                                 : Tensor::of(dims, std::move(whole), call.in(0).element()));
  return outcome;
}

Outcome run_split(const Call& call) {
  const Dims& dims = call.in(0).dims();
  const Index rank = call.in(0).rank(), axis = axis_of(call.integer("axis", 0), rank), n = dims[at(axis)];
  const Index count = call.count_outputs();
  std::optional<Dims> sizes = call.opset >= 13 ? call.integers_in(1) : call.integers("split");
  if (!sizes) {
    const Index each = (n + count - 1) / std::max<Index>(count, 1);
    if (call.opset < 18 && each * count != n) throw ShapeError("the axis cannot be split evenly");
    sizes = Dims(at(count), each);
    sizes->back() = n - each * (count - 1);
  }
  if (static_cast<Index>(sizes->size()) != count ||
      std::accumulate(sizes->begin(), sizes->end(), Index{0}) != n)
    throw ShapeError("the parts do not make up an axis of " + std::to_string(n));
  const Dims strides = strides_of(dims);
  Outcome outcome;
  Index begin = 0;
  for (Index k = 0; k < count; ++k) {
    Dims to = dims;
    to[at(axis)] = (*sizes)[at(k)];
    const Indices indices = strided_indices(begin * strides[at(axis)], to, strides);
    if (call.wants(0) && call.in(0).is_real()) add(outcome, 0, gather_map(call.in(0).size(), indices), k);
    outcome.outputs.push_back(gathered(call.in(0), indices, std::move(to)));
    begin += (*sizes)[at(k)];
  }
  return outcome;
}

/// The index on the image for a place before, on or behind it; −1: a constant.
Index padded_index(Index i, Index n, const std::string& mode) {
  if (i >= 0 && i < n) return i;
  if (mode == "constant") return -1;
  if (mode == "edge") return i < 0 ? 0 : n - 1;
  if (mode == "wrap") return (i % n + n) % n;
  if (mode != "reflect") throw ShapeError("mode '" + mode + "' is not supported");
  if (n == 1) return 0;
  const Index period = 2 * (n - 1), k = (i % period + period) % period;
  return k < n ? k : period - k;
}

Outcome run_pad(const Call& call) {
  const Dims& dims = call.in(0).dims();
  const std::size_t rank = dims.size();
  const auto given = call.opset >= 11 ? call.integers_in(1) : call.integers("pads");
  if (!given) throw ShapeError("the padding is missing");
  Dims pads(2 * rank, 0);
  if (const auto axes = call.integers_in(3)) {
    if (given->size() != 2 * axes->size()) throw ShapeError("the padding does not have two numbers per axis");
    for (std::size_t i = 0; i < axes->size(); ++i) {
      const std::size_t a = at(axis_of((*axes)[i], call.in(0).rank()));
      pads[a] = (*given)[i], pads[a + rank] = (*given)[i + axes->size()];
    }
  } else {
    if (given->size() != 2 * rank) throw ShapeError("the padding does not have two numbers per axis");
    pads = *given;
  }
  const std::string mode = call.text("mode", "constant");
  Dims to = dims;
  for (std::size_t a = 0; a < rank; ++a) {
    if (std::abs(pads[a]) > (Index{1} << 31) || std::abs(pads[a + rank]) > (Index{1} << 31))
      throw MemoryError("the padding is too large");
    to[a] += pads[a] + pads[a + rank];
    if (mode != "constant" && dims[a] == 0) throw ShapeError("an empty axis cannot be repeated");
  }
  const Dims strides = strides_of(dims);
  Indices indices(at(count_of(to)), 0);
  Index inner = static_cast<Index>(indices.size());
  for (std::size_t a = 0; a < rank; ++a) {
    inner /= std::max<Index>(to[a], 1);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const Index place = padded_index(static_cast<Index>(i) / inner % to[a] - pads[a], dims[a], mode);
      indices[i] = indices[i] < 0 || place < 0 ? -1 : indices[i] + place * strides[a];
    }
  }
  Outcome outcome = moved(call, indices, to);
  const Real fill = call.opset >= 11 ? (call.has(2) && call.in(2).size() > 0 ? call.in(2).real_at(0) : 0)
                                     : call.real("value", 0);
  if (call.wants(2)) {
    Indices filled;
    for (const Index index : indices) filled.push_back(index < 0 ? 0 : -1);
    add(outcome, 2, gather_map(1, std::move(filled)));
  }
  if (fill == 0) return outcome;
  if (call.in(0).is_real()) {
    Vector y = outcome.outputs[0].reals();
    for (Index i = 0; i < y.size(); ++i)
      if (indices[at(i)] < 0) y(i) = fill;
    outcome.outputs[0] = Tensor::of(to, std::move(y));
  } else {
    Integers y = outcome.outputs[0].integers();
    for (std::size_t i = 0; i < y.size(); ++i)
      if (indices[i] < 0) y[i] = static_cast<std::int64_t>(fill);
    outcome.outputs[0] = Tensor::of(to, std::move(y), call.in(0).element());
  }
  return outcome;
}

Outcome run_expand(const Call& call) {
  const Dims to = broadcast(call.in(0).dims(), *call.integers_in(1));
  static_cast<void>(count_of(to));
  return moved(call, broadcast_indices(call.in(0).dims(), to), to);
}

Outcome run_tile(const Call& call) {
  const Dims& dims = call.in(0).dims();
  const Dims repeats = *call.integers_in(1), own = strides_of(dims);
  if (repeats.size() != dims.size()) throw ShapeError("the repeats do not have one number per axis");
  Dims to, split, strides;
  for (std::size_t a = 0; a < dims.size(); ++a) {
    to.push_back(count_of({repeats[a], dims[a]}));
    split.push_back(repeats[a]), strides.push_back(0);
    split.push_back(dims[a]), strides.push_back(own[a]);
  }
  static_cast<void>(count_of(to));
  return moved(call, strided_indices(0, split, strides), to);
}

/// The triangle above (upper) or below the k-th diagonal of each matrix; zero elsewhere.
Outcome run_trilu(const Call& call) {
  const Dims& dims = call.in(0).dims();
  if (dims.size() < 2) throw ShapeError("a tensor of " + text_of(dims) + " is no matrix");
  const Index k = call.has(1) ? call.in(1).integers().at(0) : 0, cols = dims.back(),
              rows = dims[dims.size() - 2];
  const bool upper = call.integer("upper", 1) != 0;
  Indices indices(at(call.in(0).size()));
  for (Index i = 0; i < call.in(0).size(); ++i) {
    const Index above = i % cols - i / cols % rows;  // of the main diagonal
    indices[at(i)] = (upper ? above >= k : above <= k) ? i : -1;
  }
  return moved(call, indices, dims);
}

Outcome run_compress(const Call& call) {
  const bool flat = !call.has_attribute("axis");
  const Dims dims = flat ? Dims{call.in(0).size()} : call.in(0).dims();
  const auto rank = static_cast<Index>(dims.size());
  const Index axis = flat ? 0 : axis_of(call.integer("axis", 0), rank);
  const Index inner = count_between(dims, axis + 1, rank), outer = count_between(dims, 0, axis),
              n = dims[at(axis)];
  const Integers& truth = call.in(1).integers();
  Indices indices;
  for (Index o = 0; o < outer; ++o)
    for (Index p = 0; p < std::min<Index>(n, static_cast<Index>(truth.size())); ++p)
      for (Index i = 0; truth[at(p)] != 0 && i < inner; ++i) indices.push_back((o * n + p) * inner + i);
  Dims to = dims;
  to[at(axis)] = outer * inner == 0 ? 0 : static_cast<Index>(indices.size()) / (outer * inner);
  return moved(call, indices, to);
}

}  // namespace

void operators_index(OperatorTable& table) {
  for (const auto& [name, run] : {std::pair{"Slice", run_slice},
                                  {"Gather", run_gather},
                                  {"GatherElements", run_gather_elements},
                                  {"GatherND", run_gather_nd},
                                  {"Scatter", run_scatter_elements},
                                  {"ScatterElements", run_scatter_elements},
                                  {"ScatterND", run_scatter_nd},
                                  {"Concat", run_concat},
                                  {"Split", run_split},
                                  {"Pad", run_pad},
                                  {"Expand", run_expand},
                                  {"Tile", run_tile},
                                  {"Trilu", run_trilu},
                                  {"Compress", run_compress}})
    table.push_back({name, run, Smoothness::linear});
}

}  // namespace rezero::graph
