import { jsonIn } from '../../domain/text/parse-json.ts'
import type { Misfit } from '../../../../machines/model-call/model-call.types.ts'
import { canonicalJson, type Json, toPlainJson } from '../../domain/text/json.ts'
import { copyJson } from '../../domain/text/json-copy.ts'
import type { Write } from '../../domain/log.ts'
import { type AssistantMessage, textOf } from '../../domain/message.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { OutputContract } from '../../ports/output-contract.ts'
import { ask, type AskBounds, type Asking } from '../ask-code.ts'
import { findJson } from './find-json.ts'
import { isWrappedOutput, unwrapped } from './rooted-output.ts'
import type { Checked } from '../tools/check-json-schema.ts'
import { checkValue } from '../tools/check-value.ts'
import { outputFormatOf } from './request-parts.ts'

/** The result of checking an answer against the output contract; `output` if the answer fits. */
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
  const { builder } = contract
  const { trace } = bounds
  const text = textOf(message)
  let checked: Checked
  try {
    const isWrapped = isWrappedOutput(contract)
    const check = async (value: unknown) => await checkPart(contract, isWrapped, value)
    if (builder === undefined) checked = await checkText(text, isWrapped, check)
    else {
      const shown = { text, message, outputFormat: outputFormatOf(contract), ...(trace === undefined ? {} : { trace }) }
      const build = ({ shown: given }: Asking<typeof shown>) => builder(given)
      checked = await check(await ask('The output builder failed', bounds, build, shown))
    }
  } catch (cause) {
    return broken(thrownText(cause))
  }
  if (checked.issues !== undefined) {
    if (checked.hasThrown === true) return broken(`The output schema failed: ${checked.issues}`)
    return { misfit: { kind: 'issues', text: checked.issues }, writes: [] }
  }
  const copied = copyJson(toPlainJson(checked.value))
  if (copied.problem !== undefined) return broken(`The output ${copied.problem}.`)
  return { writes: [{ kind: 'value', name: 'output', value: copied.value }] }
}

/** Checks a value by the schema, and first the value of its field `value` if the model was asked for that field. */
async function checkPart({ schema }: OutputContract, isWrapped: boolean, value: unknown): Promise<Checked> {
  const inner = isWrapped ? unwrapped(value) : undefined
  const ofInner = inner && (await checkValue(schema, inner.value))
  if (ofInner !== undefined && ofInner.issues === undefined) return ofInner
  const checked = await checkValue(schema, value)
  return checked.issues === undefined ? checked : (ofInner ?? checked)
}

/**
 * Checks an answer: the text as JSON, else the text itself, else the one value in it that fits. If several values fit,
 * the model is asked again.
 */
async function checkText(
  text: string,
  isWrapped: boolean,
  check: (value: unknown) => Promise<Checked>,
): Promise<Checked> {
  const whole = jsonIn(withoutFence(text.trim()))
  if (whole !== undefined) return await check(whole)
  const found = findJson(text)
  const asked = isWrapped
    ? await theOne(
        found.filter((value) => unwrapped(value) !== undefined),
        check,
      )
    : undefined
  if (asked !== undefined) return asked
  const ofText = await check(text)
  if (ofText.issues === undefined || ofText.hasThrown === true) return ofText
  const [first] = found
  return (await theOne(found, check)) ?? (found.length === 1 ? await check(first) : ofText)
}

/** Returns the only value that fits; undefined without one, or if different values fit. */
async function theOne(
  values: readonly Json[],
  check: (value: unknown) => Promise<Checked>,
): Promise<Checked | undefined> {
  const fitting = new Map<string, Checked>()
  for (const [text, value] of new Map(values.map((one) => [canonicalJson(one), one] as const))) {
    const checked = await check(value)
    if (checked.issues === undefined) fitting.set(text, checked)
  }
  const [only, ...others] = fitting.values()
  return others.length === 0 ? only : undefined
}

function broken(message: string): JudgedOutput {
  return { misfit: { kind: 'broken', error: { code: 'output_failed', message } }, writes: [] }
}

/** Each mark is on its own line. The text is a model's, so the work is linear. */
function withoutFence(text: string): string {
  const opening = /^```(?:json)?\s*\n/.exec(text)?.[0]
  if (opening === undefined || !text.endsWith('```')) return text
  const fenced = text.slice(opening.length, -3)
  return fenced.slice(fenced.trimEnd().length).includes('\n') ? fenced : text
}
