#pragma once
/// The errors that a caller can encounter. A message is one line: the problem (why) and a suggestion.

#include <stdexcept>
#include <string>

namespace rezero {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option, name or plan that makes no sense.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Two sizes that do not match; the message names both.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// A computation that produced a non-finite number; the message names the place.
class NumericalError : public Error {
 public:
  using Error::Error;
};

/// A file that cannot be read or written, or whose content is malformed.
class IoError : public Error {
 public:
  using Error::Error;
};

/// Work refused because it would not fit in memory; the message gives both byte counts.
class MemoryError : public Error {
 public:
  using Error::Error;
};

/// Work abandoned because cancellation was requested.
class Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled") {}
};

}  // namespace rezero
