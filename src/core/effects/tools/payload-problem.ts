import type { CallRecord } from '../../domain/call.ts'
import { familyDecision } from '../../domain/family-link.ts'
import { addedAmount, limitQuestion, type LimitQuestion } from '../../domain/limit-hold.ts'
import { grantedBy, isPermissionHold, requestIn } from '../../domain/permission-request.ts'
import type { Decision } from '../../domain/decision.ts'
import { unreadPayload } from '../../domain/unread-payload.ts'
import type { Tool } from '../../ports/tool.ts'
import { checkValue } from './check-value.ts'
import { isToolResult } from './tool-result.ts'

/**
 * Returns why the payload of a decision does not fit its call; undefined if it fits or cannot be checked. Checked when
 * a decision arrives and again when it is used.
 */
export async function payloadProblem(
  call: CallRecord,
  { mode = call.resumeMode, input, result, decisionId }: Pick<Decision, 'mode' | 'input' | 'result' | 'decisionId'>,
  tool: Tool | undefined,
): Promise<string | undefined> {
  const { callId, isHold } = call
  if (isPermissionHold(call) && call.isSent === true && isFailure(result)) return undefined
  if (isPermissionHold(call)) return grantedBy(requestIn(call), result) === undefined ? notGranted(call) : undefined
  const question = limitQuestion(call)
  // Other runs that wait for the same answer continue by a decision of the engine, which adds nothing.
  if (question !== undefined && decisionId?.startsWith(familyDecision) !== true)
    return addedAmount(question, result) === undefined ? noAmountGiven(question) : undefined
  if (isHold === true) return result === undefined ? undefined : noValue
  if (call.isSent === true && mode !== 'use-as-result') return notItsToRun(callId)
  const unread = unreadPayload(mode, { input, result })
  if (unread !== undefined) return unread
  switch (mode) {
    case 'replay':
      return input === undefined || tool === undefined ? undefined : problemOf('input', tool, tool.input, input)
    case 'use-as-result':
      if (result === undefined) return `Call "${callId}" asks for a result. Give one with "respond".`
      return tool?.output === undefined ? undefined : problemOf('result', tool, tool.output, result)
    case 'pass-to-tool':
      if (result === undefined) return `Call "${callId}" asks for a value to run with. Give one with "pass".`
      return tool === undefined ? undefined : problemOf('result', tool, tool.input, result)
  }
}

async function problemOf(
  field: 'input' | 'result',
  { formats }: Tool,
  schema: Tool['input'],
  value: unknown,
): Promise<string | undefined> {
  const { issues } = await checkValue(schema, value, formats)
  return issues === undefined ? undefined : `The ${field} does not fit:\n${issues}`
}

const noValue = 'The run itself waits, and takes no value. Approve it to continue the run, or deny it to end the run.'

function noAmountGiven({ limit }: LimitQuestion): string {
  const wish = limit === 'max_tokens' ? 'a whole number of tokens' : 'US dollars, a number'
  return `The run waits for more in its account. Say how much to add with "respond": ${wish} above 0; or deny it.`
}

/** An external answer may report a failure. */
function isFailure(result: unknown): boolean {
  return isToolResult(result) && result.status === 'error'
}

function notItsToRun(callId: string): string {
  return `Call "${callId}" was sent to its service, and is not run here. Give its result with "respond", or deny it.`
}

function notGranted(call: CallRecord): string {
  const names = requestIn(call)
    .tools.map((name) => JSON.stringify(name))
    .join(', ')
  return `The run waits for permissions. Approve it for all of them, or with { granted: [names] } of ${names}; deny it to grant none.`
}
