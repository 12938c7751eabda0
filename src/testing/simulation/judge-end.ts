import { messagesOf } from '../crash/committed-log.ts'
import { judgeSaid, wordsOf } from '../crash/said.ts'
import { findUnpaired } from '../crash/watch-performing.ts'
import { isTerminal } from '../../core/domain/call.ts'
import { textOf } from '../../core/domain/message.ts'
import { standingOf, storedFacts } from '../../core/driving/run-result.ts'
import type { SeenRun } from './seen-run.ts'
import type { WorldParts } from './world-parts.ts'

/** Judges how every run has ended: nothing is lost, and every call has exactly one result. */
export async function judgeEnd(world: WorldParts): Promise<void> {
  for (const run of world.ledger.runs.values()) await judgeRun(world, run)
}

async function judgeRun({ ledger, store }: WorldParts, run: SeenRun): Promise<void> {
  const { id } = run
  const stored = await store.read(id)
  const messages = messagesOf(stored.log)
  const models = messages.filter((message) => message.role !== 'extension')
  for (const problem of findUnpaired(models)) ledger.fail('one result', problem, id)
  for (const { item } of await store.inbox(id, { isOpen: true }))
    ledger.fail('no message is lost', `A row of kind "${item.kind}" was never taken in.`, id)
  const { undelivered = [] } = standingOf(id, storedFacts(stored))
  const heard = [...messages, ...undelivered].map(wordsOf)
  for (const { message } of judgeSaid(run.said, heard)) ledger.fail('no message is lost', message, id)
  for (const { record } of await store.calls(id)) {
    const { callId, status, toolName, isHold } = record
    if (!isTerminal(status)) ledger.fail('one result', `Call ${callId} is ${status} at the end.`, id)
    if (status !== 'succeeded' || isHold === true || !ledger.watched.has(toolName)) continue
    const result = messages.find((message) => message.role === 'toolResult' && message.callId === callId)
    const text = result === undefined ? '' : textOf(result)
    const own = ledger.performances.filter((one) => one.runId === id && one.callId === callId)
    const isGiven = run.calls.get(callId)?.decisions.some(({ result: given }) => given !== undefined)
    if (isGiven !== true && own.every(({ result: made }) => made === undefined || !text.includes(made)))
      ledger.fail('no effect is lost', `Call ${callId} has succeeded, and ${toolName} has not given its result.`, id)
  }
}
