/**
 * The kind of a problem. `lost`: an effect, an answer or a message was lost. `doubled`: a `once` tool acted twice or a
 * message was delivered twice. `transcript`, `outcome`: the result differs from the run without a crash. `prompt`: a
 * prompt is incomplete. `intent`: a tool ran without a committed intent. `stuck`: the run does not end. `kept`: a
 * rejected prompt is still stored. `original`: the run that was forked or continued has changed.
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

/** A violation found in a trial. */
export interface CrashProblem {
  readonly kind: CrashProblemKind
  readonly message: string
}
