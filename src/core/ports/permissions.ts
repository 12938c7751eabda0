import type { Json } from '../domain/text/json.ts'
import type { ServiceContract } from './service-contract.ts'
import type { RuleLists } from '../domain/permission-rule.ts'

/** Names of the tools at hand, by where they come from. */
export interface PolicyTools {
  readonly services: readonly string[]
  readonly mcp: readonly string[]
  /** All others. */
  readonly tools: readonly string[]
}

/**
 * Gives the names of the tools that need authorisation. It is asked at the start of a run, after each restart, and where
 * other tools are at hand. Where it throws, is late or gives no list of texts, every tool needs authorisation.
 */
export type PermissionPolicy = (tools: PolicyTools) => readonly string[] | Promise<readonly string[]>

/** Whose permissions are asked about. */
export interface PermissionContext {
  readonly runId: string
  /** Name of the agent. */
  readonly agent: string
  /** What the run is about. */
  readonly subject: string
  /** What the application said at the start of the run about who may do what. */
  readonly accessControl?: Json
}

/** A tool that the model wants to call, with its calls of one round. */
export interface PermissionAsk {
  readonly name: string
  readonly calls: readonly { readonly callId: string; readonly arguments: Json }[]
}

/** What a manager says of a tool. `requestable` blocks the call until somebody has answered a request. */
export type PermissionAnswer = 'approved' | 'denied' | 'requestable'

/** What a manager is told once a request is answered. */
export interface AnsweredPermission {
  /** The id of the answer: a manager may be told of one answer more than once, under this id. */
  readonly id: string
  /** What `requestBuilder` gave. */
  readonly request: Json
  /** Names of tools. */
  readonly granted: readonly string[]
  /** The other names of the request. */
  readonly denied: readonly string[]
  /** The reason that came with the answer; absent for none. */
  readonly reason?: string
}

/** Keeps permissions. Each function has as long as a hook may take. */
export interface PermissionManager {
  /** One answer by name of tool. A name without one, a throw and an answer that is late are `denied`. */
  get(context: PermissionContext, tools: readonly PermissionAsk[]): PermissionAnswers | Promise<PermissionAnswers>
  /** Told of every answer at least once. A throw ends the run with an error. */
  set?(context: PermissionContext, answer: AnsweredPermission): void | Promise<void>
  /** What is sent to whoever answers; default: the tools asked about. A throw ends the run with an error. */
  requestBuilder?(context: PermissionContext, tools: readonly PermissionAsk[]): Json | Promise<Json>
  /**
   * Who answers requests from outside: `accepts` is what `requestBuilder` gives, and an answer holds `{ granted: [names] }`.
   * With it each request leaves as an event; without, a person answers it.
   */
  readonly contract?: ServiceContract
  /** Where requests go, one event to each. Default: the domain of the contract. */
  readonly domains?: readonly string[]
  /** Asked once the run has ended. */
  cleanup?(context: PermissionContext): void | Promise<void>
}

/** What a manager says of tools, by name. */
export type PermissionAnswers = { readonly [name: string]: PermissionAnswer }

/** Who may call what. All of it is current code, and nothing of it is stored with a run. */
export interface PermissionOptions {
  /**
   * Rules over the names of tools and their arguments, by what they say: `shell`, `mcp__*`,
   * `write_file(path ~ "src/**")`. Deny goes before allow, allow before ask.
   */
  readonly rules?: RuleLists
  /** Which tools need authorisation. Default: none. */
  readonly policy?: PermissionPolicy
  /** Who authorises them. Without one, tools under the policy are denied. */
  readonly manager?: PermissionManager
}
