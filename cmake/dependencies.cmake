# Third-party libraries, all from Debian's packages. Each is linked PRIVATE to the box that needs it.
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(TBB REQUIRED)
find_package(TIFF REQUIRED)
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

find_package(OpenCV REQUIRED COMPONENTS core imgproc imgcodecs)
add_library(tilewright_opencv INTERFACE)
target_include_directories(tilewright_opencv SYSTEM INTERFACE ${OpenCV_INCLUDE_DIRS})
target_link_libraries(tilewright_opencv INTERFACE opencv_core opencv_imgproc opencv_imgcodecs)

add_library(Boost::graph_headers INTERFACE IMPORTED)
target_link_libraries(Boost::graph_headers INTERFACE Boost::headers)
