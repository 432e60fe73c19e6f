// Session: what a program opens first. It takes the --tw-* options, joins the ranks, plans and runs.
#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "tilewright/pipeline/image.hpp"

namespace tilewright {

/// An image and the file that it is to be written to.
struct FileOutput {
  std::string path;
  Image image;
};

/// Every rank of a run makes one session and does the same with it: all members are collective, and throw the same on
/// every rank. What one rank alone meets while a segment runs, as a damaged file or a full disk, ends the run; so does
/// a rank that makes another call than rank 0, or ends while others go on.
/// Operators only record; work happens in write(), value(), values(), fetch() and run(). Each such call is one segment:
/// it is planned as a whole on rank 0, and computes what it needs from the sources on. The plan of a segment like an
/// earlier one is used again.
class Session {
 public:
  /// Throws ParameterError for wrong --tw-* options; RuntimeError if a launcher started ranks that do not find each
  /// other. An exception that the program does not catch ends all ranks with its message and exit status.
  Session(int argc, const char* const* argv);
  /// Ends the run; all ranks have come here then. MPI cannot be used afterwards.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The program's arguments without the --tw-* options and without its name.
  [[nodiscard]] const std::vector<std::string>& arguments() const;
  /// Throws ParameterError if there is no such argument.
  [[nodiscard]] const std::string& argument(std::size_t index) const;

  [[nodiscard]] int rank() const;
  [[nodiscard]] int ranks() const;
  /// True where the program should print: on rank 0.
  [[nodiscard]] bool is_root() const { return rank() == 0; }

  /// An image file; only its header is read now. Throws ParameterError if it is missing or no image that can be used.
  [[nodiscard]] Image read(const std::string& path);
  /// Pixels of the program. Rank 0's are used; all ranks must give the same shape.
  [[nodiscard]] Image image(Raster pixels);

  /// Makes a folder, and those above it, unless it exists; nothing in a dry run. Throws RuntimeError.
  void create_folder(const std::string& path);
  /// Computes and writes. Throws ParameterError if the file's format cannot hold the image, RuntimeError if it cannot
  /// be written.
  void write(const std::string& path, const Image& image);
  /// The same for several images, planned together.
  void write(const std::vector<FileOutput>& outputs);

  /// The value of a reduction of one channel. In a dry run, `assumed` (or --tw-assume-value) stands for it; without
  /// either the dry run ends here.
  [[nodiscard]] double value(const Reduction& reduction, int channel = 0, std::optional<double> assumed = {});
  /// All channels of several reductions, planned together: [reduction][channel].
  [[nodiscard]] std::vector<std::vector<double>> values(const std::vector<Reduction>& reductions,
                                                        std::optional<double> assumed = {});
  /// The pixels, on every rank. A dry run ends here.
  [[nodiscard]] std::shared_ptr<const Raster> fetch(const Image& image);
  /// Computes the image now and returns a handle to the result, so that later segments need not compute it again. Its
  /// pixels live as long as the handle does: on rank 0, or on the tiles where they were made, if that is faster in all;
  /// then later segments work there, on the same grid.
  [[nodiscard]] Image run(const Image& image);
  /// Whether a loop that ends by what is computed goes on: `goes_on`, but in a dry run, where nothing is computed, as
  /// if its body were run `expected` times. Where images of run() stay is decided for as many turns. Each place in the
  /// program counts by itself. Throws ParameterError for less than one time.
  [[nodiscard]] bool repeat(bool goes_on, int expected, std::source_location place = std::source_location::current());

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tilewright
