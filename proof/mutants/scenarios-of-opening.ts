import type { Scenario } from './scenario.ts'

/** The phases before the first turn: beforeRun, input filters, the context builder, runStart (PH-02, PH-03, AGT-07). */
export const scenariosOfOpening: readonly Scenario[] = [
  {
    name: 'the opening in its order, with its time and the warning of a filter',
    options: { watched: ['beforeRun', 'filterInput', 'buildContext', 'runStart'] },
    table: `
      start                        |             |                |                             | beforeRun t0
      phase beforeRun passed @100 |             | run.started    |                             | filter prompt input
      filter warns @300            |             |                |                             | build input
      build Built. @600            |             |                |                             | runStart t0
      phase runStart passed @1000  | UserMessage | turn.started 1 | built [Warning: Mind.] | model t1
      model text @1100             | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end                          | natural_end after 1000`,
  },
  {
    name: 'beforeRun, then the builder, then runStart',
    options: { watched: ['beforeRun', 'buildContext', 'runStart'] },
    table: `
      start                        |             |                |             | beforeRun t0
      phase beforeRun passed @100 |             | run.started    |             | build input
      build nothing @300           |             |                |             | runStart t0
      phase runStart passed        | UserMessage | turn.started 1 | input       | model t1
      model text @1100             | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end                          | natural_end after 1000`,
  },
  {
    name: 'beforeRun, then runStart',
    options: { watched: ['beforeRun', 'runStart'] },
    table: `
      start                        |             |                |       | beforeRun t0
      phase beforeRun passed @100 |             | run.started    |       | runStart t0
      phase runStart passed        | UserMessage | turn.started 1 | input | model t1
      model text @1100             | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end                          | natural_end after 1000`,
  },
  {
    name: 'beforeRun alone, asked once a run',
    options: { watched: ['beforeRun'] },
    calls: { a: { verdict: { kind: 'suspended', suspension: { id: 'a/1', reason: 'approval' } } } },
    table: `
      start                        |             |                             |       | beforeRun t0
      phase beforeRun passed @100 | UserMessage | run.started, turn.started 1 | input | model t1
      model a @1100                | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1
      resume a @2000               | UserMessage | run.resumed                 |       | a replay by a/1
      replay a allowed             |             |                             |       | a tool by a/1
      tool a ok @2100              | ToolResultsCommitted | turn.started 2     | a succeeded | model t2
      model text @2200             | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end                          | natural_end after 1200`,
  },
  {
    name: 'beforeRun says no: nothing is kept of the input, and nobody else is asked',
    options: { watched: ['beforeRun', 'filterInput', 'buildContext', 'runStart', 'beforeTurn'] },
    table: `
      start                  |             |           | | beforeRun t0
      phase beforeRun stops | RunFinished | run.ended
      end                    | stopped(enough)`,
  },
  {
    name: 'a prompt is refused: nothing is kept of it, and nobody else is asked',
    options: { watched: ['filterInput', 'buildContext', 'runStart', 'beforeTurn'] },
    table: `
      start          |             | run.started                              |                   | filter prompt input
      filter refuses | RunFinished | input.rejected prompt by size, run.ended | rejection by size
      end            | stopped(input_rejected)`,
  },
  {
    name: 'a filter and the builder, once a run',
    options: { watched: ['filterInput', 'buildContext'] },
    calls: { a: { verdict: { kind: 'suspended', suspension: { id: 'a/1', reason: 'approval' } } } },
    table: `
      start            |             | run.started    |                              | filter prompt input
      filter warns     |             |                |                              | build input
      build Built.     | UserMessage | turn.started 1 | built [Warning: Mind.] | model t1
      model a          | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1
      resume a         | UserMessage | run.resumed    |                              | a replay by a/1
      replay a allowed |             |                |                              | a tool by a/1
      tool a ok        | ToolResultsCommitted | turn.started 2 | a succeeded         | model t2
      model text       | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end              | natural_end`,
  },
  {
    name: 'a filter, a memory and the builder, with their time, once a run',
    options: { watched: ['filterInput', 'recall', 'buildContext'] },
    calls: { a: { verdict: { kind: 'suspended', suspension: { id: 'a/1', reason: 'approval' } } } },
    table: `
      start             |             | run.started    |                        | filter prompt input
      filter warns @100 |             |                |                        | recall input
      recall found @400 |             |                |                        | build input
      build Built. @600 | UserMessage | turn.started 1 | built [Warning: Mind.] | model t1
      model a @1000     | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1
      resume a @2000    | UserMessage | run.resumed    |                        | a replay by a/1
      replay a allowed  |             |                |                        | a tool by a/1
      tool a ok @2100   | ToolResultsCommitted | turn.started 2 | a succeeded   | model t2
      model text @2200  | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end               | natural_end after 1100`,
  },
  {
    name: 'a memory alone, then runStart: its time counts',
    options: { watched: ['recall', 'runStart'] },
    table: `
      start                 |             | run.started    |       | recall input
      recall found @400     |             |                |       | runStart t0
      phase runStart passed | UserMessage | turn.started 1 | input | model t1
      model text @1000      | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end                   | natural_end after 600`,
  },
  {
    name: 'a filter, then runStart',
    options: { watched: ['filterInput', 'runStart'] },
    table: `
      start                 |             | run.started    |                        | filter prompt input
      filter warns          |             |                |                        | runStart t0
      phase runStart passed | UserMessage | turn.started 1 | input [Warning: Mind.] | model t1
      model text            | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end                   | natural_end`,
  },
  {
    name: 'a filter alone',
    options: { watched: ['filterInput'] },
    table: `
      start        |             | run.started    |                        | filter prompt input
      filter warns | UserMessage | turn.started 1 | input [Warning: Mind.] | model t1
      model text   | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end          | natural_end`,
  },
  {
    name: 'the builder, then runStart',
    options: { watched: ['buildContext', 'runStart'] },
    table: `
      start                 |             | run.started    |             | build input
      build Built.          |             |                |             | runStart t0
      phase runStart passed | UserMessage | turn.started 1 | built | model t1
      model text            | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end                   | natural_end`,
  },
  {
    name: 'the builder alone',
    options: { watched: ['buildContext'] },
    table: `
      start        |             | run.started    |             | build input
      build Built. | UserMessage | turn.started 1 | built | model t1
      model text   | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end          | natural_end`,
  },
]
