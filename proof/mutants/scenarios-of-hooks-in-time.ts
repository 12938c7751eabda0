import type { Scenario } from './scenario.ts'

const duration = (action: 'stop' | 'error' | 'finish') => [{ code: 'max_duration' as const, max: 100, action }]

/** The running time ends what was asked and has not answered (AGT-12). */
export const scenariosOfHooksInTime: readonly Scenario[] = [
  {
    name: 'the running time is over while a filter looks at the prompt: nothing is kept of it',
    limits: duration('finish'),
    options: { watched: ['filterInput'] },
    table: `
      start       |             | run.started |  | 100 ms, filter prompt input
      wake @10    |             |             |  | 100 ms, filter prompt input
      time @110   | RunFinished | run.ended   | note time
      end         | stopped(max_duration) after 100`,
  },
  {
    name: 'the running time is over while a builder works, and is an error',
    limits: duration('error'),
    options: { watched: ['buildContext'] },
    table: `
      start       |             | run.started |  | 100 ms, build input
      wake @10    |             |             |  | 100 ms, build input
      time @110   | RunFinished | run.ended   |
      end         | error(max_duration) after 100`,
  },
  {
    name: 'the running time is over while a memory is asked: nothing is kept of the input',
    limits: duration('stop'),
    options: { watched: ['recall'] },
    table: `
      start       |             | run.started |  | 100 ms, recall input
      wake @10    |             |             |  | 100 ms, recall input
      time @110   | RunFinished | run.ended   | note time
      end         | stopped(max_duration) after 100`,
  },
  {
    name: 'the running time is over in phase runStart: the input is kept, and a final answer is asked for',
    limits: duration('finish'),
    options: { watched: ['filterInput', 'runStart'] },
    table: `
      start                  |             | run.started    |       | 100 ms, filter prompt input
      filter passes @10      |             |                |       | 100 ms, runStart t0
      time @110              | UserMessage | turn.started 1 | input | 60000 ms, model t1 final
      model text @150        | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end                    | stopped(max_duration) after 140`,
  },
  {
    name: 'the running time is over in phase runStart, and is an error: the input is kept',
    limits: duration('error'),
    options: { watched: ['filterInput', 'runStart'] },
    table: `
      start                  |             | run.started    |       | 100 ms, filter prompt input
      filter passes @10      |             |                |       | 100 ms, runStart t0
      time @110              | UserMessage, RunFinished | run.ended | input
      end                    | error(max_duration) after 100`,
  },
  {
    name: 'the running time is over in phase runStart of a run that goes on',
    limits: duration('stop'),
    options: { watched: ['runStart'] },
    calls: { a: { verdict: { kind: 'suspended', suspension: { id: 'a/1', reason: 'approval' } } } },
    table: `
      start                     |             | run.started    |       | 100 ms, runStart t0
      phase runStart passed @10 | UserMessage | turn.started 1 | input | 100 ms, model t1
      model a @20               | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1
      resume a @1000            |             | run.resumed    |       | 90 ms, runStart t1 again
      time @1090                | UserMessage, ToolResultsCommitted, RunFinished | run.ended | a answers unfinished, a cancelled, note time
      end                       | stopped(max_duration) after 100`,
  },
  {
    name: 'the running time is over in phase stepEnd: calls of the answer are cancelled',
    limits: duration('stop'),
    options: { watched: ['stepEnd'] },
    table: `
      start         | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model a @10   |             |                             |       | 100 ms, stepEnd t1
      time @110     | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.ended | a answers unfinished, a cancelled, note time
      end           | stopped(max_duration) after 100`,
  },
  {
    name: 'the running time is over in phase afterModel, and is an error: the answer is kept',
    limits: duration('error'),
    options: { watched: ['afterModel', 'stepEnd', 'afterTurn'] },
    table: `
      start         | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model text @10 |            |                             |       | 100 ms, afterModel t1
      time @110     | AssistantTurnCommitted | turn.ended 1 | | 60000 ms, afterTurn t1
      phase afterTurn passed @120 | RunFinished | run.ended
      end           | error(max_duration) after 100`,
  },
  {
    name: 'the running time is over in phase afterModel: an answer without calls is the final one',
    limits: duration('finish'),
    options: { watched: ['afterModel'] },
    table: `
      start         | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model text @10 |            |                             |       | 100 ms, afterModel t1
      time @110     | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end           | stopped(max_duration) after 100`,
  },
  {
    name: 'the running time is over in phase stepEnd, after a plugin has ended the run',
    limits: duration('stop'),
    options: { watched: ['afterModel', 'stepEnd'] },
    table: `
      start         | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model text @10 |            |                             |       | 100 ms, afterModel t1
      phase afterModel stops @20 | | | | 100 ms, stepEnd t1
      time @110     | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end           | stopped(enough) after 100`,
  },
  {
    name: 'the running time is over while hooks tell of an end: it stays',
    limits: duration('stop'),
    options: { watched: ['afterTurn', 'afterRun', 'runEnd'] },
    table: `
      start          | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model text @10 | AssistantTurnCommitted | turn.ended 1 | | 100 ms, afterTurn t1
      wake @20       |  |  |  | 100 ms, afterTurn t1
      time @110      |  |  |  | 60000 ms, runEnd t1
      wake @20000    |  |  |  | 60000 ms, runEnd t1
      time @60110    | RunFinished | run.ended | | 60000 ms, afterRun t1 used 10
      followUp More. |  |  |  | 60000 ms, afterRun t1 used 10
      time @130000   |  |  | undelivered: says More.
      end            | natural_end after 129990`,
  },
  {
    name: 'the running time is over while onError is told',
    limits: duration('stop'),
    options: { watched: ['onError', 'runEnd'] },
    table: `
      start     | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      fail      |  | turn.ended 1 | | 100 ms, onError t1 of effect_failed
      time @110 | RunFinished | run.ended
      end       | error(effect_failed) after 100`,
  },
  {
    name: 'the running time is over, and is an error: onError has a time of its own',
    limits: duration('error'),
    options: { watched: ['onError'] },
    table: `
      start       | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      time @110   |  | turn.ended 1 | | 60000 ms, onError t1 of max_duration
      wake @120   |  |  |  | 60000 ms, onError t1 of max_duration
      time @60110 | RunFinished | run.ended
      end         | error(max_duration) after 60100`,
  },
  {
    name: 'the running time is over while a wait is told: it begins, and its resume finds the time over',
    limits: duration('stop'),
    options: { watched: ['runEnd'] },
    calls: { a: { verdict: { kind: 'suspended', suspension: { id: 'a/1', reason: 'approval' } } } },
    table: `
      start          | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model a @10    | AssistantTurnCommitted, ToolResultsCommitted | turn.ended 1 | a asks a/1 | 100 ms, runEnd t1
      time @110      | RunFinished | run.waiting
      resume a @1000 | UserMessage, ToolResultsCommitted | run.resumed | a answers unfinished, a cancelled | 60000 ms, runEnd t1
      phase runEnd passed @1001 | RunFinished | run.ended | note time
      end            | stopped(max_duration) after 100`,
  },
]
