# Kernels of different levels share no code.
get_target_property(objects rezero REZERO_KERNEL_OBJECTS)
if(CMAKE_NM AND NOT REZERO_SANITIZE)  # sanitizers add symbols of their own
  add_test(NAME kernel_symbols COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} "-DOBJECTS=${objects}"
                                       -P ${CMAKE_CURRENT_SOURCE_DIR}/core/kernel_symbols.cmake)
  set_tests_properties(kernel_symbols PROPERTIES LABELS unit)
endif()
