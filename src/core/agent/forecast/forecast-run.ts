import type { RunContext } from '../../../../machines/run/run.types.ts'
import { isTerminal } from '../../domain/call.ts'
import type { OwnParts } from '../../driving/agent-core.ts'
import { asksModel, codeThatDecides } from './code-that-decides.ts'
import { forecastCall } from './forecast-call.ts'
import { requestChanges } from './request-changes.ts'
import type { ForecastRun } from './open-call.ts'
import type { Saying } from './saying.ts'
import { unpriced } from './unpriced-model.ts'

/**
 * Returns what is to be said of an open run; empty if it would go on alike. With `before`, the code before this one, it
 * also says what only a comparison shows: another request to the model, and another check of values that people give.
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
  const isAsked = asksModel(context)
  const changes = isAsked && before !== undefined ? requestChanges(before, parts) : []
  const refused = isAsked && run.hasCostLimit ? unpriced(parts) : []
  return distinct([
    ...codeThatDecides(parts, run, { isGated, isAsked, isOpen: open.length > 0 }),
    ...sayings,
    ...refused,
    ...changes,
  ])
}

function distinct(sayings: readonly Saying[]): readonly Saying[] {
  return [...new Map(sayings.map((saying) => [saying.reason, saying])).values()]
}
