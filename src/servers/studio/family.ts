import { begunChild, familyIn, mostLevels } from '../../core/domain/family-link.ts'
import type { CallRecord, RunRecord, RunStatus } from '../../ports.ts'
import { type Store, StoreError } from '../../index.ts'

/** A run in the tree of its family. */
export interface FamilyMember {
  readonly runId: string
  readonly agent: string
  readonly status: RunStatus
  readonly prompt?: string
  /** The number of its own calls that wait for an answer; a call that waits for a member is not among them. */
  readonly questions: number
  readonly members: readonly FamilyMember[]
}

/** The maximum number of runs in one tree. */
const mostMembers = 200

/** Returns the root of a run's family: the run itself if no other run began it. */
export async function rootOf(store: Store, runId: string): Promise<string> {
  let root = runId
  for (let level = 0; level < mostLevels; level++) {
    const parent = familyIn(await known(store.input(root)))?.parentRunId
    if (parent === undefined || (await known(store.record(parent))) === undefined) break
    root = parent
  }
  return root
}

/** Returns the family of a run from its root down. A member that cannot be read is left out. */
export async function familyOf(store: Store, runId: string): Promise<FamilyMember | undefined> {
  let left = mostMembers
  const read = async (id: string, level: number): Promise<FamilyMember | undefined> => {
    if (left-- <= 0) return undefined
    const [record, rows] = [await known<RunRecord>(store.record(id)), await known(store.calls(id))]
    if (record === undefined || rows === undefined) return undefined
    const calls = rows.map((row) => row.record)
    const members: FamilyMember[] = []
    for (const child of level > mostLevels ? [] : childrenIn(calls)) {
      const member = await read(child, level + 1)
      if (member !== undefined) members.push(member)
    }
    const waits = calls.filter((call) => call.status === 'suspended' && waitsFor(call) === undefined)
    const { agent, status, prompt } = record
    const about = prompt === undefined ? {} : { prompt }
    return { runId: id, agent, status, ...about, questions: status === 'done' ? 0 : waits.length, members }
  }
  return read(await rootOf(store, runId), 1)
}

function childrenIn(calls: readonly CallRecord[]): readonly string[] {
  const found = calls.map((call) => waitsFor(call) ?? begunChild(call) ?? call.result?.childRunId)
  return [...new Set(found.filter((id) => id !== undefined))]
}

function waitsFor({ status, suspension }: CallRecord): string | undefined {
  if (status !== 'suspended' || suspension?.reason !== 'subAgent') return undefined
  const { parameters } = suspension
  if (typeof parameters !== 'object' || parameters === null || !('childRunId' in parameters)) return undefined
  const child = parameters['childRunId']
  return typeof child === 'string' ? child : undefined
}

/** Returns undefined for what a run without a readable row would reject with. */
async function known<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof StoreError && (error.code === 'run_unknown' || error.code === 'run_damaged')) return undefined
    throw error
  }
}
