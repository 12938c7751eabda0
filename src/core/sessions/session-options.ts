import {
  checkedElsewhere,
  checkOptions,
  flag,
  number,
  oneOf,
  type OptionCheck,
  optional,
  options,
  type OptionShape,
  signal,
  text,
} from '../domain/text/option-shape.ts'
import { detailShape, shortText } from '../driving/start-details.ts'
import type { DeleteSessionOptions } from '../driving/find-sessions.ts'
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

const runShape: OptionShape<SessionRunOptions> = {
  ...detailShape,
  drive: optional(flag),
  signal: optional(signal),
  configId: checkedElsewhere,
}

const count = number('a whole number of 0 or more', (value) => Number.isSafeInteger(value) && value >= 0)
const place = options<CheckpointPlace>({ runId: text, version: count })

const sessionShape: OptionShape<SessionOptions> = {
  subject: optional(shortText),
  labels: checkedElsewhere,
  metadata: checkedElsewhere,
}
const promptShape: OptionShape<SessionPromptOptions> = { ...runShape, after: optional(text) }
const rerunShape: OptionShape<RerunOptions> = { ...runShape, from: optional(place), tag: optional(shortText) }
const branchShape: OptionShape<BranchOptions> = { ...rerunShape, prompt: checkedElsewhere }
const { configId: _, quota: __, ...groupShape } = runShape
const parallelShape: OptionShape<ParallelOptions> = {
  ...groupShape,
  prompt: checkedElsewhere,
  strategy: checkedElsewhere,
  ifExists: optional(oneOf('refuse', 'attach')),
}
const messagesShape: OptionShape<MessagesOptions> = { before: optional(count), limit: optional(count) }
const restoreShape: OptionShape<RestoreOptions> = { format: optional(oneOf(...transcriptFormats)) }
const deleteShape: OptionShape<DeleteSessionOptions> = {
  whereRead: optional(oneOf('refuse', 'keep')),
}

type SessionMethod = 'prompt' | 'continue' | 'rerun' | 'branch' | 'messages' | 'restore' | 'delete' | 'parallel'

const shapes: Readonly<Record<'agent.session' | `session.${SessionMethod}`, Readonly<Record<string, OptionCheck>>>> = {
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

/** Throws a `UsageError` if a method of a session is given options that mean nothing. */
export function checkSessionOptions(owner: keyof typeof shapes, given: unknown): void {
  checkOptions(owner, given, shapes[owner])
}

/** The same for the milliseconds after which a session is idle. */
export function checkIdleTime(ms: unknown): void {
  const expected = number('a finite number of milliseconds, 0 or more', (value) => Number.isFinite(value) && value >= 0)
  expected(ms, { field: 'ms', owner: 'session.rotateIfIdle' })
}
