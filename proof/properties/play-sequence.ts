import { isDeepStrictEqual } from 'node:util'
import { transcriptOf } from '../support/read-run.ts'
import type { Command } from './commands.ts'
import { keptFaults, originalFaults } from './judge-conversation.ts'
import { eventFaults } from './judge-events.ts'
import { SequenceJudge } from './sequence-judge.ts'
import { performCommand } from './perform-command.ts'
import type { SequenceSetup } from './sequence-setup.ts'
import { type Defect, SequenceHarness } from './sequence-harness.ts'
import { toolTable } from './tool-table.ts'

/** The result of one sequence. */
export interface Played {
  readonly faults: readonly string[]
  readonly transcript: readonly string[]
  readonly processes: number
  /** True where a sequence without its crashes must come to the same transcript. */
  readonly isComparable: boolean
}

const maxRounds = 120

/** Plays a setup with a sequence of commands, then brings the last run to its end; stops at the first fault. */
export async function playSequence(
  setup: SequenceSetup,
  commands: readonly Command[],
  defect: Defect = {},
): Promise<Played> {
  const harness = new SequenceHarness(setup, defect)
  const judge = new SequenceJudge(harness)
  let lease: 'released' | 'expired' = 'released'
  let isRaced = false
  let faults: readonly string[] = []
  const look = async () => {
    if (harness.mortal.isDead) await harness.revive(lease)
    faults = await judge.look()
    return faults.length === 0
  }
  const end = async () => {
    harness.mortal.disarm()
    for (let round = 0; harness.rest?.status !== 'done'; round++) {
      if (round === maxRounds) faults = [`no end within ${maxRounds} rounds`]
      if (round === maxRounds || !(await conclude(harness)) || !(await look())) return false
    }
    faults = await doneFaults(harness)
    return faults.length === 0
  }
  const playedRuns = [harness.played]
  await harness.open()
  let isSound = await look()
  for (const command of commands) {
    if (!isSound) break
    if (command.do === 'crash') lease = command.lease
    const wasLeft = harness.isLeft
    await performCommand(command, harness)
    if (wasLeft && command.do !== 'drive' && command.do !== 'crash') isRaced = true
    isSound = await look()
    if (command.do !== 'prompt' || !isSound) continue
    isSound = await end()
    if (!isSound) break
    await harness.goOn(command.tone, command.dies, lease)
    playedRuns.push(harness.played)
    isSound = await look()
  }
  if (isSound && (await end())) {
    faults = [...(await afterTheEnd(harness)), ...(await originalFaults(playedRuns, harness.store))]
  }
  const suspensions = playedRuns.flatMap(({ observer }) => [...observer.suspensions.values()])
  const isInterrupted = suspensions.some(({ reason }) => reason === 'interrupted')
  return {
    faults,
    transcript: await transcriptOf(harness.store, harness.runId),
    processes: harness.processes,
    isComparable: !isRaced && !isInterrupted && !isTimed(setup, commands),
  }
}

/** One step towards the end of the run: finish what is held, drive, answer who waits. */
async function conclude(harness: SequenceHarness): Promise<boolean> {
  const [held] = harness.watched.open(harness.mortal)
  const waiting = harness.rest?.suspended[0]
  if (harness.model.isHolding(harness.mortal)) harness.model.release()
  else if (held !== undefined) held.end('done')
  else if (!harness.isDriven && waiting !== undefined) {
    const { callId, resumeMode } = waiting
    const input = { n: 1 }
    if (resumeMode === 'replay') await harness.decider.approve(callId)
    else await harness.decider.respond(callId, input)
  }
  await harness.drive()
  return true
}

/** The faults of a run that has just ended. */
async function doneFaults({ store, runId, played, decider, setup }: SequenceHarness): Promise<readonly string[]> {
  const run = await store.read(runId)
  const kept = await keptFaults(run, played, store)
  return [...kept, ...(await eventFaults(run, decider, played, setup.loop.isFiltered))]
}

/** A run that is done answers everything and changes by nothing. */
async function afterTheEnd(harness: SequenceHarness): Promise<readonly string[]> {
  const { store, runId } = harness
  const before = await store.read(runId)
  const asked = harness.model.asked
  const performed = harness.watched.performances.length
  const [call] = await store.calls(runId)
  const target = call?.record.callId ?? '1.a'
  const receipts = await harness.decider.decide([{ target, action: 'resume' }])
  const cancelled = await harness.decider.cancel()
  await performCommand({ do: 'say', kind: 'steer', tone: 'plain' }, harness)
  await performCommand({ do: 'say', kind: 'extension', tone: 'plain' }, harness)
  await harness.drive()
  const faults = [...harness.faults]
  if (receipts.some(({ answer }) => answer === 'applied' || answer === 'kept')) faults.push('a done run took an answer')
  if (cancelled.answer !== 'stale') faults.push(`a done run answered a cancel with ${cancelled.answer}`)
  if (!isDeepStrictEqual(await store.read(runId), before)) faults.push('a done run changed')
  const isIdle = harness.model.asked === asked && harness.watched.performances.length === performed
  if (!isIdle) faults.push('a done run did something')
  return faults
}

/** If time decides, a crash takes time too. */
function isTimed({ replies, limit }: SequenceSetup, commands: readonly Command[]): boolean {
  const names = replies.flatMap(({ calls }) => calls.map(({ tool }) => tool))
  const hasTimes = names.some(
    (name) => toolTable[name]?.timeoutMs !== undefined || toolTable[name]?.lasts !== undefined,
  )
  return hasTimes || 'maxDurationMs' in limit || commands.some((one) => one.do === 'advance')
}
