import type { RunRecord } from '../../src/core/domain/run-record.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { transcriptOf } from '../support/read-run.ts'

/** Entries of each agent's transcript. */
const lengths: Readonly<Record<string, number>> = { payer: 8, scout: 4, clerk: 4, head: 5 }

/** Returns the records of a run and of the members below it. */
export async function membersOf(store: Store, id: string): Promise<readonly RunRecord[]> {
  const below: RunRecord[] = []
  for (const { record } of await store.calls(id)) {
    const child = `${id}.${record.seq}.sub.1`
    if (['clerk', 'scout', 'payer'].includes(record.toolName)) below.push(...(await membersOf(store, child)))
  }
  return [await store.record(id), ...below]
}

/** Returns how often a run and its members have paid. */
export function paymentsOf(family: readonly RunRecord[], paid: readonly string[]): number {
  return paid.filter((id) => family.some((member) => member.id === id)).length
}

/** Returns what is wrong with a run or its members: an end, a transcript, a payment, or a member that is missing. */
export async function problemsOf(
  store: Store,
  family: readonly RunRecord[],
  paid: readonly string[],
): Promise<readonly string[]> {
  const problems: string[] = []
  const [root] = family
  const count = root?.agent === 'head' ? 4 : 1
  if (root?.status === 'done' && family.length !== count) problems.push(`${root.id} has ${family.length - 1} members.`)
  for (const record of family) problems.push(...(await problemsOfRun(store, record, paid)))
  return problems.slice(0, 1)
}

async function problemsOfRun(store: Store, record: RunRecord, paid: readonly string[]): Promise<readonly string[]> {
  const { id, status, doneReason } = record
  if (status !== 'done' || doneReason !== 'natural_end') return [`${id} is ${status} (${doneReason}).`]
  const transcript = await transcriptOf(store, id)
  const agent = record.agent.slice(record.agent.lastIndexOf('/') + 1)
  const wasInterrupted = (await store.inbox(id, { kinds: ['decision'] })).length > 1
  if (agent === 'payer' && !wasInterrupted && !paid.includes(id)) return [`${id} is done and was not paid.`]
  return transcript.length === lengths[agent] ? [] : [`${id} has another transcript: ${transcript.join(' | ')}`]
}
