import type { FilterInput, FilterVerdict } from '../../machines/run/run.input-types.ts'
import { isRecord } from '../domain/json.ts'
import type { EffectHandler } from '../ports/effect-handler.ts'
import type { AgentParts } from './agent-parts.ts'
import { ask } from './ask.ts'

/** Asks the input filters in order; the first rejection ends the asking. */
export function filterInput({
  inputFilters = [],
  hookTimeoutMs,
}: AgentParts): EffectHandler<FilterInput, FilterVerdict> {
  return {
    kind: 'local',
    perform: async ({ kind, messages }, context) => {
      const { runId, clock } = context
      const warnings: string[] = []
      for (const filter of inputFilters) {
        const failed = `Input filter "${filter.name}" failed`
        const answer = await ask(
          failed,
          { ...context, hookTimeoutMs },
          async ({ shown, signal }) => checked(await filter.check(shown, { runId, kind, signal })),
          messages,
        )
        if (answer.reject !== undefined) {
          const rejection = { filter: filter.name, reason: answer.reject }
          return { output: { warnings, rejection, at: clock.now() } }
        }
        if (answer.warn !== undefined) warnings.push(answer.warn)
      }
      return { output: { warnings, at: clock.now() } }
    },
  }
}

function checked(answer: unknown): { readonly warn?: string; readonly reject?: string } {
  if (answer === undefined) return {}
  const { warn, reject } = isRecord(answer) ? answer : {}
  if (typeof reject === 'string' && warn === undefined) return { reject }
  if (typeof warn === 'string' && reject === undefined) return { warn }
  throw new TypeError('its answer is not readable. Expected { warn: text }, { reject: text } or nothing.')
}
