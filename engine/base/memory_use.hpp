// Memory of this process, from what each system offers; 0 where it offers nothing.
#pragma once

#include <cstdint>

namespace schedlab {

std::int64_t resident_bytes();
std::int64_t peak_resident_bytes();

}  // namespace schedlab
