#include "cli/output.h"

#include <cstdio>

#include "rezero/core/error.h"
#include "rezero/io/atomic_file.h"
#include "rezero/io/line_file.h"

namespace rezero::cli {
namespace {

class FileSink final : public Sink {
 public:
  explicit FileSink(const std::string& path) : file_(path) {}
  void append(std::string_view text) override { file_.append(text); }
  void commit() override { file_.commit(); }

 private:
  AtomicFile file_;
};

class LineFileSink final : public Sink {
 public:
  explicit LineFileSink(const std::string& path) : file_(path) {}
  void append(std::string_view text) override { file_.append(text); }
  void commit() override { file_.commit(); }

 private:
  LineFile file_;
};

class DirectSink final : public Sink {
 public:
  explicit DirectSink(const Environment& env) : env_(env) {}
  void append(std::string_view text) override { lines_.append(text, env_.out); }
  void commit() override {}

 private:
  const Environment& env_;
  LineBuffer lines_;
};

/// Text held back in memory or, if it is long, in an unnamed temporary file.
class HeldBackSink final : public Sink {
 public:
  explicit HeldBackSink(const Environment& env) : env_(env) {}
  ~HeldBackSink() override {
    if (file_) std::fclose(file_);
  }

  void append(std::string_view text) override {
    memory_ += text;
    if (memory_.size() >= most_in_memory) spill();
  }

  void commit() override {
    if (file_) {
      std::rewind(file_);
      std::string chunk(chunk_bytes, '\0');
      for (std::size_t got; (got = std::fread(chunk.data(), 1, chunk.size(), file_)) > 0;)
        env_.out(std::string_view(chunk).substr(0, got));
      if (std::ferror(file_)) throw IoError("cannot read back a temporary file");
    }
    env_.out(memory_);
  }

 private:
  static constexpr std::size_t most_in_memory = 4 << 20, chunk_bytes = 1 << 16;

  void spill() {
    if (!file_) file_ = std::tmpfile();
    if (!file_ || std::fwrite(memory_.data(), 1, memory_.size(), file_) != memory_.size())
      throw IoError("cannot write a temporary file (no space?); use -o FILE or --format ndjson");
    memory_.clear();
  }

  const Environment& env_;
  std::string memory_;
  std::FILE* file_ = nullptr;
};

}  // namespace

std::unique_ptr<Sink> open_sink(const std::optional<std::string>& path, const RendererKind& format,
                                const Environment& env) {
  if (path && format.keeps_rows) return std::make_unique<LineFileSink>(*path);
  if (path) return std::make_unique<FileSink>(*path);
  if (format.emission == Emission::document) return std::make_unique<HeldBackSink>(env);
  return std::make_unique<DirectSink>(env);
}

}  // namespace rezero::cli
