import type { Json } from './json.ts'
import type { AssistantMessage, Message, ToolResultMessage, UserMessage } from './message.ts'
import type { Outcome, RunError } from './outcome.ts'
import type { RequestField } from './request-plan.ts'
import type { CallRecord, SuspendedCall } from './call.ts'
import type { Continuation, TurnTrigger } from './run-origin.ts'
import type { Usage } from './usage.ts'

/** What every event of a run holds. */
export interface AgentEventHead {
  readonly runId: string
  /** Id of the conversation the run belongs to. Default: the run's id. */
  readonly subject: string
  /** Unix milliseconds. */
  readonly at: number
  /** Where the run's events are stored: the number of one that follows a commit, from 1 without a gap. */
  readonly seq?: number
}

/** A piece of an answer as it arrives; of a slow reader, several in a row that were put together. */
export type MessageDelta =
  | { readonly type: 'text' | 'thinking'; readonly delta: string }
  | { readonly type: 'toolCall'; readonly delta: string; readonly id: string; readonly name: string }

/** What is known of a tool when a program is compiled; of several tools, a union. */
export interface ToolType<Name extends string = string, Input = unknown, Output = unknown> {
  readonly name: Name
  /** Arguments as a model gives them. */
  readonly input: Input
  /** What the tool's `output` schema makes of what it returns; unknown where it has none. */
  readonly output: Output
}

/**
 * What a run tells whoever watches. Lifecycle events (`run`, `turn`, `message.ended`, `call`) follow the commit that
 * holds what they tell; the others (`message.started` and `updated` of an answer, `output.updated`, `toolExecution`, `progress`, `model`,
 * `options`, `tool`, `toolset`, `listener`) tell of work under way, which a crash may lose or repeat. In order:
 * run.started, then per turn turn.started, in the first one what the user said, the answer, its executions, what became of
 * its calls as call.suspended or call.settled, their results as message.ended, turn.ended; then run.waiting or run.ended.
 * After a wait: run.resumed, the executions of what was answered, what became of those calls, their results, then the next
 * turn or run.waiting again. `Tools` types the executions by the names and schemas of an agent's tools.
 */
export type AgentEvent<Tools extends ToolType = ToolType> =
  | (AgentEventHead & {
      readonly type: 'run.started'
      /** Name of the agent that started the run. */
      readonly agent: string
      readonly session?: string
      /** The run that had this one do a part of its work, or that this one goes on from. */
      readonly parentRunId?: string
      readonly continuation?: Continuation
      /** The run's labels. */
      readonly metadata: { readonly [name: string]: string }
    })
  /** A waiting run goes on. */
  | (AgentEventHead & { readonly type: 'run.resumed' })
  /** The calls that wait are those of the result's `suspended`. */
  | (AgentEventHead & { readonly type: 'run.waiting'; readonly suspended: readonly SuspendedCall[] })
  | (AgentEventHead & {
      readonly type: 'run.ended'
      readonly outcome: Outcome
      /** The places its own messages have in `messages()`. */
      readonly messages: readonly number[]
      readonly usage: Usage
      /** US dollars. */
      readonly cost: number
      /** Why an input filter refused the prompt. */
      readonly rejection?: { readonly filter: string; readonly reason: string }
      /** What was said to the run and no model has heard. */
      readonly undelivered?: readonly UserMessage[]
    })
  | (AgentEventHead & { readonly type: 'turn.started'; readonly turn: number; readonly trigger: TurnTrigger })
  | (AgentEventHead & {
      readonly type: 'turn.ended'
      readonly turn: number
      /** The answer and its place in `messages()`; absent where none came. */
      readonly message?: AssistantMessage
      readonly place?: number
      /** Those its calls have by now, in the order of the calls. */
      readonly toolResults: readonly ToolResultMessage[]
      /** Of the answer. */
      readonly usage: Usage
    })
  /**
   * An attempt at an answer begins; a second one for the same turn replaces the first. Of any other message, which comes
   * whole, `message` is what `message.ended` tells right behind it. `turn` is the one under way or the last one, 0 before
   * the first.
   */
  | (AgentEventHead & {
      readonly type: 'message.started'
      readonly turn: number
      readonly role: Message['role']
      readonly message?: Message
    })
  | (AgentEventHead & { readonly type: 'message.updated'; readonly turn: number; readonly delta: MessageDelta })
  /**
   * What the answer under way, an object or a list, has of its output by now, where the agent has an output contract and
   * no builder of its own: a text has its letters so far, anything else is there once it is complete. Not checked.
   */
  | (AgentEventHead & { readonly type: 'output.updated'; readonly turn: number; readonly partial: Json })
  /** A message is in the transcript, at the `place` it has in `messages()`: a late result in that of its call. */
  | (AgentEventHead & {
      readonly type: 'message.ended'
      readonly turn: number
      readonly place: number
      readonly message: Message
    })
  | (Tools extends ToolType
      ? AgentEventHead & {
          readonly callId: string
          readonly toolName: Tools['name']
        } & (
            | {
                readonly type: 'toolExecution.started'
                /** What the tool is called with: the latest edit, else what the model gave. */
                readonly arguments: Tools['input']
                /** 1 for the first performance of the call. */
                readonly attempt: number
              }
            | { readonly type: 'toolExecution.updated'; readonly partial: unknown }
            | {
                readonly type: 'toolExecution.ended'
                /** `cancelled`: the tool was told so by its signal, and what it may still return is discarded. */
                readonly status: 'succeeded' | 'failed' | 'suspended' | 'cancelled'
                /** True where it failed or was cancelled. */
                readonly isError: boolean
                /** Absent where it is suspended or cancelled; a plugin may still rewrite it. */
                readonly result?: ToolResultMessage
                /** What the tool's `output` schema made of what it returned; absent where it has none, and where it did not fit. */
                readonly output?: Tools['output']
                /** The run that did the work, where the tool had another one do it. */
                readonly childRunId?: string
                /** Of a failed one that is tried again: when, in Unix milliseconds, and what went wrong. */
                readonly retry?: { readonly at: number; readonly message: string }
              }
            | { readonly type: 'progress.reported'; readonly text: string }
          )
      : never)
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
  /** A listener has thrown, or its promise was rejected. Told to the others of the run, once a listener. */
  | (AgentEventHead & { readonly type: 'listener.failed'; readonly message: string })

/** An event before it is known whom it is about. */
export type AgentEventBody = AgentEvent extends infer Event
  ? Event extends AgentEvent
    ? Omit<Event, 'subject'>
    : never
  : never

/** An event that is stored with its run; `seq` is its number there. */
export type StoredEvent<Tools extends ToolType = ToolType> = AgentEvent<Tools> & { readonly seq: number }
