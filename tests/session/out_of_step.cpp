// Ranks that do not make the same calls: the run ends, and says which rank did what. Run with `leaves` (rank 1 ends
// before the others), `stays` (the root ends before the others), `differs` (rank 1 makes another call) or `asks` (rank
// 1 asks for a value where the others write an image).
#include <string_view>

#include "tilewright/imgops/reductions.hpp"
#include "tilewright/session/session.hpp"

int main(int argc, char** argv) {
  using namespace tilewright;
  Session session(argc, argv);
  const std::string_view way = session.argument(0);
  if (way == "leaves" && session.rank() == 1) return 0;
  if (way == "stays" && session.rank() == 0) return 0;
  if (way == "differs" && session.rank() == 1) (void)session.read("never.tif");
  if (way == "asks") {
    const Image image = session.image(Raster(ImageShape{{64, 64}, {PixelType::f32, 1}}));
    if (session.rank() == 1) (void)session.value(mean(image));
    session.write("never.tif", image);
  }
  session.create_folder(".");
  return 0;
}
