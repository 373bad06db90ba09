// graphile-worker as a peer of herald's order outbox: the same orders over the same HTTP, kept as
// jobs in PostgreSQL, and posted to the same ERP until it answers that it has its document.
//
//   DATABASE_URL=... node server.mjs ERP_URL CONCURRENCY
//
// Says on standard output where it listens. One process, which takes orders and delivers them. How
// jobs are fetched and completed in batches is that of graphile-worker's own page about
// performance. GET /health/live never reaches the library: the price of node's HTTP.
import { createServer } from 'node:http'
import { makeWorkerUtils, run } from 'graphile-worker'
import { Pool } from 'undici'

const ORDERS_PATH = '/internal/v1/orders'
const ERP_PATH = '/svc/v1/orders'
const ANSWER_TIMEOUT_MS = 60_000

const erpUrl = process.argv[2]
const concurrency = Number(process.argv[3])
const erp = new Pool(erpUrl, { connections: concurrency, headersTimeout: ANSWER_TIMEOUT_MS })

const deliver = async ({ order }) => {
  const { statusCode, body } = await erp.request({
    method: 'POST',
    path: ERP_PATH,
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': order.id },
    body: JSON.stringify(order),
  })
  const answer = await body.json()
  if (statusCode !== 200 || !answer.accepted || !answer.order_id) {
    throw new Error(`the ERP answers ${statusCode}`)
  }
}

const preset = {
  worker: {
    connectionString: process.env.DATABASE_URL,
    concurrentJobs: concurrency,
    maxPoolSize: 25,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
}

await run({ taskList: { deliver }, preset })
const jobs = await makeWorkerUtils({ preset })

// Orders that come while others are being stored are stored together.
let waiting = []
let isStoring = false

const storeAll = async () => {
  isStoring = true
  while (waiting.length > 0) {
    const batch = waiting
    waiting = []
    await jobs.addJobs(batch.map(({ order }) => ({ identifier: 'deliver', payload: { order } })))
    for (const { onStored } of batch) onStored()
  }
  isStoring = false
}

const store = order => new Promise(onStored => {
  waiting.push({ order, onStored })
  if (!isStoring) storeAll()
})

const textOf = async request => {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

const takeOrder = async (request, response) => {
  const { integration_id: integrationId, order } = JSON.parse(await textOf(request))

  await store(order)
  response.statusCode = 202
  response.end(JSON.stringify({ id: order.id, integration_id: integrationId, state: 'queued' }))
}

const server = createServer(async (request, response) => {
  response.setHeader('Content-Type', 'application/json')
  if (request.url === '/health/live') return response.end('{"ok":true}')
  if (request.url === ORDERS_PATH) return takeOrder(request, response)
  response.statusCode = 404
  response.end('{}')
})

server.listen(0, '127.0.0.1', () => console.log(`listening on 127.0.0.1:${server.address().port}`))
