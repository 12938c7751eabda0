import { setTimeout as pause } from 'node:timers/promises'
import type { Agent } from '../../src/core/agent/agent.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { type Asked, askedAt } from '../support/answer-root.ts'
import { type Journal, resultOf } from '../support/journal.ts'
import { judgeFamily, membersOf } from '../support/judge-family.ts'
import { judgeRun } from '../support/judge-run.ts'
import { addedTokens, caps } from '../support/paying-family.ts'
import { pick } from '../support/random.ts'
import type { FamilyAnswer, FamilyOrder, FamilyOutcome } from './family-orders.ts'
import type { RoundResult } from './play-round.ts'

type What = FamilyOrder['what']

/** Gives both processes an order for one moment, and kills the second after milliseconds: then it has no outcome. */
export type FamilyRace = (
  first: Omit<FamilyOrder, 'at'>,
  second: Omit<FamilyOrder, 'at'>,
  killAfterMs: number | undefined,
) => Promise<readonly [FamilyOutcome, FamilyOutcome | undefined]>

/** The parts of a round. */
export interface FamilyRound {
  readonly race: FamilyRace
  readonly store: Store
  readonly journal: Journal
  /** An agent of the family, which drives nothing. */
  readonly head: Agent
  readonly round: number
  readonly random: () => number
}

/** Orders after which a family that has not ended is lost. */
const mostOrders = 200

/**
 * One family: both start it, answer what a member asks at the root and at the member, with the same answer or with
 * contradicting ones, and drive it. In every fourth round one of them is killed.
 */
export async function playFamilyRound(given: FamilyRound): Promise<RoundResult & { readonly faults: number }> {
  const { race, store, journal, head, round, random } = given
  const root = `family-${round}`
  const cap = pick(caps, random) ?? caps[0]
  const wrong: string[] = []
  let [refusedDrives, faults] = [0, 0]
  const killAt = round % 4 === 3 ? Math.floor(random() * 4) : undefined
  const play = async (first: What, second: What, place: number) => {
    const killAfterMs = place === killAt ? random() * 100 : undefined
    if (killAfterMs !== undefined) faults++
    const outcomes = await race({ root, cap, what: first }, { root, cap, what: second }, killAfterMs)
    const known = outcomes.filter((outcome) => outcome !== undefined)
    refusedDrives += known.filter(({ drive }) => drive === 'run_is_driven').length
    return known
  }
  /** Questions that were answered, also by a process that was killed. They stay open until a drive takes the answer in. */
  const answered = new Set<string>()
  const started = await play('start', 'start', 0)
  if (started.length === 2 && started.filter(({ drive }) => drive === 'run_exists').length !== 1)
    wrong.push(`Start ended with ${say(started)}.`)
  for (let place = 1; place < mostOrders && (await store.record(root)).status !== 'done'; place++) {
    const [asked] = await askedAt(await head.load(root))
    const answers = asked && answersOf(asked, root, journal, round)
    if (answers === undefined) {
      const driven = await play('drive', 'drive', place)
      // A lease may have to end first.
      if (driven.every(({ drive }) => drive === 'run_is_driven')) await pause(50)
      continue
    }
    const decided = await play(...answers, place)
    const received = decided.map(({ answer }) => answer ?? 'nothing').toSorted()
    const isSame = answers[0].action === answers[1].action
    const question = JSON.stringify(asked)
    // An answer to another run's question of the same account may have been passed on before.
    const isTold = asked?.reason === 'limit' || answered.has(question)
    answered.add(question)
    const isFair =
      received.join() === ['applied', isSame ? 'duplicate' : 'stale'].join() ||
      (isTold && !received.includes('applied'))
    if (decided.length === 2 && !isFair)
      wrong.push(`Answers to ${asked?.reason} were received as ${received.join(' and ')}.`)
    if (!decided.every(({ drive }) => ['done', 'waiting', 'run_is_driven'].includes(drive)))
      wrong.push(`Drives ended with ${say(decided)}.`)
  }
  const members = await membersOf(store, root)
  const paymentsOf = (id: string) => journal.linesOf(id).filter(({ toolName }) => toolName === 'pay').length
  const family = await judgeFamily(store, { members, paymentsOf })
  const payer = members.find(({ agent }) => agent.endsWith('/payer'))
  const calls = payer === undefined ? { lost: [], doubled: [] } : await judgeRun(store, journal, payer.id)
  return {
    lost: [...family.lost, ...calls.lost],
    doubled: [...family.doubled, ...calls.doubled],
    wrong: wrong.map((sentence) => `Family ${root}: ${sentence}`),
    refusedDrives,
    faults,
  }
}

/** The answers of both processes: the first gives its own at the root, the second at the member. */
function answersOf(asked: Asked, root: string, journal: Journal, round: number): readonly [FamilyAnswer, FamilyAnswer] {
  const { target, runId, callId, reason } = asked
  const atRoot = { runId: root, target }
  const atMember = { runId, target: target.replace(`${runId}/`, '') }
  const both = (answer: Pick<FamilyAnswer, 'action' | 'value'>) =>
    [
      { ...atRoot, ...answer },
      { ...atMember, ...answer },
    ] as const
  if (reason === 'limit') return both({ action: 'respond', value: addedTokens })
  if (reason !== 'approval') {
    const line = journal.linesOf(runId).find((candidate) => candidate.callId === callId)
    return both(line === undefined ? { action: 'approve' } : { action: 'respond', value: resultOf(line) })
  }
  const actions = ['approve', 'deny'] as const
  const [first, second] = [actions[round % 2] ?? 'approve', actions[Math.floor(round / 2) % 2] ?? 'approve']
  return [
    { ...atRoot, action: first },
    { ...atMember, action: second },
  ]
}

function say(outcomes: readonly FamilyOutcome[]): string {
  return outcomes.map(({ drive }) => drive).join(' and ')
}
