import type { Limit } from '../../../machines/run/run.types.ts'
import { defined, type Json, type JsonObject } from '../domain/text/json.ts'
import { copyJson } from '../domain/text/json-copy.ts'
import { maxArgumentBytes } from '../domain/text/json-limits.ts'
import { checkedMetadata } from '../domain/metadata.ts'
import { checkedElsewhere, expecting, flag, number, type OptionShape, optional } from '../domain/text/option-shape.ts'
import { isFilledText } from '../domain/text/shape.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import { checkedLabels, type RunLabels } from './run-labels.ts'

/** The details of a run from its start; plugins and tools read them as `run`, and `result()` returns them. */
export interface StartDetails {
  /** Short texts by which the run can be found: at most 20 of 1,000 characters. `Run.labels()` reads them. */
  readonly labels?: RunLabels
  /**
   * The application's data about the run: a JSON object of at most 64,000 bytes. `run.started` has it, with the labels
   * among its fields.
   */
  readonly metadata?: JsonObject
  /** The subject of the run, such as a conversation: at most 1,000 characters. Default: the run's id. */
  readonly subject?: string
  /**
   * The user whom the run works for, a text of at most 1,000 characters: grants of scope `always` belong to this user.
   */
  readonly userId?: string
  /** Access rules for the application's own plugins and tools: any JSON of at most 1,000,000 bytes. */
  readonly accessControl?: Json
  /**
   * The maximum number of model calls of this run, instead of the agent's `limits.maxToolInteractions`: a whole number
   * of 1 or more.
   */
  readonly quota?: number
  /** The name of the party that delegated the work: at most 1,000 characters. */
  readonly delegatedBy?: string
  /**
   * The name of a group of parallel runs, for a recorder: a text of at most 1,000 characters. A continuing run does not
   * inherit it.
   */
  readonly parallelGroup?: string
  /** Puts the transcript into the output that leaves over a wire, as `history`. Default: the agent's `history`. */
  readonly history?: boolean
}

const mostCharacters = 1_000

/** The check of a short text that is not blank. */
export const shortText = expecting(
  `a text of 1 to ${mostCharacters} characters`,
  (value) => isFilledText(value) && value.length <= mostCharacters,
)

/** The checks of the details; values that must be copied are checked when they are copied. */
export const detailShape: OptionShape<StartDetails> = {
  labels: checkedElsewhere,
  metadata: checkedElsewhere,
  accessControl: checkedElsewhere,
  subject: optional(shortText),
  userId: optional(shortText),
  quota: optional(
    number('a whole number of model calls, 1 or more', (value) => Number.isSafeInteger(value) && value >= 1),
  ),
  delegatedBy: optional(shortText),
  parallelGroup: optional(shortText),
  history: optional(flag),
}

/** Returns the details in their stored form; throws a `UsageError` for an invalid one. */
export function storedDetails({
  labels,
  metadata,
  subject,
  userId,
  accessControl,
  quota,
  delegatedBy,
  parallelGroup,
  history,
}: StartDetails): JsonObject {
  return {
    ...(labels === undefined ? {} : { labels: checkedLabels(labels) }),
    ...(metadata === undefined ? {} : { metadata: checkedMetadata(metadata) }),
    ...defined({ subject, userId }),
    ...(accessControl === undefined ? {} : { accessControl: checkedAccess(accessControl) }),
    ...defined({ quota, delegatedBy, parallelGroup }),
    ...(history === true ? { history } : {}),
  }
}

/** Returns the details that an agent stores with each run. */
export function agentDetails(core: { readonly name: string; readonly agentId: string }): JsonObject {
  return core.agentId === core.name ? {} : { agentId: core.agentId }
}

function checkedAccess(given: unknown): Json {
  const copied = copyJson(given, { isStrict: true, mostBytes: maxArgumentBytes })
  if (copied.problem === undefined) return copied.value
  const wish = `Expected JSON of at most ${maxArgumentBytes} bytes.`
  throw new UsageError('bad_option', `The accessControl ${copied.problem}. ${wish}`)
}

/** Returns the limits of a run with a quota, which replaces the agent's limit on model calls. */
export function limitsWithQuota(limits: readonly Limit[], quota: number, action: Limit['action']): readonly Limit[] {
  const code = 'max_tool_interactions'
  const granted: Limit = { code, max: quota, action }
  if (!limits.some((limit) => limit.code === code)) return [...limits, granted]
  return limits.map((limit) => (limit.code === code ? granted : limit))
}
