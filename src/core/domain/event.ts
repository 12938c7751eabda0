import type { Json, JsonObject } from './text/json.ts'
import type { Message, ToolResultMessage, UserMessage } from './message.ts'
import type { Outcome, RunError } from './outcome.ts'
import type { RequestField } from './request-plan.ts'
import type { SuspendedCall } from './call.ts'
import type { RunConfiguration } from './run-configuration.ts'
import type { Continuation, TurnTrigger } from './run-origin.ts'
import type { Usage } from './usage.ts'

/** What every event of a run holds. */
export interface AgentEventHead {
  readonly runId: string
  /** Id of the conversation the run belongs to. Default: the run's id. */
  readonly subject: string
  /** Unix milliseconds. */
  readonly at: number
  /** The number of an event that follows a commit, from 1 without a gap; absent for work under way. */
  readonly seq?: number
}

/** A piece of an answer as it arrives. A slow reader gets several neighbouring pieces as one. */
export type MessageDelta =
  | { readonly type: 'text' | 'thinking'; readonly delta: string }
  | { readonly type: 'toolCall'; readonly delta: string; readonly id: string; readonly name: string }

/** What the compiler knows of a tool; a union for several tools. */
export interface ToolType<Name extends string = string, Input = unknown, Output = unknown> {
  readonly name: Name
  /** Arguments as a model gives them. */
  readonly input: Input
  /** What the tool's `output` schema makes of the returned value; unknown where the tool has no such schema. */
  readonly output: Output
}

/**
 * What a run tells whoever watches. Events with a number follow the commit that holds what they tell. The others
 * (`message.started` and `updated`, `output.updated`, `toolExecution`, `progress`, `commit.delayed`, `listener.failed`,
 * `memory.failed` of an add) tell of work under way, which a crash may lose or repeat.
 *
 * The order is: run.started, what the user said as message.ended, then each turn, then run.waiting or run.ended. A turn
 * tells turn.started, the answer, its executions, what became of its calls as call.suspended or call.settled, their
 * results as message.ended, and turn.ended. After a wait come run.resumed, the executions of the answered calls, what
 * became of these calls, their results, and then the next turn or run.waiting again. Events come in the order of the log.
 *
 * The names and schemas of an agent's `Tools` type the executions.
 */
