// Tells of a rank that was killed, for it cannot do so itself.
#pragma once

namespace tilewright {

/// A small process beside this rank, which reads from a pipe that only this rank can write to. When the pipe closes
/// without a word, it names the rank and its node on standard error. Hydra would name them too, but on standard
/// output, and not at all where its own process on that node has gone as well. It is started only under Hydra, and
/// Hydra ends it together with the rank when it ends a run.
class Witness {
 public:
  Witness();
  ~Witness();
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

  /// The rank takes leave: there is nothing to tell.
  void dismiss();

 private:
  int pipe_ = -1;
};

}  // namespace tilewright
