// The code objects in any file a user has.
//
//   - an ELF code object (hsaco);
//   - clang's offload bundle, plain or compressed (OffloadBundle.h, CompressedBundle.h), or several one after another;
//   - a host's program, library or object file with such bundles in its section .hip_fatbin (one for each translation
//     unit, each on a page boundary), or with OpenMP's offload binaries in .llvm.offloading (OffloadBinary.h).
//
// A file is mapped, and opening it reads no more than headers: `parts()` says where the pieces are. `read` parses one
// of them, decompressing it where needed; what it gives keeps the bytes it stands in, and no other. So a library of
// gigabytes can be walked one piece at a time, from several threads if one likes.
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
  std::string id;     ///< as the bundle calls it, "hipv4-amdgcn-amd-amdhsa--gfx942:xnack-"; empty for an ELF alone
  std::string target; ///< the target ID in it, "gfx942:xnack-"; for an ELF alone from its header, "" where it's unknown
  size_t part = 0;    ///< which part of the container
  unsigned entry = 0; ///< which entry of the part's bundle
  std::string where;  ///< for messages: the file's name and the place in it
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

  /// Maps the file. Throws LoadError: NoFile, or Malformed where it is none of the above.
  static CodeObjectContainer open(const std::string &path);
  /// The same for bytes in memory, which stay the caller's. `size` may be SIZE_MAX where only a pointer is known: then
  /// sizes come from the headers. `name` is used in messages.
  static CodeObjectContainer view(const void *data, size_t size, std::string name);

  const std::string &name() const { return name_; }
  const std::vector<Part> &parts() const { return parts_; }
  /// What stands behind the last part and is no bundle, as a sentence; empty where all was understood.
  const std::string &leftover() const { return leftover_; }
  /// The code objects of a part. `checkHash`: a compressed bundle's hash is compared too. Throws LoadError.
  std::vector<ContainedCodeObject> read(size_t part, bool checkHash = true) const;
  /// The code object to load for `device`: of each part the most specific entry that runs on it, and of these the first
  /// that has the kernel `kernel` (empty: the first). Throws LoadError: WrongTarget where none runs on the device,
  /// NotFound where none of those has the kernel.
  ContainedCodeObject select(const TargetId &device, std::string_view kernel = {}) const;

private:
  CodeObjectContainer(SharedBytes file, std::string name, bool endless);
  void findParts();
  void findPartsOfHost();
  /// The bundles that stand one after another in the file's bytes [begin, end).
  void findBundles(uint64_t begin, uint64_t end);
  std::string placeOf(size_t part) const;

  SharedBytes file_;
  std::string name_;
  bool endless_; ///< the file's size is only a bound
  std::vector<Part> parts_;
  std::string leftover_;
};

/// The code object for `device` in bytes that a program hands over (hipModuleLoad, fat binaries), as select() finds it.
ContainedCodeObject selectCodeObject(const TargetId &device, const void *data, size_t size, const std::string &name);

} // namespace nstf::emulator
