import type { Json } from './json.ts'
import type { Message } from './message.ts'
import type { Outcome, RunError } from './outcome.ts'
import type { RequestField } from './request-plan.ts'
import type { CallRecord, SuspendedCall } from './call.ts'
import type { Usage } from './usage.ts'

/** What every event of a run holds. */
export interface AgentEventHead {
  readonly runId: string
  /** Unix milliseconds. */
  readonly at: number
}

/** A piece of an answer as it arrives. */
export type MessageDelta =
  | { readonly type: 'text' | 'thinking'; readonly delta: string }
  | { readonly type: 'toolCall'; readonly delta: string; readonly id: string; readonly name: string }

/**
 * What a run tells whoever watches. Lifecycle events (`run`, `turn`, `message.ended`, `call`) follow the commit that
 * holds what they tell; the others (`message.started` and `updated`, `toolExecution`, `progress`, `model`, `options`, `tool`, `toolset`) tell of work
 * under way, which a crash may lose or repeat. In order: run.started, then per turn turn.started, the answer, its
 * executions, what became of its calls as call.suspended or call.settled, their results as message.ended, turn.ended; then
 * run.waiting or run.ended. After a wait: run.resumed, the executions of what was answered, what became of those calls,
 * their results, then the next turn or run.waiting again.
 */
export type AgentEvent =
  | (AgentEventHead & { readonly type: 'run.started' })
  /** A waiting run goes on. */
  | (AgentEventHead & { readonly type: 'run.resumed' })
  /** The calls that wait are those of the result's `suspended`. */
  | (AgentEventHead & { readonly type: 'run.waiting'; readonly suspended: readonly SuspendedCall[] })
  | (AgentEventHead & { readonly type: 'run.ended'; readonly outcome: Outcome; readonly usage: Usage })
  | (AgentEventHead & { readonly type: 'turn.started'; readonly turn: number })
  | (AgentEventHead & { readonly type: 'turn.ended'; readonly turn: number })
  /** An attempt at an answer begins; a second one for the same turn replaces the first. */
  | (AgentEventHead & { readonly type: 'message.started'; readonly turn: number })
  | (AgentEventHead & { readonly type: 'message.updated'; readonly turn: number; readonly delta: MessageDelta })
  /** A message is in the transcript, at the `place` it has in `messages()`: a late result in that of its call. */
  | (AgentEventHead & { readonly type: 'message.ended'; readonly place: number; readonly message: Message })
  | (AgentEventHead & {
      readonly type: 'toolExecution.started'
      readonly callId: string
      readonly toolName: string
      /** 1 for the first performance of the call. */
      readonly attempt: number
    })
  | (AgentEventHead & {
      readonly type: 'toolExecution.updated'
      readonly callId: string
      readonly toolName: string
      readonly partial: unknown
    })
  | (AgentEventHead & {
      readonly type: 'toolExecution.ended'
      readonly callId: string
      readonly toolName: string
      readonly status: 'succeeded' | 'failed' | 'suspended'
      /** Of a failed one that is tried again: when, in Unix milliseconds, and what went wrong. */
      readonly retry?: { readonly at: number; readonly message: string }
    })
  | (AgentEventHead & {
      readonly type: 'progress.reported'
      readonly callId: string
      readonly toolName: string
      readonly text: string
    })
  | (AgentEventHead & { readonly type: 'call.suspended'; readonly call: SuspendedCall })
  | (AgentEventHead & { readonly type: 'call.settled'; readonly call: CallRecord })
  /** The run's state document as a commit leaves it, after plugins or tools have changed it. */
  | (AgentEventHead & { readonly type: 'state.changed'; readonly state: Json })
  /** An input filter refused a prompt, which ends the run, or something queued, which is dropped alone. */
  | (AgentEventHead & {
      readonly type: 'input.rejected'
      readonly kind: 'prompt' | 'steer' | 'followUp'
      /** Name of the filter. */
      readonly filter: string
      readonly reason: string
    })
  /** Calls of lower priority were taken out of the answer. */
  | (AgentEventHead & { readonly type: 'calls.dropped'; readonly turn: number; readonly names: readonly string[] })
  /** A model's wire has no place for these options of a request; told once a run, model and option by whoever drives it. */
  | (AgentEventHead & {
      readonly type: 'options.ignored'
      readonly turn: number
      readonly provider: string
      readonly model: string
      /** Names of request options, e.g. `thinking`. */
      readonly options: readonly string[]
    })
  /** Tokens were used that count 0 for `maxCost`: this model has no price. Told once a run and model by whoever drives it. */
  | (AgentEventHead & {
      readonly type: 'model.unpriced'
      readonly turn: number
      readonly provider: string
      readonly model: string
    })
  /** The store is locked or full just now; the same commit is tried again until the lease would end. Once a commit. */
  | (AgentEventHead & { readonly type: 'commit.delayed'; readonly message: string })
  /** A toolset has no tools for this run, or none newer than it had: it could not be opened, or not be read again. */
  | (AgentEventHead & { readonly type: 'toolset.failed'; readonly toolset: string; readonly message: string })
  /** A tool that a toolset has come to offer is left out: its name is taken or refused. */
  | (AgentEventHead & {
      readonly type: 'tool.leftOut'
      readonly toolset: string
      readonly toolName: string
      readonly message: string
    })
  /** A kept decision did not fit the suspension it came to answer. */
  | (AgentEventHead & { readonly type: 'decision.dropped'; readonly callId: string; readonly message: string })
  /** Two plugins asked for the same; the first keeps it. */
  | (AgentEventHead & {
      readonly type: 'plugin.conflict'
      /** Where it is about a call. */
      readonly callId?: string
      /** Where it is about a model call. */
      readonly field?: RequestField
      readonly kept: string
      readonly ignored: string
    })
  /** One attempt at a model has failed; told at once, as a wait before the next one may be long. */
  | (AgentEventHead & {
      readonly type: 'model.failed'
      readonly turn: number
      /** What the provider said, and its class, e.g. `rate_limit`. */
      readonly error: RunError
      /** Unix milliseconds of the next attempt; null where this model is not asked again, or at once with new credentials. */
      readonly retryAt: number | null
    })
