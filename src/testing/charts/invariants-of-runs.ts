import { isTerminal } from '../../core/domain/call.ts'
import type { Outcome } from '../../core/domain/outcome.ts'
import { messagesOf } from './said-payloads.ts'
import type { Configuration, Happening } from './exploration-types.ts'
import { callsOf } from './facts.ts'
import { type Invariant, isEqual, isStart, pathOf, type Observed } from './invariant.ts'
import { endNote, isCorrection, unfitting } from './run-expectations.ts'
import { expectedEnd, hasConflict, mustWaitByRule, reachedLimit } from './waiting-rule.ts'

const stepPhases = ['stepStart', 'beforeModel', 'beforeTurn']
const answerPhases = ['afterModel', 'stepEnd']

/** Returns true for the first sign that a run has left its gate towards the model. */
export function isOnToModel({ configuration }: Observed, seen: Happening): boolean {
  if (seen.kind === 'announcement')
    return seen.announcement.type === 'turn.started' && !hears(configuration.options.watched, stepPhases)
  if (seen.kind !== 'effect' || seen.effect.src !== 'ask') return false
  const { phase } = seen.effect.input as { phase: string }
  return phase === stepPhases.find((name) => configuration.options.watched.includes(name as never))
}

function hears(watched: readonly string[], phases: readonly string[]): boolean {
  return phases.some((phase) => watched.includes(phase))
}

function isOnTheWay({ facts }: Observed): string | undefined {
  return callsOf(facts).find(([, call]) => ['new', 'running', 'resuming'].includes(call.status))?.[0]
}

/** Returns true if a plugin listens to phase runEnd, during which calls may settle before a planned wait. */
function isWatching({ options }: Configuration): boolean {
  return hears(options.watched, ['runEnd'])
}

/** Returns the outcome in the machine's context. */
function outcomeOf({ after }: Observed): Outcome | undefined {
  const { context } = JSON.parse(after.text) as { context?: { ending?: { outcome?: Outcome } } }
  return context?.ending?.outcome
}

function watchedOf({ configuration }: Observed, phases: readonly string[]): string {
  return phases.filter((phase) => configuration.options.watched.includes(phase as never)).join(', ')
}

