// What the peers of herald's order outbox have in common: they take the same orders over the same
// HTTP, and post them to the same ERP until it answers that it has its document.
import { createServer } from 'node:http'
import { Pool } from 'undici'

const ORDERS_PATH = '/internal/v1/orders'
const ERP_PATH = '/svc/v1/orders'
const ANSWER_TIMEOUT_MS = 60_000
const KEEP_ALIVE_MS = 120_000 // longer than the generator waits for the deliveries

// Posts an order, over so many connections that stay open; what is more waits for one.
export const connectErp = (url, connections) => {
  const erp = new Pool(url, { connections, headersTimeout: ANSWER_TIMEOUT_MS })

  return async order => {
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
}

// Orders that come while others are being stored are stored together.
const makeStore = storeMany => {
  let waiting = []
  let isStoring = false

  const storeAll = async () => {
    isStoring = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await storeMany(batch.map(({ order }) => order))
      for (const { onStored } of batch) onStored()
    }
    isStoring = false
  }

  return order => new Promise(onStored => {
    waiting.push({ order, onStored })
    if (!isStoring) storeAll()
  })
}

const textOf = async request => {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

// Takes orders, and says on standard output where. GET /health/live never reaches the library: the
// price of node's HTTP.
export const serveOrders = storeMany => {
  const store = makeStore(storeMany)

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

  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.listen(0, '127.0.0.1', () => {
    console.log(`listening on 127.0.0.1:${server.address().port}`)
  })
}
