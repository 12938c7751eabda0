import { UsageError } from '../../core/domain/text/usage-error.ts'
import type { Store } from '../../core/ports/store.ts'
import { agentFrom, type AgentSource } from '../paths/agent-under-test.ts'
import { checkGiven } from './check-given.ts'
import { playOnce } from './play-recording.ts'
import { readRun } from './read-recording.ts'
import type { Recording } from './recording.ts'
import { redact } from './redact.ts'

/** Options of `recordRun`. */
export interface RecordRunOptions {
  /** The fields whose values may stay; see `recordRun`. Default: none. */
  readonly allow?: readonly string[]
}

/** A run for a test, with the fields whose values are hidden in it. */
export interface RunRecording {
  readonly recording: Recording
  readonly hidden: readonly string[]
}

/**
 * Reads a run that has ended as a recording for `testRecording`. Every text, number and undeclared key is replaced by a
 * placeholder, unless `allow` names its field: `prompt`, `answers`, `said`, `decisions`, `results.<tool>`, or a tool's
 * name and the path of its argument, such as `send.to`. Equal values have equal placeholders.
 *
 * The recording is played with the agent before it is returned. Rejects with a `UsageError`: `run_busy` for a run that
 * has not ended; `bad_option` if the run cannot be played, if this agent ends it otherwise, or if a rule, a schema or a
 * plugin reads a hidden value, in which case the message names the field.
 */
export async function recordRun(
  source: AgentSource,
  store: Store,
  runId: string,
  { allow = [] }: RecordRunOptions = {},
): Promise<RunRecording> {
  checkGiven('recordRun', source, store)
  const run = `Run ${JSON.stringify(runId)}`
  const { recording: whole } = await readRun(store, runId)
  if (whole.ends.reason === 'suspended') throw new UsageError('run_busy', `${run} waits. Record it once it is done.`)
  const [problem] = await playOnce(source, whole)
  if (problem !== undefined) throw new UsageError('bad_option', `${run} ends otherwise with this agent. ${problem}`)
  const { tools } = agentFrom(source)
  const found = redact(whole, tools, allow)
  const [broken] = await playOnce(source, found.recording)
  if (broken === undefined) return found
  const fields = []
  for (const field of found.hidden) {
    const { recording } = redact(whole, tools, [...allow, field])
    if ((await playOnce(source, recording)).length === 0) fields.push(field)
  }
  const wish =
    fields.length === 0
      ? `Several hidden fields decide how the run ends: ${found.hidden.join(', ')}. Allow those that may be shown.`
      : `The agent reads the hidden value of ${fields.join(' or ')}. Allow it if it may be shown.`
  throw new UsageError('bad_option', `${run} ends otherwise without its values. ${wish} ${broken}`)
}