/** Rules of a whole run: when it asks a model, when it waits, how it ends, and its commits and announcements. */
export const invariantsOfRuns: readonly Invariant[] = [
  {
    name: 'a prompt is whole',
    rule: 'No model is asked while a call has neither result nor placeholder.',
    atHappening: ({ facts }, seen) => {
      if (seen.kind !== 'effect' || seen.effect.src !== 'callModel') return undefined
      const open = callsOf(facts).find(([, call]) => call.results === 0 && !call.hasPlaceholder)
      return open && `the model would read ${open[0]} (${open[1].status}) without an answer`
    },
  },
  {
    name: 'the waiting rule lets the run go on',
    rule: 'The model is asked only where no case of RUN-03 holds, no decision is pending and no call is on its way.',
    atHappening: (observed, seen) => {
      if (!isOnToModel(observed, seen)) return undefined
      const { facts, configuration } = observed
      if (mustWaitByRule(facts, configuration)) return 'the run went on where it must wait'
      const late = isOnTheWay(observed)
      if (late !== undefined) return `the run went on while ${late} was on its way`
      const decided = callsOf(facts).find(([, call]) => call.status === 'suspended' && call.answer !== null)
      if (decided !== undefined) return `the run went on before the decision for ${decided[0]} was replayed`
      // A queued message may be filtered between the limit and the final answer.
      if (facts.isFinishing && !facts.isFinalAsked) return undefined
      const end = expectedEnd(facts, configuration)
      return end && `the run went on where it must end ${end.reason}`
    },
  },
  {
    name: 'the waiting rule makes the run wait',
    rule: 'A run waits where a case of RUN-03 holds, and for nothing else.',
    atHappening: ({ facts, configuration }, seen) => {
      if (seen.kind !== 'announcement' || seen.announcement.type !== 'run.waiting') return undefined
      const hasOpen = callsOf(facts).some(([, call]) => ['suspended', 'resuming', 'running'].includes(call.status))
      if (facts.verdict !== null) return `the run waits and must end ${facts.verdict}`
      if (!hasOpen && !isWatching(configuration)) return 'the run waits for nothing'
      const isHeld = mustWaitByRule(facts, configuration) || isWatching(configuration)
      return isHeld ? undefined : 'the run waits where it must go on'
    },
  },
  {
    name: 'a waiting run waits for something',
    rule: 'A call in a terminal state never keeps a run waiting.',
    atEnd: ({ facts, after }) => {
      if (facts.top !== 'waiting') return undefined
      return Object.keys(after.calls).length > 0 ? undefined : 'the run is waiting and no call is suspended'
    },
  },
  {
    name: 'the reason is what happened',
    rule: 'A run ends for the reason that ended it (RUN-05, RUN-07).',
    atEnd: (observed) => {
      const { facts, was, configuration, move } = observed
      if (facts.top !== 'done' || was.top === 'done') return undefined
      if (was.hooks.isEndTold && move?.type === 'cancelRun') return undefined
      const outcome = outcomeOf(observed)
      const wanted = expectedEnd(facts, configuration)
      if (wanted === undefined) return `the run ended ${outcome?.reason} where it must go on`
      const isSame = outcome?.reason === wanted.reason && ('code' in wanted ? outcome.code === wanted.code : true)
      return isSame ? undefined : `the run ended ${outcome?.reason}(${outcome?.code ?? ''}), not ${wanted.reason}`
    },
  },
  {
    name: 'no end is missed',
    rule: 'A cancelled or failed run is at its end or on the way there.',
    atEnd: ({ facts, after, move }) => {
      if (facts.verdict === null && !hasConflict(facts)) return undefined
      const path = pathOf(after.value)
      const isTurnHeard = path === 'running.turn.ended.askingAfterTurn' && facts.hooks.hasTurnFailed
      const isEnding = facts.top === 'done' || path.startsWith('running.closing') || isTurnHeard
      return isEnding
        ? undefined
        : `the run must end ${facts.verdict} and is ${pathOf(after.value)} after ${move?.type}`
    },
  },
  {
    name: 'checkpoints come in order',
    rule: 'UserMessage, turns and results as they are committed, RunFinished at every end and wait (CKP-01).',
    atHappening: ({ facts, happenings }, seen) => {
      if (seen.kind !== 'name') return undefined
      const hasFresh = callsOf(facts).some(([, call]) => call.statusWrites > 0 && !call.isCheckpointed)
      switch (seen.name) {
        case 'UserMessage':
          if (facts.said.isTaking) return undefined
          if (!facts.hasInput) return 'UserMessage came without the input'
          return [null, 'RunFinished'].includes(facts.lastName) ? undefined : `UserMessage came after ${facts.lastName}`
        case 'AssistantTurnCommitted':
          return facts.owesTurn ? undefined : 'AssistantTurnCommitted came without an answer'
        case 'ToolResultsCommitted':
          return facts.owesResults || facts.owesReplay || hasFresh || settles(happenings)
            ? undefined
            : 'ToolResultsCommitted came without results'
        case 'RunFinished':
          if (facts.owesResults && facts.verdict === null && !hasConflict(facts))
            return 'RunFinished came before the results'
          return facts.owesTurn && facts.verdict === null ? 'RunFinished came before the turn' : undefined
      }
    },
    atEnd: ({ happenings, facts, configuration }) => {
      if (hears(configuration.options.watched, ['afterRun'])) return undefined
      const names = happenings.flatMap((seen) => (seen.kind === 'name' ? seen.name : []))
      const rests = happenings.filter((seen) => seen.kind === 'top' && seen.to !== 'running').length
      const finished = names.filter((name) => name === 'RunFinished').length
      if (finished !== rests) return `${finished} RunFinished for ${rests} rests`
      return rests > 0 && facts.top !== 'running' && names.at(-1) !== 'RunFinished'
        ? `${names.at(-1)} came last`
        : undefined
    },
  },
  {
    name: 'turns are committed',
    rule: 'Each answer is committed before its calls, each round before the model is asked again (RUN-02).',
    atHappening: ({ facts }, seen) => {
      if (seen.kind !== 'announcement' || seen.announcement.type !== 'turn.started') return undefined
      if (!facts.hasInput) return 'the model is asked before the input is committed'
      if (facts.owesTurn || facts.owesResults) return 'the model is asked before the last turn is committed'
      const fresh = callsOf(facts).find(([, call]) => call.statusWrites > 0 && !call.isCheckpointed)
      return fresh && `the model is asked before the result of ${fresh[0]} is committed`
    },
    atEnd: ({ happenings, was, facts }) => {
      const inputs = happenings.filter(isInput).length
      if (inputs > (was.hasInput ? 0 : 1)) return 'the input was written twice'
      const early = happenings.find(
        (seen) => seen.kind === 'hop' && isStart(seen, facts.calls[seen.callId]?.verdict ?? null),
      )
      return facts.owesTurn && early !== undefined ? 'a call started before its turn was committed' : undefined
    },
  },
  {
    name: 'what happens is told',
    rule: 'Start and end of the run once, of each turn in pairs, waits and resumes where they are.',
    atHappening: (observed, seen) => {
      if (seen.kind !== 'announcement') return undefined
      return unfitting(observed.facts, seen.announcement.type)
    },
    atEnd: ({ happenings, before, move, configuration }) => {
      const announcement = happenings.flatMap((seen) => (seen.kind === 'announcement' ? seen.announcement.type : []))
      const { watched } = configuration.options
      if (before === undefined && announcement[0] !== 'run.started' && !hears(watched, ['beforeRun']))
        return 'the start of the run was not told'
      const tops = happenings.flatMap((seen) => (seen.kind === 'top' ? seen.to : []))
      const isEnded = move?.type === 'cancelRun' || move?.type === 'fail'
      const isLater = hears(watched, ['afterRun'])
      const atTops = tops.flatMap((top) => (top === 'running' && isEnded ? [] : (toldAt[top] ?? [])))
      const wanted = atTops.filter((type) => type !== 'run.ended' || !isLater)
      const told = announcement.filter((type) => wantedTypes.includes(type) && (type !== 'run.ended' || !isLater))
      return isEqual(told, wanted) ? undefined : `told ${told.join(', ')}, not ${wanted.join(', ')}`
    },
  },
  {
    name: 'limits hold',
    rule: 'At a limit the model is asked no more, or once for its final answer (AGT-11, AGT-12).',
    atHappening: ({ facts, configuration }, seen) => {
      if (seen.kind !== 'announcement' || seen.announcement.type !== 'turn.started') return undefined
      const limit = reachedLimit(facts, configuration)
      if (limit !== undefined && limit.action !== 'finish') return `a turn began past ${limit.code}`
      return facts.isFinalAsked ? 'a turn began after the final answer' : undefined
    },
  },
  {
    name: 'the running time ends what is in flight',
    rule: 'Once it is over, no model and no tool is at work, and no wait begins but one that was certain (AGT-12).',
    atEnd: ({ facts, was, after }) => {
      if (!facts.isTimeOver || facts.top === 'done' || was.leaving === 'wait') return undefined
      const late = after.effects.find(({ src }) => atWork.includes(src))
      if (late !== undefined) return `${late.owner} wants ${late.src} after its time`
      return facts.top === 'waiting' ? 'the run waits after its time' : undefined
    },
  },
  {
    name: 'a wait does not count',
    rule: 'The clock of a waiting run stands; a call that ends the wait tells an earlier time, which starts no clock (AGT-11).',
    atEnd: ({ before, after, move }) => {
      const isLeft = before?.top === 'waiting' && (move?.type === 'cancelCall' || move?.type === 'complete')
      const mustStand = after.top === 'waiting' || isLeft
      return mustStand && after.text.includes('"since":') ? `the clock runs after ${move?.type}` : undefined
    },
  },
  {
    name: 'endings are written down',
    rule: 'A cancel leaves its note, a limit its own, a failed model call its message, each once.',
    atEnd: (observed) => {
      const { facts, was, happenings } = observed
      const notes = happenings.flatMap((seen) =>
        seen.kind === 'write' && seen.write.kind === 'note' && !isCorrection(seen.write.text) ? seen.write.text : [],
      )
      const failures = happenings.filter((seen) => seen.kind === 'write' && seen.write.kind === 'failure').length
      if (facts.top === 'done' && facts.owesFailure) return 'the failure of the model was not written'
      if (failures > 1) return 'the failure of the model was written twice'
      if (!facts.hooks.isEndTold || was.hooks.isEndTold)
        return notes.length > 0 ? `a note "${notes[0]}" was written` : undefined
      const wanted = endNote(observed)
      return isEqual(notes, wanted) ? undefined : `notes "${notes.join('|')}", not "${wanted.join('|')}"`
    },
  },
  {
    name: 'phases are heard',
    rule: 'Each watched phase is asked once at its place, no other ever (PH-01), unless the time is over (AGT-12).',
    atHappening: (observed, seen) => {
      const { facts, configuration } = observed
      const heard = facts.phases.join(', ')
      if (seen.kind === 'effect' && seen.effect.src === 'ask') {
        const { phase } = seen.effect.input as { phase: string }
        return configuration.options.watched.includes(phase as never)
          ? undefined
          : `phase ${phase} is watched by nobody`
      }
      if (seen.kind === 'announcement' && seen.announcement.type === 'turn.started')
        return missed(heard, watchedOf(observed, stepPhases))
      if (seen.kind !== 'name') return undefined
      if (facts.isTimeOver) return undefined
      if (seen.name === 'AssistantTurnCommitted') return missed(heard, watchedOf(observed, answerPhases))
      return seen.name === 'UserMessage' && !facts.said.isTaking
        ? missed(heard, watchedOf(observed, ['runStart']))
        : undefined
    },
  },
]

/** Effects that cost something or lead to a cost. */
const atWork = [
  'callModel',
  'refreshCredentials',
  'compactPrompt',
  'summarise',
  'sleep',
  'gateCall',
  'gateReplay',
  'runTool',
]

const wantedTypes = ['run.resumed', 'run.waiting', 'run.ended']

function isInput(seen: Happening): boolean {
  return seen.kind === 'write' && seen.write.kind === 'input' && messagesOf(seen.write).length > 0
}

const toldAt: Readonly<Record<string, string>> = { running: 'run.resumed', waiting: 'run.waiting', done: 'run.ended' }

/** Returns true if a call settles in this step, so that the step's second checkpoint may publish the call. */
function settles(happenings: readonly Happening[]): boolean {
  return happenings.some((seen) => seen.kind === 'hop' && isTerminal(seen.to))
}

function missed(heard: string, wanted: string): string | undefined {
  return heard === wanted ? undefined : `phases heard: ${heard || 'none'}; wanted: ${wanted || 'none'}`
}
