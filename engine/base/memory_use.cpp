#include "base/memory_use.hpp"

#include <array>
#include <cstdio>

#if defined(__APPLE__)
#include <sys/resource.h>
#endif

namespace schedlab {

#if defined(__linux__)
/// A line of /proc/self/status in bytes; 0 where there is none. (The peak that getrusage reports would include that of
/// the process which started this one.)
static std::int64_t status_bytes(const char* format) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  std::array<char, 256> line{};
  long long kilobytes = 0;
  while (std::fgets(line.data(), static_cast<int>(line.size()), file) != nullptr) {
    if (std::sscanf(line.data(), format, &kilobytes) == 1) break;
  }
  std::fclose(file);
  return kilobytes * 1024;
}

std::int64_t peak_resident_bytes() { return status_bytes("VmHWM: %lld kB"); }
std::int64_t resident_bytes() { return status_bytes("VmRSS: %lld kB"); }

#elif defined(__APPLE__)
std::int64_t peak_resident_bytes() {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
}
std::int64_t resident_bytes() { return peak_resident_bytes(); }

#else
std::int64_t peak_resident_bytes() { return 0; }
std::int64_t resident_bytes() { return 0; }
#endif

}  // namespace schedlab
