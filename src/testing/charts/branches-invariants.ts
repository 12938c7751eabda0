import type { BranchesContext } from '../../../machines/branches/branches.types.ts'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import type { Happening, Move, Standing } from './exploration-types.ts'
import { type BranchesFacts, candidatesOf, expectedTop, isDone, isOpenCall } from './branches-facts.ts'

/** One move of a group, with what was known before and after it. */
export interface ObservedGroup {
  /** Undefined for the start of the group. */
  readonly move: Move | undefined
  readonly happenings: readonly Happening[]
  readonly standing: Standing
  readonly was: BranchesFacts
  readonly facts: BranchesFacts
}

type Rule = (observed: ObservedGroup) => string | undefined

/** The rules of a group (requirement AGT-06), checked after every move. A rule returns a description of its breach. */
export const branchesRules: { readonly [name: string]: Rule } = {
  'the chart never fails': ({ standing: { failure } }) => (failure === undefined ? undefined : thrownText(failure)),
  'the group is where its branches put it': ({ standing: { top }, facts }) =>
    top === expectedTop(facts) ? undefined : `${top}, not ${expectedTop(facts)}`,
  'the group announces its start, its waits and its end, each once and in order': ({
    move,
    happenings,
    was,
    facts,
  }) => {
    const wasWaiting = move !== undefined && expectedTop(was) === 'waiting'
    const isWaiting = expectedTop(facts) === 'waiting'
    const hasLeft = wasWaiting && leftByItself(happenings, facts)
    return differ(announced(happenings), [
      ...(move === undefined ? ['run.started', 'branches.started'] : []),
      ...(hasLeft ? ['run.resumed'] : []),
      ...(isWaiting && (!wasWaiting || hasLeft) ? ['run.waiting'] : []),
      ...(hasEnded(was, facts, move) ? ['branches.ended', 'run.ended'] : []),
    ])
  },
  'every wait and the end are checkpoints, and nothing else': ({ move, happenings, was, facts }) => {
    const isNew = announced(happenings).includes('run.waiting') || hasEnded(was, facts, move)
    return differ(
      happenings.flatMap((seen) => (seen.kind === 'name' ? seen.name : [])),
      isNew ? ['RunFinished'] : [],
    )
  },
  'each branch gets one slot, behind the ids of the runs': ({ move, happenings, facts }) => {
    const ids = Object.keys(facts.calls)
    const slots = ids.map((id) => `slot ${id}`)
    return differ(
      written(happenings).filter((text) => text.startsWith('slot') || text.startsWith('branches')),
      move === undefined ? [`branches ${ids.map(runOf).join()}`, ...slots] : [],
    )
  },
  'the strategy is asked once, when every branch has ended and one may win': ({ happenings, was, facts }) => {
    const asked = happenings.flatMap((seen) =>
      seen.kind === 'effect' && seen.effect.src === 'evaluate' ? seen.effect : [],
    )
    const mustAsk = expectedTop(facts) === 'evaluating' && expectedTop(was) !== 'evaluating'
    const expected = mustAsk ? [JSON.stringify({ candidates: candidatesOf(facts) })] : []
    return differ(
      asked.map(({ input }) => JSON.stringify(input)),
      expected,
    )
  },
  'the selected branch wins if it may, or else the first that may': ({ move, happenings, was, facts }) => {
    const { evaluated, ended } = facts
    const isNew = hasEnded(was, facts, move) && ended === null && evaluated !== null
    const index = Object.keys(facts.calls).indexOf(evaluated ?? '') + 1
    return differ(
      written(happenings).filter((text) => text.startsWith('selection')),
      isNew ? [`selection ${runOf(evaluated)} ${index}`] : [],
    )
  },
  'the outcome says how the group ended': ({ standing, facts }) => {
    const { context = {} } = JSON.parse(standing.text) as { context?: Partial<BranchesContext> }
    const failed = candidatesOf(facts).length === 0 ? 'error branches_failed' : 'natural_end '
    const codes = { cancelled: 'cancelled run_cancelled', error: 'error effect_failed' }
    const expected = isDone(facts) ? (facts.ended === null ? failed : codes[facts.ended]) : null
    const { ending = null } = context
    const actual = ending && `${ending.reason} ${ending.error?.code ?? ''}`
    return facts.ended === null || isDone(facts) ? differ([actual ?? ''], [expected ?? '']) : undefined
  },
  'a group that ends leaves no call open': ({ move, facts }) =>
    (move?.type === 'cancelRun' || move?.type === 'fail') && Object.values(facts.calls).some(isOpenCall)
      ? 'a call is open'
      : undefined,
  'a decision moves the call that it answers, and no other': ({ move, happenings, was }) => {
    if (move?.type !== 'decide') return undefined
    const first = happenings.find((seen) => seen.kind === 'hop')
    const isAnswer = move.answers === 'current' && was.calls[move.callId] === 'suspended'
    const expected = isAnswer ? `${move.callId} ${move.action === 'resume' ? 'resuming' : 'cancelled'}` : ''
    const keptLate = move.answers === 'first' && was.calls[move.callId] === 'suspended'
    const actual = first === undefined ? '' : `${first.callId} ${first.to}`
    return keptLate && was.suspensions[move.callId] === 1 ? undefined : differ([actual], [expected])
  },
  'a kept decision answers the first suspension': ({ happenings, was, facts }) => {
    const open = Object.keys(was.kept).find(
      (id) => facts.calls[id] === 'suspended' && happenings.some((seen) => seen.kind === 'hop' && seen.callId === id),
    )
    return open === undefined || (facts.suspensions[open] ?? 0) > 1 ? undefined : `${open} waits`
  },
  'the cancel of a call ends that call alone': ({ move, happenings, was, facts }) => {
    if (move?.type !== 'cancelCall') return undefined
    const status = was.calls[move.callId]
    const isOpen = status !== undefined && isOpenCall(status)
    const moved = [...new Set(happenings.flatMap((seen) => (seen.kind === 'hop' ? seen.callId : [])))]
    return differ([...moved, facts.calls[move.callId] ?? ''], isOpen ? [move.callId, 'cancelled'] : [status ?? ''])
  },
  'a message for the transcript is stored at once, and another is told as undelivered at the end': (observed) => {
    const { move, happenings, was, facts } = observed
    const stored = written(happenings).filter((text) => text === 'message' || text.startsWith('undelivered'))
    const isPosted = facts.posted > was.posted
    const isTold = hasEnded(was, facts, move) && facts.said.length > 0
    return differ(stored, [...(isPosted ? ['message'] : []), ...(isTold ? [`undelivered ${facts.said.length}`] : [])])
  },
  'the group knows where each branch is': ({ standing, facts }) => {
    const { context = {} } = JSON.parse(standing.text) as { context?: Partial<BranchesContext> }
    const known = Object.values(context.branches ?? {}).map(({ callId, status }) => `${callId} ${status}`)
    const busy = new Set(['running', 'resuming'])
    const expected = Object.entries(facts.calls).map(([id, status]) => `${id} ${busy.has(status) ? 'active' : status}`)
    return context.branches === undefined && expected.every((text) => text.endsWith('active'))
      ? undefined
      : differ(known, expected)
  },
  'a settled call has no actor': ({ standing, facts }) => {
    const live = Object.keys(standing.calls).filter((id) => !isOpenCall(facts.calls[id]))
    return isDone(facts) || live.length === 0 ? undefined : live.join()
  },
}

