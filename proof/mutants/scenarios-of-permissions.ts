import type { CallPlan } from '../../src/core/domain/call-plan.ts'
import type { Scenario } from './scenario.ts'

const requested: Partial<CallPlan> = { verdict: { kind: 'refused', text: 'Blocked.', isRequested: true } }
const stopping = [{ code: 'max_duration' as const, max: 100, action: 'stop' as const }]

/** A manager of permissions is asked between two rounds (PERM-02, PERM-03). */
export const scenariosOfPermissions: readonly Scenario[] = [
  {
    name: 'a permission is requested, and the answer told before the model goes on',
    calls: { a: requested },
    table: `
      model a                | AssistantTurnCommitted, ToolResultsCommitted | turn.ended 1 | a answers blocked, a failed | manager for ["a"]
      manager holds          | RunFinished | run.waiting | 0.hold asks 0.hold/1
      resume 0.hold          | UserMessage | run.resumed |  | 0.hold replay by 0.hold/1
      replay 0.hold supplied | ToolResultsCommitted |  | 0.hold succeeded | manager hears "0.hold"
      manager passed         |  | turn.started 2 |  | model t2
      model text             | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end                    | natural_end`,
  },
  {
    name: 'two requests are answered together, and the manager hears of both before the model goes on',
    calls: { a: requested, b: { verdict: { kind: 'suspended', suspension: { id: 'b/1', reason: 'approval' } } } },
    table: `
      model a b              | AssistantTurnCommitted, ToolResultsCommitted | turn.ended 1 | a answers blocked, a failed, b asks b/1 | manager for ["a"]
      manager holds          | RunFinished | run.waiting | 0.hold asks 0.hold/1
      resume b               | UserMessage | run.resumed |  | b replay by b/1
      replay b blocked       | ToolResultsCommitted |  | b answers blocked, b failed | manager for ["b"]
      manager holds 1.hold   | RunFinished | run.waiting | 1.hold asks 1.hold/1
      resume 0.hold          | UserMessage | run.resumed |  | 0.hold replay by 0.hold/1
      resume 1.hold          |  |  |  | 0.hold replay by 0.hold/1, 1.hold replay by 1.hold/1
      replay 0.hold supplied |  |  | 0.hold succeeded | 1.hold replay by 1.hold/1
      replay 1.hold supplied | ToolResultsCommitted |  | 1.hold succeeded | manager hears "0.hold"
      manager passed         |  |  |  | manager hears "1.hold"
      manager passed         |  | turn.started 2 |  | model t2
      model text             | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end                    | natural_end`,
  },
  {
    name: 'a permission is requested before a decision that came meanwhile is carried out',
    options: { decisions: 'gate' },
    calls: { a: requested, b: { verdict: { kind: 'suspended', suspension: { id: 'b/1', reason: 'approval' } } } },
    table: `
      model a b c   | AssistantTurnCommitted |  | a answers blocked, a failed, b asks b/1 | c tool
      resume b      |             |                             |       | c tool
      tool c ok     | ToolResultsCommitted | turn.ended 1 | c succeeded | manager for ["a"]
      manager holds |             |                             | 0.hold asks 0.hold/1 | b replay by b/1
      replay b supplied | ToolResultsCommitted, RunFinished | run.waiting | b succeeded
      end           | waiting`,
  },
  {
    name: 'the running time is over while a permission is asked for',
    limits: stopping,
    calls: { a: requested },
    table: `
      start       | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model a @10 | AssistantTurnCommitted, ToolResultsCommitted | turn.ended 1 | a answers blocked, a failed | 100 ms, manager for ["a"]
      time @110   | RunFinished | run.ended | note time
      end         | stopped(max_duration) after 100`,
  },
  {
    name: 'a request and its answer count to the running time',
    limits: stopping,
    calls: { a: requested },
    table: `
      start             | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model a @10       | AssistantTurnCommitted, ToolResultsCommitted | turn.ended 1 | a answers blocked, a failed | 100 ms, manager for ["a"]
      manager holds @60 | RunFinished | run.waiting | 0.hold asks 0.hold/1
      resume 0.hold @1000    | UserMessage | run.resumed |  | 0.hold replay by 0.hold/1, 50 ms
      replay 0.hold supplied | ToolResultsCommitted |  | 0.hold succeeded | 50 ms, manager hears "0.hold"
      manager passed @1010   |  | turn.started 2 |  | 50 ms, model t2`,
  },
]
