// A package folder while it is written: a folder of its own beside the target until `commit`, gone if that never comes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace nstf {

/// A file of fixed length that is written in pieces, from any thread. All functions throw std::runtime_error with the
/// name that the file will have in the package.
class PackageFile {
public:
  PackageFile(PackageFile &&other);
  PackageFile &operator=(PackageFile &&) = delete;
  ~PackageFile();
  void writeAt(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Reports what the file system had kept to itself until now. To be called once, at the end.
  void close();

private:
  friend class PackageFolder;
  PackageFile(int descriptor, std::string name) : descriptor(descriptor), name(std::move(name)) {}

  int descriptor;
  std::string name;
};

class PackageFolder {
public:
  /// Makes the folder to write into. Throws std::runtime_error where `target` is there and is no package, or where
  /// nothing can be written beside it.
  explicit PackageFolder(const std::filesystem::path &target);
  PackageFolder(const PackageFolder &) = delete;
  ~PackageFolder();

  /// Makes a file of `size` bytes; where the file system can say so, a full disk is an error already here.
  PackageFile create(const std::string &name, std::uint64_t size);
  /// A whole file.
  void write(const std::string &name, std::string_view bytes);
  /// Puts the folder in the target's place, in one step.
  void commit();

private:
  std::filesystem::path target;    ///< the package to be
  std::filesystem::path temporary; ///< what is written into
  bool replaces = false;
};

} // namespace nstf
