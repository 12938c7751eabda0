import { isRecord, type Json } from '../domain/text/json.ts'
import { type Fits, isAmount, isBoolean, isListOf, isOneOf, isShaped, isTexts } from '../domain/text/shape.ts'
import { SnapshotError } from '../domain/snapshot-error.ts'
import type { Limit, LimitAction, LimitCode, RunInput, RunOptions } from '../../../machines/run/run.types.ts'
import { runOptionsOf } from './run-options.ts'

const isMode = isOneOf('one', 'all')

const checks: { readonly [Name in keyof RunOptions]-?: Fits } = {
  executor: isShaped<RunOptions['executor']>({
    batchSize: (value) => value === null || isAmount(value),
    stopsOnSuspension: isBoolean,
  }),
  onPartialSuspension: isOneOf('continue', 'wait'),
  decisions: isOneOf('immediate', 'gate'),
  limits: isListOf(
    isShaped<Limit>({
      code: isOneOf<LimitCode>('max_turns', 'max_tokens', 'max_duration', 'max_tool_interactions', 'max_cost'),
      max: isAmount,
      action: isOneOf<LimitAction>('stop', 'error', 'finish', 'ask'),
    }),
  ),
  repeatLimit: isAmount,
  stopsOnRepeat: isBoolean,
  maxRetries: isAmount,
  fallbacks: isAmount,
  queueModes: isShaped<RunOptions['queueModes']>({ steer: isMode, followUp: isMode }),
  onModelFailure: isOneOf('end', 'wait'),
  outputRetries: isAmount,
  watched: isTexts,
}

const defaults = runOptionsOf({})

/** Checked and frozen options: an agent has one object of them for all runs. */
const readable = new WeakSet<object>()

/**
 * Returns the input of a stored run. A newer option has its default, as if nobody had set it. An option of another
 * type, or one that this version does not know, is an error; then the run is not changed.
 */
export function readInput(runId: string, stored: Json): RunInput {
  if (!isRecord(stored)) throw new SnapshotError(runId, 'its input is not one of statewright')
  const { options = {}, messages = [], value } = stored
  if (!isRecord(options)) throw new SnapshotError(runId, 'its input holds no options')
  if (!Array.isArray(messages)) throw new SnapshotError(runId, 'its input holds no list of messages')
  if (!readable.has(options)) checkStored(runId, options)
  return { messages, options: { ...defaults, ...options }, ...(value === undefined ? {} : { value }) }
}

function checkStored(runId: string, options: Readonly<Record<string, unknown>>): void {
  for (const [name, given] of Object.entries(options)) {
    const check = Object.hasOwn(checks, name) ? checks[name as keyof RunOptions] : undefined
    if (check === undefined) {
      const wish = 'drive it with the version that wrote it'
      throw new SnapshotError(runId, `its option "${name}" is not known to this version; ${wish}`)
    }
    if (!check(given)) throw new SnapshotError(runId, `its option "${name}" is not readable: ${JSON.stringify(given)}`)
  }
  if (Object.isFrozen(options)) readable.add(options)
}
