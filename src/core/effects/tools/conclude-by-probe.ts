import type { Performed, RunToolInput } from '../../../../machines/tool-call/tool-call.types.ts'
import { argumentsOf, type CallRecord } from '../../domain/call.ts'
import { inTime } from '../../ports/clock.ts'
import type { EffectContext, EffectResult } from '../../ports/effect-handler.ts'
import type { Tool, ToolReturn } from '../../ports/tool.ts'
import type { AgentParts } from '../agent-parts.ts'
import { listening } from '../ask-code.ts'
import { concluded, interrupted, resultOf } from './conclude.ts'
import { ToolPerformance } from './tool-performance.ts'
import { isRecord, type Json, toPlainJson } from '../../domain/text/json.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import { checkValue } from './check-value.ts'
import { heldToOutput } from './held-to-output.ts'

const mostTimes = 3

/**
 * Asks the tool's probe how an earlier performance of a call ended. Returns `runAgain` or `notDone` if that performance
 * has not acted. A call runs again three times at most.
 */
export async function concludeByProbe(
  parts: AgentParts,
  tool: Tool & Required<Pick<Tool, 'probe'>>,
  call: CallRecord,
  input: RunToolInput,
  context: EffectContext,
): Promise<EffectResult<Performed> | 'runAgain' | 'notDone'> {
  const found = await askProbe(tool, call, input, context)
  if (found.status === 'notDone') return found.runAgain && (input.failures ?? 0) < mostTimes ? 'runAgain' : 'notDone'
  if (found.status === 'unknown') return resultOf(call, interrupted(call, context, found.evidence))
  const plugins = listening(parts.plugins, 'onToolValue')
  const performance = new ToolPerformance(input, call, context, { plugins, updates: undefined })
  const conclusion = await concluded(plugins, call, found.returned, performance, context)
  return resultOf(call, conclusion, { attempt: input.attempt })
}

/** The answer about an earlier performance with an unknown end. */
export type Probed =
  | { readonly status: 'done'; readonly returned: ToolReturn }
  | { readonly status: 'notDone'; readonly runAgain: boolean }
  | { readonly status: 'unknown'; readonly evidence: string }

/** The time limit of one try in milliseconds, and the maximum number of tries. */
const triesMs = 10_000
const mostTries = 3
const mostEvidence = 2_000

/**
 * Asks a tool's probe whether an earlier execution of a call has acted. A throw, a late answer and an answer of an
 * unknown form are tried again; after the last try the outcome is unknown.
 */
async function askProbe(
  tool: Tool & Required<Pick<Tool, 'probe'>>,
  call: CallRecord,
  { revision, attempt }: { readonly revision: number; readonly attempt: number },
  context: EffectContext,
): Promise<Probed> {
  const { runId, run, view, signal } = context
  const { callId, toolName } = call
  const checked = await checkValue(tool.input, argumentsOf(call, view), tool.formats)
  if (checked.issues !== undefined) return unknown(`Its arguments no longer fit the tool:\n${checked.issues}`)
  const idempotencyKey = `${runId}:${callId}:${revision}`
  const asked = { runId, run, callId, toolName, idempotencyKey, attempt, arguments: checked.value }
  let problem = ''
  for (let tries = 0; tries < mostTries && !signal.aborted; tries++) {
    const ask = async (over: AbortSignal) => tool.probe({ ...asked, signal: over } as never)
    try {
      const late = () => new Error(`It gave no answer within ${triesMs} ms.`)
      return await readAnswer(tool, await inTime(context, triesMs, ask, late))
    } catch (error) {
      problem = thrownText(error)
    }
  }
  return unknown(`Its probe failed: ${problem}`)
}

async function readAnswer(tool: Tool, answer: unknown): Promise<Probed> {
  const { status, result, runAgain, evidence } = isRecord(answer)
    ? (answer as { readonly [field: string]: unknown })
    : {}
  if (status === 'done' && result !== undefined) return { status, returned: await heldToOutput(tool, result) }
  if (status === 'notDone') return { status, runAgain: runAgain === true }
  if (status === 'unknown') return unknown(textOf(toPlainJson(evidence)))
  throw new Error(`Expected { status: 'done', result }, { status: 'notDone' } or { status: 'unknown' }.`)
}

function textOf(evidence: Json | undefined): string {
  if (evidence === undefined || evidence === null) return 'The probe could not tell.'
  return typeof evidence === 'string' ? evidence : JSON.stringify(evidence)
}

function unknown(evidence: string): Probed {
  return { status: 'unknown', evidence: evidence.slice(0, mostEvidence) }
}
