import { type Message, textOf } from '../../core/domain/message.ts'
import type { Happening } from './exploration-types.ts'
import { type Invariant, type Observed, isEqual } from './invariant.ts'
import type { FilterAsked } from '../../../machines/run/run.input-types.ts'
import { messagesOf, textAt } from './said-payloads.ts'
import { isOnToModel } from './invariants-of-runs.ts'
import { expectedEnd, reachedLimit } from './waiting-rule.ts'

/** Returns the message that a write adds to the transcript. */
function written(seen: Happening): Message | undefined {
  return seen.kind === 'write' ? messagesOf(seen.write)[0] : undefined
}

function announced(seen: Happening): string | undefined {
  return seen.kind === 'announcement' ? seen.announcement.type : undefined
}

function phaseOf(seen: Happening): string | undefined {
  if (seen.kind !== 'effect' || seen.effect.src !== 'ask') return undefined
  return (seen.effect.input as { phase: string }).phase
}

function isWatched({ configuration }: Observed, name: string): boolean {
  return configuration.options.watched.includes(name as never)
}

/** Returns the texts that an ended run reports as undelivered. */
function undelivered(happenings: readonly Happening[]): readonly string[] | undefined {
  const writes = happenings.flatMap((seen) => (seen.kind === 'write' ? seen.write : []))
  const last = writes.findLast((write) => write.kind === 'undelivered')
  return last?.kind === 'undelivered' ? last.said.map(textAt) : undefined
}

const ends = ['turn.started', 'run.waiting', 'run.ended']

