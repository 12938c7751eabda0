import { type WorkerRecord, workersIn, workersRead } from '../domain/worker-record.ts'
import type { Records } from '../ports/records.ts'
import { checkRecords } from './check-records.ts'

/** Lists the workers that reported during the last hour, the latest first: at most 1,000. */
export async function listWorkers(store: Records): Promise<readonly WorkerRecord[]> {
  checkRecords(store, 'listWorkers')
  return workersIn(await store.records([workersRead]))
}
