#include "support/Sha256.h"

#include <array>
#include <openssl/evp.h>
#include <stdexcept>

namespace nstf::support {

static void check(int result) {
  if (result != 1)
    throw std::runtime_error("SHA-256 failed in OpenSSL");
}

Sha256::Sha256() : context(EVP_MD_CTX_new()) {
  check(context != nullptr);
  check(EVP_DigestInit_ex(context, EVP_sha256(), nullptr));
}

Sha256::~Sha256() { EVP_MD_CTX_free(context); }

void Sha256::update(std::span<const std::byte> bytes) { check(EVP_DigestUpdate(context, bytes.data(), bytes.size())); }

std::string Sha256::finish() {
  std::array<unsigned char, 32> digest;
  check(EVP_DigestFinal_ex(context, digest.data(), nullptr));
  std::string text;
  for (unsigned char byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string sha256Hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(std::as_bytes(std::span(bytes)));
  return hash.finish();
}

} // namespace nstf::support
