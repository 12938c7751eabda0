import type { Json } from '../domain/text/json.ts'
import type { Policies } from './policy-guard.ts'
import type { ServiceContract } from './service-contract.ts'
import type { RuleLists } from '../domain/permission-rule.ts'

/** Names of the available tools, by source. */
export interface PolicyTools {
  readonly services: readonly string[]
  readonly mcp: readonly string[]
  /** All other tools. */
  readonly tools: readonly string[]
}

/**
 * Returns the names of the tools that need authorisation. Called at the start of a run, after each restart, and when
 * the available tools change. If it throws, takes too long or does not return a list of texts, every tool needs
 * authorisation.
 */
export type PermissionPolicy = (tools: PolicyTools) => readonly string[] | Promise<readonly string[]>

/** The run whose permissions are requested. */
export interface PermissionContext {
  readonly runId: string
  /** The name of the agent. */
  readonly agent: string
  /** The subject of the run. */
  readonly subject: string
  /** The application's data about permissions from the run's start. */
  readonly accessControl?: Json
}

/** A tool that the model wants to call, with its calls in one round. */
export interface PermissionAsk {
  readonly name: string
  readonly calls: readonly { readonly callId: string; readonly arguments: Json }[]
}

/** A manager's answer for a tool. `requestable` blocks the call until a request has been answered. */
export type PermissionAnswer = 'approved' | 'denied' | 'requestable'

/** An answered request, as reported to a manager. */
export interface AnsweredPermission {
  /** The id of the answer: a manager may receive one answer more than once, with this id. */
  readonly id: string
  /** The result of `requestBuilder`. */
  readonly request: Json
  /** Names of the granted tools. */
  readonly granted: readonly string[]
  /** The other names of the request. */
  readonly denied: readonly string[]
  /** The reason of the answer; absent without one. */
  readonly reason?: string
}

/** Manages permissions. Each function has the time limit of a hook. */
export interface PermissionManager {
  /** Returns one answer per tool name. A missing name, an exception and a late answer count as `denied`. */
  get(context: PermissionContext, tools: readonly PermissionAsk[]): PermissionAnswers | Promise<PermissionAnswers>
  /** Receives every answer at least once. An exception ends the run in error. */
  set?(context: PermissionContext, answer: AnsweredPermission): void | Promise<void>
  /**
   * Returns the data for the person or service that answers; default: the requested tools. An exception ends the run in
   * error.
   */
  requestBuilder?(context: PermissionContext, tools: readonly PermissionAsk[]): Json | Promise<Json>
  /**
   * The contract of an external service that answers requests: `accepts` is the result of `requestBuilder`, and an
   * answer contains `{ granted: [names] }`. With it each request leaves as an event; without it a person answers.
   */
  readonly contract?: ServiceContract
  /** The destinations of requests, with one event for each. Default: the domain of the contract. */
  readonly domains?: readonly string[]
  /** Called after the run has ended. */
  cleanup?(context: PermissionContext): void | Promise<void>
}

/** A manager's answers by tool name. */
export type PermissionAnswers = { readonly [name: string]: PermissionAnswer }

/** The permissions of an agent. They come from the current code, and nothing of them is stored with a run. */
export interface PermissionOptions {
  /**
   * Rules over the names and arguments of tools, by effect: `shell`, `mcp__*`, `write_file(path ~ "src/**")`. Deny
   * overrides allow, and allow overrides ask.
   */
  readonly rules?: RuleLists
  /** Policies over the order of calls, approvals and crashes of a run, as `policies([...])` returns them. */
  readonly policies?: Policies
  /** Selects the tools that need authorisation. Default: none. */
  readonly policy?: PermissionPolicy
  /** Authorises those tools. Without a manager, tools under the policy are denied. */
  readonly manager?: PermissionManager
}
