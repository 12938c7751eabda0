import { isDeepStrictEqual } from 'node:util'
import { transcriptOf } from '../../test/support/read-run.ts'
import { runId } from '../../test/support/world.ts'
import type { Command } from './commands.ts'
import { Judge } from './judge.ts'
import { perform } from './perform.ts'
import type { Scene } from './scene.ts'
import { type Defect, Stage } from './stage.ts'
import { toolTable } from './tool-table.ts'

/** What became of one sequence. */
export interface Played {
  readonly faults: readonly string[]
  readonly transcript: readonly string[]
  readonly processes: number
  /** True where a sequence without its crashes must come to the same transcript. */
  readonly isComparable: boolean
}

const maxRounds = 120

/** Plays a scene with a sequence of commands, then brings the run to its end; stops at the first fault. */
export async function play(scene: Scene, commands: readonly Command[], defect: Defect = {}): Promise<Played> {
  const stage = new Stage(scene, defect)
  const judge = new Judge(stage)
  let lease: 'released' | 'expired' = 'released'
  let isRaced = false
  let faults: readonly string[] = []
  const look = async () => {
    if (stage.life.isDead) await stage.revive(lease)
    faults = await judge.look()
    return faults.length === 0
  }
  await stage.open()
  let isSound = await look()
  for (const command of commands) {
    if (!isSound) break
    if (command.do === 'crash') lease = command.lease
    const wasLeft = stage.isLeft
    await perform(command, stage)
    if (wasLeft && command.do !== 'drive' && command.do !== 'crash') isRaced = true
    isSound = await look()
  }
  stage.life.disarm()
  for (let round = 0; isSound && round <= maxRounds; round++) {
    if (stage.rest?.status === 'done') break
    if (round === maxRounds) faults = [`no end within ${maxRounds} rounds`]
    else if (await conclude(stage)) isSound = await look()
  }
  if (isSound && faults.length === 0) faults = await afterTheEnd(stage)
  const isInterrupted = [...stage.board.suspensions.values()].some(({ reason }) => reason === 'interrupted')
  return {
    faults,
    transcript: await transcriptOf(stage.store, runId),
    processes: stage.processes,
    isComparable: !isRaced && !isInterrupted && !isTimed(scene, commands),
  }
}

/** One step towards the end of the run: finish what is held, drive, answer who waits. */
async function conclude(stage: Stage): Promise<boolean> {
  const [held] = stage.bench.open(stage.life)
  const waiting = stage.rest?.suspended[0]
  if (stage.model.isHolding(stage.life)) stage.model.release()
  else if (held !== undefined) held.end('done')
  else if (!stage.isDriven && waiting !== undefined) {
    const { callId, resumeMode } = waiting
    const input = { n: 1 }
    if (resumeMode === 'replay') await stage.desk.approve(callId)
    else await stage.desk.respond(callId, input)
  }
  await stage.drive()
  return true
}

/** A run that is done answers everything and changes by nothing. */
async function afterTheEnd(stage: Stage): Promise<readonly string[]> {
  const before = await stage.store.read(runId)
  const asked = stage.model.asked
  const performed = stage.bench.performances.length
  const [call] = await stage.store.calls(runId)
  const target = call?.record.callId ?? '1.a'
  const receipts = await stage.desk.decide([{ target, action: 'resume' }])
  await stage.desk.cancel()
  await stage.drive()
  const faults = [...stage.faults]
  if (receipts.some(({ answer }) => answer === 'applied' || answer === 'kept')) faults.push('a done run took an answer')
  if (!isDeepStrictEqual(await stage.store.read(runId), before)) faults.push('a done run changed')
  const isIdle = stage.model.asked === asked && stage.bench.performances.length === performed
  if (!isIdle) faults.push('a done run did something')
  return faults
}

/** Where time decides, a crash takes time of its own. */
function isTimed({ replies, limit }: Scene, commands: readonly Command[]): boolean {
  const names = replies.flatMap(({ calls }) => calls.map(({ tool }) => tool))
  const hasTimes = names.some(
    (name) => toolTable[name]?.timeoutMs !== undefined || toolTable[name]?.lasts !== undefined,
  )
  return hasTimes || 'maxDurationMs' in limit || commands.some((one) => one.do === 'advance')
}
