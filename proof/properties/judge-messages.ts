import { toolCallsOf } from '../../src/domain/message.ts'
import { messagesIn } from '../../src/domain/transcript-message.ts'
import { standingOf, storedFacts } from '../../src/agent/run-result.ts'
import type { StoredRun } from '../../src/ports/store.ts'
import { type Said, wordsOf } from '../../src/testing/crash/said.ts'

/**
 * What is wrong with what a run has heard: nothing twice, by each means the first that was said first, no follow-up
 * before steering that was said before it, follow-ups only where the run would end; and at its end nothing is lost.
 */
export function messageFaults(run: StoredRun, said: readonly Said[], finishes: boolean): readonly string[] {
  const texts = new Set(said.map(({ text }) => text))
  const messages = messagesIn(run.log)
  const heard = messages.map(wordsOf).filter((text) => texts.has(text))
  const { undelivered = [] } = standingOf(run.record.id, storedFacts(run))
  const left = undelivered.map(wordsOf)
  const faults: string[] = []
  for (const kind of ['steer', 'followUp', 'extension'] as const) {
    const inOrder = said.filter((one) => one.kind === kind).map(({ text }) => text)
    const taken = [...heard, ...left].filter((text) => inOrder.includes(text))
    const due = run.record.status === 'done' ? inOrder : inOrder.slice(0, taken.length)
    if (taken.join() !== due.join()) faults.push(`${kind}: heard ${taken.join()} where ${due.join()} was said`)
  }
  for (const [at, { kind, text }] of said.entries()) {
    if (kind !== 'followUp' || !heard.includes(text)) continue
    const early = said.slice(0, at).filter((one) => one.kind === 'steer')
    const late = early.find((one) => !heard.slice(0, heard.indexOf(text)).includes(one.text))
    if (late !== undefined) faults.push(`"${text}" was heard before "${late.text}"`)
    const place = messages.findIndex((message) => wordsOf(message) === text)
    const before = messages.slice(0, place).findLast((message) => !texts.has(wordsOf(message)))
    const isAnswer = before?.role === 'assistant' && toolCallsOf(before).length === 0
    const isNote = before?.role === 'user'
    if (!isAnswer && !isNote && !finishes) faults.push(`"${text}" was heard though the run would not end`)
  }
  return faults
}
