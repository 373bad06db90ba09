// pg-boss as a peer of herald's order outbox: an order is a job in PostgreSQL.
//
//   DATABASE_URL=... node server.mjs ERP_URL CONCURRENCY
//
// One process, which takes orders and delivers them. Workers are woken by NOTIFY, fetch in batches
// without a pause while batches are full, and settle each job of a batch on its own, so that one
// failed delivery does not send the others again. The queue has a table of its own.
import { PgBoss } from 'pg-boss'
import { connectErp, serveOrders } from './orders.mjs'

const QUEUE = 'orders'
const WORKERS = 4
const BATCH = 250

const post = connectErp(process.argv[2], Number(process.argv[3]))

const boss = new PgBoss({
  connectionString: process.env.DATABASE_URL,
  max: 25,
  useListenNotify: true,
})

const deliver = async ({ id, data }) => {
  try {
    await post(data.order)
    return { id, status: 'completed' }
  } catch (fault) {
    return { id, status: 'failed', output: { message: fault.message } }
  }
}

boss.on('error', fault => console.error(fault))
await boss.start()
await boss.createQueue(QUEUE, { notify: true, partition: true })
await boss.work(
  QUEUE,
  {
    localConcurrency: WORKERS,
    batchSize: BATCH,
    burstWhenBatchFull: true,
    pollingIntervalSeconds: 0.5,
    perJobResults: true,
  },
  jobs => Promise.all(jobs.map(deliver)),
)

serveOrders(orders => boss.insert(QUEUE, orders.map(order => ({ data: { order } }))))
