import * as is from '../domain/text/option-shape.ts'
import { detailShape, shortText } from '../driving/start-details.ts'
import type { DeleteSessionOptions } from '../driving/delete-families.ts'
import { transcriptFormats } from '../transcripts/transcript-format.ts'
import type {
  BranchOptions,
  CheckpointPlace,
  MessagesOptions,
  ParallelOptions,
  RerunOptions,
  RestoreOptions,
  SessionOptions,
  SessionPromptOptions,
  SessionRunOptions,
} from './session.ts'

const runShape: is.OptionShape<SessionRunOptions> = {
  ...detailShape,
  drive: is.optional(is.flag),
  signal: is.optional(is.signal),
  configId: is.checkedElsewhere,
}

const count = is.wholeFrom(0)
const place = is.options<CheckpointPlace>({ runId: is.text, version: count })

const sessionShape: is.OptionShape<SessionOptions> = {
  subject: is.optional(shortText),
  labels: is.checkedElsewhere,
  metadata: is.checkedElsewhere,
}
const promptShape: is.OptionShape<SessionPromptOptions> = { ...runShape, after: is.optional(is.text) }
const rerunShape: is.OptionShape<RerunOptions> = { ...runShape, from: is.optional(place), tag: is.optional(shortText) }
const branchShape: is.OptionShape<BranchOptions> = { ...rerunShape, prompt: is.checkedElsewhere }
const { configId: _, quota: __, ...groupShape } = runShape
const parallelShape: is.OptionShape<ParallelOptions> = {
  ...groupShape,
  prompt: is.checkedElsewhere,
  strategy: is.checkedElsewhere,
  ifExists: is.optional(is.oneOf('refuse', 'attach')),
}
const messagesShape: is.OptionShape<MessagesOptions> = { before: is.optional(count), limit: is.optional(count) }
const restoreShape: is.OptionShape<RestoreOptions> = { format: is.optional(is.oneOf(...transcriptFormats)) }
const deleteShape: is.OptionShape<DeleteSessionOptions> = {
  whereRead: is.optional(is.oneOf('refuse', 'keep')),
  cancel: is.optional(is.flag),
}

type SessionMethod = 'prompt' | 'continue' | 'rerun' | 'branch' | 'messages' | 'restore' | 'delete' | 'parallel'

const shapes: Readonly<Record<'agent.session' | `session.${SessionMethod}`, Readonly<Record<string, is.OptionCheck>>>> =
  {
    'agent.session': sessionShape,
    'session.prompt': promptShape,
    'session.continue': runShape,
    'session.rerun': rerunShape,
    'session.branch': branchShape,
    'session.messages': messagesShape,
    'session.restore': restoreShape,
    'session.delete': deleteShape,
    'session.parallel': parallelShape,
  }

/** Throws a `UsageError` for invalid options of a session's method. */
export function checkSessionOptions(owner: keyof typeof shapes, given: unknown): void {
  is.checkOptions(owner, given, shapes[owner])
}

/** Throws a `UsageError` for an invalid number of milliseconds after which a session is idle. */
export function checkIdleTime(ms: unknown): void {
  is.amount(ms, { field: 'ms', owner: 'session.rotateIfIdle' })
}
