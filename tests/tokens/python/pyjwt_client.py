"""PyJWT: tokens verified with the key set where herald publishes it, each at its own time `at`."""

import jwt

from case import read_case, report

NEEDED = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti"]
OWN_TIME = {"verify_exp": False, "verify_nbf": False, "verify_iat": False, "require": NEEDED}


def verify(case, keys, row):
    """Everything but the times, which are judged at the time of the row."""
    token = row["token"]
    claims = jwt.decode(
        token, keys.get_signing_key_from_jwt(token), algorithms=["EdDSA"],
        audience=case["audience"], issuer=case["issuer"], options=OWN_TIME,
    )
    assert claims["nbf"] <= row["at"] < claims["exp"], claims
    return {"claims": claims, "header": jwt.get_unverified_header(token)}


def main():
    case = read_case()
    keys = jwt.PyJWKClient(case["jwks_url"], cooldown_duration=0)
    try:
        report({"verified": [verify(case, keys, row) for row in case["tokens"]]})
    except jwt.InvalidTokenError as fault:
        report({"refused": {"error": type(fault).__name__}})


if __name__ == "__main__":
    main()
