#include "linalg/small_product.h"

#include "rezero/core/contract.h"

namespace rezero {
namespace {

void run(const SmallProduct* products, int count, Index rows, Index columns, Real* C, Index stride,
         bool accumulate) {
  REZERO_EXPECT(rows % lane_count == 0);
  detail::small_product_kernel().run(products, count, rows, columns, C, stride, accumulate);
}

}  // namespace

void add_products(const SmallProduct& first, const SmallProduct& second, Index rows, Index columns, Real* C,
                  Index stride) {
  const SmallProduct both[] = {first, second};
  run(both, 2, rows, columns, C, stride, false);
}

void accumulate_product(const SmallProduct& product, Index rows, Index columns, Real* C, Index stride) {
  run(&product, 1, rows, columns, C, stride, true);
}

void small_product(const SmallProduct& product, Index rows, Index columns, Real* C, Index stride) {
  run(&product, 1, rows, columns, C, stride, false);
}

}  // namespace rezero
