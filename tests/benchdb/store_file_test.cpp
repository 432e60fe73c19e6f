// Files that are no database of ours, or not a healthy one: refused with a reason, and left as they are.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample_calibration.hpp"
#include "support/temporary_folder.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using test::awkward_calibration;
using test::content_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class StoreFileTest : public testing::Test {
 protected:
  /// Opening `path` in either mode fails, and the message has the path and `reason`; the file does not change.
  void expect_refused(const std::filesystem::path& path, const std::string& reason) {
    const bool is_file = std::filesystem::is_regular_file(path);
    const std::string before = is_file ? content_of(path) : "";
    for (const OpenMode mode : {OpenMode::existing, OpenMode::create}) {
      EXPECT_THAT([&] { const Store store(path, mode); },
                  ThrowsMessage<RuntimeError>(AllOf(HasSubstr(path.string()), HasSubstr(reason))));
    }
    if (is_file) {
      EXPECT_EQ(content_of(path), before);
    }
  }

  /// The content of a healthy database.
  std::string healthy() const {
    const std::filesystem::path path = folder_.path() / "healthy.sqlite";
    Store(path, OpenMode::create).save(awkward_calibration("a"));
    return content_of(path);
  }

  test::TemporaryFolder folder_;
};

TEST_F(StoreFileTest, AMissingFileIsMadeOnlyWhereThatIsAsked) {
  const std::filesystem::path path = folder_.path() / "new.sqlite";
  EXPECT_THAT([&] { const Store store(path, OpenMode::existing); },
              ThrowsMessage<RuntimeError>(AllOf(HasSubstr(path.string()), HasSubstr("calibrate"))));
  EXPECT_FALSE(std::filesystem::exists(path));
  const Store store(path, OpenMode::create);
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(StoreFileTest, AnEmptyFileIsFilledOnlyWhereThatIsAsked) {
  EXPECT_TRUE(Store(folder_.file("created.sqlite", ""), OpenMode::create).machines().empty());
  const std::filesystem::path path = folder_.file("picture.png", "");
  EXPECT_FALSE(has_database(path));
  EXPECT_THAT([&] { const Store store(path, OpenMode::existing); },
              ThrowsMessage<RuntimeError>(AllOf(HasSubstr(path.string()), HasSubstr("is empty"))));
  EXPECT_EQ(std::filesystem::file_size(path), 0U);
  EXPECT_TRUE(Store(path, OpenMode::create).machines().empty());
  EXPECT_TRUE(has_database(path));
}

TEST_F(StoreFileTest, AFolderIsRefused) {
  expect_refused(folder_.path(), "is a folder");
}

TEST_F(StoreFileTest, AnythingElseThanADatabaseIsRefused) {
  expect_refused(folder_.file("notes.txt", "My notes.\n"), "is not a database");
  expect_refused(folder_.file("long.txt", std::string(100'000, 'x')), "is not a database");
  expect_refused(folder_.file("short", "SQLite format 3"), "is not a database");
  expect_refused("/dev/null", "is not a regular file");
}

TEST_F(StoreFileTest, ADatabaseOfAnotherProgramIsRefused) {
  std::string foreign = healthy();
  foreign.replace(68, 4, std::string(4, '\0'));  // the application id that most programs have
  expect_refused(folder_.file("foreign.sqlite", foreign), "another program");
  foreign.replace(68, 4, "ABCD");
  expect_refused(folder_.file("tagged.sqlite", foreign), "0x41424344");
}

TEST_F(StoreFileTest, ANewerSchemaIsRefused) {
  std::string newer = healthy();
  newer.replace(60, 4, std::string("\0\0\0\x9", 4));
  expect_refused(folder_.file("newer.sqlite", newer), "schema 9");
}

/// Takes a table back to the form that it had in `version`: the rows of `kept`, in columns as they were then.
void take_back(const std::filesystem::path& path, int version, const std::string& table, const std::string& kept,
               const std::string& columns) {
  SQLite::Database database(path, SQLite::OPEN_READWRITE);
  database.exec("CREATE TABLE first AS SELECT " + kept + "; DROP TABLE " + table + "; CREATE TABLE " + table + " (" +
                columns + ") STRICT, WITHOUT ROWID; INSERT INTO " + table +
                " SELECT * FROM first; DROP TABLE first; PRAGMA user_version = " + std::to_string(version));
}

/// As Tilewright wrote it when runs were kept in the same file: one of each machine.
void make_schema_7(const std::filesystem::path& path) {
  SQLite::Database database(path, SQLite::OPEN_READWRITE);
  database.exec(R"sql(
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  machine INTEGER NOT NULL REFERENCES machines (id) ON DELETE CASCADE,
  pipeline TEXT NOT NULL,
  program TEXT NOT NULL,
  date TEXT NOT NULL,
  ranks INTEGER NOT NULL,
  grid TEXT NOT NULL,
  predicted_s REAL,
  measured_s REAL NOT NULL,
  plan TEXT NOT NULL
) STRICT;
INSERT INTO runs (machine, pipeline, program, date, ranks, grid, predicted_s, measured_s, plan)
SELECT id, 'p', 'app', '2026-01-02', 4, '2x2', NULL, 0.25, '{}' FROM machines;
PRAGMA user_version = 7)sql");
}

/// Besides, when messages within a node were not told apart.
void make_schema_6(const std::filesystem::path& path) {
  make_schema_7(path);
  take_back(path, 6, "path_cells",
            "machine, path, layout, bytes, packing, block_bytes, stride_bytes, seconds, spread_s, samples FROM "
            "path_cells WHERE within_node = 0",
            R"sql(
  machine INTEGER NOT NULL REFERENCES machines (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  layout TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  packing TEXT NOT NULL,
  block_bytes INTEGER NOT NULL,
  stride_bytes INTEGER NOT NULL,
  seconds REAL NOT NULL,
  spread_s REAL NOT NULL,
  samples INTEGER NOT NULL,
  PRIMARY KEY (machine, path, layout, bytes, packing, block_bytes, stride_bytes))sql");
}

/// Besides, when one thread worked on a tile.
void make_schema_5(const std::filesystem::path& path) {
  make_schema_6(path);
  take_back(path, 5, "operator_cells",
            "machine, key, type, parameter, tile_pixels, ranks, seconds, spread_s, samples FROM operator_cells WHERE "
            "threads = 1",
            R"sql(
  machine INTEGER NOT NULL REFERENCES machines (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  type TEXT NOT NULL,
  parameter REAL NOT NULL,
  tile_pixels REAL NOT NULL,
  ranks INTEGER NOT NULL,
  seconds REAL NOT NULL,
  spread_s REAL NOT NULL,
  samples INTEGER NOT NULL,
  PRIMARY KEY (machine, key, type, parameter, tile_pixels, ranks))sql");
}

/// Besides, when runs were not kept.
void make_schema_4(const std::filesystem::path& path) {
  make_schema_5(path);
  SQLite::Database database(path, SQLite::OPEN_READWRITE);
  database.exec("DROP TABLE runs; DROP TABLE pins; PRAGMA user_version = 4");
}

/// Besides, when nobody looked whether samples were disturbed.
void make_schema_3(const std::filesystem::path& path) {
  make_schema_4(path);
  take_back(path, 3, "samples", "machine, position, cell, launch, ordinal, seconds FROM samples", R"sql(
  machine INTEGER NOT NULL REFERENCES machines (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  cell TEXT NOT NULL,
  launch INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  seconds REAL NOT NULL,
  PRIMARY KEY (machine, position))sql");
}

/// Besides, when all messages had the paper's blocks.
void make_schema_2(const std::filesystem::path& path) {
  make_schema_3(path);
  take_back(path, 2, "path_cells",
            "machine, path, layout, bytes, seconds, spread_s, samples FROM path_cells WHERE block_bytes = 0", R"sql(
  machine INTEGER NOT NULL REFERENCES machines (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  layout TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  seconds REAL NOT NULL,
  spread_s REAL NOT NULL,
  samples INTEGER NOT NULL,
  PRIMARY KEY (machine, path, layout, bytes))sql");
}

/// Besides, when operators were measured under one condition only.
void make_schema_1(const std::filesystem::path& path) {
  make_schema_2(path);
  take_back(
      path, 1, "operator_cells",
      "machine, key, type, parameter, tile_pixels, seconds, spread_s, samples FROM operator_cells WHERE ranks = 1",
      R"sql(
  machine INTEGER NOT NULL REFERENCES machines (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  type TEXT NOT NULL,
  parameter REAL NOT NULL,
  tile_pixels REAL NOT NULL,
  seconds REAL NOT NULL,
  spread_s REAL NOT NULL,
  samples INTEGER NOT NULL,
  PRIMARY KEY (machine, key, type, parameter, tile_pixels))sql");
}

TEST_F(StoreFileTest, AnOlderSchemaIsMigratedAndACopyKept) {
  const Calibration saved = awkward_calibration("a");
  std::vector<OperatorCell> cells_of_one_rank = saved.profile.operators();
  std::erase_if(cells_of_one_rank, [](const OperatorCell& cell) { return cell.ranks != 1 || cell.threads != 1; });
  std::vector<PathCell> cells_of_paper = saved.profile.paths();
  std::erase_if(cells_of_paper, [](const PathCell& cell) { return !cell.has_paper_blocks() || cell.within_node; });
  std::vector<RawSample> undisturbed = saved.samples;
  for (RawSample& sample : undisturbed) sample.disturbed = false;
  const auto path = folder_.file("old.sqlite", healthy());
  make_schema_1(path);
  for (const OpenMode mode : {OpenMode::existing, OpenMode::create}) {
    const Store store(path, mode);
    EXPECT_EQ(store.profile("a").operators(), cells_of_one_rank);
    EXPECT_EQ(store.profile("a").paths(), cells_of_paper);
    EXPECT_EQ(store.samples("a"), undisturbed);
  }
  Store(path, OpenMode::existing).save(awkward_calibration("b"));
  EXPECT_EQ(Store(path, OpenMode::existing).profile("b"), awkward_calibration("b").profile);

  const std::filesystem::path copy = path.string() + ".schema1";
  ASSERT_TRUE(std::filesystem::exists(copy));
  SQLite::Database kept(copy, SQLite::OPEN_READONLY);
  EXPECT_EQ(kept.execAndGet("PRAGMA user_version").getInt(), 1);
  EXPECT_EQ(kept.execAndGet("SELECT count(*) FROM machines").getInt(), 1);
  EXPECT_EQ(kept.execAndGet("SELECT count(*) FROM operator_cells").getInt(),
            static_cast<int>(cells_of_one_rank.size()));
}

TEST_F(StoreFileTest, EachOlderSchemaLosesNothingThatItHad) {
  using TakeBack = void (*)(const std::filesystem::path&);
  const MachineProfile saved = awkward_calibration("a").profile;
  int version = 1;
  for (const TakeBack make_older :
       {make_schema_1, make_schema_2, make_schema_3, make_schema_4, make_schema_5, make_schema_6, make_schema_7}) {
    const auto path = folder_.file("old" + std::to_string(version) + ".sqlite", healthy());
    make_older(path);
    std::vector<OperatorCell> cells = saved.operators();
    std::erase_if(cells, [&](const OperatorCell& cell) {
      return (version < 6 && cell.threads != 1) || (version == 1 && cell.ranks != 1);
    });
    std::vector<PathCell> messages = saved.paths();
    std::erase_if(messages, [&](const PathCell& cell) {
      return (version < 7 && cell.within_node) || (version < 3 && !cell.has_paper_blocks());
    });
    EXPECT_EQ(Store(path, OpenMode::existing).profile("a").paths(), messages) << "schema " << version;
    EXPECT_EQ(Store(path, OpenMode::existing).profile("a").operators(), cells) << "schema " << version;
    EXPECT_TRUE(Store(path, OpenMode::existing).check().empty()) << "schema " << version;
    const std::vector<StoredRun> runs = Store(path, OpenMode::existing).runs("a");
    ASSERT_EQ(runs.size(), version < 5 ? 0U : 1U) << "schema " << version;
    if (!runs.empty()) {
      EXPECT_EQ(runs.front(), (StoredRun{1, "p", "app", "2026-01-02", 4, "2x2", {}, 0.25, "{}"}));
    }
    ++version;
  }
}

TEST_F(StoreFileTest, ATruncatedDatabaseIsRefused) {
  const std::string content = healthy();
  for (const std::size_t kept : {std::size_t{50}, std::size_t{100}, std::size_t{4096}, content.size() - 4096}) {
    expect_refused(folder_.file("cut.sqlite", content.substr(0, kept)), "");
  }
}

TEST_F(StoreFileTest, ADatabaseWithAnOverwrittenPageIsRefused) {
  std::string content = healthy();
  ASSERT_GT(content.size(), 3U * 4096U);
  for (std::size_t page = 1; page < content.size() / 4096; ++page) {
    std::string damaged = content;
    damaged.replace(page * 4096, 4096, std::string(4096, '\x5a'));
    expect_refused(folder_.file("damaged.sqlite", damaged), "is damaged");
  }
}

TEST_F(StoreFileTest, AFolderThatCannotBeMadeIsTold) {
  const std::filesystem::path file = folder_.file("plain", "x");
  EXPECT_THROW(Store(file / "bench.sqlite", OpenMode::create), RuntimeError);
  EXPECT_THROW(Store(file / "deeper" / "bench.sqlite", OpenMode::create), RuntimeError);
  EXPECT_EQ(content_of(file), "x");
}

/// Runs `function` as a user who is not root and owns nothing here; true if it threw a RuntimeError that names `path`.
template <class Function>
bool refused_to_others(const std::filesystem::path& path, Function&& function) {
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && setuid(nobody) != 0) _exit(3);
    try {
      function();
    } catch (const RuntimeError& error) {
      _exit(std::string(error.what()).find(path.string()) != std::string::npos ? 0 : 4);
    } catch (...) {
      _exit(5);
    }
    _exit(1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(StoreFileTest, AFileThatMayNotBeReadOrWrittenIsTold) {
  const std::filesystem::path path = folder_.path() / "bench.sqlite";
  const Calibration saved = awkward_calibration("a");
  Store(path, OpenMode::create).save(saved);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0555), 0);

  ASSERT_EQ(chmod(path.c_str(), 0000), 0);
  EXPECT_TRUE(refused_to_others(path, [&] { Store(path, OpenMode::existing); }));
  ASSERT_EQ(chmod(path.c_str(), 0444), 0);
  EXPECT_TRUE(refused_to_others(path, [&] { Store(path, OpenMode::create); }));
  EXPECT_TRUE(refused_to_others(path, [&] { Store(path, OpenMode::existing).save(awkward_calibration("b")); }));
  EXPECT_FALSE(refused_to_others(path, [&] { (void)Store(path, OpenMode::existing).profile("a"); }));  // it can be read
  const std::filesystem::path new_file = folder_.path() / "new.sqlite";
  EXPECT_TRUE(refused_to_others(new_file, [&] { Store(new_file, OpenMode::create); }));

  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  EXPECT_EQ(Store(path, OpenMode::existing).profile("a"), saved.profile);
}

}  // namespace
}  // namespace tilewright
