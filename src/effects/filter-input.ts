import type { FilterInput, FilterVerdict } from '../../machines/run/run.input-types.ts'
import { freezeDeep, isRecord } from '../domain/json.ts'
import { thrownText } from '../domain/thrown-text.ts'
import type { EffectHandler } from '../ports/effect-handler.ts'
import type { FilterContext, InputFilter } from '../ports/input-filter.ts'
import type { AgentParts } from './agent-parts.ts'
import { type HookBounds, withinHookTime } from './call-hook.ts'

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
        const answer = await ask(filter, messages, { runId, kind }, { ...context, hookTimeoutMs })
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

async function ask(
  filter: InputFilter,
  messages: FilterInput['messages'],
  about: Omit<FilterContext, 'signal'>,
  bounds: HookBounds,
): Promise<{ readonly warn?: string; readonly reject?: string }> {
  try {
    const answer: unknown = await withinHookTime(bounds, async (signal) =>
      filter.check(freezeDeep(messages), { ...about, signal }),
    )
    return checked(answer)
  } catch (cause) {
    throw new Error(`Input filter "${filter.name}" failed: ${thrownText(cause)}`, { cause })
  }
}

function checked(answer: unknown): { readonly warn?: string; readonly reject?: string } {
  if (answer === undefined) return {}
  const { warn, reject } = isRecord(answer) ? answer : {}
  if (typeof reject === 'string' && warn === undefined) return { reject }
  if (typeof warn === 'string' && reject === undefined) return { warn }
  throw new TypeError('its answer is not readable. Expected { warn: text }, { reject: text } or nothing.')
}
