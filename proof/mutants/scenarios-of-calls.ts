import { asking, sequential, type Scenario } from './scenario.ts'

const same = { callHash: 'same' }

/** One call and rounds of calls: gate, executors, state, repeats, cancels (TC-01 to TC-09, RUN-11). */
export const scenariosOfCalls: readonly Scenario[] = [
  {
    name: 'a call left out of a stopped round: answered at once, and the round waits as if it were not there',
    options: { executor: sequential },
    calls: {
      a: { verdict: { kind: 'suspended', suspension: { id: 'a/1', reason: 'approval' } } },
      b: { verdict: { kind: 'skipped', text: 'Outranked.' } },
    },
    table: `
      model a b | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1, b answers outranked, b failed
      end       | waiting`,
  },
  {
    name: 'a call left out where plugins listen: no gate and no review',
    options: { watched: ['gateCall', 'reviewCall'] },
    calls: { b: { verdict: { kind: 'skipped', text: 'Outranked.' } } },
    table: `
      model a b      | AssistantTurnCommitted |                              | b answers outranked, b failed | a gate
      gate a allowed |                        |                              |       | a tool
      tool a ok      |                        |                              |       | a review
      review a       | ToolResultsCommitted   | turn.ended 1, turn.started 2 | a succeeded | model t2
      model text     | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end            | natural_end`,
  },
  {
    name: 'plugins before and after every call',
    options: { watched: ['gateCall', 'reviewCall'] },
    table: `
      model a b       | AssistantTurnCommitted |                  |                   | a gate, b gate
      gate a refused  |                        |                  | a answers blocked | a review, b gate
      gate b supplied |                        |                  |                   | a review, b review
      review a        |                        |                  | a failed          | b review
      review b        | ToolResultsCommitted   | turn.ended 1, turn.started 2 | b succeeded | model t2`,
  },
  {
    name: 'a cancelled call is reviewed, and a run that is cancelled waits for no review',
    options: { watched: ['gateCall', 'reviewCall'] },
    table: `
      model a b c    | AssistantTurnCommitted |           |                           | a gate, b gate, c gate
      gate a allowed |                        |           |                           | a tool, b gate, c gate
      gate b allowed |                        |           |                           | a tool, b tool, c gate
      cancel a       |                        |           | a answers user cancelled  | a review, b tool, c gate
      tool b ok      |                        |           |                           | a review, b review, c gate
      gate c refused |                        |           | c answers blocked         | a review, b review, c review
      cancel b       |                        |           |                           | a review, b review, c review
      cancel         | RunFinished            | turn.ended 1, run.ended | a cancelled, b succeeded, c failed, note tools
      end            | cancelled`,
  },
  {
    name: 'sequential calls, each seeing the changes of the one before',
    options: { executor: sequential },
    table: `
      model a b c | AssistantTurnCommitted |  |                          | a tool
      tool a sets |                        |  | a succeeded, a applied   | b tool
      tool b bad  |                        |  | b failed                 | c tool
      tool c asks | ToolResultsCommitted   | turn.ended 1, turn.started 2 | c placeholder | model t2`,
  },
  {
    name: 'a suspension stops a sequential round',
    options: { executor: sequential },
    table: `
      model a b c | AssistantTurnCommitted |  |               | a tool
      tool a ok   |                        |  | a succeeded   | b tool
      tool b asks | ToolResultsCommitted   | turn.ended 1, turn.started 2 | c answers skipped, c failed, b placeholder | model t2`,
  },
  {
    name: 'a sequential prefix that suspends waits',
    options: { executor: sequential },
    table: `
      model a b   | AssistantTurnCommitted |  |               | a tool
      tool a asks | ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | b answers skipped, b failed
      end         | waiting`,
  },
  {
    name: 'a kept decision lets a sequential round go on',
    options: { executor: sequential },
    table: `
      model a b        | AssistantTurnCommitted |  |             | a tool
      keep a resume    |                        |  |             | a tool
      tool a asks      |                        |  | kept for a/1 | a replay by kept
      replay a edited  |                        |  |             | a tool #2 r1 by kept
      tool a ok        |                        |  | a succeeded | b tool
      tool b ok        | ToolResultsCommitted   | turn.ended 1, turn.started 2 | b succeeded | model t2`,
  },
  {
    name: 'an exclusive call runs alone',
    calls: { b: { isExclusive: true } },
    table: `
      model a b c | AssistantTurnCommitted |  |             | a tool
      tool a ok |                        |  | a succeeded | b tool
      tool b ok |                        |  | b succeeded | c tool
      tool c ok | ToolResultsCommitted   | turn.ended 1, turn.started 2 | c succeeded | model t2`,
  },
  {
    name: 'parallel changes are applied with the results of the round',
    table: `
      model a b   | AssistantTurnCommitted |  |             | a tool, b tool
      tool a sets |                        |  | a succeeded | b tool
      tool b ok   | ToolResultsCommitted   | turn.ended 1, turn.started 2 | b succeeded, a applied | model t2`,
  },
  {
    name: 'two parallel changes of one path',
    table: `
      model a b   | AssistantTurnCommitted |  |             | a tool, b tool
      tool a sets |                        |  | a succeeded | b tool
      tool b sets | RunFinished            | turn.ended 1, run.ended | b succeeded
      end         | error(state_conflict)`,
  },
  {
    name: 'the third equal result says so, and a fourth call is not run',
    options: { repeatLimit: 3, stopsOnRepeat: true },
    calls: { a: same, b: same, c: same, d: same },
    table: `
      model a   | AssistantTurnCommitted |                              |             | a tool
      tool a ok | ToolResultsCommitted   | turn.ended 1, turn.started 2 | a succeeded | model t2
      model b   | AssistantTurnCommitted |                              |             | b tool
      tool b ok | ToolResultsCommitted   | turn.ended 2, turn.started 3 | b succeeded | model t3
      model c   | AssistantTurnCommitted |                              |             | c tool
      tool c ok | ToolResultsCommitted   | turn.ended 3, turn.started 4 | c succeeded, c noted third time | model t4
      model d   | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 4, run.ended | d answers repeated, d failed, note loop
      end       | stopped(loop_detected)`,
  },
  {
    name: 'one call is cancelled and the run goes on',
    calls: { b: asking('b') },
    table: `
      model a b | AssistantTurnCommitted |  | b asks b/1               | a tool
      cancel b  |                        |  | b answers user cancelled, b cancelled | a tool
      cancel a  | ToolResultsCommitted   | turn.ended 1, turn.started 2 | a answers user cancelled, a cancelled | model t2`,
  },
  {
    name: 'a call replayed is refused, suspended again, and answered',
    calls: { a: asking('a') },
    table: `
      model a           | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1
      resume a          | UserMessage | run.resumed | | a replay by a/1
      replay a asks     | ToolResultsCommitted, RunFinished | run.waiting | a asks a/2
      resume a old      |             |             |
      resume a          | UserMessage | run.resumed | | a replay by a/2
      replay a allowed  |             |             | | a tool by a/2
      tool a asks       | ToolResultsCommitted, RunFinished | run.waiting |
      resume a          | UserMessage | run.resumed | | a replay by a/3
      replay a refused  | ToolResultsCommitted | turn.started 2 | a answers blocked, a failed | model t2`,
  },
  {
    name: 'a tool that failed is tried again after its wait, its performances counted on, until it may fail no more',
    calls: { a: { effects: 'idempotent' } },
    table: `
      model a      | AssistantTurnCommitted |                              |          | a tool
      tool a again |                        |                              |          | a until 9
      sleep a      |                        |                              |          | a tool #2 f1
      tool a again |                        |                              |          | a until 9
      sleep a      |                        |                              |          | a tool #3 f2
      tool a bad   | ToolResultsCommitted   | turn.ended 1, turn.started 2 | a failed | model t2`,
  },
  {
    name: 'failures count anew once the tool has asked, and the decision goes with every attempt',
    calls: { a: { effects: 'none' } },
    table: `
      model a          | AssistantTurnCommitted |                             |       | a tool
      tool a again     |                        |                             |       | a until 9
      keep a deny      |                        |                             |       | a until 9
      keep a resume    |                        |                             |       | a until 9
      sleep a          |                        |                             |       | a tool #2 f1
      tool a asks      | ToolResultsCommitted   | turn.ended 1                | kept for a/1 | a replay by kept
      replay a allowed |                        |                             |       | a tool #3 by kept
      tool a again     |                        |                             |       | a until 9
      sleep a          |                        |                             |       | a tool #4 f1 by kept
      tool a ok        | ToolResultsCommitted   | turn.started 2 | a succeeded | model t2`,
  },
  {
    name: 'a call is cancelled while it waits for its next attempt, and a run takes such calls with it',
    options: { watched: ['reviewCall'] },
    calls: { a: { effects: 'none' }, b: { effects: 'idempotent' } },
    table: `
      model a b    | AssistantTurnCommitted |  |                           | a tool, b tool
      tool a again |                        |  |                           | a until 9, b tool
      tool b again |                        |  |                           | a until 9, b until 9
      cancel a     |                        |  | a answers user cancelled  | a review, b until 9
      review a     |                        |  | a cancelled               | b until 9
      cancel       | RunFinished            | turn.ended 1, run.ended | b answers unfinished, b cancelled, note tools
      end          | cancelled`,
  },
  {
    name: 'a tool that must not run twice fails, whatever is said of trying again',
    table: `
      model a      | AssistantTurnCommitted |                              |          | a tool
      tool a again | ToolResultsCommitted   | turn.ended 1, turn.started 2 | a failed | model t2`,
  },
  {
    name: 'a stored replay that has lost its suspension fails and never runs',
    calls: { a: asking('a') },
    table: `
      model a          | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1
      resume a         | UserMessage | run.resumed | | a replay by a/1
      lose suspension  |             |             | | a replay by a/1
      replay a allowed | ToolResultsCommitted | turn.started 2 | a answers unfinished, a failed | model t2`,
  },
  {
    name: 'a stored replay of a denial that has lost its suspension is cancelled',
    calls: { a: asking('a') },
    table: `
      model a          | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1
      resume a         | UserMessage | run.resumed | | a replay by a/1
      lose denial  |             |             | | a replay by a/1
      replay a allowed | ToolResultsCommitted | turn.started 2 | a answers unfinished, a cancelled | model t2`,
  },
]