function leftByItself(happenings: readonly Happening[], facts: BranchesFacts): boolean {
  return facts.ended === null && happenings.some((seen) => seen.kind === 'top' && seen.from === 'waiting')
}

function hasEnded(was: BranchesFacts, facts: BranchesFacts, move: Move | undefined): boolean {
  return isDone(facts) && (move === undefined || !isDone(was))
}

function announced(happenings: readonly Happening[]): readonly string[] {
  return happenings.flatMap((seen) => (seen.kind === 'announcement' ? seen.announcement.type : []))
}

function written(happenings: readonly Happening[]): readonly string[] {
  return happenings.flatMap((seen) => {
    if (seen.kind !== 'write') return []
    const { write } = seen
    if (write.kind === 'reserve') return [`slot ${write.call.callId}`]
    if (write.kind === 'append') return ['message']
    if (write.kind === 'undelivered') return [`undelivered ${write.said.length}`]
    if (write.kind !== 'value') return []
    const { runId, index } = write.value as { runId?: string; index?: number }
    return [
      write.name === 'branches'
        ? `branches ${(write.value as readonly string[]).join()}`
        : `${write.name} ${runId} ${index}`,
    ]
  })
}

/** Returns the id of a branch's run in an exploration. */
export function runOf(callId: string | null): string {
  return `run of ${callId}`
}

function differ(actual: readonly string[], expected: readonly string[]): string | undefined {
  const [found, wanted] = [actual.join(', '), expected.join(', ')]
  return found === wanted ? undefined : `"${found}", not "${wanted}"`
}
