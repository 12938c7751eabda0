import { isTerminal } from '../../core/domain/call.ts'
import type { OpenEffect, Standing } from './exploration-types.ts'
import { callsOf, type Facts } from './facts.ts'
import { type Invariant, isEqual, pathOf, type Observed } from './invariant.ts'

const phaseStates: Readonly<Record<string, string>> = {
  'running.opening.startingRun': 'runStart',
  'running.turn.before.startingStep': 'stepStart',
  'running.turn.before.preparingModel': 'beforeModel',
  'running.turn.after.reviewingAnswer': 'afterModel',
  'running.turn.after.endingStep': 'stepEnd',
  'running.closing.telling.runningEnd': 'runEnd',
  'running.opening.askingBeforeRun': 'beforeRun',
  'running.turn.before.askingBeforeTurn': 'beforeTurn',
  'running.turn.ended.askingAfterTurn': 'afterTurn',
  'running.closing.telling.tellingError': 'onError',
  'running.closing.askingAfterRun': 'afterRun',
}

const ownStates: Readonly<Record<string, string>> = {
  'running.opening.filteringInput': 'filterInput',
  'running.opening.recalling': 'recall',
  'running.opening.buildingContext': 'buildContext',
  'running.turn.before.filteringQueued': 'filterInput',
  'running.turn.after.holdingRun': 'holdRun',
  'running.resumeGate.askingManager': 'askManager',
}

const callStates: Readonly<Record<string, string>> = {
  'new.gating': 'gateCall',
  'running.executing': 'runTool',
  'running.backingOff': 'sleep',
  'suspended.reviewing': 'reviewCall',
  'suspended.resting': 'sleep',
  'resuming.gating': 'gateReplay',
  'succeeded.reviewing': 'reviewCall',
  'failed.reviewing': 'reviewCall',
  'cancelled.reviewing': 'reviewCall',
}

/** Returns the effects that each state of the run and its calls requires, listed by hand. */
function wantedEffects({ value, calls, text }: Standing, { top, isTimed }: Facts): readonly string[] {
  const path = pathOf(value)
  const phase = phaseStates[path]
  const phases = phase === undefined ? [] : [`run/ask/${phase}`]
  const own = ownStates[path] === undefined ? [] : [`run/${ownStates[path]}`]
  const models = path === 'running.turn.callingModel' ? [`modelCall/${modelEffect(text)}`] : []
  const ofCalls = Object.entries(calls).flatMap(([id, state]) => {
    const src = callStates[pathOf(state)]
    return src === undefined ? [] : [`${id}/${src}`]
  })
  const timers = top === 'running' && isTimed ? ['run/keepTime'] : []
  return [...phases, ...own, ...models, ...timers, ...ofCalls].toSorted()
}

function modelEffect(text: string): string {
  if (text.includes('"value":"refreshingCredentials"')) return 'refreshCredentials'
  if (text.includes('"value":"compacting"')) return 'compactPrompt'
  if (text.includes('"value":"summarising"')) return 'summarise'
  return text.includes('"value":"backingOff"') ? 'sleep' : 'callModel'
}

function nameOf({ owner, src, input }: OpenEffect): string {
  return src === 'ask' ? `${owner}/${src}/${(input as { phase: string }).phase}` : `${owner}/${src}`
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : JSON.stringify(failure)
}

/** Nested states in which a call may rest between two moves. */
const restingStates = [...Object.keys(callStates), 'new.queued', 'suspended.decided']

function isStill(happening: Observed['happenings']): boolean {
  return happening.length === 0
}

