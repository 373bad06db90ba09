/* libsodium has the one well-kept Argon2id of Debian 12: OpenSSL has it from 3.2 on. */
#include "kit/base/password.h"

#include <sodium.h>

/* clang-format off */
const char password_of_nobody[] =
    "$argon2id$v=19$m=65536,t=2,p=1$zFl8BtdLGtrDTajSLt"
    "ofdQ$/7Znb9lqshiap/+/N7xsghYKW5s0CDADC10wYd01lVw";
/* clang-format on */

bool password_hash(struct str password, char ret_hash[static PASSWORD_HASH_LEN])
{
    _Static_assert(PASSWORD_HASH_LEN >= crypto_pwhash_STRBYTES, "a hash has room");
    _Static_assert(crypto_pwhash_MEMLIMIT_INTERACTIVE == 64U * 1024 * 1024, "64 MiB");
    return crypto_pwhash_str_alg(
               ret_hash, password.data, password.len, crypto_pwhash_OPSLIMIT_INTERACTIVE,
               crypto_pwhash_MEMLIMIT_INTERACTIVE, crypto_pwhash_ALG_ARGON2ID13) == 0;
}

bool password_matches(const char *hash, struct str password)
{
    return crypto_pwhash_str_verify(hash, password.data, password.len) == 0;
}
