// graphile-worker as a peer of herald's order outbox: an order is a job in PostgreSQL.
//
//   DATABASE_URL=... node server.mjs ERP_URL CONCURRENCY
//
// One process, which takes orders and delivers them. How jobs are fetched and completed in batches
// is that of graphile-worker's own page about performance.
import { makeWorkerUtils, run } from 'graphile-worker'
import { connectErp, serveOrders } from './orders.mjs'

const concurrency = Number(process.argv[3])
const post = connectErp(process.argv[2], concurrency)

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

await run({ taskList: { deliver: ({ order }) => post(order) }, preset })
const jobs = await makeWorkerUtils({ preset })

serveOrders(orders =>
  jobs.addJobs(orders.map(order => ({ identifier: 'deliver', payload: { order } }))))