export type AgentEvent<Tools extends ToolType = ToolType> =
  | (AgentEventHead & {
      readonly type: 'run.started'
      /** Name of the agent that started the run. */
      readonly agent: string
      /** The agent's id; absent where it is the name. */
      readonly agentId?: string
      readonly session?: string
      /** Id of the configuration that the session began the run with. */
      readonly configId?: string
      /** The run that let this one do a part of its work, or that this one goes on from. */
      readonly parentRunId?: string
      readonly continuation?: Continuation
      /** The checkpoint that a fork goes on from. */
      readonly forkedFrom?: { readonly runId: string; readonly version: number }
      /** The runs that were begun side by side with this one have the same. */
      readonly parallelGroup?: string
      /** What the run began with; absent in events that were stored before there was one. */
      readonly configuration?: RunConfiguration
      /** What the application keeps with the run, its labels among the fields. */
      readonly metadata: JsonObject
    })
  /** A waiting run goes on. */
  | (AgentEventHead & { readonly type: 'run.resumed' })
  /** The calls that wait are those of the result's `suspended`. */
  | (AgentEventHead & { readonly type: 'run.waiting'; readonly suspended: readonly SuspendedCall[] })
  | (AgentEventHead & {
      readonly type: 'run.ended'
      readonly outcome: Outcome
      /** The number of the models' answers in this run, as in the result. */
      readonly turns: number
      /** The number of tool calls in these answers, those that never ran included. */
      readonly toolCalls: number
      readonly usage: Usage
      /** US dollars. */
      readonly cost: number
      /** Why an input filter refused the prompt. */
      readonly rejection?: { readonly filter: string; readonly reason: string }
      /** What was said to the run and no model has heard. */
      readonly undelivered?: readonly UserMessage[]
    })
  | (AgentEventHead & {
      readonly type: 'turn.started'
      readonly turn: number
      readonly trigger: TurnTrigger
      /** The places of the user messages behind the answer before; absent if there are none. */
      readonly said?: readonly number[]
    })
  | (AgentEventHead & {
      readonly type: 'turn.ended'
      readonly turn: number
      /** The answer's place in `messages()`; absent if no answer came. */
      readonly place?: number
      /** The answer's usage. */
      readonly usage: Usage
      /** Of the prompt before, in tokens, the part that the prompt of this turn began with: 0 to 1. Absent where this process did not see both. */
      readonly prefixShare?: number
    })
  /** An attempt at an answer begins; a second attempt in the same turn replaces the first. Other messages only end. */
  | (AgentEventHead & { readonly type: 'message.started'; readonly turn: number; readonly role: 'assistant' })
  | (AgentEventHead & { readonly type: 'message.updated'; readonly turn: number; readonly delta: MessageDelta })
  /**
   * The output so far of the answer under way, an object or a list, where the agent has an output contract and no
   * builder of its own. A text in it has its letters so far; any other value is there once it is complete. Not checked.
   */
  | (AgentEventHead & { readonly type: 'output.updated'; readonly turn: number; readonly partial: Json })
  /**
   * A message is in the transcript, at the `place` it has in `messages()`. A late result has the place of its call.
   * `turn` is the turn under way; between turns the next one, of an answer or a result the last one.
   */
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
                /** The arguments the tool is called with: the latest edit, else those the model gave. */
                readonly arguments: Tools['input']
                /** 1 for the first performance of the call; counted as `ToolContext.attempt` is. */
                readonly attempt: number
              }
            | { readonly type: 'toolExecution.updated'; readonly partial: unknown }
            | {
                readonly type: 'toolExecution.ended'
                /**
                 * `cancelled`: the tool's signal has told the tool so, and a value that it may still return is
                 * discarded.
                 */
                readonly status: 'succeeded' | 'failed' | 'suspended' | 'cancelled'
                /** True where it failed or was cancelled. */
                readonly isError: boolean
                /** Absent where the call is suspended or cancelled. A plugin may still rewrite it. */
                readonly result?: ToolResultMessage
                /**
                 * What the tool's `output` schema made of the returned value; absent where there is no schema, or where
                 * the value did not fit.
                 */
                readonly output?: Tools['output']
                /** The run that did the work, where the tool had another one do it. */
                readonly childRunId?: string
                /** Present where a failed call is tried again: when, in Unix milliseconds, and what went wrong. */
                readonly retry?: { readonly at: number; readonly message: string }
              }
            | { readonly type: 'progress.reported'; readonly text: string }
          )
      : never)
  | (AgentEventHead & { readonly type: 'call.suspended'; readonly call: SuspendedCall })
  /** A call is over. Its result follows as `message.ended` when its round is published. */
  | (AgentEventHead & {
      readonly type: 'call.settled'
      readonly callId: string
      readonly toolName: string
      /** The place of the call's result in `messages()`. */
      readonly place: number
      readonly status: 'succeeded' | 'failed' | 'cancelled'
      /** The arguments of the latest edit; absent if nobody edited those of the answer. */
      readonly editedArguments?: Json
      /** The run that did the work, if the tool had another run do it. */
      readonly childRunId?: string
      /** The result of a hold, which is not in the transcript. */
      readonly result?: ToolResultMessage
    })
  /**
   * The prompt had outgrown its budget, and less of it is sent from this turn on; the transcript stays as it is. `tier`
   * says how far it was cut: 1 outputs of tools, 2 old turns, 3 the middle left out, 4 texts of what is kept; `strategy`
   * where a strategy of the application has made it. Tokens are those of the messages.
   */
  | (AgentEventHead & {
      readonly type: 'context.compacted'
      readonly turn: number
      readonly tokensBefore: number
      readonly tokensAfter: number
      readonly tier: 1 | 2 | 3 | 4 | 'strategy' | 'summary'
      /** Of tier `summary`: the model that was asked as `provider/model`, and what that took. */
      readonly summary?: { readonly model: string; readonly usage: Usage; readonly cost?: number }
      /** Why the prompt is still larger than it should be. */
      readonly problem?: string
    })
  /** A part of the compaction that the application gave could not be used, and ours takes its place. */
  | (AgentEventHead & {
      readonly type: 'context.partFailed'
      readonly turn: number
      readonly part: 'strategy' | 'countTokens' | 'summaries'
      readonly message: string
    })
  /** A prompt begins with less than half of the one before, although it was not compacted: a provider's cache finds little. Told once. */
  | (AgentEventHead & { readonly type: 'context.drifted'; readonly turn: number; readonly prefixShare: number })
  /**
   * The memory could not be asked, or could not take something in that it will be given again, or the run has neither a
   * user nor a session to remember for. The run goes on.
   */
  | (AgentEventHead & {
      readonly type: 'memory.failed'
      readonly part: 'query' | 'add' | 'user'
      readonly message: string
      /** Of an add: what names it. */
      readonly key?: string
    })
  /** The run's state document as a commit leaves it, after plugins or tools have changed it. */
  | (AgentEventHead & { readonly type: 'state.changed'; readonly state: Json })
  /** An input filter refused a message. A refused prompt ends the run; any other refused message is only dropped. */
  | (AgentEventHead & {
      readonly type: 'input.rejected'
      readonly kind: 'prompt' | 'steer' | 'followUp'
      /** Name of the filter. */
      readonly filter: string
      readonly reason: string
    })
  /** Hook `afterRun` failed. The run had ended before the hook was asked, and `run.ended` stays true. */
  | (AgentEventHead & { readonly type: 'hook.failed'; readonly hook: 'afterRun'; readonly error: RunError })
  /** Calls of lower priority were taken out of the answer. */
  | (AgentEventHead & { readonly type: 'calls.dropped'; readonly turn: number; readonly names: readonly string[] })
  /** A model's wire has no place for these options of a request. The driver tells this once a run, model and option. */
  | (AgentEventHead & {
      readonly type: 'options.ignored'
      readonly turn: number
      readonly provider: string
      readonly model: string
      /** Names of request options, e.g. `thinking`. */
      readonly options: readonly string[]
    })
  /** A model without a price used tokens, which count 0 for `maxCost`. The driver tells this once a run and model. */
  | (AgentEventHead & {
      readonly type: 'model.unpriced'
      readonly turn: number
      readonly provider: string
      readonly model: string
    })
  /**
   * The store is locked or full just now. The same commit is tried again until the lease would end. Told once a commit.
   */
  | (AgentEventHead & { readonly type: 'commit.delayed'; readonly message: string })
  /** A toolset has no tools for this run, or no newer ones, because it could not be opened or not be read again. */
  | (AgentEventHead & { readonly type: 'toolset.failed'; readonly toolset: string; readonly message: string })
  /** A toolset now offers a tool whose name is taken or refused, and the tool is left out. */
  | (AgentEventHead & {
      readonly type: 'tool.leftOut'
      readonly toolset: string
      readonly toolName: string
      readonly message: string
    })
  /** The permission policy or manager of the agent threw, was late, or answered what cannot be read. What it does not say is denied. */
  | (AgentEventHead & {
      readonly type: 'permission.failed'
      readonly part: 'policy' | 'manager'
      /** Of the policy: the tools that now need authorisation. Of the manager: those whose calls are denied. */
      readonly toolNames: readonly string[]
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
  /** One attempt at a model has failed. It is told before the wait for the next attempt. */
  | (AgentEventHead & {
      readonly type: 'model.failed'
      readonly turn: number
      /** What the provider said, and its class, e.g. `rate_limit`. */
      readonly error: RunError
      /**
       * Unix milliseconds of the next attempt; null where this model is not asked again, or is asked at once with new
       * credentials or a smaller prompt.
       */
      readonly retryAt: number | null
    })
  /** A listener has thrown, or its promise was rejected. The other listeners of the run are told, once a listener. */
  | (AgentEventHead & { readonly type: 'listener.failed'; readonly message: string })

/** An event before it is known whom it is about. */
export type AgentEventBody = AgentEvent extends infer Event
  ? Event extends AgentEvent
    ? Omit<Event, 'subject'>
    : never
  : never

/** An event that is stored with its run; `seq` is its number there. */
export type StoredEvent<Tools extends ToolType = ToolType> = AgentEvent<Tools> & { readonly seq: number }
