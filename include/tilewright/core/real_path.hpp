// Which file a name means.
#pragma once

#include <string>

namespace tilewright {

/// The same for all names of a file that is there or may come to be: absolute, and behind all links, also one to a file
/// that is not there yet. It is what this host's file system says. Where that says nothing (links in a circle, a pipe's
/// name in /proc), it is `path`, made absolute.
[[nodiscard]] std::string real_path(const std::string& path);

}  // namespace tilewright
