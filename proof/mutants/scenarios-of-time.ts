import { asking, sequential, type Scenario } from './scenario.ts'

const duration = (action: 'stop' | 'error' | 'finish') => [{ code: 'max_duration' as const, max: 100, action }]

/** The running time ends what is in flight (AGT-12). */
export const scenariosOfTime: readonly Scenario[] = [
  {
    name: 'the running time is over while the model answers',
    limits: duration('stop'),
    table: `
      start     | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      wake @20  |  |  |  | 100 ms, model t1
      time @105 | RunFinished | turn.ended 1, run.ended | note time
      end       | stopped(max_duration) after 100`,
  },
  {
    name: 'the running time is over while the model answers beside a suspended call',
    limits: duration('stop'),
    calls: { a: asking('a') },
    table: `
      start         | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model a b @10 | AssistantTurnCommitted |  | a asks a/1 | 100 ms, b tool
      tool b ok @20 | ToolResultsCommitted | turn.ended 1, turn.started 2 | b succeeded, a placeholder | 100 ms, model t2
      time @110     | ToolResultsCommitted, RunFinished | turn.ended 2, run.ended | a answers unfinished, a cancelled, a late, note time
      end           | stopped(max_duration) after 100`,
  },
  {
    name: 'the running time is over while tools run, and phase reviewCall is not asked',
    limits: duration('error'),
    options: { watched: ['reviewCall'] },
    calls: { b: asking('b') },
    table: `
      start         | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model a b @10 | AssistantTurnCommitted |  | b asks b/1 | 100 ms, a tool, b review
      review b      |  |  |  | 100 ms, a tool
      time @110     | ToolResultsCommitted, RunFinished | turn.ended 1, run.ended | a answers unfinished, a cancelled, b answers unfinished, b cancelled
      end           | error(max_duration) after 100`,
  },
  {
    name: 'the running time is over in a sequential round',
    limits: duration('stop'),
    options: { executor: sequential },
    table: `
      start         | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model a b @10 | AssistantTurnCommitted |  |  | 100 ms, a tool
      time @110     | ToolResultsCommitted, RunFinished | turn.ended 1, run.ended | a answers unfinished, a cancelled, b answers unfinished, b cancelled, note time
      end           | stopped(max_duration) after 100`,
  },
  {
    name: 'an answer that comes late starts no tool, and what it asks for is cancelled',
    limits: duration('stop'),
    calls: { b: asking('b') },
    table: `
      start          | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      wake @1        |  |  |  | 100 ms, model t1
      model a b @130 | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.ended | b asks b/1, a answers unfinished, a cancelled, b answers unfinished, b cancelled, note time
      end            | stopped(max_duration) after 129`,
  },
  {
    name: 'the running time is over during a replay',
    limits: duration('stop'),
    calls: { a: asking('a'), b: asking('b') },
    table: `
      start          | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model a b @10  | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1, b asks b/1
      resume a @1000 | UserMessage | run.resumed |  | 100 ms, a replay by a/1
      time @1095     | ToolResultsCommitted, RunFinished | run.ended | a answers unfinished, a cancelled, b answers unfinished, b cancelled, note time
      end            | stopped(max_duration) after 100`,
  },
  {
    name: 'the running time is over before the model is asked',
    limits: duration('stop'),
    options: { watched: ['stepStart', 'beforeModel'] },
    table: `
      start     | UserMessage | run.started | input | 100 ms, stepStart t1
      time @110 | RunFinished | run.ended | note time
      end       | stopped(max_duration) after 100`,
  },
  {
    name: 'the running time is over in phase beforeModel',
    limits: duration('stop'),
    options: { watched: ['beforeModel'] },
    table: `
      start     | UserMessage | run.started | input | 100 ms, beforeModel t1
      time @110 | RunFinished | run.ended | note time
      end       | stopped(max_duration) after 100`,
  },
  {
    name: 'the running time is over and a final answer is asked for, with time of its own',
    limits: duration('finish'),
    options: { watched: ['stepStart', 'beforeModel'] },
    table: `
      start                        | UserMessage | run.started | input | 100 ms, stepStart t1
      phase stepStart passed       |  |  |  | 100 ms, beforeModel t1
      time @110                    |  |  |  | 60000 ms, stepStart t1
      phase stepStart passed       |  |  |  | 60000 ms, beforeModel t1
      phase beforeModel passed |  | turn.started 1 |  | 60000 ms, model t1 final
      model text @150              | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end                          | stopped(max_duration) after 149`,
  },
  {
    name: 'the time for a final answer is over as well',
    limits: duration('finish'),
    table: `
      start       | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      time @110   |  | turn.ended 1, turn.started 2 |  | 60000 ms, model t2 final
      time @60200 | RunFinished | turn.ended 2, run.ended | note time
      end         | stopped(max_duration) after 60190`,
  },
  {
    name: 'the time for a final answer is over before it is asked for',
    limits: duration('finish'),
    options: { watched: ['stepStart', 'beforeModel'] },
    table: `
      start       | UserMessage | run.started | input | 100 ms, stepStart t1
      time @110   |  |  |  | 60000 ms, stepStart t1
      time @60200 | RunFinished | run.ended | note time
      end         | stopped(max_duration) after 60190`,
  },
  {
    name: 'the time for a final answer is over in phase beforeModel',
    limits: duration('finish'),
    options: { watched: ['beforeModel'] },
    table: `
      start       | UserMessage | run.started | input | 100 ms, beforeModel t1
      time @110   |  |  |  | 60000 ms, beforeModel t1
      time @60200 | RunFinished | run.ended | note time
      end         | stopped(max_duration) after 60190`,
  },
  {
    name: 'the running time ends a final answer asked for at another limit',
    limits: [{ code: 'max_turns', max: 1, action: 'finish' }, ...duration('stop')],
    table: `
      start         | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model a @10   | AssistantTurnCommitted |  |  | 100 ms, a tool
      tool a ok @20 | ToolResultsCommitted | turn.ended 1, turn.started 2 | a succeeded | 90 ms, model t2 final
      time @120     | RunFinished | turn.ended 2, run.ended | note turns
      end           | stopped(max_turns) after 110`,
  },
  {
    name: 'the running time ends a final answer, whose turn counts',
    limits: [{ code: 'max_turns', max: 1, action: 'finish' }, ...duration('stop')],
    options: { watched: ['afterTurn'] },
    table: `
      start                  | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model a @10            | AssistantTurnCommitted |  |  | 100 ms, a tool
      tool a ok @20          | ToolResultsCommitted | turn.ended 1 | a succeeded | 100 ms, afterTurn t1
      phase afterTurn passed |             | turn.started 2 |  | 90 ms, model t2 final
      time @120              |             | turn.ended 2   |  | 60000 ms, afterTurn t2
      phase afterTurn passed | RunFinished | run.ended | note turns
      end                    | stopped(max_turns) after 110`,
  },
  {
    name: 'a run taken up again has the time it had left, and one out of time ends at once',
    limits: duration('stop'),
    table: `
      start         | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model a @10   | AssistantTurnCommitted |  |  | 100 ms, a tool
      tool a ok @40 | ToolResultsCommitted | turn.ended 1, turn.started 2 | a succeeded | 100 ms, model t2
      wake @500     |  |  |  | 70 ms, model t2
      model b @550  | AssistantTurnCommitted |  |  | 70 ms, b tool
      wake @900     |  |  |  | 20 ms, b tool
      time @940     | ToolResultsCommitted, RunFinished | turn.ended 2, run.ended | b answers unfinished, b cancelled, note time
      end           | stopped(max_duration) after 120`,
  },
  {
    name: 'what was driven before a sleep is running time, the sleep is none',
    limits: duration('stop'),
    table: `
      start           | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      wake @1         |  |  |  | 100 ms, model t1
      wake 61 @1000   |  |  |  | 40 ms, model t1
      wake 1039 @5000 |  |  |  | 1 ms, model t1
      wake 5001 @9000 | RunFinished | turn.ended 1, run.ended | note time
      end             | stopped(max_duration) after 100`,
  },
  {
    name: 'a review under way is given up when the running time is over',
    limits: duration('stop'),
    options: { watched: ['reviewCall'] },
    table: `
      start         | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model a b @10 | AssistantTurnCommitted |  |  | 100 ms, a tool, b tool
      tool a ok @20 |  |  |  | 100 ms, a review, b tool
      time @110     | ToolResultsCommitted, RunFinished | turn.ended 1, run.ended | a succeeded, b answers unfinished, b cancelled, note time
      end           | stopped(max_duration) after 100`,
  },
  {
    name: 'calls that changed one path end the run in error, also where its time is over',
    limits: duration('stop'),
    table: `
      start            | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model a b @10    | AssistantTurnCommitted |  |  | 100 ms, a tool, b tool
      tool a sets @20  |  |  | a succeeded | 100 ms, b tool
      tool b sets @130 | RunFinished | turn.ended 1, run.ended | b succeeded
      end              | error(state_conflict) after 120`,
  },
  {
    name: 'a round that comes out as its time is over takes its suspended calls with it, in one checkpoint',
    limits: duration('stop'),
    table: `
      start           | UserMessage | run.started, turn.started 1 | input | 100 ms, model t1
      model a b @10   | AssistantTurnCommitted |  |  | 100 ms, a tool, b tool
      tool a asks @20 |  |  |  | 100 ms, b tool
      tool b ok @130  | ToolResultsCommitted, RunFinished | turn.ended 1, run.ended | b succeeded, a answers unfinished, a cancelled, note time
      end             | stopped(max_duration) after 120`,
  },
  {
    name: 'a round left out leaves a suspended call of an earlier one to its decision',
    options: { watched: ['afterModel'] },
    calls: { a: asking('a') },
    table: `
      model a b                   |  |  |  | afterModel t1
      phase afterModel passed | AssistantTurnCommitted |  | a asks a/1 | b tool
      tool b ok                   | ToolResultsCommitted | turn.ended 1, turn.started 2 | b succeeded, a placeholder | model t2
      model c                     |  |  |  | afterModel t2
      phase afterModel ends   | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 2, run.waiting | c answers unfinished, c cancelled
      resume a                    | UserMessage | run.resumed |  | a replay by a/1
      replay a allowed            |  |  |  | a tool by a/1
      tool a ok                   | ToolResultsCommitted, RunFinished | run.ended | a succeeded, a late
      end                         | plugin_requested`,
  },
  {
    name: 'a plugin ends the run before the model is asked, in phase stepStart',
    options: { watched: ['stepStart', 'beforeModel'] },
    table: `
      start                | UserMessage | run.started | input | stepStart t1
      phase stepStart ends | RunFinished | run.ended
      end                  | plugin_requested`,
  },
]
