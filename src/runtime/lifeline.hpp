// Notices that a rank has gone, and ends the run.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "abort_delay.hpp"
#include "socket.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// Every rank holds one connection to rank 0, on which nothing is said until it takes leave; a thread of its own sleeps
/// on it. A process that ends closes it, and a node that has gone does not answer the kernel's keepalives any more,
/// which a process that computes, is stopped or starved of its share does: the kernel answers for it. MPI itself would
/// wait for ever.
class Lifeline {
 public:
  /// `nodes`: the node of each rank; the root's counts. The connections are made in the background, so a rank that
  /// cannot make one (a firewall, say) runs without; rank 0 then says so. Collective.
  Lifeline(const Communicator& communicator, std::vector<std::string> nodes);
  ~Lifeline();
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

  /// The orderly end, when all ranks have come to theirs: from now on nobody misses this one.
  void leave();

  /// Calls `act` in a thread of its own when this rank ends the run because another has gone. Until the answer is
  /// called, which takes it back.
  [[nodiscard]] std::function<void()> before_the_end(std::function<void()> act);

  /// MPI has reported an error. Most often a rank has gone, and MPI does not say which: gives the lifelines the time to
  /// name it and to end the run.
  void let_others_tell() const;

 private:
  /// A connection that rank 0 has accepted; of nobody yet while `rank` is 0.
  struct Line {
    Socket socket;
    int rank = 0;
    bool has_left = false;
    std::string said;
  };
  /// Where rank 0 listens, the word by which its ranks are known, and the name of its node.
  struct Meeting {
    int port = 0;
    std::string word;
    std::string node;
    std::vector<std::string> addresses;
  };
  /// What a connection that can be read from brought.
  enum class Event : std::uint8_t { nothing, text, end, unreachable };

  [[nodiscard]] static std::string text_of(const Meeting& meeting);
  [[nodiscard]] static Meeting meeting_of(const std::string& text);
  void start_thread();

  void watch_ranks();
  void accept_line(std::vector<Line>& lines) const;
  [[nodiscard]] bool serve(Line& line, std::vector<Line>& lines);
  void note_missing(const std::vector<Line>& lines) const;

  void watch_root();
  [[nodiscard]] Socket connect_to_root();

  [[nodiscard]] static Event read_from(const Socket& socket, std::string& text);
  /// Ends the run, unless this rank takes leave meanwhile.
  void miss(int rank, Event event);
  void miss_launcher();
  void act_last();
  /// Waits for `events` on the socket; false after `milliseconds`, or when this rank takes leave.
  [[nodiscard]] bool wait_for(const Socket& socket, short events, int milliseconds);
  [[nodiscard]] bool leaving_within(int milliseconds) const;

  int rank_;
  int ranks_;
  std::vector<std::string> nodes_;
  Meeting meeting_;
  Socket listener_;
  Socket leaving_;     ///< readable once this rank takes leave
  int launcher_ = -1;  ///< the launcher's wire, which hangs up when the launcher's process on this node has gone
  std::mutex acts_mutex_;
  std::list<std::function<void()>> last_acts_;
  std::thread thread_;
  std::optional<AbortDelay> abort_delay_;
};

}  // namespace tilewright
