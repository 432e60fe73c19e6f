#include "tilewright/model/step_overhead.hpp"

namespace tilewright {

OperatorCell step_overhead_cell() {
  return {"step", PixelType::f32, 0, 1, {}};
}

double step_overhead_s(const MachineProfile& profile) {
  const OperatorCell cell = step_overhead_cell();
  return profile.operator_seconds(cell.key, cell.type, cell.parameter, cell.tile_pixels).value_or(0);
}

}  // namespace tilewright
