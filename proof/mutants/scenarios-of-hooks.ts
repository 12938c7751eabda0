import type { Scenario } from './scenario.ts'

/** Hooks around the loop, its turns and its errors (PH-02, PH-04). */
export const scenariosOfHooks: readonly Scenario[] = [
  {
    name: 'hooks around the loop and its turns, outside of their events',
    options: { watched: ['beforeRun', 'beforeTurn', 'afterTurn', 'afterRun'] },
    table: `
      start                   |                        |                | | beforeRun t0
      phase beforeRun passed | UserMessage            | run.started    | input | beforeTurn t1
      phase beforeTurn passed @100 |                   | turn.started 1 | | model t1
      model a @200            | AssistantTurnCommitted |                | | a tool
      tool a ok @300          | ToolResultsCommitted   | turn.ended 1   | a succeeded | afterTurn t1
      phase afterTurn passed  |                        |                | | beforeTurn t2
      wake @1000              |                        |                | | beforeTurn t2
      phase beforeTurn passed @1100 |                  | turn.started 2 | | model t2
      wake @2000              |                        |                | | model t2
      model text @2100        | AssistantTurnCommitted | turn.ended 2   | | afterTurn t2
      phase afterTurn passed  | RunFinished            | run.ended      | | afterRun t2 used 20
      phase afterRun passed  |
      end                     | natural_end after 499`,
  },
  {
    name: 'beforeTurn says no: the run ends, and no turn is told',
    options: { watched: ['beforeTurn', 'afterTurn', 'afterRun'] },
    table: `
      start                   | UserMessage | run.started | input | beforeTurn t1
      phase beforeTurn stops  | RunFinished | run.ended   |       | afterRun t0 used 0
      phase afterRun passed  |
      end                     | stopped(enough)`,
  },
  {
    name: 'beforeTurn comes after stepStart where that is the only phase',
    options: { watched: ['stepStart', 'beforeTurn'] },
    table: `
      start                   | UserMessage | run.started | input | stepStart t1
      phase stepStart passed @100 |         |             |       | beforeTurn t1
      phase beforeTurn passed |             | turn.started 1 |    | model t1
      model text @300         | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end                     | natural_end after 200`,
  },
  {
    name: 'beforeTurn comes after beforeModel, and keeps what plugins ask of the call',
    options: { watched: ['beforeModel', 'beforeTurn'] },
    table: `
      start                   | UserMessage | run.started | input | beforeModel t1
      phase beforeModel asks @100 |     |             |       | beforeTurn t1
      phase beforeTurn passed |             | turn.started 1 |    | model t1 with big
      model text @300         | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end                     | natural_end after 200`,
  },
  {
    name: 'the running time is over while beforeTurn is asked',
    options: { watched: ['beforeTurn'] },
    limits: [{ code: 'max_duration', max: 100, action: 'stop' }],
    table: `
      start     | UserMessage | run.started | input | 100 ms, beforeTurn t1
      wake @10  |             |             |       | 100 ms, beforeTurn t1
      time @120 | RunFinished | run.ended   | note time
      end       | stopped(max_duration) after 110`,
  },
  {
    name: 'the time of the final answer is over while beforeTurn is asked',
    options: { watched: ['beforeTurn'] },
    limits: [{ code: 'max_duration', max: 100, action: 'finish' }],
    table: `
      start       | UserMessage | run.started | input | 100 ms, beforeTurn t1
      wake @10    |             |             |       | 100 ms, beforeTurn t1
      time @120   |             |             |       | 60000 ms, beforeTurn t1
      time @60120 | RunFinished | run.ended   | note time
      end         | stopped(max_duration) after 60110`,
  },
  {
    name: 'afterTurn after a round that is left out',
    options: { watched: ['afterModel', 'afterTurn'] },
    table: `
      model a                   |             |                             |       | afterModel t1
      phase afterModel ends | AssistantTurnCommitted, ToolResultsCommitted | turn.ended 1 | a answers unfinished, a cancelled | afterTurn t1
      phase afterTurn passed    | RunFinished | run.ended
      end                       | plugin_requested`,
  },
  {
    name: 'afterTurn before the run waits; afterRun only at its end',
    options: { watched: ['afterTurn', 'afterRun'] },
    calls: { a: { verdict: { kind: 'suspended', suspension: { id: 'a/1', reason: 'approval' } } } },
    table: `
      model a                | AssistantTurnCommitted, ToolResultsCommitted | turn.ended 1 | a asks a/1 | afterTurn t1
      phase afterTurn passed | RunFinished | run.waiting
      cancel                 | RunFinished | run.ended | a answers unfinished, a cancelled | afterRun t1 used 10
      phase afterRun passed |
      end                    | cancelled`,
  },
  {
    name: 'onError hears of a failure after its turn, before the end of the run',
    options: { watched: ['afterTurn', 'onError', 'runEnd', 'afterRun'] },
    table: `
      model broken           |             | turn.ended 1 | failure api_error | afterTurn t1
      phase afterTurn passed |             |              |                   | onError t1 of api_error
      phase onError passed   |             |              |                   | runEnd t1
      phase runEnd passed    | RunFinished | run.ended    |                   | afterRun t1 used 0
      phase afterRun passed |
      end                    | error(api_error)`,
  },
  {
    name: 'onError hears of a run that fails while its tools run',
    options: { watched: ['onError'] },
    table: `
      model a              | AssistantTurnCommitted | | | a tool
      fail                 |             | turn.ended 1 | a answers unfinished, a cancelled | onError t1 of effect_failed
      phase onError passed | RunFinished | run.ended
      end                  | error(effect_failed)`,
  },
  {
    name: 'a cancel does not wait for onError, and makes the end no other',
    options: { watched: ['onError', 'runEnd'] },
    table: `
      model broken |             | turn.ended 1 | failure api_error | onError t1 of api_error
      cancel       | RunFinished | run.ended
      end          | error(api_error)`,
  },
  {
    name: 'onError itself fails: it is asked once, and the run ends in its error',
    options: { watched: ['onError', 'runEnd'] },
    table: `
      model broken |             | turn.ended 1 | failure api_error | onError t1 of api_error
      fail         | RunFinished | run.ended
      end          | error(effect_failed)`,
  },
  {
    name: 'onError hears of no other end',
    options: { watched: ['onError'] },
    table: `
      cancel | RunFinished | turn.ended 1, run.ended | note answering
      end    | cancelled`,
  },
  {
    name: 'a hook afterTurn that fails ends the run in its error, its turn told once',
    options: { watched: ['afterTurn', 'onError'] },
    table: `
      model a              | AssistantTurnCommitted | | | a tool
      tool a ok            | ToolResultsCommitted | turn.ended 1 | a succeeded | afterTurn t1
      fail                 |             |           | | onError t1 of effect_failed
      phase onError passed | RunFinished | run.ended
      end                  | error(effect_failed)`,
  },
  {
    name: 'said while afterRun is asked: not delivered',
    options: { watched: ['afterRun'] },
    table: `
      model text             | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended | | afterRun t1 used 10
      followUp More.         |             |           | | afterRun t1 used 10
      phase afterRun passed |             |           | undelivered: says More.
      end                    | natural_end`,
  },
  {
    name: 'a cancel does not wait for afterRun',
    options: { watched: ['afterRun', 'runEnd'] },
    table: `
      model text          | AssistantTurnCommitted | turn.ended 1 | | runEnd t1
      phase runEnd passed | RunFinished | run.ended | | afterRun t1 used 10
      steer Left.         |             |           | | afterRun t1 used 10
      cancel              |             |           | undelivered: says Left.
      end                 | natural_end`,
  },
  {
    name: 'afterRun fails: the end stays as it was told',
    options: { watched: ['afterRun', 'onError'] },
    table: `
      model text  | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended | | afterRun t1 used 10
      steer Left. |             |           | | afterRun t1 used 10
      fail        |             | hook.failed | undelivered: says Left.
      end         | natural_end`,
  },
]
