// SHA-256, by OpenSSL: code objects, weights and manifests are named by hash.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace nstf::support {

/// A hash of bytes that come piece by piece.
class Sha256 {
public:
  Sha256();
  ~Sha256();
  void update(std::span<const std::byte> bytes);
  /// 64 lower-case hexadecimal digits. Called once, at the end.
  std::string finish();

private:
  evp_md_ctx_st *context;
};

/// The hash of bytes that are all there.
std::string sha256Hex(std::string_view bytes);

} // namespace nstf::support
