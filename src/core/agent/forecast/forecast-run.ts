import type { RunContext } from '../../../../machines/run/run.types.ts'
import { isTerminal } from '../../domain/call.ts'
import type { OwnParts } from '../../driving/agent-core.ts'
import { asksModel, codeThatDecides, lacksManager } from './code-that-decides.ts'
import { forecastCall } from './forecast-call.ts'
import type { ForecastRun } from './open-call.ts'
import { type Saying, would } from './saying.ts'
import { unpriced } from './unpriced-model.ts'
import { canonicalJson, toPlainJson } from '../../domain/text/json.ts'
import { pricesOf } from '../../effects/model/answer-cost.ts'
import { toolDefinitions } from '../../effects/model/tool-definitions.ts'
import { shownTools } from '../../effects/permissions/permission-parts.ts'
import { jsonSchemaOf } from '../../effects/tools/json-schema-of.ts'

/**
 * Returns the forecast for an open run; empty if it would continue in the same way. With `before`, the earlier code, it
 * includes what only a comparison shows: another request to the model, and another check of people's values.
 */
export async function forecastRun(parts: OwnParts, run: ForecastRun, before?: OwnParts): Promise<readonly Saying[]> {
  if (run.cancelled === undefined) return []
  const open = run.log.calls().filter(({ status }) => !isTerminal(status))
  const sayings: Saying[] = []
  let isGated = false
  for (const call of open) {
    const forecast = await forecastCall(parts, call, run, before)
    isGated ||= forecast.isGated
    sayings.push(...forecast.sayings)
  }
  const context = run.state.context as RunContext
  const isLacking = lacksManager(parts, run)
  const isAsked = !isLacking && asksModel(context)
  const changes = isAsked && before !== undefined ? requestChanges(before, parts) : []
  const refused = isAsked && run.hasCostLimit ? unpriced(parts) : []
  return distinct([
    ...codeThatDecides(parts, run, { isGated, isAsked, isOpen: open.length > 0 }),
    ...sayings,
    ...(isLacking ? [would('The run would end, because the permission manager is gone.')] : []),
    ...refused,
    ...changes,
  ])
}

function distinct(sayings: readonly Saying[]): readonly Saying[] {
  return [...new Map(sayings.map((saying) => [saying.reason, saying])).values()]
}

/** The parts of a request to a model, with the price of its answer, by the sentence for a change. */
const requestParts: { readonly [sentence: string]: (parts: OwnParts) => unknown } = {
  'Another model would be asked.': ({ models: [model] }) => [model?.provider, model?.id],
  'The model would be asked with other instructions.': ({ instructions }) => instructions,
  'The model would be offered other tools.': ({ tools, permissions }) =>
    toolDefinitions(shownTools(permissions, tools.known ?? tools.own)),
  'The model would be asked for another output.': ({ output }) => output && jsonSchemaOf(output.schema),
  'The model would be asked with other settings.': ({ maxTokens, temperature, thinking, cache }) => [
    ...[maxTokens, temperature, thinking, cache].map((setting) => setting ?? null),
  ],
  'The answer of the model would have another price.': ({ models: [model], prices }) =>
    model && pricesOf({ prices }, model),
}

const texts = new WeakMap<OwnParts, readonly string[]>()

/** Returns how the next request to the model, and the price of its answer, differ between two versions of an agent. */
function requestChanges(before: OwnParts, now: OwnParts): readonly Saying[] {
  const old = textsOf(before)
  const sentences = Object.keys(requestParts).filter((_, place) => old[place] !== textsOf(now)[place])
  return sentences.map(would)
}

/** Works the texts out once for each version, because a store may have many runs. */
function textsOf(parts: OwnParts): readonly string[] {
  const known =
    texts.get(parts) ?? Object.values(requestParts).map((read) => canonicalJson(toPlainJson(read(parts)) ?? null))
  texts.set(parts, known)
  return known
}
