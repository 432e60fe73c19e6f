// Reading and writing of comma-separated values.
#include "csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tilewright::regret {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string line_of(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) line += (i == 0 ? "" : ",") + quoted(fields[i]);
  return line + "\n";
}

/// Goes through the text once, field by field.
class CsvReader {
 public:
  CsvReader(std::string_view text, std::string_view source) : text_(text), source_(source) {}
  [[nodiscard]] bool at_end() const { return place_ == text_.size(); }
  [[nodiscard]] int line() const { return line_; }

  std::vector<std::string> record() {
    std::vector<std::string> fields;
    do {
      fields.push_back(take('"') ? quoted_field() : plain_field());
    } while (take(','));
    take('\r');
    if (!take('\n') && !at_end()) fail("something follows a closing quote");
    ++line_;
    return fields;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw std::runtime_error(fmt::format("{}, line {}: {}", source_, line_, what));
  }

 private:
  bool take(char c) {
    if (at_end() || text_[place_] != c) return false;
    ++place_;
    return true;
  }
  std::string plain_field() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", place_), text_.size());
    const std::string field(text_.substr(place_, end - place_));
    place_ = end;
    return field;
  }
  std::string quoted_field() {
    std::string field;
    while (!at_end()) {
      const char c = text_[place_++];
      if (c == '\n') ++line_;
      if (c == '"' && !take('"')) return field;
      field += c;
    }
    fail("a quote is not closed");
  }

  std::string_view text_;
  std::string_view source_;
  std::size_t place_ = 0;
  int line_ = 1;
};

template <class Number>
Number number(std::string_view text, std::string_view what, std::string_view kind) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  throw std::runtime_error(fmt::format("{}: \"{}\" is not {}", what, text, kind));
}

}  // namespace

std::string to_csv(const CsvTable& table) {
  std::string text = line_of(table.header);
  for (const std::vector<std::string>& row : table.rows) text += line_of(row);
  return text;
}

CsvTable parse_csv(std::string_view text, std::string_view source) {
  CsvReader reader(text, source);
  CsvTable table;
  if (reader.at_end()) reader.fail("the header is missing");
  table.header = reader.record();
  while (!reader.at_end()) {
    const int line = reader.line();
    table.rows.push_back(reader.record());
    const std::size_t fields = table.rows.back().size();
    if (fields != table.header.size()) {
      throw std::runtime_error(
          fmt::format("{}, line {}: {} fields, but the header has {}", source, line, fields, table.header.size()));
    }
  }
  return table;
}

CsvTable read_csv_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file || file.bad()) throw std::runtime_error(fmt::format("{} cannot be read", path.string()));
  return parse_csv(text.str(), path.string());
}

void write_csv_files(const std::vector<std::pair<std::filesystem::path, CsvTable>>& files) {
  const auto beside = [](const std::filesystem::path& path) { return std::filesystem::path(path.string() + ".new"); };
  for (const auto& [path, table] : files) {
    std::ofstream file(beside(path), std::ios::binary);
    file << to_csv(table) << std::flush;
    if (!file) throw std::runtime_error(fmt::format("{} cannot be written", beside(path).string()));
  }
  for (const auto& [path, table] : files) std::filesystem::rename(beside(path), path);
}

std::string csv_text(double value) {
  return fmt::format("{:.17g}", value);
}

std::string csv_text(bool value) {
  return value ? "yes" : "no";
}

double csv_double(std::string_view text, std::string_view what) {
  return number<double>(text, what, "a number");
}

std::int64_t csv_integer(std::string_view text, std::string_view what) {
  return number<std::int64_t>(text, what, "a whole number");
}

bool csv_bool(std::string_view text, std::string_view what) {
  if (text == "yes") return true;
  if (text == "no") return false;
  throw std::runtime_error(fmt::format("{}: \"{}\" is not yes or no", what, text));
}

}  // namespace tilewright::regret
