import { type Json, type JsonObject, toPlainJson, isRecord } from '../domain/text/json.ts'
import type { ServedRequest } from '../domain/run-details.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import { checkJsonSchema } from '../effects/tools/check-json-schema.ts'
import { completedEvent, errorTypeOf, sourceOf, unitsOf } from '../domain/service-event.ts'
import { endedItem, familyIn, handedOverItem } from '../domain/family-link.ts'
import type { OutgoingItem } from '../domain/outgoing.ts'
import { eventItem } from '../runtime/outgoing-items.ts'
import { type RunFacts, type RunStanding, standingOf } from './run-result.ts'

/** Returns the items that a finished sub-agent or served run sends; none for other runs. */
export function completionItems(
  core: { readonly name: string; readonly hasOutput: boolean },
  runId: string,
  facts: RunFacts,
  at: number,
): readonly OutgoingItem[] {
  if (facts.outcome?.code === 'handed_over') return [handedOverItem(runId)]
  const family = familyIn(facts.input)
  if (family !== undefined) return [endedItem(runId, family)]
  if (!isRecord(facts.input) || facts.input['served'] === undefined) return []
  const standing = standingOf(runId, facts)
  const { served, delegatedBy } = standing.run
  if (served === undefined) return []
  const data = dataOf(standing)
  const failure = failureOf(standing, core.hasOutput) ?? misfitOf(served, data)
  const event = completedEvent(served, {
    id: `${runId}.done`,
    source: sourceOf(core.name, runId),
    type: failure === undefined ? served.emits : errorTypeOf(served.type),
    at,
    attributes: {
      executionunits: unitsOf(standing.executionUnits),
      toolinteractions: standing.toolInteractions.current,
      ...(delegatedBy === undefined ? {} : { delegatedby: delegatedBy }),
    },
    data: failure === undefined ? data : { errorMessage: failure },
  })
  return [eventItem(event, served.domain ?? served.source)]
}

/** Returns the reason why a run has no valid answer. */
function failureOf({ outcome, output }: RunStanding, hasOutput: boolean): string | undefined {
  const { reason, code, error } = outcome ?? {}
  if (reason === 'error') return error?.message ?? `The run failed${code === undefined ? '' : ` (${code})`}.`
  if (reason === 'cancelled') return `The run was cancelled${error === undefined ? '.' : `: ${error.message}`}`
  return hasOutput && output === undefined
    ? `The run ended without an output (${code ?? reason ?? 'unknown'}).`
    : undefined
}

/** The caller rejects an answer that does not fit the contract, and would wait for another one forever. */
function misfitOf({ emits, schema }: ServedRequest, data: Json): string | undefined {
  if (schema === undefined) return undefined
  const problem = issuesOf(schema, data)
  return problem && `The answer does not fit "${emits}":\n${problem}`.slice(0, 10_000).toWellFormed()
}

function issuesOf(schema: JsonObject, data: Json): string | undefined {
  try {
    return checkJsonSchema(schema, data, 'ignored').issues
  } catch (error) {
    return `- The check itself failed: ${thrownText(error)}`
  }
}

function dataOf({ output, text, run, messages }: RunStanding): Json {
  const data = output === undefined ? { response: text } : (toPlainJson(output) ?? null)
  if (run.history !== true || !isRecord(data)) return data
  return { ...data, history: toPlainJson(messages) ?? [] }
}
