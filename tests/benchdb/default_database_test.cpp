#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "tilewright/benchdb/store.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// Sets an environment variable, or unsets it, until the end of the test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Variable() { set(old_ ? old_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) const { value ? setenv(name_, value, 1) : unsetenv(name_); }
  const char* name_;
  std::optional<std::string> old_;
};

TEST(DefaultDatabase, TheFirstThatIsNamedIsTaken) {
  const Variable home("HOME", "/home/ada");
  const Variable no_data("XDG_DATA_HOME", nullptr);
  const Variable no_database("TILEWRIGHT_DB", "");
  EXPECT_EQ(default_database(), "/home/ada/.local/share/tilewright/bench.sqlite");
  const Variable data("XDG_DATA_HOME", "/data");
  EXPECT_EQ(default_database(), "/data/tilewright/bench.sqlite");
  const Variable database("TILEWRIGHT_DB", "/site/db.sqlite");
  EXPECT_EQ(default_database(), "/site/db.sqlite");
  EXPECT_EQ(default_database("mine.sqlite"), "mine.sqlite");
}

TEST(DefaultDatabase, WithoutAnyPlaceItSaysWhatToSet) {
  const Variable no_home("HOME", nullptr);
  const Variable no_data("XDG_DATA_HOME", nullptr);
  const Variable no_database("TILEWRIGHT_DB", nullptr);
  EXPECT_THROW((void)default_database(), ParameterError);
}

}  // namespace
}  // namespace tilewright
