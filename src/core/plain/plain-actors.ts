import { createActor, type AnyActorLogic, type PromiseActorLogic } from 'xstate'
import type { RefreshCredentialsInput, Refreshed } from '../../../machines/model-call/model-call.types.ts'
import type {
  BuildContextInput,
  BuiltContext,
  FilterInput,
  RecallAsked,
} from '../../../machines/run/run.input-types.ts'
import type { AskVerdict } from '../../../machines/run/run.asks.ts'
import type { KeepTimeInput, LoopAsk, TimeOver } from '../../../machines/run/run.types.ts'
import type { CallAsk, GateReplayInput, ReplayVerdict } from '../../../machines/tool-call/tool-call.types.ts'
import type { Verdict } from '../domain/call-plan.ts'
import { EngineError } from '../domain/engine-error.ts'
import { isRecord, type Json } from '../domain/text/json.ts'
import type { AssistantMessage } from '../domain/message.ts'
import type { SleepInput } from '../domain/timer.ts'
import type { AgentParts } from '../effects/agent-parts.ts'
import type { AgentTools, ToolTable } from '../effects/agent-tools.ts'
import { inTime, type Clock } from '../ports/clock.ts'
import type { EffectContext, EffectHandlers, EffectResult, RunView } from '../ports/effect-handler.ts'
import type { Model, ModelRequest } from '../ports/model.ts'
import type { Tool, ToolContext, ToolReturn } from '../ports/tool.ts'
import { effectHandlers, type EffectName } from '../effects/effect-handlers.ts'
import { buildContextInputOf, loggedContext } from '../effects/model/build-context.ts'
import { filterInputOf } from '../effects/plugins/filter-input.ts'
import { loggedPlan } from '../effects/model/request-parts.ts'
import { phases } from '../../../machines/run/run.phases.ts'

/** The input of an actor provided as `runTool`: the call's checked arguments and the tool context. */
export interface ProvidedCall extends ToolContext {
  readonly arguments: Json
}

/** The answer of an actor provided as `callModel`: a text, or a message that needs only `content`. */
export type ProvidedAnswer = string | (Pick<AssistantMessage, 'content'> & Partial<AssistantMessage>)

/** The input of an actor provided as `ask`: the phase, with the values instead of their heads. */
export type ProvidedAsk =
  | LoopAsk
  | CallAsk
  | RecallAsked
  | ({ readonly phase: 'filterInput' } & FilterInput)
  | ({ readonly phase: 'buildContext' } & BuildContextInput)

/** The output of an actor provided as `ask`: the verdict of the phase. */
export type ProvidedVerdict = Verdict | Omit<AskVerdict, 'isBuilt'> | BuiltContext | undefined

/** The replaceable actors of all three charts, with their inputs and outputs. */
export interface ProvidedActors {
  readonly callModel: PromiseActorLogic<ProvidedAnswer, ModelRequest>
  /** Returns what a tool's `execute` returns; `input.suspend()` suspends the call; a rejection is a failed result. */
  readonly runTool: PromiseActorLogic<ToolReturn, ProvidedCall>
  /** The timer of the charts for backoffs and expiring suspensions. `due` is null for a wait without an end. */
  readonly sleep: PromiseActorLogic<void, SleepInput>
  /** Resolves when the run's running time is over; null for an unlimited time. */
  readonly keepTime: PromiseActorLogic<TimeOver, KeepTimeInput>
  /** Answers instead of all plugins, at each phase that a plugin listens to. */
  readonly ask: PromiseActorLogic<ProvidedVerdict, ProvidedAsk>
  readonly gateReplay: PromiseActorLogic<ReplayVerdict, GateReplayInput>
  readonly refreshCredentials: PromiseActorLogic<Refreshed, RefreshCredentialsInput>
}

/** The replaced actors. */
export type ActorTable = { readonly [Name in EffectName]?: AnyActorLogic }

