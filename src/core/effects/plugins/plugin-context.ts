import { argumentsOf, type CallRecord, callOf, type StateChange } from '../../domain/call.ts'
import type { StoredDecision } from '../../domain/inbox.ts'
import type { Write } from '../../domain/log.ts'
import type { EffectContext } from '../../ports/effect-handler.ts'
import type { WhileAsked } from '../ask-code.ts'
import type { CallPhaseContext, PatchContext, PhaseContext } from '../../ports/plugin.ts'
import { checkedChanges } from './plain-input.ts'

/** Returns a plugin's view of a run. */
export function phaseContext(turn: number, { runId, run, view, signal, trace }: EffectContext): PhaseContext {
  return {
    runId,
    run,
    turn,
    state: view.state,
    signal,
    ...(trace === undefined ? {} : { trace }),
    messages: () => view.messages(),
  }
}

/** Returns the function by which a plugin changes the state. The changes are added to `changes`. */
export function patchInto(changes: StateChange[], whileAsked: WhileAsked): PatchContext['patch'] {
  return whileAsked((more) => void changes.push(...checkedChanges(more)))
}

/** Returns the write of all changes by plugins, or no write without changes. */
export function stateWrites(changes: readonly StateChange[]): readonly Write[] {
  return changes.length === 0 ? [] : [{ kind: 'state', changes }]
}

/** Returns a context that shows a call as it is about to be written. */
export function seeingCall(context: EffectContext, changed: CallRecord): EffectContext {
  const { view } = context
  return {
    ...context,
    view: {
      messages: () => view.messages(),
      keptOf: (messages) => view.keptOf(messages),
      lastAnswer: () => view.lastAnswer(),
      carriedTurns: view.carriedTurns,
      message: (seq) => view.message(seq),
      call: (callId) => (callId === changed.callId ? changed : view.call(callId)),
      calls: () => view.calls().map((call) => (call.callId === changed.callId ? changed : call)),
      spent: () => view.spent(),
      isAnswered: (seq) => view.isAnswered(seq),
      state: view.state,
      value: (name) => view.value(name),
      given: view.given,
      inputAt: (place) => view.inputAt(place),
      said: (head) => view.said(head),
    },
  }
}

/** Returns a plugin's view of a call. */
export function callContext(
  callId: string,
  decision: StoredDecision | undefined,
  context: EffectContext,
): CallPhaseContext {
  const call = callOf(context.view, callId)
  const turn = Number.parseInt(callId, 10)
  return {
    ...phaseContext(turn, context),
    call,
    arguments: structuredClone(argumentsOf(call, context.view)),
    ...(decision === undefined ? {} : { decision: structuredClone(decision) }),
  }
}
