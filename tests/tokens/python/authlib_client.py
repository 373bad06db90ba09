"""Authlib: client credentials, a call of the API, and its validator of RFC 9068 access tokens.

1.6 is the last line whose validator takes EdDSA, the name of doc B, as it is; later ones take the
same signatures only as Ed25519.
"""

import os

from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey
from authlib.oauth2.rfc9068 import JWTBearerTokenValidator

from case import read_case, report

METHODS = {"basic": "client_secret_basic", "post": "client_secret_post"}
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # the tests' herald speaks plain HTTP


class Validator(JWTBearerTokenValidator):
    def __init__(self, case, session):
        super().__init__(case["issuer"], case["audience"])
        self._case = case
        self._session = session

    def get_jwks(self):
        found = self._session.get(self._case["jwks_url"], withhold_token=True)
        return JsonWebKey.import_key_set(found.json())


def run(case):
    session = OAuth2Session(
        case["client_id"], case["client_secret"], scope=case["scope"] or None,
        token_endpoint_auth_method=METHODS[case["method"]],
    )
    token = session.fetch_token(case["token_url"], grant_type="client_credentials")
    validator = Validator(case, session)
    claims = validator.authenticate_token(token["access_token"])
    validator.validate_token(claims, [case["scope"]] if case["scope"] else None, None)
    status = session.get(case["event_url"]).status_code
    return {"token": dict(token), "claims": dict(claims), "event_status": status}


def main():
    try:
        report(run(read_case()))
    except OAuthError as fault:
        report({"refused": {"error": fault.error, "description": fault.description}})


if __name__ == "__main__":
    main()