/** Limits of provided actors. */
export interface AnswerBounds {
  readonly clock: Clock
  /** The time limit of an actor in milliseconds; `sleep` and `keepTime` have no limit. */
  readonly actorTimeoutMs: number
}

/** Names of the actors that an application may provide, in any of the charts. */
export const providedNames: readonly EffectName[] = [
  'callModel',
  'runTool',
  'sleep',
  'keepTime',
  'ask',
  'gateReplay',
  'refreshCredentials',
]

/** Returns an agent's effect handlers with some of its actors replaced. */
export function providedHandlers(parts: AgentParts, actors: ActorTable, bounds: AnswerBounds): EffectHandlers {
  const { callModel, runTool, ...others } = actors
  const handlers: EffectHandlers = effectHandlers({
    ...parts,
    ...(callModel === undefined
      ? {}
      : { models: parts.models.map((model) => providedModel(model, callModel, bounds)) }),
    ...(runTool === undefined ? {} : { tools: providedTools(parts.tools, runTool, bounds) }),
  })
  const replaced = Object.entries(others).map(([name, logic]) => [
    name,
    {
      ...handlers[name],
      perform: async (asked: never, { signal, view }: Pick<EffectContext, 'signal' | 'view'>) => {
        const phase = name === 'ask' ? phaseOf(asked) : name
        const given = givers[phase]?.(asked, view)
        const input = given === undefined ? asked : { phase, ...given }
        const isClock = name === 'sleep' || name === 'keepTime'
        const limits = isClock ? { ...bounds, actorTimeoutMs: Infinity } : bounds
        const output = await answerOf(name, logic, input, signal, limits)
        const problem = outputProblem(phase, output)
        if (problem !== undefined) throw new EngineError(`The actor provided as "${name}" answered ${problem}`)
        const hasOutput = name !== 'sleep' && phase !== 'reviewCall'
        return takers[phase]?.(output as never) ?? { output: hasOutput ? output : undefined }
      },
    },
  ])
  return { ...handlers, ...Object.fromEntries(replaced) }
}

function phaseOf(asked: unknown): string {
  return isRecord(asked) ? String(asked['phase']) : ''
}

/** Replaces heads by values in the input of provided actors. */
const givers: { readonly [name in string]?: (asked: never, view: RunView) => object } = {
  filterInput: filterInputOf,
  buildContext: buildContextInputOf,
}

/** Stores an answer of provided actors in the log, so that the chart keeps only its head. */
const takers: { readonly [name in string]?: (output: never) => EffectResult<unknown> } = {
  beforeModel: loggedPlan,
  buildContext: loggedContext,
}

/** Returns a model that asks the provided actor; its answers are checked like any model's answer. */
function providedModel({ provider, id }: Model, logic: AnyActorLogic, bounds: AnswerBounds): Model {
  return {
    provider,
    id,
    async *stream(request) {
      const answer = await answerOf('callModel', logic, request, request.signal, bounds)
      const given = typeof answer === 'string' ? { content: [{ type: 'text', text: answer }] } : answer
      const head = {
        role: 'assistant',
        stopReason: stopReasonOf(given),
        provider,
        model: id,
        timestamp: bounds.clock.now(),
      }
      yield { type: 'finished', message: (isRecord(given) ? { ...head, ...given } : given) as AssistantMessage }
    },
  }
}

function stopReasonOf(given: unknown): AssistantMessage['stopReason'] {
  const content = isRecord(given) && Array.isArray(given['content']) ? given['content'] : []
  return content.some((block: unknown) => isRecord(block) && block['type'] === 'toolCall') ? 'toolUse' : 'stop'
}

/** Returns the tools with another `execute`; schemas, effects policy and timeouts are unchanged. */
function providedTools(tools: AgentTools, logic: AnyActorLogic, bounds: AnswerBounds): AgentTools {
  const wrapped = (table: ToolTable): ToolTable =>
    new Map([...table].map(([name, tool]) => [name, providedTool(tool, logic, bounds)]))
  const later = (table: ToolTable | Promise<ToolTable>) =>
    table instanceof Promise ? table.then(wrapped) : wrapped(table)
  return {
    forTurn: (context) => later(tools.forTurn(context)),
    inRound: (view) => later(tools.inRound(view)),
    asOfNow: async (name, context) => {
      const tool = await tools.asOfNow(name, context)
      return tool && providedTool(tool, logic, bounds)
    },
  }
}

