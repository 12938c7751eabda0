import type { BranchesNews } from './branches-news.ts'
import type { CompactedPrompt } from './compacted-prompt.ts'
import type { DecisionAction, DecisionScope } from './decision.ts'
import type { Json, JsonObject } from './text/json.ts'
import type { Message, ToolResultMessage, UserMessage } from './message.ts'
import type { Outcome, RunError } from './outcome.ts'
import type { RequestField } from './request-plan.ts'
import type { SuspendedCall } from './call.ts'
import type { RunConfiguration } from './run-configuration.ts'
import type { Continuation, TurnTrigger } from './continuation.ts'
import type { Usage } from './usage.ts'

/** The fields of every event of a run. */
export interface AgentEventHead {
  readonly runId: string
  /** The id of the run's conversation. Default: the run's id. */
  readonly subject: string
  /** Unix milliseconds. */
  readonly at: number
  /** The number of the log entry that the event is derived from. Numbers rise and have gaps. Absent for work under way. */
  readonly seq?: number
}

/** A piece of an arriving answer. For a slow reader, adjacent pieces are merged. */
export type MessageDelta =
  | { readonly type: 'text' | 'thinking'; readonly delta: string }
  | { readonly type: 'toolCall'; readonly delta: string; readonly id: string; readonly name: string }

/** The compile-time type of a tool; a union for several tools. */
export interface ToolType<Name extends string = string, Input = unknown, Output = unknown> {
  readonly name: Name
  /** The arguments as the model gives them. */
  readonly input: Input
  /** The value that the tool's `output` schema returns; unknown without such a schema. */
  readonly output: Output
}

/**
 * The events of a run. Events with a number follow the commit that contains their content. A crash may lose or repeat others.
 *
 * The order is: run.started, the user's messages as message.ended, then each turn, then run.waiting or run.ended. A
 * turn emits turn.started, the answer, its executions, call.suspended or call.settled for its calls, their results as
 * message.ended, and turn.ended. After a wait it emits run.resumed, the executions of the answered calls,
 * call.suspended or call.settled for these calls, their results, and then the next turn or run.waiting again. Events
 * are in the order of the log.
 *
 * The names and schemas of an agent's `Tools` determine the types of the executions.
 */
