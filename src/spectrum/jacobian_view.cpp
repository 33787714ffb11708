#include "rezero/spectrum/jacobian_view.h"

#include "rezero/core/contract.h"
#include "rezero/linalg/maps.h"

namespace rezero {
namespace {

/// A non-owning pointer.
MatrixPtr borrowed(const Matrix& A) {
  return MatrixPtr(std::shared_ptr<const void>(), &A);
}

}  // namespace

Index JacobianView::rows() const {
  if (matrix) return matrix->mantissa.rows();
  if (map.map) return map.map->rows();
  return factors.count > 0 ? factors.at(factors.count - 1).map->rows() : 0;
}

Index JacobianView::cols() const {
  if (matrix) return matrix->mantissa.cols();
  if (map.map) return map.map->cols();
  return factors.count > 0 ? factors.at(0).map->cols() : 0;
}

bool JacobianView::has(JacobianForm form) const {
  switch (form) {
    case JacobianForm::dense:
      return matrix != nullptr;
    case JacobianForm::map:
      return matrix != nullptr || map.map != nullptr;
    case JacobianForm::factors:
      return factors.count > 0;
  }
  return false;
}

ScaledMap JacobianView::as_map() const {
  REZERO_REQUIRE(has(JacobianForm::map));
  if (map.map) return map;
  return {dense_map(borrowed(matrix->mantissa)), matrix->exponent};
}

JacobianView view_of(const ScaledMatrix& J) {
  JacobianView view;
  view.matrix = &J;
  return view;
}

}  // namespace rezero
