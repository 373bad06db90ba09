// better-auth as a peer of herald's verification: codes for numbers, created and verified, by its
// plugin for phone numbers, over SQLite.
//
//   node server.mjs DATABASE
//
// Says on standard output where it listens. One process. It answers the requests that herald
// answers, so that the same generator measures both: what a phone would have got by SMS waits in
// memory until somebody claims it. A verified code is consumed; there is no user and no session,
// which the library would also make. GET /health/live never reaches the library: the price of
// node's HTTP.
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { phoneNumber } from 'better-auth/plugins'

const CODE_LIFE_S = 300
const KEEP_ALIVE_MS = 120_000 // longer than a connection of the generator waits for the others
const OTP_PATH = '/internal/v1/otp'
const VERIFY_PATH = /^\/internal\/v1\/otp\/([^/]+)\/verify$/
const CLAIM_PATH = '/device/v1/sms/claim'
const RESULT_PATH = /^\/device\/v1\/sms\/[^/]+\/result$/

const database = new DatabaseSync(process.argv[2])
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')

const messages = []

const auth = betterAuth({
  baseURL: 'http://127.0.0.1',
  secret: randomBytes(32).toString('hex'),
  telemetry: { enabled: false },
  database,
  plugins: [phoneNumber({
    expiresIn: CODE_LIFE_S,
    sendOTP: ({ phoneNumber: recipient, code }) => { messages.push({ recipient, code }) },
  })],
})

const { runMigrations } = await getMigrations(auth.options)
await runMigrations()

const create = async ({ recipient }) => {
  await auth.api.sendPhoneNumberOTP({ body: { phoneNumber: recipient } })
  return [201, { id: recipient, recipient, state: 'queued' }]
}

const verify = async (recipient, { code }) => {
  const body = { phoneNumber: recipient, code }
  const { status } = await auth.api.consumePhoneNumberOTP({ body })
  return [200, { id: recipient, recipient, state: status ? 'confirmed' : 'queued' }]
}

const claim = () => {
  const message = messages.pop()
  if (!message) return [200, {}]
  const { recipient, code } = message
  return [200, { id: recipient, lease_id: recipient, recipient, text: code }]
}

const bodyOf = async request => {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  return JSON.parse(Buffer.concat(pieces).toString())
}

const answer = async request => {
  const verified = VERIFY_PATH.exec(request.url)
  const body = await bodyOf(request)

  if (request.url === OTP_PATH) return create(body)
  if (verified) return verify(verified[1], body)
  if (request.url === CLAIM_PATH) return claim()
  if (RESULT_PATH.test(request.url)) return [204]
  return [404, {}]
}

const refusalOf = fault => [fault.statusCode ?? 500, { message: fault.message }]

const server = createServer(async (request, response) => {
  response.setHeader('Content-Type', 'application/json')
  if (request.url === '/health/live') return response.end('{"ok":true}')
  const [status, record] = await answer(request).catch(refusalOf)
  response.statusCode = status
  response.end(record && JSON.stringify(record))
})

server.keepAliveTimeout = KEEP_ALIVE_MS
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on 127.0.0.1:${server.address().port}`)
})
