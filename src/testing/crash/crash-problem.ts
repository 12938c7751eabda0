/**
 * What went wrong: an effect, an answer or a message was `lost`, a `once` tool acted or a message was heard twice (`doubled`), `transcript` or `outcome`
 * differ from the run without a crash, a `prompt` is not whole, a tool ran without its `intent` on record, the run is
 * `stuck`, a refused prompt is `kept`, or the `original` of a fork, or of a run that goes on, was changed.
 */
export type CrashProblemKind =
  | 'lost'
  | 'doubled'
  | 'transcript'
  | 'outcome'
  | 'prompt'
  | 'intent'
  | 'stuck'
  | 'kept'
  | 'original'

/** Something that may not be. */
export interface CrashProblem {
  readonly kind: CrashProblemKind
  readonly message: string
}
