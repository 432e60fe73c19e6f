// Ranks that do not make the same calls: the run ends, and says which rank did what. Run with `leaves` (rank 1 ends
// before the others), `stays` (the root ends before the others) or `differs` (rank 1 makes another call).
#include <string_view>

#include "tilewright/session/session.hpp"

int main(int argc, char** argv) {
  using namespace tilewright;
  Session session(argc, argv);
  const std::string_view way = session.argument(0);
  if (way == "leaves" && session.rank() == 1) return 0;
  if (way == "stays" && session.rank() == 0) return 0;
  if (way == "differs" && session.rank() == 1) (void)session.read("never.tif");
  session.create_folder(".");
  return 0;
}