export type AgentEvent<Tools extends ToolType = ToolType> =
  /** The run has begun. Emitted once. */
  | (AgentEventHead & {
      readonly type: 'run.started'
      /** The name of the agent that started the run. */
      readonly agent: string
      /** The agent's id; absent if it equals the name. */
      readonly agentId?: string
      readonly session?: string
      /** The id of the configuration with which the session began the run. */
      readonly configId?: string
      /** The run that delegated a part of its work to this one, or that this one continues. */
      readonly parentRunId?: string
      readonly continuation?: Continuation
      /** The checkpoint that a fork continues from. */
      readonly forkedFrom?: { readonly runId: string; readonly version: number }
      /** The id that runs started in parallel share. */
      readonly parallelGroup?: string
      /** The run's configuration at its start; absent if there is no description. */
      readonly configuration?: RunConfiguration
      /** The application's data about the run, including its labels. */
      readonly metadata: JsonObject
    })
  /** A waiting run continues. */
  | (AgentEventHead & { readonly type: 'run.resumed' })
  /** The run does not go on before a decision. The waiting calls are those of the result's `suspended`. */
  | (AgentEventHead & { readonly type: 'run.waiting'; readonly suspended: readonly SuspendedCall[] })
  /** The run has ended. Emitted once. */
  | (AgentEventHead & {
      readonly type: 'run.ended'
      readonly outcome: Outcome
      /** The number of model answers in this run, as in the result. */
      readonly turns: number
      /** The number of tool calls in these answers, including calls that never ran. */
      readonly toolCalls: number
      readonly usage: Usage
      /** US dollars. */
      readonly cost: number
      /** The reason for which an input filter rejected the prompt. */
      readonly rejection?: { readonly filter: string; readonly reason: string }
      /** Messages to the run that no model has read. */
      readonly undelivered?: readonly UserMessage[]
    })
  /** The model is about to be asked. Turns are counted from 1. */
  | (AgentEventHead & {
      readonly type: 'turn.started'
      readonly turn: number
      readonly trigger: TurnTrigger
      /** The places of the user messages since the last answer; absent without any. */
      readonly said?: readonly number[]
    })
  /** The answer and the results of its calls are committed. Also emitted if the run ends in this turn. */
  | (AgentEventHead & {
      readonly type: 'turn.ended'
      readonly turn: number
      /** The answer's place in `messages()`; absent without an answer. */
      readonly place?: number
      /** The answer's usage. */
      readonly usage: Usage
      /** The share of the previous prompt, in tokens, with which this one begins; absent if one was not seen here. */
      readonly prefixShare?: number
    })
  /** An attempt at an answer begins; a second one in the same turn replaces the first. Only answers have this event. */
  | (AgentEventHead & { readonly type: 'message.started'; readonly turn: number; readonly role: 'assistant' })
  /** A piece of the answer has arrived. */
  | (AgentEventHead & { readonly type: 'message.updated'; readonly turn: number; readonly delta: MessageDelta })
  /**
   * The partial output of the current answer, an object or a list, if the agent has an output contract without a custom
   * builder. Texts in it may be incomplete; other values appear when they are complete. Not checked.
   */
  | (AgentEventHead & { readonly type: 'output.updated'; readonly turn: number; readonly partial: Json })
  /**
   * A message was added to the transcript, at its `place` in `messages()`. A late result has the place of its call.
   * `turn` is the current turn; between turns it is the next one, or for an answer or a result the last one.
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
        } &
          /** A tool starts to work; again after a retry. */
          (
            | {
                readonly type: 'toolExecution.started'
                /** The arguments of the tool's call: the latest edit, or else the model's. */
                readonly arguments: Tools['input']
                /** 1 for the first performance of the call; counted as in `ToolContext.attempt`. */
                readonly attempt: number
              }
            /** The tool has called `ctx.update`. */
            | { readonly type: 'toolExecution.updated'; readonly partial: unknown }
            /** The tool has returned or thrown, or was cancelled. */
            | {
                readonly type: 'toolExecution.ended'
                /** `cancelled`: the tool's signal has fired; a value that it still returns is discarded. */
                readonly status: 'succeeded' | 'failed' | 'suspended' | 'cancelled'
                /** True if the status is `failed` or `cancelled`. */
                readonly isError: boolean
                /** Absent if the call is suspended or cancelled. A plugin may still rewrite it. */
                readonly result?: ToolResultMessage
                /** The value from the tool's `output` schema; absent without one, or if it did not fit. */
                readonly output?: Tools['output']
                /** The run that did the work, if the tool delegated it to another run. */
                readonly childRunId?: string
                /** Present if a failed call will be retried: the time in Unix milliseconds, and the error. */
                readonly retry?: { readonly at: number; readonly message: string }
              }
            /** The tool has called `ctx.progress`. */
            | { readonly type: 'progress.reported'; readonly text: string }
          )
      : never)
  /** Somebody is asked about a call. */
  | (AgentEventHead & { readonly type: 'call.suspended'; readonly call: SuspendedCall })
  /** The run has processed a decision about a call. What the decision contains is not repeated here. */
  | (AgentEventHead & {
      readonly type: 'call.decided'
      readonly callId: string
      readonly decisionId: string
      /** Null for a decision that arrived before the call asked. */
      readonly suspensionId: string | null
      readonly action: DecisionAction
      readonly scope?: DecisionScope
      readonly by?: string
    })
  /** A call has settled. Its result follows as `message.ended` when its round is published. */
  | (AgentEventHead & {
      readonly type: 'call.settled'
      readonly callId: string
      readonly toolName: string
      /** The place of the call's result in `messages()`. */
      readonly place: number
      readonly status: 'succeeded' | 'failed' | 'cancelled'
      /** The arguments of the latest edit; absent without an edit. */
      readonly editedArguments?: Json
      /** The run that did the work, if the tool delegated it to another run. */
      readonly childRunId?: string
      /** The result of a hold, which is not in the transcript. */
      readonly result?: ToolResultMessage
    })
  | (AgentEventHead & BranchesNews)
  /** The prompt exceeded its budget, and a smaller one is sent from this turn on; the transcript is unchanged. */
  | (AgentEventHead & CompactedPrompt & { readonly type: 'context.compacted'; readonly turn: number })
  /** A part of the application's compaction failed, and the default replaces it. */
  | (AgentEventHead & {
      readonly type: 'context.partFailed'
      readonly turn: number
      readonly part: 'strategy' | 'countTokens' | 'summaries'
      readonly message: string
    })
  /** A prompt without a compaction shares less than half of the previous one, so caching is poor. Emitted once. */
  | (AgentEventHead & { readonly type: 'context.drifted'; readonly turn: number; readonly prefixShare: number })
  /**
   * The memory could not be queried, or could not accept data that will be sent again, or the run has neither a user
   * nor a session to remember for. The run continues.
   */
  | (AgentEventHead & {
      readonly type: 'memory.failed'
      readonly part: 'query' | 'add' | 'user'
      readonly message: string
      /** For an add: the key of the data. */
      readonly key?: string
    })
  /** The run's state document after a commit in which plugins or tools changed it. */
  | (AgentEventHead & { readonly type: 'state.changed'; readonly state: Json })
  /** An input filter rejected a message. A rejected prompt ends the run; any other rejected message is dropped. */
  | (AgentEventHead & {
      readonly type: 'input.rejected'
      readonly kind: 'prompt' | 'steer' | 'followUp'
      /** The name of the filter. */
      readonly filter: string
      readonly reason: string
    })
  /** Hook `afterRun` failed. The run had ended before the hook was called, and `run.ended` stays valid. */
  | (AgentEventHead & { readonly type: 'hook.failed'; readonly hook: 'afterRun'; readonly error: RunError })
  /** Calls of lower priority were removed from the answer. */
  | (AgentEventHead & { readonly type: 'calls.dropped'; readonly turn: number; readonly names: readonly string[] })
  /** A model's wire does not support these options of a request. Emitted once per run, model and option. */
  | (AgentEventHead & {
      readonly type: 'options.ignored'
      readonly turn: number
      readonly provider: string
      readonly model: string
      /** Names of request options, e.g. `thinking`. */
      readonly options: readonly string[]
    })
  /** A model without a price used tokens, which count 0 for `maxCost`. Emitted once per run and model. */
  | (AgentEventHead & {
      readonly type: 'model.unpriced'
      readonly turn: number
      readonly provider: string
      readonly model: string
    })
  /** The store is temporarily locked or full. The commit is retried until the lease would expire. Emitted once each. */
  | (AgentEventHead & { readonly type: 'commit.delayed'; readonly message: string })
  /** A toolset has no tools for this run, or no newer ones, because it could not be opened or read again. */
  | (AgentEventHead & { readonly type: 'toolset.failed'; readonly toolset: string; readonly message: string })
  /** A toolset offers a tool with a taken or invalid name, and the tool is left out. */
  | (AgentEventHead & {
      readonly type: 'tool.leftOut'
      readonly toolset: string
      readonly toolName: string
      readonly message: string
    })
  /** The agent's permission policy or manager failed or was late. Everything that it did not permit is denied. */
  | (AgentEventHead & {
      readonly type: 'permission.failed'
      readonly part: 'policy' | 'manager'
      /** For the policy: the tools that now need authorisation. For the manager: the tools whose calls are denied. */
      readonly toolNames: readonly string[]
      readonly message: string
    })
  /** The run has ended and has broken one of the agent's policies, or has not fulfilled it. */
  | (AgentEventHead & { readonly type: 'policy.broken'; readonly policy: string; readonly message: string })
  /** A kept decision did not fit the suspension that it should answer. */
  | (AgentEventHead & { readonly type: 'decision.dropped'; readonly callId: string; readonly message: string })
  /** Two plugins asked for the same thing; the first one wins. */
  | (AgentEventHead & {
      readonly type: 'plugin.conflict'
      /** Present if the conflict is about a call. */
      readonly callId?: string
      /** Present if the conflict is about a model call. */
      readonly field?: RequestField
      readonly kept: string
      readonly ignored: string
    })
  /** One attempt at a model has failed. Emitted before the wait for the next attempt. */
  | (AgentEventHead & {
      readonly type: 'model.failed'
      readonly turn: number
      /** The provider's message with its error class, e.g. `rate_limit`. */
      readonly error: RunError
      /** Unix milliseconds of the next attempt; null if there is none, or if it is made at once. */
      readonly retryAt: number | null
    })
  /** A listener has thrown or rejected. The run's other listeners receive this event, once per listener. */
  | (AgentEventHead & { readonly type: 'listener.failed'; readonly message: string })

/** An event before its subject is added. */
export type AgentEventBody = AgentEvent extends infer Event
  ? Event extends AgentEvent
    ? Omit<Event, 'subject'>
    : never
  : never

/** An event of a log entry; `seq` is the number of the entry. */
export type StoredEvent<Tools extends ToolType = ToolType> = AgentEvent<Tools> & { readonly seq: number }
