// simple-oauth2: client credentials by header and by body. It is told where the token endpoint is.
import { readCase, report } from './case.mjs'
import { ClientCredentials } from 'simple-oauth2'

const asked = readCase()
const endpoint = new URL(asked.token_url)

const client = new ClientCredentials({
  client: { id: asked.client_id, secret: asked.client_secret },
  auth: { tokenHost: endpoint.origin, tokenPath: endpoint.pathname },
  options: { authorizationMethod: asked.method === 'basic' ? 'header' : 'body' },
})

await report(async () => {
  const fetched = await client.getToken(asked.scope ? { scope: asked.scope } : {})
  const headers = { authorization: `${fetched.token.token_type} ${fetched.token.access_token}` }
  const response = await fetch(asked.event_url, { headers })
  return { token: fetched.token, is_expired: fetched.expired(), event_status: response.status }
}, (fault) => ({ error: fault.data?.payload?.error, status: fault.output?.statusCode }))
