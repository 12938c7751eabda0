import { isDeepStrictEqual } from 'node:util'
import type { Trial } from './crash-scenario.ts'
import type { CrashProblem } from './crash-problem.ts'

/** Returns the differences of a crashed trial from the calm one, and the problems found during the trial. */
export function compareTrials(calm: Trial, crashed: Trial): readonly CrashProblem[] {
  const problems: CrashProblem[] = [...crashed.problems, ...compareEffects(calm, crashed)]
  if (!isDeepStrictEqual(calm.transcript, crashed.transcript)) {
    problems.push({ kind: 'transcript', message: difference(calm.transcript, crashed.transcript) })
  }
  if (!isDeepStrictEqual(calm.ending, crashed.ending)) {
    problems.push({ kind: 'outcome', message: difference([calm.ending], [crashed.ending]) })
  }
  return problems
}

/**
 * Compares how often effects happened: `once` effects must happen as often as in the calm trial; other effects may be
 * repeated under the same key.
 */
function compareEffects(calm: Trial, crashed: Trial): readonly CrashProblem[] {
  const callIds = new Set([...calm.effects, ...crashed.effects].map(({ callId }) => callId))
  return [...callIds].flatMap((callId): readonly CrashProblem[] => {
    const wanted = countOf(calm, callId)
    const found = countOf(crashed, callId)
    const message = `Call "${callId}" acted ${found} times; ${wanted} times without a crash.`
    if (found > wanted) return [{ kind: 'doubled', message }]
    return found < wanted ? [{ kind: 'lost', message }] : []
  })
}

function countOf({ effects, onceTools }: Trial, callId: string): number {
  const own = effects.filter((effect) => effect.callId === callId)
  const isOnce = own.some(({ toolName }) => onceTools.has(toolName))
  return isOnce ? own.length : new Set(own.map(({ idempotencyKey }) => idempotencyKey)).size
}

function difference(calm: readonly unknown[], crashed: readonly unknown[]): string {
  const index = Math.max(calm.length, crashed.length)
  const at = Array.from({ length: index }, (_, place) => place).find(
    (place) => !isDeepStrictEqual(calm[place], crashed[place]),
  )
  const shown = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value))
  return `At ${at ?? 0}: ${shown(crashed[at ?? 0])} instead of ${shown(calm[at ?? 0])}.`
}
