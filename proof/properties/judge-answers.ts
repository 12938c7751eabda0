import { type AssistantMessage, type Message, textOf, toolCallsOf } from '../../src/core/domain/message.ts'
import { standingOf, storedFacts } from '../../src/core/driving/run-result.ts'
import type { StoredRun } from '../../src/core/ports/store.ts'
import type { SequenceSetup } from './sequence-setup.ts'
import { misfit } from './watched-loop.ts'

/**
 * What is wrong with how a run took the answers that do not fit its contract: each is followed by one correction, and the
 * loop goes on; no correction without one. A final answer, and one behind which the run ends otherwise, stays as it is.
 */
export function answerFaults(
  run: StoredRun,
  own: readonly Message[],
  { onLimit, loop: { isChecked, ending } }: SequenceSetup,
): readonly string[] {
  const { status, doneReason } = run.record
  const messages = own.filter(({ role }) => role !== 'extension')
  const isCutShort = status === 'running' || doneReason === 'cancelled' || doneReason === 'error'
  const mayStay = isCutShort || onLimit === 'finish' || ending !== null
  const faults: string[] = []
  for (const [at, message] of messages.entries()) {
    const isDue = isChecked && isMisfit(messages[at - 1])
    if (isCorrection(message) && !isDue) faults.push(`message ${at} corrects what is no misfit`)
  }
  for (const [at, message] of messages.entries()) {
    if (!isChecked || !isMisfit(message) || isCorrection(messages[at + 1])) continue
    const isLast = at === messages.findLastIndex(({ role }) => role === 'assistant')
    if (!mayStay || (!isLast && ending === null)) faults.push(`the misfit at ${at} was not corrected`)
  }
  if (isChecked) faults.push(...patienceFaults(run, messages))
  return [...faults, ...outputFaults(run, own, isChecked)]
}

/** Corrections behind one fitting answer, or behind the start of the run: after as many, a misfit ends it. */
const mostCorrections = 3

/** A run ends for its answers exactly where the model was corrected as often as it may be, and no answer has fitted since. */
function patienceFaults({ record: { error } }: StoredRun, messages: readonly Message[]): readonly string[] {
  let corrections = 0
  for (const message of messages) {
    if (isCorrection(message)) corrections++
    else if (message.role === 'assistant' && isAnswer(message) && !isMisfit(message)) corrections = 0
    if (corrections > mostCorrections) return [`the model was corrected ${corrections} times`]
  }
  if (error?.code !== 'output_failed') return []
  const last = messages.findLast(({ role }) => role === 'assistant')
  if (corrections === mostCorrections && isMisfit(last)) return []
  return [`the run ended for its answers after ${corrections} corrections`]
}

function outputFaults(run: StoredRun, own: readonly Message[], isChecked: boolean): readonly string[] {
  const { status, doneReason } = run.record
  const { output, text, usage } = standingOf(run.record.id, storedFacts(run))
  const last = own.findLast((message) => message.role === 'assistant')
  const faults: string[] = []
  const fits = last !== undefined && isAnswer(last) && !isMisfit(last)
  const due = isChecked && fits ? textOf(last) : undefined
  if (output !== due) faults.push(`the output is ${String(output)} instead of ${String(due)}`)
  const words = status === 'done' && last !== undefined ? textOf(last) : ''
  if (text !== words) faults.push(`the text is "${text}" instead of "${words}"`)
  if (doneReason === 'natural_end' && !fits && isChecked)
    faults.push('the run ended by itself without a fitting answer')
  const used = own.reduce((sum, message) => sum + (message.role === 'assistant' ? message.usage.totalTokens : 0), 0)
  if (usage.totalTokens !== used) faults.push(`${usage.totalTokens} tokens are told of a run that used ${used}`)
  return faults
}

/** Whether a message is what the model is told of an answer that does not fit. */
export function isCorrection(message: Message | undefined): boolean {
  if (message?.role !== 'user') return false
  return /^\[The answer does not fit the expected output: .+\. Answer again\.\]$/s.test(textOf(message))
}

function isMisfit(message: Message | undefined): boolean {
  return message?.role === 'assistant' && isAnswer(message) && textOf(message).includes(misfit)
}

function isAnswer(message: AssistantMessage): boolean {
  return toolCallsOf(message).length === 0 && message.stopReason !== 'error'
}
