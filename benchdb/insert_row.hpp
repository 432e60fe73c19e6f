// Values into the parameters of a statement.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>

namespace tilewright {

template <class Value>
void bind_value(SQLite::Statement& statement, int index, const Value& value) {
  statement.bind(index, value);
}
/// None is NULL.
inline void bind_value(SQLite::Statement& statement, int index, const std::optional<double>& value) {
  if (value) {
    statement.bind(index, *value);
  } else {
    statement.bind(index);
  }
}

/// Binds the values to the statement's parameters in order, runs it, and makes it ready for the next row.
template <class... Values>
void insert_row(SQLite::Statement& statement, const Values&... values) {
  int index = 0;
  (bind_value(statement, ++index, values), ...);
  statement.exec();
  statement.reset();
}

}  // namespace tilewright
