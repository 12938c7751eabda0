import type { Scenario } from './scenario.ts'

/** Input filters on what is said to a run, and what is said at its very end (PH-03, AGT-03). */
export const scenariosOfFilters: readonly Scenario[] = [
  {
    name: 'each message passes the filters alone, the refused is dropped alone, and their time counts',
    options: { watched: ['filterInput'] },
    table: `
      start              |             | run.started                   |       | filter prompt input
      filter passes @100 | UserMessage | turn.started 1                | input | model t1
      steer Rude.        |             |                               |       | model t1
      steer Left.        |             |                               |       | model t1
      followUp More.     |             |                               |       | model t1
      model text @200    | AssistantTurnCommitted | turn.ended 1       |       | filter steer says Rude.
      wake @1000         |             |                               |       | filter steer says Rude.
      filter refuses @1100 |           | input.rejected steer by size  | forgets Rude. | filter steer says Left.
      wake @2000         |             |                               |       | filter steer says Left.
      filter warns @2100 | UserMessage | turn.started 2                | says Left. [Warning: Mind.] | model t2
      model text @2200   | AssistantTurnCommitted | turn.ended 2       |       | filter followUp says More.
      filter refuses     | RunFinished | input.rejected followUp by size, run.ended | forgets More.
      end                | natural_end after 400`,
  },
  {
    name: 'what comes behind a message that has passed is asked about before its own turn',
    options: { watched: ['filterInput', 'stepStart'], queueModes: { steer: 'all', followUp: 'all' } },
    table: `
      start                  |             | run.started |       | filter prompt input
      steer Left.            |             |             |       | filter prompt input
      filter passes          | UserMessage |             | input | filter steer says Left.
      steer Right.           |             |             |       | filter steer says Left.
      filter passes          |             |             |       | filter steer says Right.
      filter passes          | UserMessage |             | says Left., says Right. | stepStart t1
      phase stepStart passed |             | turn.started 1 |    | model t1
      model text             | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end                    | natural_end`,
  },
  {
    name: 'a refused message puts off no end that is planned',
    options: { watched: ['filterInput'] },
    calls: { a: { verdict: { kind: 'suspended', suspension: { id: 'a/1', reason: 'approval' } } } },
    table: `
      start          |             | run.started    |       | filter prompt input
      filter passes  | UserMessage | turn.started 1 | input | model t1
      model a b      | AssistantTurnCommitted | | a asks a/1 | b tool
      tool b ok      | ToolResultsCommitted | turn.ended 1, turn.started 2 | b succeeded, a placeholder | model t2
      steer Left.    |             |                |       | model t2
      model text     | AssistantTurnCommitted | turn.ended 2 | | filter steer says Left.
      filter refuses | RunFinished | input.rejected steer by size, run.waiting | forgets Left.
      end            | waiting`,
  },
  {
    name: 'the running time is over while a filter is asked',
    options: { watched: ['filterInput'] },
    limits: [{ code: 'max_duration', max: 100, action: 'stop' }],
    table: `
      start             |             | run.started    |       | 100 ms, filter prompt input
      filter passes @10 | UserMessage | turn.started 1 | input | 100 ms, model t1
      steer Left.       |             |                |       | 100 ms, model t1
      model text @50    | AssistantTurnCommitted | turn.ended 1 | | 100 ms, filter steer says Left.
      time @120         | RunFinished | run.ended | note time, undelivered: says Left.
      end               | stopped(max_duration) after 110`,
  },
  {
    name: 'the time of the final answer is over while a filter is asked',
    options: { watched: ['filterInput'] },
    limits: [{ code: 'max_duration', max: 100, action: 'finish' }],
    table: `
      start              |             | run.started    |       | 100 ms, filter prompt input
      filter passes @10  | UserMessage | turn.started 1 | input | 100 ms, model t1
      steer Left.        |             |                |       | 100 ms, model t1
      model text @50     | AssistantTurnCommitted | turn.ended 1 | | 100 ms, filter steer says Left.
      time @120          |             |                |       | 60000 ms, filter steer says Left.
      time @60120        | RunFinished | run.ended | note time, undelivered: says Left.
      end                | stopped(max_duration) after 60110`,
  },
  {
    name: 'said while plugins hear of the end: the run goes on',
    options: { watched: ['runEnd'] },
    table: `
      model text          | AssistantTurnCommitted | turn.ended 1                |       | runEnd t1
      steer Left.         |                        |                             |       | runEnd t1
      phase runEnd passed | UserMessage            | turn.started 2              | says Left. | model t2
      model text          | AssistantTurnCommitted | turn.ended 2                |       | runEnd t2
      followUp More.      |                        |                             |       | runEnd t2
      phase runEnd passed | UserMessage            | turn.started 3              | says More. | model t3
      model text          | AssistantTurnCommitted | turn.ended 3                |       | runEnd t3
      phase runEnd passed | RunFinished            | run.ended
      end                 | natural_end`,
  },
  {
    name: 'said while plugins hear of an end that one of them asked for, and that is asked for again',
    options: { watched: ['stepStart', 'runEnd'] },
    table: `
      start                | UserMessage | run.started | input      | stepStart t1
      phase stepStart ends |             |             |            | runEnd t0
      followUp More.       |             |             |            | runEnd t0
      phase runEnd passed  | UserMessage |             | says More. | stepStart t1
      phase stepStart ends |             |             |            | runEnd t0
      phase runEnd passed  | RunFinished | run.ended
      end                  | plugin_requested`,
  },
  {
    name: 'said while plugins hear of an end that is final',
    options: { watched: ['stepStart', 'runEnd'] },
    table: `
      start                 | UserMessage | run.started | input | stepStart t1
      phase stepStart stops |             |             |       | runEnd t0
      steer Left.           |             |             |       | runEnd t0
      phase runEnd passed   | RunFinished | run.ended   | undelivered: says Left.
      end                   | stopped(enough)`,
  },
  {
    name: 'said while plugins hear of a wait',
    options: { watched: ['runEnd'] },
    calls: { a: { verdict: { kind: 'suspended', suspension: { id: 'a/1', reason: 'approval' } } } },
    table: `
      model a             | AssistantTurnCommitted, ToolResultsCommitted | turn.ended 1 | a asks a/1 | runEnd t1
      steer Left.         |             |                             |       | runEnd t1
      phase runEnd passed | RunFinished | run.waiting
      end                 | waiting`,
  },
]
