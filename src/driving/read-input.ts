import { isRecord, type Json } from '../domain/json.ts'
import { SnapshotError } from '../domain/snapshot-error.ts'
import type { LimitAction, LimitCode, RunInput, RunOptions } from '../../machines/run/run.types.ts'
import { runOptionsOf } from './run-options.ts'

type Check = (value: unknown) => boolean
type Checks<T> = { readonly [name in keyof T]-?: Check }

const isCount: Check = (value) => Number.isFinite(value) && (value as number) >= 0
const isBoolean: Check = (value) => typeof value === 'boolean'
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)

const codes: readonly LimitCode[] = ['max_turns', 'max_tokens', 'max_duration', 'max_tool_interactions', 'max_cost']
const actions: readonly LimitAction[] = ['stop', 'error', 'finish']

const isLimit: Check = (value) =>
  isRecord(value) && oneOf(...codes)(value['code']) && isCount(value['max']) && oneOf(...actions)(value['action'])

const isExecutor: Check = (value) =>
  isRecord(value) &&
  (value['batchSize'] === null || isCount(value['batchSize'])) &&
  isBoolean(value['stopsOnSuspension'])

const isMode = oneOf('one', 'all')

const checks: Checks<RunOptions> = {
  executor: isExecutor,
  onPartialSuspension: oneOf('continue', 'wait'),
  decisions: oneOf('immediate', 'gate'),
  limits: listOf(isLimit),
  repeatLimit: isCount,
  stopsOnRepeat: isBoolean,
  maxRetries: isCount,
  fallbacks: isCount,
  queueModes: (value) => isRecord(value) && isMode(value['steer']) && isMode(value['followUp']),
  onModelFailure: oneOf('end', 'wait'),
  outputRetries: isCount,
  watched: listOf((value) => typeof value === 'string'),
}

const defaults = runOptionsOf({})

/** Options that were found readable and are frozen: an agent has one object of them for all of its runs. */
const readable = new WeakSet<object>()

/**
 * The input a run was stored with. An option that came into being since has its default, as it would have had where
 * nobody gave it; one that is of another type, or that this version does not know, is refused: the run stays as it is.
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
