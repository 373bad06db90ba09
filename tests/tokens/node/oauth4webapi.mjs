// oauth4webapi: discovery, client credentials, and the validation of RFC 9068 as an API does it.
import { readCase, report } from './case.mjs'
import * as oauth from 'oauth4webapi'

const asked = readCase()
const plain = { [oauth.allowInsecureRequests]: true }
const client = { client_id: asked.client_id }
const methods = { basic: oauth.ClientSecretBasic, post: oauth.ClientSecretPost }

async function discover() {
  const issuer = new URL(asked.issuer)
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...plain })
  return oauth.processDiscoveryResponse(issuer, response)
}

async function fetchToken(server) {
  const authenticate = methods[asked.method](asked.client_secret)
  const parameters = asked.scope ? { scope: asked.scope } : {}
  const response = await oauth.clientCredentialsGrantRequest(
    server, client, authenticate, parameters, plain)
  return oauth.processClientCredentialsResponse(server, client, response)
}

function validate(server, token) {
  const headers = { authorization: `Bearer ${token}` }
  const request = new Request(asked.event_url, { headers })
  return oauth.validateJwtAccessToken(server, request, asked.audience, plain)
}

async function askEvent(token) {
  try {
    const response = await oauth.protectedResourceRequest(
      token, 'GET', new URL(asked.event_url), undefined, undefined, plain)
    return response.status
  } catch (fault) {
    if (!(fault instanceof oauth.WWWAuthenticateChallengeError)) throw fault
    return fault.cause
  }
}

function refusal(fault) {
  if (fault instanceof oauth.WWWAuthenticateChallengeError) {
    return { error: 'challenge', status: fault.status, challenges: fault.cause }
  }
  return { error: fault.error, status: fault.status, description: fault.error_description }
}

await report(async () => {
  const server = await discover()
  const token = await fetchToken(server)
  const claims = await validate(server, token.access_token)
  return { token, claims, event_status: await askEvent(token.access_token), metadata: server }
}, refusal)
