# Objects of kernels must define nothing that the linker could merge with code of another level:
#   cmake -DNM=nm "-DOBJECTS=a.o;b.o" -P kernel_symbols.cmake
# Every symbol with external linkage must be in its level's namespace, and none may be weak or unique.
if(NOT OBJECTS)
  message(FATAL_ERROR "no objects of kernels")
endif()
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} --defined-only --extern-only -C ${object} OUTPUT_VARIABLE listing
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" symbols "${listing}")
  set(tables 0)
  foreach(symbol IN LISTS symbols)
    if(symbol MATCHES " [WVuwv] " OR NOT symbol MATCHES "::(plain|x86_64_v[0-9])::[a-z_]+$")
      message(SEND_ERROR "${object} defines a symbol that all levels share: ${symbol}")
    endif()
    math(EXPR tables "${tables} + 1")
  endforeach()
  if(tables EQUAL 0)
    message(SEND_ERROR "${object} defines no table")
  endif()
endforeach()
