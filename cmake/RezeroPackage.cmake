# Installed package: find_package(rezero) gives rezero::rezero.
include(CMakePackageConfigHelpers)
install(TARGETS rezero EXPORT rezero-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT rezero-targets NAMESPACE rezero:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rezero)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/rezero-config.cmake.in
                              ${PROJECT_BINARY_DIR}/rezero-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rezero)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rezero-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rezero-config.cmake ${PROJECT_BINARY_DIR}/rezero-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rezero)
