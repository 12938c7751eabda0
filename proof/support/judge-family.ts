import { accountKind, chargeKind } from '../../src/core/domain/account.ts'
import type { CallRecord } from '../../src/core/domain/call.ts'
import { rowOf, rowsOf } from '../../src/core/domain/records/record-read.ts'
import type { RunRecord } from '../../src/core/domain/run-record.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { Judgement } from './judge-run.ts'
import { addedTokens, caps, familyTokens } from './paying-family.ts'
import { transcriptOf } from './read-run.ts'

/** Entries of each agent's transcript. */
const lengths: Readonly<Record<string, number>> = { payer: 8, scout: 4, clerk: 4, head: 5 }

/** A root with its members, and how often each of them has paid. */
export interface PlayedFamily {
  readonly members: readonly RunRecord[]
  readonly paymentsOf: (runId: string) => number
}

/** Returns the records of a run and of the members below it. */
export async function membersOf(store: Store, id: string): Promise<readonly RunRecord[]> {
  const below: RunRecord[] = []
  for (const { record } of await store.calls(id)) {
    const child = `${id}.${record.seq}.sub.1`
    if (['clerk', 'scout', 'payer'].includes(record.toolName)) below.push(...(await membersOf(store, child)))
  }
  return [await store.record(id), ...below]
}

/** Judges a run of a payer or of a head with its members: ends, transcripts, payments, members and the account. */
export async function judgeFamily(store: Store, { members, paymentsOf }: PlayedFamily): Promise<Judgement> {
  const [root] = members
  const lost: string[] = []
  const doubled: string[] = []
  const isFamily = root?.agent === 'head'
  if (root?.status === 'done' && members.length !== (isFamily ? 4 : 1))
    lost.push(`${root.id} has ${members.length - 1} members.`)
  for (const record of members) lost.push(...(await problemsOfRun(store, record, paymentsOf(record.id))))
  const paid = members.reduce((sum, { id }) => sum + paymentsOf(id), 0)
  if (paid > 1) doubled.push(`${root?.id} has paid ${paid} times.`)
  if (!isFamily || lost.length > 0) return { lost: lost.slice(0, 1), doubled }
  const account = await judgeAccount(store, root.id)
  return { lost: account.lost.slice(0, 1), doubled: [...doubled, ...account.doubled] }
}

async function problemsOfRun(store: Store, record: RunRecord, paid: number): Promise<readonly string[]> {
  const { id, status, doneReason } = record
  if (status !== 'done' || doneReason !== 'natural_end') return [`${id} is ${status} (${doneReason}).`]
  // A hold of the account stands in the log, and in no transcript that anybody reads.
  const transcript = (await transcriptOf(store, id)).filter((line) => !line.startsWith('0.hold'))
  const agent = record.agent.slice(record.agent.lastIndexOf('/') + 1)
  if (transcript.length !== lengths[agent]) return [`${id} has another transcript: ${transcript.join(' | ')}`]
  const calls = (await store.calls(id)).map((row) => row.record)
  const call = calls.find(({ toolName }) => toolName === 'pay')
  if (call === undefined || paid > 0 || call.status !== 'succeeded') return []
  // Nobody may have been able to tell whether an interrupted call has paid.
  return (await wasInterrupted(store, id, call)) ? [] : [`${id} is done and was not paid.`]
}

async function wasInterrupted(store: Store, id: string, { callId }: CallRecord): Promise<boolean> {
  const rows = await store.inbox(id, { kinds: ['decision'] })
  return rows.filter(({ item }) => item.kind === 'decision' && item.decision.callId === callId).length > 1
}

/** The account has refused once or more, each answer was added to it once, and all that was reserved is settled. */
async function judgeAccount(store: Store, root: string): Promise<Judgement> {
  const reads = [rowOf(accountKind, root), rowsOf(chargeKind, { index: 'run', values: [root], limit: 100 })] as const
  const found = await store.records(reads)
  const account = found.row(accountKind, root)?.body
  if (account === undefined) return { lost: [`${root} has no account.`], doubled: [] }
  const { charged, held, added = [] } = account
  const charges = found.rows(chargeKind, reads[1]).map(({ body }) => body.settled.tokens + body.unknown.tokens)
  const sum = charges.reduce((total, one) => total + one, 0)
  const first = (account.caps.tokens ?? 0) - added.length * addedTokens
  const lost = [
    ...(added.length === 0 ? [`The account of ${root} has refused nothing.`] : []),
    ...(held.tokens > 0 ? [`The account of ${root} still holds ${held.tokens} tokens.`] : []),
    ...(charged.tokens < familyTokens ? [`The account of ${root} has charged ${charged.tokens} tokens.`] : []),
    ...(charged.tokens === sum
      ? []
      : [`The account of ${root} has charged ${charged.tokens} tokens, its runs ${sum}.`]),
  ]
  const isDoubled = !caps.includes(first)
  return { lost, doubled: isDoubled ? [`${added.length} answers have made ${account.caps.tokens} of ${root}.`] : [] }
}
