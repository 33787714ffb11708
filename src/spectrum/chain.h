#pragma once
/// From a matrix to a published spectrum: structural zeros, the chain of methods, the certificate.

#include "rezero/spectrum/method.h"

namespace rezero::detail {

/// The full spectrum of the normalized, finite A (entries mean A · 2^exponent) by `first` and, if it fails,
/// by the other full methods in registry order; permuted-diagonal always runs first. Memory: the method's or
/// the certificate's, or both if they are small; one more copy of A if A has zero rows or columns.
Spectrum full_spectrum(const Matrix& A, std::int64_t exponent, const SpectrumMethod& first, int workers = 1);

/// The parts of a full spectrum that the request asks for; verified, since all values are known.
Spectrum truncate(Spectrum full, const SpectrumRequest& request);

/// `found` for the ends in spectrum, or unresolved if the innermost value of an end is not resolved.
Multiplicity multiplicity_of(const Spectrum& spectrum, Multiplicity found);

/// The part that corresponds to a request.
SpectrumPart part_of(const SpectrumRequest& request);

/// A spectrum without values.
Spectrum breakdown(Index dimension, const SpectrumRequest& request, std::string message);

}  // namespace rezero::detail
