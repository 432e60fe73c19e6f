#include "transition.hpp"

#include "tilewright/core/error.hpp"

namespace tilewright {

using Kind = Transition::Kind;

bool moves_pixels(const Transition& transition) {
  switch (transition.kind) {
    case Kind::scatter:
    case Kind::gather:
    case Kind::broadcast:
    case Kind::deliver:
    case Kind::allgather:
    case Kind::exchange:
    case Kind::redistribute:
      return true;
    case Kind::none:
    case Kind::read:
    case Kind::read_tiles:
    case Kind::write:
    case Kind::write_tiles:
    case Kind::extract:
    case Kind::compute_root:
    case Kind::compute_tiles:
    case Kind::reduce_root:
    case Kind::reduce_tiles:
      return false;
  }
  throw InternalError("moves_pixels: unknown transition");
}

bool reduces(const Transition& transition) {
  return transition.kind == Kind::reduce_root || transition.kind == Kind::reduce_tiles;
}

StepKind step_kind(Transition::Kind kind) {
  switch (kind) {
    case Kind::read:
    case Kind::read_tiles:
      return StepKind::read;
    case Kind::write:
    case Kind::write_tiles:
      return StepKind::write;
    case Kind::scatter:
      return StepKind::scatter;
    case Kind::gather:
      return StepKind::gather;
    case Kind::broadcast:
    case Kind::deliver:
      return StepKind::broadcast;
    case Kind::allgather:
      return StepKind::allgather;
    case Kind::exchange:
      return StepKind::exchange;
    case Kind::redistribute:
      return StepKind::redistribute;
    case Kind::compute_root:
    case Kind::compute_tiles:
      return StepKind::compute;
    case Kind::reduce_root:
    case Kind::reduce_tiles:
      return StepKind::reduce;
    case Kind::none:
    case Kind::extract:
      break;
  }
  throw InternalError("transition is no step of its own");
}

}  // namespace tilewright
