import { type Message, toolCallsOf } from '../../src/core/domain/message.ts'
import { standingOf, storedFacts } from '../../src/core/driving/run-result.ts'
import type { StoredRun } from '../../src/core/ports/store.ts'
import { wordsOf } from '../../src/testing/crash/said.ts'
import { isCorrection } from './judge-answers.ts'
import type { PlayedRun } from './played-run.ts'
import type { SequenceSetup } from './sequence-setup.ts'
import { heardAs, promptNumber, type SpokenTo, warning } from './spoken.ts'

/** The messages to a run, and its own part of the transcript. */
interface Heard {
  readonly run: StoredRun
  readonly own: readonly Message[]
  readonly said: readonly SpokenTo[]
  readonly setup: SequenceSetup
}

/**
 * What is wrong with what a run has heard: its prompt first and once; nothing twice, nothing refused, warnings with what
 * they are about, by each means the first that was said first, no follow-up before steering that was said before it,
 * follow-ups only where the run would end; and at its end nothing is lost.
 */
export function messageFaults(run: StoredRun, played: PlayedRun, setup: SequenceSetup): readonly string[] {
  const heard: Heard = { run, own: played.own(run), said: played.said, setup }
  return [...inputFaults(heard, played), ...lostFaults(heard), ...early(heard)]
}

const reasonsWithoutPrompt = ['cancelled', 'error']
const codesWithoutPrompt = ['input_rejected', 'before_loop']

function inputFaults({ run, own, setup }: Heard, { prompt }: PlayedRun): readonly string[] {
  const due = heardAs(prompt, setup.loop.isFiltered)
  const said = own.filter(({ role }) => role !== 'extension').map(wordsOf)
  const prompts = said.filter((words) => promptNumber(words) !== undefined)
  if (prompts.length === 0) {
    const { status, doneReason = '', code = '' } = run.record
    const mayLack = reasonsWithoutPrompt.includes(doneReason) || codesWithoutPrompt.includes(code)
    if (said.length > 0 || (status !== 'running' && !mayLack)) return [`"${prompt.text}" is not in the transcript`]
    return []
  }
  const isRight = prompts.length === 1 && said[0] === due
  return isRight ? [] : [`"${prompt.text}" is in the transcript as ${prompts.join()}, behind ${said[0]}`]
}

function lostFaults({ run, own, said, setup }: Heard): readonly string[] {
  const faults: string[] = []
  const asHeard = new Map(said.map((one) => [heardAs(one, setup.loop.isFiltered), one.text]))
  const raw = new Set(said.map(({ text }) => text))
  const heard = own.map(wordsOf).flatMap((words) => {
    const text = asHeard.get(words)
    if (text === undefined && raw.has(words)) faults.push(`"${words}" was heard though a filter had more to say`)
    return text ?? []
  })
  const left = undeliveredOf(run)
  for (const kind of ['steer', 'followUp', 'extension'] as const) {
    const isDue = (one: SpokenTo) => one.kind === kind && heardAs(one, setup.loop.isFiltered) !== undefined
    const inOrder = said.filter(isDue).map(({ text }) => text)
    const taken = [...heard, ...left].filter((text) => inOrder.includes(text))
    const due = run.record.status === 'done' ? inOrder : inOrder.slice(0, taken.length)
    if (taken.join() !== due.join()) faults.push(`${kind}: heard ${taken.join()} where ${due.join()} was said`)
  }
  return faults
}

/** The unread messages that an ended run reports, with or without the warnings about them. */
export function undeliveredOf(run: StoredRun): readonly string[] {
  const { undelivered = [] } = standingOf(run.record.id, storedFacts(run))
  return undelivered.map((message) => wordsOf(message).replace(`[Warning: ${warning}]`, ''))
}

function early({ own, said, setup }: Heard): readonly string[] {
  const { onLimit, loop } = setup
  const { ending, isFiltered } = loop
  const mayEndAnywhere = onLimit === 'finish' || ending !== null
  const accepted = said.flatMap((one) => {
    const words = heardAs(one, isFiltered)
    return words === undefined ? [] : { ...one, words }
  })
  const texts = new Set(accepted.map(({ words }) => words))
  const heard = own.map(wordsOf)
  const faults: string[] = []
  for (const [at, { kind, words }] of accepted.entries()) {
    const place = heard.indexOf(words)
    if (kind !== 'followUp' || place < 0) continue
    const before = accepted.slice(0, at).filter((one) => one.kind === 'steer')
    const late = before.find((one) => !heard.slice(0, place).includes(one.words))
    if (late !== undefined) faults.push(`"${words}" was heard before "${late.words}"`)
    const last = own.slice(0, place).findLast((message) => !texts.has(wordsOf(message)))
    const isAnswer = last?.role === 'assistant' && toolCallsOf(last).length === 0
    const isNote = last?.role === 'user' && !isCorrection(last)
    if (!isAnswer && !isNote && !mayEndAnywhere) faults.push(`"${words}" was heard though the run would not end`)
  }
  return faults
}