function providedTool(tool: Tool, logic: AnyActorLogic, bounds: AnswerBounds): Tool {
  const execute = async (input: Json, context: ToolContext) => {
    const call: ProvidedCall = { ...context, arguments: input }
    return (await answerOf('runTool', logic, call, context.signal, bounds)) as ToolReturn
  }
  return Object.create(tool, { execute: { value: execute } }) as Tool
}

/** Runs an actor to its first answer and ignores later ones; a missing answer becomes an error after the time limit. */
async function answerOf(
  name: string,
  logic: AnyActorLogic,
  input: unknown,
  signal: AbortSignal,
  { clock, actorTimeoutMs }: AnswerBounds,
): Promise<unknown> {
  const actor = createActor(logic, { input, id: name })
  const answer = () =>
    new Promise<unknown>((resolve, reject) => {
      actor.subscribe({ complete: () => resolve(actor.getSnapshot().output), error: reject })
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      actor.start()
    })
  try {
    return await inTime({ clock, signal }, actorTimeoutMs, answer, () => tooLate(name, actorTimeoutMs))
  } finally {
    actor.stop()
  }
}

function tooLate(name: string, ms: number): EngineError {
  const wish = 'Have it answer, or give agent.provide({ actorTimeoutMs }) more time.'
  return new EngineError(`The actor provided as "${name}" has not answered within ${ms} ms. ${wish}`)
}

/** Returns why a chart could not continue with the output of an effect, or undefined if it could. */
function outputProblem(name: string, output: unknown): string | undefined {
  const check = Object.hasOwn(phases, name) ? (checks[name] ?? checks['ask']) : checks[name]
  if (check === undefined || (isRecord(output) && check.fits(output))) return undefined
  const got = isRecord(output) ? `an object with ${Object.keys(output).join(', ') || 'nothing'}` : String(output)
  return `${got}. Expected ${check.expected}.`
}

type Check = { readonly expected: string; readonly fits: (output: Fields) => boolean }
type Fields = Readonly<Record<string, unknown>>

const checks: { readonly [name: string]: Check } = {
  keepTime: { expected: '{ at } with the time in Unix milliseconds', fits: ({ at }) => Number.isFinite(at) },
  gateCall: {
    expected: '{ kind: "allowed" }, { kind: "refused", text } or { kind: "suspended", suspension: { id, reason } }',
    fits: isVerdict,
  },
  gateReplay: {
    expected: '{ verdict, revision } with the verdict of a gate and the revision it was given',
    fits: ({ verdict, revision }) => isRecord(verdict) && isVerdict(verdict) && Number.isInteger(revision),
  },
  reviewCall: { expected: 'anything', fits: () => true },
  ask: {
    expected: '{ at, terminate?: { code? }, request? } with the time in Unix milliseconds',
    fits: ({ at, terminate, request, holds }) =>
      Number.isFinite(at) && [terminate, request ?? undefined].every(isRecordIfAny) && holds === undefined,
  },
  refreshCredentials: {
    expected: '{ kind: "refreshed" } or { kind: "failed", error: { code, message }, at }',
    fits: ({ kind, error, at }) =>
      kind === 'refreshed' || (kind === 'failed' && isRecord(error) && Number.isFinite(at)),
  },
}

function isRecordIfAny(value: unknown): boolean {
  return value === undefined || isRecord(value)
}

function isVerdict({ kind, text, suspension }: Fields): boolean {
  if (kind === 'allowed') return true
  if (kind === 'refused') return typeof text === 'string'
  return kind === 'suspended' && isRecord(suspension) && typeof suspension['id'] === 'string'
}
