import type { Run } from '../../core/agent/run.ts'
import type { CallRecord } from '../../core/domain/call.ts'
import type { DecisionReceipt } from '../../core/domain/decision.ts'
import { answerTo, errorTypeOf, readEvent, type ServiceEvent } from '../../core/domain/service-event.ts'
import type { Records } from '../../core/ports/records.ts'
import type { ServiceContract } from '../../core/ports/service-contract.ts'
import type { CrashEnvironment } from '../crash/crash-environment.ts'
import type { CallOutcome } from './agent-cases.ts'
import type { TestedAgent } from './agent-under-test.ts'
import { ownTools } from '../../core/agent/plan-turn.ts'
import { sampleOf } from './sample-of.ts'
import { listOutgoing } from '../../core/driving/list-outgoing.ts'

/** The dependencies of a simulated service. */
export interface ServiceParts {
  readonly agent: TestedAgent
  readonly outcomes: ReadonlyMap<string, CallOutcome>
  readonly store: Records
}

/** Simulates the service of a sent call: it answers, fails or lets the time expire, or the call is cancelled. */
export async function answerService(
  run: Run,
  { clock }: Pick<CrashEnvironment, 'clock'>,
  { callId, toolName, suspension }: CallRecord,
  { agent, outcomes, store }: ServiceParts,
): Promise<Pick<DecisionReceipt, 'answer' | 'message'>> {
  const contract = ownTools(agent).find(({ name }) => name === toolName)?.service
  const rows = await listOutgoing(store, { runId: run.id })
  const [asked] = rows.flatMap(({ id, body }) => (id === callId ? eventIn(body) : []))
  if (contract === undefined || asked === undefined)
    return { answer: 'unknown', message: 'It waits for a service, and no event has left that asks for one.' }
  const outcome = outcomes.get(callId) ?? `answers ${Object.keys(contract.emits)[0] ?? ''}`
  if (outcome === 'is cancelled') return run.cancelCall(callId, 'Not needed.')
  if (outcome === 'expires') {
    clock.advance(Math.max(0, (suspension?.expiresAt ?? 0) - clock.now()) + 1)
    return { answer: 'applied' }
  }
  return run.receive(answerTo(asked, answerOf(contract, outcome)))
}

function eventIn(body: unknown): readonly ServiceEvent[] {
  const read = readEvent(body)
  return 'event' in read ? [read.event] : []
}

function answerOf({ type, emits }: ServiceContract, outcome: CallOutcome) {
  const source = '/tested'
  if (outcome === 'answers with an error')
    return { source, type: errorTypeOf(type), data: { errorMessage: `${type} failed.` } }
  const answer = outcome.replace(/^answers /, '')
  return { source, type: answer, data: sampleOf(emits[answer] ?? {}) }
}
