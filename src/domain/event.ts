import type { Message } from './message.ts'
import type { Outcome } from './outcome.ts'
import type { CallRecord } from './call.ts'
import type { Usage } from './usage.ts'

interface Common {
  readonly runId: string
  /** Unix milliseconds. */
  readonly at: number
}

/** A piece of an answer as it arrives. */
export type MessageDelta =
  | { readonly type: 'text' | 'thinking'; readonly delta: string }
  | { readonly type: 'toolCall'; readonly delta: string; readonly id: string; readonly name: string }

/** What a run tells whoever watches. Lifecycle events follow the commit that holds what they tell. */
export type AgentEvent =
  | (Common & { readonly type: 'run.started' })
  | (Common & { readonly type: 'run.resumed' })
  | (Common & { readonly type: 'run.waiting'; readonly suspended: readonly CallRecord[] })
  | (Common & { readonly type: 'run.ended'; readonly outcome: Outcome; readonly usage: Usage })
  | (Common & { readonly type: 'turn.started'; readonly turn: number })
  | (Common & { readonly type: 'turn.ended'; readonly turn: number })
  | (Common & { readonly type: 'message.started'; readonly turn: number })
  | (Common & { readonly type: 'message.updated'; readonly turn: number; readonly delta: MessageDelta })
  | (Common & { readonly type: 'message.ended'; readonly seq: number; readonly message: Message })
  | (Common & {
      readonly type: 'toolExecution.started'
      readonly callId: string
      readonly toolName: string
      readonly attempt: number
    })
  | (Common & {
      readonly type: 'toolExecution.updated'
      readonly callId: string
      readonly toolName: string
      readonly partial: unknown
    })
  | (Common & {
      readonly type: 'toolExecution.ended'
      readonly callId: string
      readonly toolName: string
      readonly status: 'succeeded' | 'failed' | 'suspended'
    })
  | (Common & {
      readonly type: 'progress.reported'
      readonly callId: string
      readonly toolName: string
      readonly text: string
    })
  | (Common & { readonly type: 'call.suspended'; readonly call: CallRecord })
  | (Common & { readonly type: 'call.settled'; readonly call: CallRecord })
  | (Common & { readonly type: 'calls.dropped'; readonly turn: number; readonly names: readonly string[] })
  | (Common & { readonly type: 'decision.dropped'; readonly callId: string; readonly message: string })
  | (Common & {
      readonly type: 'plugin.conflict'
      readonly callId: string
      readonly kept: string
      readonly ignored: string
    })
  | (Common & { readonly type: 'error.reported'; readonly message: string })
