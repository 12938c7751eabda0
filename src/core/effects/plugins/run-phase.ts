import type { CallPlan } from '../../domain/call-plan.ts'
import type { PhaseVerdict, PluginPhase, RunPhaseInput } from '../../../../machines/run/run.types.ts'
import type { StateChange } from '../../domain/call.ts'
import type { Write } from '../../domain/log.ts'
import type { SuspensionTicket } from '../../domain/suspension.ts'
import type { EffectHandler, EffectContext } from '../../ports/effect-handler.ts'
import type { BeforeModelContext, Plugin, RunStartContext } from '../../ports/plugin.ts'
import { askLoopHook, isLoopHook } from './ask-loop-hook.ts'
import { type Asking, askPlugin } from '../ask.ts'
import { askAuthority } from '../permissions/authorise.ts'
import { phaseContext, stateWrites } from './plugin-context.ts'
import { holdFor } from '../hold-run.ts'
import { nameOfModel } from '../model/order-models.ts'
import { checkedMessage, checkedTicket } from './plain-input.ts'
import { RequestAsks, type RequestChoices } from './request-asks.ts'
import type { AgentParts } from '../agent-parts.ts'
import { shownTools } from '../permissions/permission-parts.ts'
import { loggedPlan } from '../model/request-parts.ts'

type LoopPhase = Exclude<PluginPhase, 'gateCall' | 'reviewCall'>

type Right = 'append' | 'terminate' | 'addMessages' | 'chooseTools' | 'override'

/** What plugins may ask for beside a change of the state, by phase. */
const rights = {
  runStart: ['append', 'terminate'],
  stepStart: ['append', 'terminate'],
  beforeModel: ['append', 'terminate', 'addMessages', 'chooseTools', 'override'],
  afterModel: ['terminate'],
  stepEnd: [],
  runEnd: [],
} satisfies Record<LoopPhase, readonly Right[]>

/** Runs one phase of the loop: every plugin in order, or the user's hook that stands there. */
export function runPhase(parts: AgentParts): EffectHandler<RunPhaseInput, PhaseVerdict> {
  const { plugins, hooks = {}, hookTimeoutMs } = parts
  return {
    kind: 'local',
    perform: async (input, context) => {
      const { phase, turn, isResumed = false } = input
      const bounds = { ...context, hookTimeoutMs }
      if (isLoopHook(phase)) {
        const answer = await askLoopHook(hooks, phase, input, bounds)
        if (phase === 'afterRun') await cleanUp(parts, context)
        return { output: { ...answer, at: context.clock.now() } }
      }
      const choices = phase === 'beforeModel' ? await choicesOf(parts, context) : undefined
      const asked = new PhaseRequests(turn, choices, context)
      for (const plugin of plugins) {
        await askPlugin(plugin, phase, bounds, (asking) =>
          phase === 'runStart'
            ? plugin.runStart?.(asked.runStart(plugin, isResumed, asking))
            : plugin[phase as Exclude<LoopPhase, 'runStart'>]?.(asked.loop(plugin, phase as LoopPhase, asking)),
        )
      }
      const { output, writes = [] } = loggedPlan(asked.verdict(context.clock.now()))
      return { output, writes: [...asked.writes(), ...writes] }
    },
  }
}

/** The manager of permissions hears that the run has ended, behind whoever else does. */
async function cleanUp(parts: AgentParts, context: EffectContext): Promise<void> {
  const manager = parts.permissions?.manager
  if (manager?.cleanup === undefined) return
  const failed = 'The cleanup of the permission manager failed'
  await askAuthority(failed, parts, undefined, context, (whose) => manager.cleanup?.(whose))
}

/** What a phase chooses from that is not asked. */
const noChoices: RequestChoices = { tools: [], models: [] }

/** The tools are those the model call will be made with. */
async function choicesOf(parts: AgentParts, context: EffectContext): Promise<RequestChoices> {
  const shown = shownTools(parts.permissions, await parts.tools.forTurn(context))
  return { tools: [...shown.keys()], models: parts.models.map(nameOfModel) }
}

function checkRight(right: Right, phase: LoopPhase): void {
  const may = (name: LoopPhase) => (rights[name] as readonly Right[]).includes(right)
  if (may(phase)) return
  const others = (Object.keys(rights) as LoopPhase[]).filter(may)
  throw new TypeError(`${phase} has no ${right}(): it may be called in ${others.join(', ')}.`)
}

/** What the plugins of one phase ask for together. */
class PhaseRequests {
  readonly #turn: number
  readonly #context: EffectContext
  readonly #changes: StateChange[] = []
  readonly #writes: Write[] = []
  readonly #holds: CallPlan[] = []
  readonly #choices: RequestChoices | undefined
  readonly #request: RequestAsks
  #terminate: PhaseVerdict['terminate']

  constructor(turn: number, choices: RequestChoices | undefined, context: EffectContext) {
    this.#turn = turn
    this.#context = context
    this.#choices = choices
    this.#request = new RequestAsks(choices ?? noChoices, context)
  }

  /** A phase without a right has a function all the same, which says so; types leave it out. */
  loop({ name }: Plugin, phase: LoopPhase, { heard, signal }: Asking<undefined>): BeforeModelContext {
    const rightful = <Args extends readonly unknown[]>(right: Right, act: (...args: Args) => void) =>
      heard((...args: Args) => {
        checkRight(right, phase)
        act(...args)
      })
    return {
      ...phaseContext(this.#turn, this.#changes, { ...this.#context, signal }, heard),
      ...(this.#choices ?? noChoices),
      append: rightful('append', (message) => {
        this.#writes.push({ kind: 'append', message: checkedMessage(message) })
      }),
      terminate: rightful('terminate', (code) => this.#end(code)),
      addMessages: rightful('addMessages', (messages) => this.#request.add(messages)),
      chooseTools: rightful('chooseTools', (names) => this.#request.choose(name, names)),
      override: rightful('override', (settings) => this.#request.override(name, settings)),
    }
  }

  runStart(plugin: Plugin, isResumed: boolean, asking: Asking<undefined>): RunStartContext {
    const suspend = asking.heard((ticket: SuspensionTicket = {}) => this.#hold(plugin, checkedTicket(ticket)))
    return { ...this.loop(plugin, 'runStart', asking), isResumed, suspend }
  }

  verdict(at: number): PhaseVerdict {
    const terminate = this.#terminate
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

  #end(code?: string): void {
    if (code !== undefined && typeof code !== 'string') {
      throw new TypeError('The code to end the run with is not readable. Expected a text or nothing.')
    }
    // A store keeps the code as text, which holds no half of a character.
    this.#terminate ??= code === undefined ? {} : { code: code.toWellFormed() }
  }

  #hold({ name }: Plugin, ticket: SuspensionTicket): void {
    const { write, plan } = holdFor(name, ticket, this.#context)
    this.#writes.push(write)
    this.#holds.push(plan)
  }
}
