import type { Misfit } from '../../../../machines/model-call/model-call.types.ts'
import { type Json, toPlainJson } from '../../domain/text/json.ts'
import { copyJson } from '../../domain/text/json-copy.ts'
import type { Write } from '../../domain/log.ts'
import { type AssistantMessage, textOf } from '../../domain/message.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { OutputContract } from '../../ports/output-contract.ts'
import { ask, type AskBounds, type Asking } from '../ask.ts'
import { checkValue } from '../tools/check-value.ts'
import { outputFormatOf } from './request-parts.ts'

/** How an answer stands to the output contract, and its output where it fits. */
export interface JudgedOutput {
  readonly misfit?: Misfit
  readonly writes: readonly Write[]
}

/** Checks an answer without calls against the output contract (requirement AGT-08). */
export async function judgeOutput(
  contract: OutputContract,
  message: AssistantMessage,
  bounds: AskBounds & Pick<EffectContext, 'trace'>,
): Promise<JudgedOutput> {
  const { schema, builder } = contract
  const { trace } = bounds
  const text = textOf(message)
  let value: unknown
  try {
    if (builder === undefined) value = valueOf(text)
    else {
      const shown = { text, message, outputFormat: outputFormatOf(contract), ...(trace === undefined ? {} : { trace }) }
      const build = ({ shown: given }: Asking<typeof shown>) => builder(given)
      value = await ask('The output builder failed', bounds, build, shown)
    }
  } catch (cause) {
    return broken(thrownText(cause))
  }
  const checked = await checkValue(schema, value)
  if (checked.issues !== undefined) {
    if (checked.hasThrown === true) return broken(`The output schema failed: ${checked.issues}`)
    return { misfit: { kind: 'issues', text: checked.issues }, writes: [] }
  }
  const copied = copyJson(toPlainJson(checked.value))
  if (copied.problem !== undefined) return broken(`The output ${copied.problem}.`)
  return { writes: [{ kind: 'value', name: 'output', value: copied.value }] }
}

function broken(message: string): JudgedOutput {
  return { misfit: { kind: 'broken', error: { code: 'output_failed', message } }, writes: [] }
}

/** The answer as JSON, a fence of code around it left out; a text that is none is itself. */
function valueOf(text: string): Json {
  try {
    return JSON.parse(withoutFence(text)) as Json
  } catch {
    return text
  }
}

/** Each mark stands on a line of its own. One look at each letter: the text is a model's. */
function withoutFence(text: string): string {
  const trimmed = text.trim()
  const opening = /^```(?:json)?\s*\n/.exec(trimmed)?.[0]
  if (opening === undefined || !trimmed.endsWith('```')) return text
  const fenced = trimmed.slice(opening.length, -3)
  return fenced.slice(fenced.trimEnd().length).includes('\n') ? fenced : text
}
