import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../core/domain/text/json.ts'
import { memoryStore } from '../../core/stores/memory/memory-store.ts'
import { compareTrials } from '../crash/compare-trials.ts'
import type { CrashScenario, Trial } from '../crash/crash-scenario.ts'
import { runTrial } from '../crash/crash-trial.ts'
import { type CrashPoint, pointsUpTo } from '../crash/mortal-process.ts'
import type { AgentSource } from '../paths/agent-under-test.ts'
import { answerRecorded, decided, type Places, recordedOptions, wantedBy } from './recorded-agent.ts'
import type { RecordedEnd, Recording } from './recording.ts'

/** The number of problems after which a replay ends, because further problems are repetitions. */
const enough = 5

/** Plays a recording once with an agent, and returns the differences between both ends. */
export async function playOnce(source: AgentSource, recording: Recording): Promise<readonly string[]> {
  return differences(recording, await play(source, recording))
}

/**
 * Plays a recording with an agent: once without stops, and then stopped before and after each write of that run.
 * Returns the differences.
 */
export async function playWithStops(source: AgentSource, recording: Recording): Promise<readonly string[]> {
  const { trial: calm, unasked } = await play(source, recording)
  const problems = [...differences(recording, { trial: calm, unasked })]
  const isAlone = recording.answers.every(({ calls = [] }) => calls.length < 2)
  for (const point of pointsUpTo(calm.writes[0] ?? 0)) {
    if (problems.length >= enough) break
    const { trial: stopped } = await play(source, recording, [point])
    // An interrupted call makes the run wait earlier, so the calls beside it may have other results.
    const isComparable = isAlone || stopped.interruptions === 0
    const found = compareTrials(calm, stopped).filter(({ kind }) => isComparable || kind === 'doubled')
    problems.push(
      ...found.map(({ kind, message }) => `Stopped ${point.side} write ${point.write}: ${kind}: ${message}`),
    )
  }
  return problems.slice(0, enough)
}

/** A trial, with the calls that had a recorded decision more than they asked for. */
interface Played {
  readonly trial: Trial
  readonly unasked: readonly string[]
}

async function play(source: AgentSource, recording: Recording, crashes: readonly CrashPoint[] = []): Promise<Played> {
  const places: Places = new Map()
  const trial = await runTrial(scenarioOf(source, recording, places), { order: [], effectAt: 'end' }, crashes, {
    storage: (clock) => {
      const store = memoryStore({ clock })
      return { reopen: async () => store, dispose: () => store.close() }
    },
  })
  const calls = new Set(recording.decisions.map(({ call }) => call))
  return { trial, unasked: [...calls].filter((callId) => decided(places, callId) < wantedBy(recording, callId)) }
}

/** Returns one trial of the recording. */
function scenarioOf(source: AgentSource, recording: Recording, places: Places): CrashScenario {
  return {
    name: recording.prompt,
    prompt: recording.prompt,
    build: (environment) => recordedOptions(source, recording, environment, places),
    play: async (run, _, result) => {
      if (await answerRecorded(run, result, recording, places)) return
      const calls = result.suspended.map(({ callId }) => callId).join(', ')
      throw new Error(`The run waits for ${calls}; no decision was recorded.`)
    },
  }
}

function differences({ ends }: Recording, { trial: { ending, problems }, unasked }: Played): readonly string[] {
  const found = problems.map(({ kind, message }) => `${kind}: ${message}`)
  found.push(...unasked.map((callId) => `Call "${callId}" was not asked about as often as recorded.`))
  const expected = plainEnd(ends)
  const actual = plainEnd(endOf(ending))
  if (isDeepStrictEqual(actual, expected)) return found
  return [...found, `The run ended as ${JSON.stringify(actual)}; recorded was ${JSON.stringify(expected)}.`]
}

function endOf(ending: unknown): RecordedEnd {
  if (!isRecord(ending)) throw new Error('The trial has no end.')
  const {
    doneReason: reason,
    code,
    calls,
  } = ending as unknown as {
    readonly doneReason: RecordedEnd['reason']
    readonly code?: string
    readonly calls: readonly (readonly [string, RecordedEnd['calls'][string]])[]
  }
  return { reason, ...(code === undefined ? {} : { code }), calls: Object.fromEntries(calls) }
}

function plainEnd({ calls, ...end }: RecordedEnd) {
  const own = Object.entries(calls).filter(([id]) => !id.startsWith('0.'))
  return { ...end, calls: Object.fromEntries(own.sort(([left], [right]) => left.localeCompare(right))) }
}
