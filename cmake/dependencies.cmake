# Third-party libraries, all from Debian's packages. Each is linked PRIVATE to the box that needs it.
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(TBB REQUIRED)
find_package(TIFF REQUIRED)
find_package(PNG REQUIRED)
find_package(hwy REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost 1.74 REQUIRED)

# MPICH by name, for another MPI may be installed beside it.
pkg_check_modules(MPICH REQUIRED IMPORTED_TARGET mpich)
add_library(tilewright_mpi INTERFACE)
target_link_libraries(tilewright_mpi INTERFACE PkgConfig::MPICH)
target_compile_definitions(tilewright_mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
add_library(tilewright_hwloc INTERFACE)
target_link_libraries(tilewright_hwloc INTERFACE PkgConfig::HWLOC)

# By its parts: OpenCV's own CMake package comes only with the metapackage, which pulls in all of its modules.
find_path(OPENCV_INCLUDE_DIR opencv2/core.hpp PATH_SUFFIXES opencv4 REQUIRED)
add_library(tilewright_opencv INTERFACE)
target_include_directories(tilewright_opencv SYSTEM INTERFACE ${OPENCV_INCLUDE_DIR})
foreach(module core imgproc imgcodecs)
  find_library(OPENCV_${module} opencv_${module} REQUIRED)
  target_link_libraries(tilewright_opencv INTERFACE ${OPENCV_${module}})
endforeach()

add_library(Boost::graph_headers INTERFACE IMPORTED)
target_link_libraries(Boost::graph_headers INTERFACE Boost::headers)
