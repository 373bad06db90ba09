// jose: tokens verified with the key set where herald publishes it, fetched again for a new key.
//
// `tokens` are verified one after the other with one remote set, each at its own time `at`.
import { readCase, report } from './case.mjs'
import { createRemoteJWKSet, jwtVerify } from 'jose'

const asked = readCase()
const keys = createRemoteJWKSet(new URL(asked.jwks_url), { cooldownDuration: 0 })

function verify({ token, at }) {
  return jwtVerify(token, keys, {
    issuer: asked.issuer,
    audience: asked.audience,
    typ: 'at+jwt',
    algorithms: ['EdDSA'],
    requiredClaims: ['sub', 'client_id', 'jti', 'iat', 'nbf', 'exp', 'scope'],
    currentDate: new Date(at * 1000),
  })
}

await report(async () => {
  const verified = []
  for (const row of asked.tokens) {
    const { payload, protectedHeader } = await verify(row)
    verified.push({ claims: payload, header: protectedHeader })
  }
  return { verified }
}, (fault) => ({ error: fault.code }))
