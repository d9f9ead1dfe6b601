// The code objects in any kind of file.
//
//   - an ELF code object (hsaco);
//   - clang's offload bundle, plain or compressed (OffloadBundle.h, CompressedBundle.h), or several one after another;
//   - a host's program, library or object file with such bundles in its section .hip_fatbin (one for each translation
//     unit, each on a page boundary), or with OpenMP's offload binaries in .llvm.offloading (OffloadBinary.h).
//
// A file is mapped, and opening it reads only headers: `parts()` gives the places of the parts. `read` parses one part
// and decompresses it if necessary; its result keeps only that part's bytes alive. A library of gigabytes can thus be
// processed part by part, from several threads if desired.
#pragma once

#include "runtime/emulator/memory/CompressedBundle.h"
#include "runtime/emulator/memory/SharedBytes.h"
#include "runtime/emulator/memory/TargetId.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::emulator {

/// One code object of a container, with its bytes.
struct ContainedCodeObject {
  std::string id;     ///< ID in the bundle, "hipv4-amdgcn-amd-amdhsa--gfx942:xnack-"; empty for a single ELF
  std::string target; ///< its target ID, "gfx942:xnack-"; for a single ELF from its header, "" if unknown
  size_t part = 0;    ///< index of the container's part
  unsigned entry = 0; ///< index in the part's bundle
  std::string where;  ///< for messages: the file's name and the offset in it
  SharedBytes code;
};

class CodeObjectContainer {
public:
  /// An ELF or a bundle inside the file.
  struct Part {
    enum class Kind : uint8_t { CodeObject, Bundle, CompressedBundle, OffloadBinary };
    Kind kind;
    uint64_t offset = 0, size = 0; ///< in the file
    CompressedBundle compression;  ///< of a compressed bundle
  };

  /// Maps the file. Throws LoadError: NoFile, or Malformed if it is none of the kinds above.
  static CodeObjectContainer open(const std::string &path);
  /// The same for bytes in memory, which the caller owns. `size` may be SIZE_MAX if only a pointer is known; sizes then
  /// come from the headers. `name` is used in messages.
  static CodeObjectContainer view(const void *data, size_t size, std::string name);

  const std::string &name() const { return name_; }
  const std::vector<Part> &parts() const { return parts_; }
  /// A sentence about bytes after the last part that are not a bundle; empty if there are none.
  const std::string &leftover() const { return leftover_; }
  /// The code objects of a part. `checkHash`: also checks the hash of a compressed bundle. Throws LoadError.
  std::vector<ContainedCodeObject> read(size_t part, bool checkHash = true) const;
  /// The code object to load for `device`. From each part it takes the most specific entry that runs on the device, and
  /// from these the first that has the kernel `kernel` (empty: the first). Throws LoadError: WrongTarget if none runs
  /// on the device, NotFound if none of those has the kernel.
  ContainedCodeObject select(const TargetId &device, std::string_view kernel = {}) const;

private:
  CodeObjectContainer(SharedBytes file, std::string name, bool endless);
  void findParts();
  void findPartsOfHost();
  /// Finds consecutive bundles in the file's bytes [begin, end).
  void findBundles(uint64_t begin, uint64_t end);
  std::string placeOf(size_t part) const;

  SharedBytes file_;
  std::string name_;
  bool endless_; ///< the file's size is only an upper bound
  std::vector<Part> parts_;
  std::string leftover_;
};

/// The code object for `device` in bytes that a program passes (hipModuleLoad, fat binaries), selected as by select().
ContainedCodeObject selectCodeObject(const TargetId &device, const void *data, size_t size, const std::string &name);

} // namespace nstf::emulator
