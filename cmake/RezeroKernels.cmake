# Kernels: sources that are compiled once for each level of the instruction set (src/core/kernel.h explains them).
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#ifndef __x86_64__
#error
#endif
int main() {}" REZERO_X86_64)

# The flags of a level. `plain` runs wherever the compiler's output runs.
function(rezero_kernel_flags result level)
  if(NOT level STREQUAL "plain")
    string(REPLACE "x86_64_v" "x86-64-v" arch ${level})
    set(flags -march=${arch} -mtune=generic)
  elseif(REZERO_X86_64)
    set(flags -march=x86-64 -mtune=generic)
  elseif(REZERO_NATIVE)
    set(flags -march=native -mtune=generic)
  endif()
  set(${result} "${flags}" PARENT_SCOPE)
endfunction()

# Adds a kernel to a library: rezero_kernel(rezero src/linalg/small_product_kernel.cpp). Options of a single kernel are
# properties of its source.
function(rezero_kernel target source)
  set(levels plain)
  if(REZERO_X86_64)
    list(APPEND levels x86_64_v2 x86_64_v3 x86_64_v4)
  endif()
  foreach(level IN LISTS levels)
    set(objects ${target}_${level})
    if(NOT TARGET ${objects})
      add_library(${objects} OBJECT)
      rezero_common(${objects})
      rezero_kernel_flags(flags ${level})
      target_compile_options(${objects} PRIVATE ${flags})
      target_compile_definitions(${objects} PRIVATE REZERO_KERNEL_LEVEL=${level})
      target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
      # No code of another level: no precompiled Eigen, no optimization across files.
      set_target_properties(${objects} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON INTERPROCEDURAL_OPTIMIZATION OFF)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
      set_property(TARGET ${target} APPEND PROPERTY REZERO_KERNEL_OBJECTS $<TARGET_OBJECTS:${objects}>)
    endif()
    target_sources(${objects} PRIVATE ${source})
  endforeach()
endfunction()