/** Rules of incoming messages, of hooks around turns, and of the output contract. */
export const invariantsOfMessages: readonly Invariant[] = [
  {
    name: 'what is said is taken in as it came',
    rule: 'Results of background work come before steering, and steering before follow-ups, each kind in its order; a follow-up where the run would end (AGT-03, TC-10).',
    atHappening: ({ facts, configuration }, seen) => {
      const message = written(seen)
      const taken = facts.said.waiting.find(({ text }) => message?.role === 'user' && textOf(message).startsWith(text))
      if (taken === undefined) return undefined
      const first = facts.said.waiting.find(({ kind }) => kind === taken.kind)
      if (first !== taken) return `${taken.text} came before ${first?.text}`
      const waits = (wanted: string) => facts.said.waiting.some(({ kind }) => kind === wanted)
      if (taken.kind !== 'background' && waits('background')) return `${taken.text} came before a result`
      if (taken.kind !== 'followUp' || facts.said.isTaking) return undefined
      if (waits('steer')) return 'a follow-up came before steering'
      const isEnding =
        facts.askedOutcome !== null || facts.isFinishing || reachedLimit(facts, configuration) !== undefined
      return isEnding ? undefined : 'a follow-up came though the run would go on'
    },
  },
  {
    name: 'nothing said is left lying',
    rule: 'No step towards the model begins while a result or steering waits; a run that ends names what it has not taken in (AGT-03).',
    atHappening: (observed, seen) => {
      if (!isOnToModel(observed, seen)) return undefined
      const { facts, configuration } = observed
      if (facts.said.waiting.some(({ kind }) => kind === 'background')) return 'the model is asked while a result waits'
      const steering = facts.said.waiting.filter(({ kind }) => kind === 'steer')
      const most = configuration.options.queueModes.steer === 'one' ? Math.max(0, facts.said.counts.steer - 1) : 0
      return steering.length > most ? `the model is asked while ${steering[0]?.text} waits` : undefined
    },
    atEnd: ({ facts, was, happenings }) => {
      if (facts.top !== 'done' || was.top === 'done') return undefined
      const left = facts.said.waiting.map(({ text }) => text)
      const named = undelivered(happenings)
      if (
        named === undefined &&
        was.hooks.isEndTold &&
        isEqual(
          left,
          was.said.waiting.map(({ text }) => text),
        )
      ) {
        return undefined
      }
      const isNamed = named?.length === left.length && left.every((text, at) => named[at]?.startsWith(text) === true)
      return isNamed || (named === undefined && left.length === 0)
        ? undefined
        : `left ${left.join(', ')}, and named ${(named ?? []).join(', ')}`
    },
  },
  {
    name: 'a message for the application stands at once',
    rule: 'What no model is sent is written down when it comes (AGT-13).',
    atEnd: ({ facts, before }) => {
      const isLate = facts.said.owesExtension && before?.top !== 'done'
      return isLate ? 'it was not written down' : undefined
    },
  },
  {
    name: 'nothing passes the filters unseen',
    rule: 'A prompt, steering or a follow-up is in the transcript only where the filters let it pass (PH-03).',
    atHappening: (observed, seen) => {
      const message = written(seen)
      if (message?.role !== 'user' || !isWatched(observed, 'filterInput')) return undefined
      const { said, hasInput } = observed.facts
      const taken = said.waiting.find(({ text }) => textOf(message).startsWith(text))
      if (taken?.kind === 'background') return undefined
      const name = taken?.text ?? (hasInput ? '' : 'prompt')
      return said.passed.includes(name) ? undefined : `${name || textOf(message)} was written unseen`
    },
    atEnd: ({ facts, was, before, after, move, happenings }) => {
      if (move?.type === 'complete' && move.src === 'filterInput' && move.outcome === 'rejected') {
        const asked = before?.effects.find(({ src }) => src === 'filterInput')?.input as FilterAsked
        const isGone = (seen: Happening) =>
          seen.kind === 'write' &&
          seen.write.kind === 'refused' &&
          'inboxId' in asked &&
          seen.write.inboxId === asked.inboxId
        if (asked.kind !== 'prompt' && !happenings.some(isGone)) return 'what was refused is kept'
      }
      if (facts.askedOutcome?.code !== 'input_rejected' || was.top === 'done') return undefined
      return after.text.includes('"input":"taken"') ? undefined : 'a refused prompt is kept'
    },
  },
  {
    name: 'no message stands in the state',
    rule: 'The state names messages to a run, and those it begins with, only by their heads (CKP-04).',
    atEnd: ({ after }) => {
      const [text] = /Go\.|(?:steer|followUp|background|extension) \d/.exec(after.text) ?? []
      return text === undefined ? undefined : `"${text}" stands in the state`
    },
  },
  {
    name: 'an answer that does not fit is corrected',
    rule: 'The model is told once, before it is asked again; nothing else of the run goes on without (AGT-08).',
    atHappening: ({ facts }, seen) => {
      const type = announced(seen)
      if (type === 'turn.ended' || ends.includes(type ?? '')) {
        const isOwed = facts.said.owesCorrection && facts.verdict === null
        return isOwed ? `${type} came before the correction` : undefined
      }
      if (seen.kind !== 'write' || seen.write.kind !== 'note') return undefined
      const isCorrection = seen.write.text.startsWith('[The answer does not fit')
      return isCorrection && !facts.said.owesCorrection ? 'a correction nobody owes' : undefined
    },
  },
  {
    name: 'a refused answer leaves nothing but its reason',
    rule: 'The model is told once why its answer was refused, and no call of the answer is ever made (PH-05).',
    atHappening: ({ facts }, seen) => {
      if (seen.kind === 'announcement' && ends.includes(seen.announcement.type)) {
        const isOwed = facts.said.owesRefusal && facts.verdict === null
        return isOwed ? `${seen.announcement.type} came before the reason` : undefined
      }
      if (seen.kind !== 'write' || seen.write.kind !== 'note') return undefined
      const isRefusal = seen.write.text.startsWith('[The answer was refused')
      return isRefusal && !facts.said.owesRefusal ? 'a refusal that nobody owes' : undefined
    },
    atEnd: ({ move, happenings, was, facts }) => {
      if (move?.type !== 'complete' || move.outcome !== 'refused' || move.src !== 'callModel') return undefined
      const isCommitted = happenings.some((seen) => seen.kind === 'name' && seen.name === 'AssistantTurnCommitted')
      if (isCommitted) return 'a refused answer was committed'
      return Object.keys(facts.calls).length > Object.keys(was.calls).length ? 'a refused answer has calls' : undefined
    },
  },
  {
    name: 'hooks of the loop stand at their places',
    rule: 'beforeRun before the start, afterTurn behind each turn, onError before an end in error, afterRun behind it (PH-02, PH-04).',
    atHappening: (observed, seen) => {
      const { facts, configuration } = observed
      const type = announced(seen)
      if (type === 'run.started' && isWatched(observed, 'beforeRun') && !facts.hooks.isLoopAsked) {
        return 'the run started before beforeRun was asked'
      }
      if (ends.includes(type ?? '') && facts.hooks.owesAfterTurn && facts.verdict !== 'cancelled') {
        const isLost = facts.verdict === 'error' && !facts.hooks.hasTurnFailed
        return isLost ? undefined : `${type} came before afterTurn`
      }
      if (type === 'run.ended' && isWatched(observed, 'onError') && !facts.hooks.isErrorTold) {
        return expectedEnd(facts, configuration)?.reason === 'error' ? 'the end came before onError' : undefined
      }
      return misplaced(observed, phaseOf(seen))
    },
  },
  {
    name: 'the end of a turn knows whether it was answered',
    rule: 'afterTurn is given the usage of its own turn, and none of a turn without an answer (PH-02).',
    atHappening: ({ facts: { hooks } }, seen) => {
      if (seen.kind !== 'effect' || phaseOf(seen) !== 'afterTurn') return undefined
      const { isUnanswered = false } = seen.effect.input as { readonly isUnanswered?: boolean }
      return isUnanswered === hooks.isTurnAnswered ? 'afterTurn was told wrongly whether there is an answer' : undefined
    },
  },
]

function misplaced({ facts, configuration }: Observed, phase: string | undefined): string | undefined {
  const { hooks } = facts
  switch (phase ?? '') {
    case 'beforeRun':
      return hooks.isLoopAsked || facts.lastAnnouncement !== null ? 'beforeRun was asked twice or late' : undefined
    case 'afterTurn':
      return hooks.owesAfterTurn ? undefined : 'afterTurn was asked of no turn'
    case 'onError':
      if (hooks.isErrorTold) return 'onError was told twice'
      return expectedEnd(facts, configuration)?.reason === 'error' ? undefined : 'onError was told of no error'
    case 'afterRun':
      return hooks.isEndTold ? undefined : 'afterRun came before the end was told'
    default:
      return undefined
  }
}
