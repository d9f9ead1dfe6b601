// SHA-256, computed by OpenSSL. Code objects, weights and manifests are named by their hashes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace nstf::support {

/// Hashes bytes that arrive in pieces.
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

/// The hash of all of `bytes`.
std::string sha256Hex(std::string_view bytes);

} // namespace nstf::support
