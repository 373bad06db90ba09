// oidc-provider as a peer of herald's identity service: the same grant, the same kind of token.
//
//   node server.mjs CLIENTS     a file with lines "CLIENT_ID CLIENT_SECRET INTEGRATION_ID"
//
// Says on standard output where it listens. One process, everything in its memory, which is what
// its own quick start does. GET /health/live never reaches the library: the price of node's HTTP.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'

const AUDIENCE = 'svc-integration-erp-service'
const SCOPES = 'erp.catalog.write erp.changes.write erp.events.read'
const TOKEN_LIFE_S = 600

const readClients = path =>
  readFileSync(path, 'utf8').trim().split('\n').map(line => line.split(' '))

const clients = readClients(process.argv[2])

// What herald's tokens say beside the claims of RFC 9068.
const claims = new Map(clients.map(([id, , integrationId]) => [
  id, { tenant_id: randomUUID(), integration_id: integrationId, point_id: randomUUID() },
]))

const signingKey = {
  ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
  alg: 'EdDSA', use: 'sig', kid: randomUUID(),
}

const configuration = {
  clients: clients.map(([id, secret]) => ({
    client_id: id,
    client_secret: secret,
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    scope: SCOPES,
  })),
  scopes: SCOPES.split(' '),
  jwks: { keys: [signingKey] },
  enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
  clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
  ttl: { ClientCredentials: TOKEN_LIFE_S },
  extraTokenClaims: (ctx, token) => claims.get(token.clientId),
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => `urn:${AUDIENCE}`,
      getResourceServerInfo: () => ({
        scope: SCOPES,
        audience: AUDIENCE,
        accessTokenTTL: TOKEN_LIFE_S,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'EdDSA' } },
      }),
    },
  },
}

const server = createServer()

server.listen(0, '127.0.0.1', () => {
  const address = `127.0.0.1:${server.address().port}`
  const answer = new Provider(`http://${address}`, configuration).callback()

  server.on('request', (request, response) => {
    if (request.url !== '/health/live') return answer(request, response)
    response.setHeader('Content-Type', 'application/json')
    response.end('{"ok":true}')
  })
  console.log(`listening on ${address}`)
})
