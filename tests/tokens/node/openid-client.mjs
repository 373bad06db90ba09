// openid-client: discovery, client credentials, and a call of the API with the token.
import { readCase, report } from './case.mjs'
import * as openid from 'openid-client'

const asked = readCase()
const methods = { basic: openid.ClientSecretBasic, post: openid.ClientSecretPost }

await report(async () => {
  const config = await openid.discovery(
    new URL(asked.issuer), asked.client_id, undefined, methods[asked.method](asked.client_secret),
    { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] })
  const parameters = asked.scope ? { scope: asked.scope } : {}
  const token = await openid.clientCredentialsGrant(config, parameters)
  const response = await openid.fetchProtectedResource(
    config, token.access_token, new URL(asked.event_url), 'GET')
  return { token, event_status: response.status, metadata: config.serverMetadata() }
}, (fault) => ({
  error: fault.error ?? (fault.code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE' ? 'challenge' : null),
  status: fault.status,
  challenges: fault.cause,
}))
