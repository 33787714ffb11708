#include "spectrum/two_stage/bulge_chase.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>
#include <vector>

#include "rezero/parallel/for_each.h"
#include "spectrum/two_stage/bulge_kernel.h"

namespace rezero::detail {
namespace {

/// The band with room for the bulges: width − 1 diagonals below the main one, 2 width − 1 above. Consecutive
/// columns are 3 width numbers apart, minus one for the diagonal shift, so blocks are ordinary column-major
/// matrices with that stride.
class Workspace {
 public:
  explicit Workspace(const Band& band)
      : n_(band.size()),
        width_(band.width),
        stride_(3 * band.width),
        data_(Vector::Zero((stride_ + 1) * n_)) {
    for (Index c = 0; c < n_; ++c)
      for (Index r = std::max<Index>(0, c - width_); r <= c; ++r) *at(r, c) = band.at(r, c);
  }

  Index size() const { return n_; }
  Index width() const { return width_; }
  Index stride() const { return stride_; }
  Real* at(Index row, Index column) { return data_.data() + column * stride_ + row + 2 * width_; }

 private:
  Index n_, width_, stride_;
  Vector data_;
};

/// Row after row, in steps that move one bulge by one width.
class Chase {
 public:
  explicit Chase(const Band& band) : band_(band) {}

  Index rows() const { return std::max<Index>(0, band_.size() - 2); }
  /// Number of steps until the bulge of that row has left the band.
  Index steps(Index row) const { return (band_.size() - 3 - row) / band_.width() + 1; }

  /// With j = row + s · width, the columns and rows j + 1 … j + width: first reflects the columns so that one
  /// entry remains of the row where the bulge protrudes, then the rows, so that one entry remains of the
  /// first of these columns.
  void step(Index row, Index s) {
    const Index n = band_.size(), width = band_.width(), stride = band_.stride(), j = row + s * width;
    const Index length = std::min(width, n - 1 - j), top = s == 0 ? row : j + 1 - width;
    kernel_.step(band_.at(top, j + 1), j + length - top + 1, band_.at(j + 1, j + 1),
                 std::min(2 * width, n - 1 - j), stride, length);
  }

  Bidiagonal result() {
    const Index n = band_.size();
    Bidiagonal B{Vector(n), Vector(n - 1)};
    for (Index i = 0; i < n; ++i) B.diagonal[i] = *band_.at(i, i);
    for (Index i = 0; i + 1 < n; ++i) B.superdiagonal[i] = band_.width() > 0 ? *band_.at(i, i + 1) : 0;
    return B;
  }

 private:
  const BulgeKernel& kernel_ = bulge_kernel();
  Workspace band_;
};

/// Which thread performs which step, and when. Rows are chased in groups that stay close together for the
/// cache: in tick t the group's i-th row makes its step t − 3 i, if it has one. Step s of a row depends on
/// steps up to s + 2 of the preceding row, and on nothing that its later steps touch.
///
/// The band is divided into as many sections as there are threads, and each thread stays with its section,
/// which moves as slowly as the band shrinks, so that its data is in its cache. An idle thread helps
/// elsewhere, so a thread that the system suspends delays little.
class Schedule {
 public:
  static constexpr Index lag = 3;

  Schedule(Chase& chase, Index group, int sections) : chase_(chase), group_(group), sections_(sections) {
    for (Index first = 0; first < chase.rows(); first += group) {
      const Index end = std::min(first + group, chase.rows());
      Index ticks = 0;
      for (Index row = first; row < end; ++row)
        ticks = std::max(ticks, chase.steps(row) + lag * (row - first));
      groups_.emplace_back(first, end, ticks);
    }
  }

  void run() {
    const auto sections = static_cast<Index>(sections_.size());
    for_each_index(sections, static_cast<int>(sections), [&](Index home) {
      for (Index idle = 0; !finished(groups_.back()); ++idle) {
        // Its own section first, and for a while no other.
        const Index k = idle < 32 ? home : (home + idle) % sections;
        if (advance(k)) idle = -1;
        if (idle > 64) std::this_thread::yield();
      }
    });
  }

 private:
  struct alignas(64) Group {
    Index first, end, ticks;
    std::atomic<Index> done{0};  ///< ticks

    Group(Index first_row, Index end_row, Index all_ticks)
        : first(first_row), end(end_row), ticks(all_ticks) {}
  };
  struct alignas(64) Section {
    std::size_t group = 0;  ///< the group passing through it
    std::atomic_flag taken = ATOMIC_FLAG_INIT;
  };

  static bool finished(const Group& group) {
    return group.done.load(std::memory_order_acquire) == group.ticks;
  }

  /// Ticks before the group leaves section k: each section has an equal part of the remaining band.
  Index ticks_until(const Group& group, Index k) const {
    return group.ticks * (k + 1) / static_cast<Index>(sections_.size());
  }

  /// Whether the preceding group is far enough ahead for tick t.
  bool may_go(std::size_t g, Index t) const {
    return g == 0 || finished(groups_[g - 1]) ||
           groups_[g - 1].done.load(std::memory_order_acquire) >= t + lag * group_;
  }

  /// Whether there was work in section k.
  bool advance(Index k) {
    Section& section = sections_[static_cast<std::size_t>(k)];
    if (section.taken.test_and_set(std::memory_order_acquire)) return false;
    bool moved = false;
    for (bool blocked = false; !blocked && section.group < groups_.size();) {
      Group& group = groups_[section.group];
      const Index begin = ticks_until(group, k - 1), end = ticks_until(group, k);
      Index t = group.done.load(std::memory_order_acquire);
      blocked = t < begin;
      for (; !blocked && t < end; moved = true) {
        blocked = !may_go(section.group, t);
        if (blocked) break;
        tick(group, t);
        group.done.store(++t, std::memory_order_release);
      }
      if (!blocked) ++section.group;
    }
    section.taken.clear(std::memory_order_release);
    return moved;
  }

  void tick(const Group& group, Index t) {
    for (Index row = group.first; row < group.end; ++row) {
      const Index s = t - lag * (row - group.first);
      if (s >= 0 && s < chase_.steps(row)) chase_.step(row, s);
    }
  }

  Chase& chase_;
  Index group_;
  std::deque<Group> groups_;
  std::vector<Section> sections_;
};

}  // namespace

Bidiagonal chase_bulges(const Band& band, int workers) {
  Chase chase(band);
  if (band.width > 1 && chase.rows() > 0) {
    // Short bands are finished before a second thread has started. Sections are longer than the distance
    // between a group's rows.
    const Index along = band.size() / band.width;
    const int threads = static_cast<int>(std::clamp<Index>(along / 10, 1, workers));
    Schedule(chase, std::clamp<Index>(along / (8 * threads), 1, 8), threads).run();
  }
  return chase.result();
}

}  // namespace rezero::detail