/** Rules that hold for every run: nothing fails, gets stuck, leaks, or reacts to a stray event. */
export const invariantsOfStructure: readonly Invariant[] = [
  {
    name: 'the engine holds',
    rule: 'No move makes the root actor fail.',
    atEnd: ({ after }) => (after.failure === undefined ? undefined : `the machine failed: ${messageOf(after.failure)}`),
  },
  {
    name: 'no effect outlives its state',
    rule: 'Every effect in the outbox is wanted by the state its owner is in, and every effect a state wants is in the outbox.',
    atEnd: ({ after, facts }) => {
      // A move that ends the run from outside restarts its timer.
      const isTimer = (name: string) => name === 'run/keepTime' && facts.verdict !== null
      const open = after.effects
        .map(nameOf)
        .filter((name) => !isTimer(name))
        .toSorted()
      const wanted = wantedEffects(after, facts).filter((name) => !isTimer(name))
      return isEqual(open, wanted) ? undefined : `in the outbox: ${open.join(', ')}; wanted: ${wanted.join(', ')}`
    },
  },
  {
    name: 'no child is left over',
    rule: 'Calls live until they have settled; a done run has no children.',
    atEnd: ({ after, facts }) => {
      const { children = {} } = JSON.parse(after.text) as { children?: object }
      if (facts.top === 'done') {
        const left = [...Object.keys(children), ...after.effects.map(nameOf)]
        return left.length === 0 ? undefined : `a done run keeps ${left.join(', ')}`
      }
      for (const [id, state] of Object.entries(after.calls)) {
        if (!restingStates.includes(pathOf(state))) return `${id} rests in ${pathOf(state)}`
        const call = facts.calls[id]
        if (call === undefined || call.status !== pathOf(state).split('.')[0])
          return `${id} is taken for ${call?.status}`
      }
      const gone = callsOf(facts).find(
        ([id, call]) => !isTerminal(call.status) && !(id in after.calls) && !facts.owesTurn,
      )
      return gone && `${gone[0]} is ${gone[1].status} and has no actor`
    },
  },
  {
    name: 'nothing is stuck',
    rule: 'Every state but the three rests has an effect under way that leads out of it.',
    atEnd: ({ after, facts }) => {
      if (facts.top !== 'running') return undefined
      const isTrying = (owner: string) => owner === 'modelCall' || facts.calls[owner]?.isBackingOff === true
      const moving = after.effects.filter(
        ({ owner, src }) => src !== 'keepTime' && (src !== 'sleep' || isTrying(owner)),
      )
      return moving.length > 0 ? undefined : `${pathOf(after.value)} has nothing under way`
    },
  },
  {
    name: 'strays change nothing',
    rule: 'An event that fits nothing changes nothing (TC-01); a done run takes none.',
    atEnd: (observed) => {
      const { before, after, happenings } = observed
      if (before === undefined || !isStray(observed)) return undefined
      const isSame = before.text === after.text && isStill(happenings)
      return isSame
        ? undefined
        : `${JSON.stringify(observed.move)} changed ${pathOf(before.value)} to ${pathOf(after.value)}`
    },
  },
  {
    name: 'settlements are recorded',
    rule: "Each call's status is written once, when it has settled (TC-08).",
    atEnd: ({ facts, after, was }) => {
      for (const [callId, call] of callsOf(facts)) {
        const isOver = isTerminal(call.status) && !(callId in after.calls)
        const isLost = facts.top === 'done' && was.top !== 'done'
        if (call.statusWrites !== (isOver ? 1 : 0) && !(isLost && call.statusWrites === 0 && !isOver)) {
          return `${callId} is ${call.status} with ${call.statusWrites} status writes`
        }
      }
      return undefined
    },
    atHappening: ({ facts }, seen) => {
      if (seen.kind !== 'write' || seen.write.kind !== 'call') return undefined
      const { callId, patch } = seen.write
      const status = facts.calls[callId]?.status
      return patch.status === undefined || patch.status === status
        ? undefined
        : `${callId} is ${status}, written ${patch.status}`
    },
  },
]

function isStray({ move, was }: Observed): boolean {
  if (was.top === 'done') return true
  if (move?.type === 'cancelCall') return isUnknownOrSettled(was, move.callId)
  if (move?.type !== 'decide') return false
  if (isUnknownOrSettled(was, move.callId)) return true
  return false
}

function isUnknownOrSettled({ calls }: Facts, callId: string): boolean {
  const call = calls[callId]
  return call === undefined || isTerminal(call.status)
}
