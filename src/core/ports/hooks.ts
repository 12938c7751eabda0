import type { Json } from '../domain/text/json.ts'
import type { Message } from '../domain/message.ts'
import type { RunError } from '../domain/outcome.ts'
import type { Usage } from '../domain/usage.ts'

/** What a hook that asks may answer. `false` stops what comes after the hook; nothing and `true` let it go on. */
export type HookAnswer = boolean | void | Promise<boolean | void>

/**
 * Functions of the application around the loop, the turns and the tools of a run (requirement PH-02). The order is:
 * phase of the plugins, then hook, then event. `before…` runs before the event, `after…` runs after it. What a hook
 * gets of the run is frozen. A hook that throws, takes longer than `hookTimeoutMs`, or answers what is neither a
 * boolean nor nothing ends the run with an error that names the hook. A hook whose commit had not happened runs again
 * after a crash.
 *
 * @example
 * const hooks: Hooks = {
 *   beforeTurn: (messages, turn) => turn <= 20,
 *   beforeTool: (toolName) => toolName !== 'delete',
 *   onError: (error) => console.error(error.message),
 * }
 */
export interface Hooks {
  /**
   * Once a run, before `run.started`. `index` counts the runs of its session before it. It is 0, because each run has a
   * session of its own. False: nothing runs, and the run is done `stopped(before_loop)`.
   */
  beforeRun?(messages: readonly Message[], index: number): HookAnswer
  /** Once a run, after `run.ended`; `usage` is that of the whole run. */
  afterRun?(messages: readonly Message[], usage: Usage): void | Promise<void>
  /** Before `turn.started`; `turn` counts from 1. False: no turn, and the run is done `stopped(before_turn)`. */
  beforeTurn?(messages: readonly Message[], turn: number): HookAnswer
  /** After `turn.ended`; `usage` is that of the turn's model call. */
  afterTurn?(messages: readonly Message[], usage: Usage): void | Promise<void>
  /**
   * Before a call executes that the gate allows, also in a replay. False: the tool does not run, and the call has
   * failed with `Tool execution skipped by the beforeToolExecution hook.` `args` is a copy.
   */
  beforeTool?(toolName: string, callId: string, args: Json): HookAnswer
  /** After a call that executed, once its result stands; also after a suspended one, which is no error. */
  afterTool?(toolName: string, callId: string, isError: boolean): void | Promise<void>
  /** Before a partial result is told; `text` is the partial result, as JSON where it is no text. False: it is not told. */
  beforeUpdate?(toolName: string, callId: string, text: string): HookAnswer
  /** After a partial result was told. */
  afterUpdate?(toolName: string, callId: string, text: string): void | Promise<void>
  /** Once, where the run ends in an error (requirement PH-04). */
  onError?(error: RunError): void | Promise<void>
}
