import { isSaidByUser } from '../../domain/background.ts'
import type { FilterAsked, FilterInput } from '../../../../machines/run/run.input-types.ts'
import type { AskVerdict } from '../../../../machines/run/run.asks.ts'
import { isRecord } from '../../domain/text/json.ts'
import type { InputMessage, UserMessage } from '../../domain/message.ts'
import type { EffectContext, EffectResult, RunView } from '../../ports/effect-handler.ts'
import type { AgentParts } from '../agent-parts.ts'
import { type Asking, askPlugin, listening } from '../ask-code.ts'

/** Asks the plugins at `filterInput` in order. After the first rejection, no further plugin is asked. */
export async function filterInput(
  { plugins, pluginTimeoutMs }: AgentParts,
  asked: FilterAsked,
  context: EffectContext,
): Promise<EffectResult<AskVerdict>> {
  const { runId, clock } = context
  const said = saidFor(asked, context.view).filter((message) => isSaidByUser(message))
  // A message that the original of a fork has rejected is not filtered again.
  if (said.length === 0) return { output: { warnings: [], at: clock.now() } }
  const { kind, messages } = shownOf(asked, said)
  const warnings: string[] = []
  for (const plugin of listening(plugins, 'filterInput')) {
    const check = async ({ shown, signal }: Asking<readonly UserMessage[]>) =>
      checked(await plugin.filterInput?.(shown, { runId, kind, signal }))
    const answer = await askPlugin(plugin, 'filterInput', { ...context, pluginTimeoutMs }, check, messages)
    if (answer.reject !== undefined) {
      const rejection = { filter: plugin.name, reason: answer.reject }
      return { output: { warnings, rejection, at: clock.now() } }
    }
    if (answer.warn !== undefined) warnings.push(answer.warn)
  }
  return { output: { warnings, at: clock.now() } }
}

/** Returns all messages, including those that only the application reads. */
function saidFor(asked: FilterAsked, view: RunView): readonly InputMessage[] {
  return 'input' in asked ? view.inputAt(asked.input) : view.said(asked)
}

function shownOf({ kind }: FilterAsked, said: readonly InputMessage[]): FilterInput {
  return { kind, messages: said.filter(isSaidByUser) }
}

/** Returns the messages that the filters see. */
export function filterInputOf(asked: FilterAsked, view: RunView): FilterInput {
  return shownOf(asked, saidFor(asked, view))
}

function checked(answer: unknown): { readonly warn?: string; readonly reject?: string } {
  if (answer === undefined) return {}
  const { warn, reject } = isRecord(answer) ? answer : {}
  if (typeof reject === 'string' && warn === undefined) return { reject }
  if (typeof warn === 'string' && reject === undefined) return { warn }
  throw new TypeError('its answer is invalid. Expected { warn: text }, { reject: text } or nothing.')
}
