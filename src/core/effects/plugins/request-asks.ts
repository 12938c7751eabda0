import { ApplicationError } from '../../domain/application-error.ts'
import { isRecord } from '../../domain/text/json.ts'
import type { ModelMessage } from '../../domain/message.ts'
import type { RequestField, RequestOverride, RequestPlan } from '../../domain/request-plan.ts'
import { isTexts } from '../../domain/text/shape.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import { checkOverride, settingNames } from '../model/check-override.ts'
import { checkedModelMessage } from './plain-input.ts'

/** The models and tools that a plugin may choose. */
export interface RequestChoices {
  readonly tools: readonly string[]
  readonly models: readonly string[]
}

/** Joins the plans of a phase's plugins for the next model call. The first plugin to set a field wins. */
export class RequestAsks {
  readonly #choices: RequestChoices
  readonly #context: EffectContext
  readonly #messages: ModelMessage[] = []
  readonly #fields: Partial<Record<RequestField, unknown>> = {}
  /** The plugin of each field. */
  readonly #owners = new Map<RequestField, string>()

  constructor(choices: RequestChoices, context: EffectContext) {
    this.#choices = choices
    this.#context = context
  }

  add(messages: unknown): void {
    if (!Array.isArray(messages)) throw new TypeError('The messages are not a list. Expected a list of messages.')
    this.#messages.push(...messages.map(checkedModelMessage))
  }

  choose(plugin: string, names: unknown): void {
    if (!isTexts(names)) throw new TypeError('The tools to choose are not a list of names. Expected names of tools.')
    for (const name of names) this.#checkTool(name)
    this.#set(plugin, 'tools', [...new Set(names)])
  }

  override(plugin: string, settings: unknown): void {
    if (!isRecord(settings))
      throw new TypeError(`The settings are not an object. Expected { ${settingNames.join('?, ')}? }.`)
    for (const [field, value] of Object.entries(checkOverride(settings, this.#choices.models))) {
      if (field === 'requiredCall' && typeof value === 'string') this.#checkTool(value)
      this.#set(plugin, field as keyof RequestOverride, value)
    }
  }

  /** Null without any request. Throws if the tool that must be called is not offered. */
  plan(): RequestPlan | null {
    const messages = this.#messages.length === 0 ? {} : { messages: this.#messages }
    const plan = { ...this.#fields, ...messages } as RequestPlan
    this.#checkRequiredCall(plan)
    return Object.keys(plan).length === 0 ? null : plan
  }

  #set(plugin: string, field: RequestField, value: unknown): void {
    const owner = this.#owners.get(field) ?? plugin
    if (owner === plugin) {
      this.#owners.set(field, plugin)
      this.#fields[field] = value
      return
    }
    const { runId, clock, emit } = this.#context
    emit({ type: 'plugin.conflict', runId, at: clock.now(), field, kept: owner, ignored: plugin })
  }

  #checkTool(name: string): void {
    const { tools } = this.#choices
    if (tools.includes(name)) return
    throw new TypeError(`Tool "${name}" does not exist. Known: ${tools.join(', ') || 'none'}.`)
  }

  #checkRequiredCall({ requiredCall, tools = this.#choices.tools, toolChoice }: RequestPlan): void {
    if (requiredCall === undefined || toolChoice === 'none') return
    if (requiredCall === true ? tools.length > 0 : tools.includes(requiredCall)) return
    const wanted = requiredCall === true ? 'a call of some tool' : `a call of "${requiredCall}"`
    const plugin = this.#owners.get('requiredCall')
    const wish = 'Offer the tool, or do not require its call.'
    throw new ApplicationError(
      `Plugin "${plugin}" failed in beforeModel: it requires ${wanted}, and this step offers ${tools.join(', ') || 'none'}. ${wish}`,
    )
  }
}
