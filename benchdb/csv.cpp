#include "csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
  }

  CsvText run() && {
    while (position_ < text_.size()) {
      if (text_[position_] == '#') {
        parsed_.comments.push_back(comment());
      } else {
        add_record();
      }
    }
    return std::move(parsed_);
  }

 private:
  std::string comment() {
    const std::size_t end = std::min(text_.find('\n', position_), text_.size());
    std::string_view line = text_.substr(position_ + 1, end - position_ - 1);
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    position_ = end;
    end_line();
    return std::string(line);
  }

  void add_record() {
    CsvRecord record{line_, {}};
    do {
      record.fields.push_back(at('"') ? quoted() : plain());
    } while (skip(','));
    skip('\r');
    if (position_ < text_.size() && !at('\n')) {
      csv_fault(record, "text follows a closing quote: double the quotes that belong to the value");
    }
    end_line();
    const bool blank = record.fields.size() == 1 && record.fields.front().empty();
    if (!blank) parsed_.records.push_back(std::move(record));
  }

  std::string plain() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", position_), text_.size());
    const std::string_view field = text_.substr(position_, end - position_);
    position_ = end;
    if (field.find('"') != std::string_view::npos)
      csv_fault({line_, {}}, "a quote stands inside a field that is not quoted");
    return std::string(field);
  }

  std::string quoted() {
    const std::size_t first_line = line_;
    std::string field;
    ++position_;
    while (position_ < text_.size()) {
      const char c = text_[position_++];
      if (c == '\n') ++line_;
      if (c == '"' && !skip('"')) return field;
      field += c;
    }
    csv_fault({first_line, {}}, "a quote is not closed");
  }

  [[nodiscard]] bool at(char c) const { return position_ < text_.size() && text_[position_] == c; }
  bool skip(char c) {
    if (!at(c)) return false;
    ++position_;
    return true;
  }
  void end_line() {
    if (skip('\n')) ++line_;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
  CsvText parsed_;
};

template <class Number>
Number number(const CsvRecord& record, std::size_t field, const char* kind) {
  const std::string& text = record.fields.at(field);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    csv_fault(record, fmt::format("field {} is '{}', where {} is needed", field + 1, text, kind));
  }
  return value;
}

}  // namespace

CsvText parse_csv(std::string_view text) {
  return Parser(text).run();
}

std::string csv_field(std::string_view field) {
  const bool spaces = !field.empty() && (field.front() == ' ' || field.back() == ' ');
  const bool plain = !field.empty() && !spaces && field.find_first_of(",\"\r\n#") == std::string_view::npos;
  if (plain) return std::string(field);
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

void csv_fault(const CsvRecord& record, const std::string& what) {
  throw ParameterError(fmt::format("line {}: {}", record.line, what));
}

void require_fields(const CsvRecord& record, std::size_t count) {
  if (record.fields.size() == count) return;
  csv_fault(record, fmt::format("{} fields, where {} are needed", record.fields.size(), count));
}

double csv_real(const CsvRecord& record, std::size_t field) {
  const auto value = number<double>(record, field, "a number");
  if (!std::isfinite(value)) csv_fault(record, fmt::format("field {} is {}: not a finite number", field + 1, value));
  return value;
}

std::int64_t csv_integer(const CsvRecord& record, std::size_t field) {
  return number<std::int64_t>(record, field, "a whole number");
}

}  // namespace tilewright
