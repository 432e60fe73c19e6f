#include "lifeline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>

#include "pmi.hpp"

namespace tilewright {
namespace {

constexpr int for_ever = -1;
constexpr int connecting_ms = 3000;     ///< for one address of rank 0
constexpr int missing_after_s = 30;     ///< rank 0 tells of lifelines that have not come by then
constexpr std::size_t most_said = 100;  ///< bytes that a rank may need to introduce itself
constexpr char taking_leave = 'q';
constexpr char welcome = 'k';

void say(const Socket& socket, const std::string& text) {
  (void)!::send(socket.descriptor(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::string random_word() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

}  // namespace

Lifeline::Lifeline(const Communicator& communicator, std::vector<std::string> nodes)
    : rank_(communicator.rank()), ranks_(communicator.ranks()), nodes_(std::move(nodes)) {
  if (ranks_ == 1) return;
  if (communicator.is_root()) {
    listener_ = listen_anywhere(meeting_.port);
    meeting_.word = random_word();
    meeting_.node = nodes_.front();
    meeting_.addresses = addresses_of_this_host();
  }
  meeting_ = meeting_of(communicator.broadcast(text_of(meeting_)));
  if (!communicator.is_root()) nodes_ = {meeting_.node};
  if (const auto wire = PmiWire::find()) launcher_ = wire->socket();
  if (meeting_.port != 0) start_thread();
}

Lifeline::~Lifeline() {
  leave();
}

void Lifeline::let_others_tell() const {
  if (thread_.joinable()) std::this_thread::sleep_for(std::chrono::seconds(9));
}

void Lifeline::leave() {
  if (!thread_.joinable()) return;
  (void)eventfd_write(leaving_.descriptor(), 1);
  thread_.join();
  abort_delay_.reset();
}

std::function<void()> Lifeline::before_the_end(std::function<void()> act) {
  const std::lock_guard lock(acts_mutex_);
  const auto place = last_acts_.insert(last_acts_.end(), std::move(act));
  return [this, place] {
    const std::lock_guard taking_back(acts_mutex_);
    last_acts_.erase(place);
  };
}

/// What they refer to stays until they are done, for who takes one back waits.
void Lifeline::act_last() {
  const std::lock_guard lock(acts_mutex_);
  for (const auto& act : last_acts_) act();
}

std::string Lifeline::text_of(const Meeting& meeting) {
  return fmt::format("{} {} {} {}", meeting.port, meeting.word, meeting.node, fmt::join(meeting.addresses, " "));
}

Lifeline::Meeting Lifeline::meeting_of(const std::string& text) {
  Meeting meeting;
  std::istringstream stream(text);
  stream >> meeting.port >> meeting.word >> meeting.node;
  for (std::string address; stream >> address;) meeting.addresses.push_back(address);
  return meeting;
}

/// Signals are for the program's own threads.
void Lifeline::start_thread() {
  leaving_ = Socket(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!leaving_.is_open()) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] { rank_ == 0 ? watch_ranks() : watch_root(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  abort_delay_.emplace();
}

// --- rank 0 ---

void Lifeline::watch_ranks() {
  using Clock = std::chrono::steady_clock;
  const auto missing_at = Clock::now() + std::chrono::seconds(missing_after_s);
  bool told = false;
  std::vector<Line> lines;
  while (true) {
    std::vector<pollfd> wanted{
        {leaving_.descriptor(), POLLIN, 0}, {launcher_, 0, 0}, {listener_.descriptor(), POLLIN, 0}};
    for (const Line& line : lines) wanted.push_back({line.socket.descriptor(), POLLIN, 0});
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(missing_at - Clock::now()).count();
    const int limit = told || !listener_.is_open() ? for_ever : static_cast<int>(std::max<std::int64_t>(0, left));
    if (::poll(wanted.data(), wanted.size(), limit) == 0) {
      note_missing(lines);
      told = true;
      continue;
    }
    if (wanted[0].revents != 0) break;
    if (wanted[1].revents != 0) miss_launcher();
    // From the last one: serving one may take it out.
    for (std::size_t i = lines.size(); i-- > 0;) {
      if (wanted[i + 3].revents != 0 && !serve(lines[i], lines)) {
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    if (wanted[2].revents != 0) accept_line(lines);
    const auto known = std::count_if(lines.begin(), lines.end(), [](const Line& line) { return line.rank > 0; });
    if (known == ranks_ - 1) listener_.close();
  }
  for (const Line& line : lines) say(line.socket, {taking_leave});
}

void Lifeline::accept_line(std::vector<Line>& lines) const {
  Line line;
  line.socket = accept_from(listener_);
  if (!line.socket.is_open()) return;
  keep_alive(line.socket);
  lines.push_back(std::move(line));
}

/// False if nothing more is to be expected from that line.
bool Lifeline::serve(Line& line, std::vector<Line>& lines) {
  const Event event = read_from(line.socket, line.said);
  if (event == Event::nothing) return true;
  if (line.rank > 0) {
    line.has_left = line.has_left || line.said.find(taking_leave) != std::string::npos;
    if (event == Event::text) return true;
    if (!line.has_left) miss(line.rank, event);
    return false;
  }
  if (event != Event::text || line.said.size() > most_said) return false;  // a stranger
  if (line.said.back() != '\n') return true;
  std::istringstream stream(line.said);
  std::string word;
  int rank = 0;
  stream >> word >> rank;
  const bool is_known = std::any_of(lines.begin(), lines.end(), [&](const Line& other) { return other.rank == rank; });
  if (word != meeting_.word || rank <= 0 || rank >= ranks_ || is_known) return false;
  line.rank = rank;
  line.said.clear();
  say(line.socket, {welcome});
  return true;
}

void Lifeline::note_missing(const std::vector<Line>& lines) const {
  std::vector<std::string> missing;
  for (int rank = 1; rank < ranks_; ++rank) {
    const bool is_here = std::any_of(lines.begin(), lines.end(), [&](const Line& line) { return line.rank == rank; });
    if (!is_here) missing.push_back(fmt::format("{} on {}", rank, nodes_[static_cast<std::size_t>(rank)]));
  }
  fmt::print(stderr,
             "tilewright: note: no TCP connection from rank {} to rank 0 (a firewall?): should that node die, the run "
             "may not notice\n",
             fmt::join(missing, ", "));
}

// --- the other ranks ---

void Lifeline::watch_root() {
  const Socket root = connect_to_root();
  std::string said;
  bool has_left = false;
  while (root.is_open() && wait_for(root, POLLIN, for_ever)) {
    const Event event = read_from(root, said);
    has_left = has_left || said.find(taking_leave) != std::string::npos;
    if (event == Event::nothing || event == Event::text) continue;
    if (!has_left) miss(0, event);
    return;
  }
  if (root.is_open()) say(root, {taking_leave});
}

/// Tries rank 0's addresses in turn, for not every one is reached from here, and some lead elsewhere (the same private
/// network on every host): the right one knows the word.
Socket Lifeline::connect_to_root() {
  for (const std::string& address : meeting_.addresses) {
    Socket socket = begin_connecting(address, meeting_.port);
    if (!socket.is_open() || !wait_for(socket, POLLOUT, connecting_ms) || !is_connected(socket)) continue;
    keep_alive(socket);
    say(socket, fmt::format("{} {}\n", meeting_.word, rank_));
    std::string answer;
    if (wait_for(socket, POLLIN, connecting_ms) && read_from(socket, answer) == Event::text && answer[0] == welcome) {
      return socket;
    }
  }
  return Socket();
}

// --- both ---

Lifeline::Event Lifeline::read_from(const Socket& socket, std::string& text) {
  std::array<char, 64> buffer{};
  const ssize_t n = ::recv(socket.descriptor(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (n > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
    return Event::text;
  }
  if (n == 0 || errno == ECONNRESET || errno == EPIPE) return Event::end;
  return errno == EAGAIN || errno == EINTR ? Event::nothing : Event::unreachable;
}

/// A process that ended leaves its node to tell and to end the run (Witness, Hydra), which rank 0 waits for, and the
/// others wait for rank 0. Where the node itself has gone, rank 0 speaks at once, and of the others, when they miss
/// rank 0, the lowest that is left.
void Lifeline::miss(int rank, Event event) {
  const int turn_ms = std::min(2000, 50 * std::max(0, rank_ - 1));
  const int grace_ms = turn_ms + (event == Event::end ? 1000 : 0) + (event == Event::end && rank_ > 0 ? 500 : 0);
  if (leaving_within(grace_ms)) return;
  fmt::print(
      stderr, "tilewright: error: rank {} on node {} has gone: {}\n", rank, nodes_[static_cast<std::size_t>(rank)],
      event == Event::end ? "its process was ended in the middle of the run" : "its node does not answer any more");
  act_last();
  abort_run(1);
}

/// Nobody hears this rank any more, and its end would fail. The others tell of it, for its line closes.
void Lifeline::miss_launcher() {
  if (leaving_within(100)) return;
  fmt::print(stderr, "tilewright: error: rank {}: the process manager has gone\n", rank_);
  act_last();
  std::_Exit(1);
}

bool Lifeline::wait_for(const Socket& socket, short events, int milliseconds) {
  std::array<pollfd, 3> wanted{
      {{leaving_.descriptor(), POLLIN, 0}, {socket.descriptor(), events, 0}, {launcher_, 0, 0}}};
  int ready = 0;
  do {
    ready = ::poll(wanted.data(), wanted.size(), milliseconds);
  } while (ready < 0 && errno == EINTR);
  if (ready > 0 && wanted[0].revents == 0 && wanted[2].revents != 0) miss_launcher();
  return ready > 0 && wanted[0].revents == 0;
}

bool Lifeline::leaving_within(int milliseconds) const {
  pollfd wanted{leaving_.descriptor(), POLLIN, 0};
  return ::poll(&wanted, 1, milliseconds) > 0;
}

}  // namespace tilewright
