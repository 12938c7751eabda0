import type { CallPlan } from '../../domain/call-plan.ts'
import { type LoopPhase, type Phase, phaseNames, type Right, phaseRow } from '../../../../machines/run/run.phases.ts'
import type { AskVerdict } from '../../../../machines/run/run.asks.ts'
import type { LoopAsk, PhaseVerdict } from '../../../../machines/run/run.types.ts'
import type { StopCode } from '../../domain/end-codes.ts'
import type { StateChange } from '../../domain/call.ts'
import type { Write } from '../../domain/log.ts'
import { noUsage, type Usage } from '../../domain/usage.ts'
import type { SuspensionTicket } from '../../domain/suspension.ts'
import type { EffectContext, EffectResult } from '../../ports/effect-handler.ts'
import type { BeforeModelContext, ErrorContext, Plugin, RunStartContext, UsageContext } from '../../ports/plugin.ts'
import { type Asking, askToGoOn } from '../ask-code.ts'
import { isPolicyGuard } from '../../ports/policy-guard.ts'
import { guardedRun } from '../permissions/ask-policies.ts'
import { askAuthority } from '../permissions/authorise.ts'
import { patchInto, phaseContext, stateWrites } from './plugin-context.ts'
import { holdFor } from '../hold-run.ts'
import { nameOfModel } from '../model/order-models.ts'
import { checkedMessage, checkedTicket } from './plain-input.ts'
import { RequestAsks, type RequestChoices } from './request-asks.ts'
import type { AgentParts } from '../agent-parts.ts'
import { shownTools } from '../permissions/permission-parts.ts'
import { loggedPlan, type PlannedVerdict } from '../model/request-parts.ts'

/** The code of a run that a plugin ends with false. */
const stopCodes: { readonly [Name in LoopPhase]?: StopCode } = { beforeRun: 'before_loop', beforeTurn: 'before_turn' }

const unknownError = { code: 'engine_error', message: 'The run ended in an error that is not known.' }

/** Asks the plugins at one phase of the loop. */
export async function runPhase(
  parts: AgentParts,
  input: LoopAsk,
  context: EffectContext,
): Promise<EffectResult<AskVerdict>> {
  const { plugins, pluginTimeoutMs } = parts
  const { phase } = input
  const choices = phase === 'beforeModel' ? await choicesOf(parts, context) : undefined
  const asked = new PhaseRequests(input, choices, context)
  const goesOn = await askToGoOn(plugins, phase, { ...context, pluginTimeoutMs }, (plugin, asking) =>
    plugin[phase]?.(asked.contextOf(plugin, asking)),
  )
  if (phase === 'afterRun') await conclude(parts, context)
  const { output, writes = [] } = loggedPlan(asked.verdict(goesOn, context.clock.now()))
  return { output, writes: [...asked.writes(), ...writes] }
}

/** Reports the policies that the run has broken, and tells the permission manager last that the run has ended. */
async function conclude(parts: AgentParts, context: EffectContext): Promise<void> {
  const { manager, policies } = parts.permissions ?? {}
  const { runId, clock, emit } = context
  const broken = isPolicyGuard(policies) ? await policies.broken(guardedRun(parts, context)) : []
  for (const found of broken) emit({ type: 'policy.broken', runId, at: clock.now(), ...found })
  if (manager?.cleanup === undefined) return
  const failed = 'The cleanup of the permission manager failed'
  await askAuthority(failed, parts, undefined, context, (whose) => manager.cleanup?.(whose))
}

const noChoices: RequestChoices = { tools: [], models: [] }

async function choicesOf(parts: AgentParts, context: EffectContext): Promise<RequestChoices> {
  const shown = shownTools(parts.permissions, await parts.tools.forTurn(context))
  return { tools: [...shown.keys()], models: parts.models.map(nameOfModel) }
}

function checkRight(right: Right, phase: LoopPhase): void {
  const may = (name: Phase) => phaseRow(name).rights?.includes(right) === true
  if (may(phase)) return
  throw new TypeError(`${phase} has no ${right}(): it may be called in ${phaseNames.filter(may).join(', ')}.`)
}

/** The joined contexts of all phases of the loop. */
type LoopContext = RunStartContext & BeforeModelContext & UsageContext & ErrorContext

/** Collects the requests of one phase's plugins. */
class PhaseRequests {
  readonly #input: LoopAsk
  readonly #context: EffectContext
  readonly #changes: StateChange[] = []
  readonly #writes: Write[] = []
  readonly #holds: CallPlan[] = []
  readonly #choices: RequestChoices | undefined
  readonly #request: RequestAsks
  #terminate: PhaseVerdict['terminate']

  constructor(input: LoopAsk, choices: RequestChoices | undefined, context: EffectContext) {
    this.#input = input
    this.#context = context
    this.#choices = choices
    this.#request = new RequestAsks(choices ?? noChoices, context)
  }

  /** A missing right is a function that throws, which the types omit. */
  contextOf(plugin: Plugin, { whileAsked, signal }: Asking<undefined>): LoopContext {
    const { phase, turn, isResumed = false, error = unknownError } = this.#input
    const rightful = <Args extends readonly unknown[]>(right: Right, act: (...args: Args) => void) =>
      whileAsked((...args: Args) => {
        checkRight(right, phase)
        act(...args)
      })
    const { name } = plugin
    return {
      ...phaseContext(turn, { ...this.#context, signal }),
      ...(this.#choices ?? noChoices),
      isResumed,
      usage: this.#usage(),
      error,
      patch: rightful('patch', patchInto(this.#changes, whileAsked)),
      append: rightful('append', (message) => {
        this.#writes.push({ kind: 'append', message: checkedMessage(message) })
      }),
      terminate: rightful('terminate', (code) => this.#end(code)),
      suspend: rightful('suspend', (ticket: SuspensionTicket = {}) => this.#hold(plugin, checkedTicket(ticket))),
      addMessages: rightful('addMessages', (messages) => this.#request.add(messages)),
      chooseTools: rightful('chooseTools', (names) => this.#request.choose(name, names)),
      override: rightful('override', (settings) => this.#request.override(name, settings)),
    }
  }

  verdict(goesOn: boolean, at: number): PlannedVerdict {
    const code = goesOn ? undefined : stopCodes[this.#input.phase]
    const terminate = code === undefined ? this.#terminate : { code }
    return {
      ...(terminate === undefined ? {} : { terminate }),
      ...(this.#holds.length === 0 ? {} : { holds: this.#holds }),
      ...(this.#choices === undefined ? {} : { request: this.#request.plan() }),
      at,
    }
  }

  writes(): readonly Write[] {
    return [...this.#writes, ...stateWrites(this.#changes)]
  }

  /** A turn without an answer used nothing: the last answer belongs to an earlier turn. */
  #usage(): Usage {
    const { phase, usage, isUnanswered = false } = this.#input
    const isAnswered = phase === 'afterTurn' && !isUnanswered
    return (isAnswered ? this.#context.view.lastAnswer()?.usage : usage) ?? noUsage
  }

  #end(code?: string): void {
    if (code !== undefined && typeof code !== 'string') {
      throw new TypeError('The code to end the run with is invalid. Expected a text or nothing.')
    }
    // A store keeps the code as text, which must not contain half of a surrogate pair.
    this.#terminate ??= code === undefined ? {} : { code: code.toWellFormed() }
  }

  #hold({ name }: Plugin, ticket: SuspensionTicket): void {
    const { write, plan } = holdFor(name, ticket, this.#context)
    this.#writes.push(write)
    this.#holds.push(plan)
  }
}
