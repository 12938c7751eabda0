import { asking, type Scenario } from './scenario.ts'

/** Cancels, failures and limits, and what they leave behind (RUN-05, RUN-07, AGT-11). */
export const scenariosOfEndings: readonly Scenario[] = [
  {
    name: 'cancelled while the model answers',
    table: `
      cancel | RunFinished | turn.ended 1, run.ended | note answering
      end    | cancelled`,
  },
  {
    name: 'cancelled while tools run',
    calls: { b: asking('b') },
    table: `
      model a b | AssistantTurnCommitted | | b asks b/1 | a tool
      cancel    | RunFinished | turn.ended 1, run.ended | a answers unfinished, a cancelled, b answers unfinished, b cancelled, note tools
      end       | cancelled`,
  },
  {
    name: 'cancelled while waiting',
    calls: { a: asking('a') },
    table: `
      model a | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1
      cancel  | RunFinished | run.ended | a answers unfinished, a cancelled
      end     | cancelled`,
  },
  {
    name: 'cancelled during a replay',
    calls: { a: asking('a') },
    table: `
      model a  | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1
      resume a | UserMessage | run.resumed | | a replay by a/1
      cancel   | RunFinished | run.ended | a answers unfinished, a cancelled, note tools
      end      | cancelled`,
  },
  {
    name: 'a model that fails takes a suspended call with it, and phase runEnd is heard',
    options: { watched: ['runEnd'] },
    calls: { a: asking('a') },
    table: `
      model a b           | AssistantTurnCommitted | | a asks a/1 | b tool
      tool b ok           | ToolResultsCommitted | turn.ended 1, turn.started 2 | b succeeded, a placeholder | model t2
      model broken        | | turn.ended 2 | failure api_error, a answers unfinished, a cancelled | runEnd t2
      phase runEnd passed | RunFinished | run.ended | a late
      end                 | error(api_error)`,
  },
  {
    name: 'cancelled in a phase between steps',
    options: { watched: ['stepStart'] },
    table: `
      start  | UserMessage | run.started | input | stepStart t1
      cancel | RunFinished | run.ended
      end    | cancelled`,
  },
  {
    name: 'cancelled on the way into a wait',
    options: { watched: ['runEnd'] },
    calls: { a: asking('a') },
    table: `
      model a             | AssistantTurnCommitted, ToolResultsCommitted | turn.ended 1 | a asks a/1 | runEnd t1
      cancel              |             |           | a answers unfinished, a cancelled | runEnd t1
      phase runEnd passed | RunFinished | run.ended
      end                 | cancelled`,
  },
  {
    name: 'a cancel after the end is certain leaves the end as it is, and waits for no hook',
    options: { watched: ['runEnd'] },
    table: `
      model text          | AssistantTurnCommitted | turn.ended 1 | | runEnd t1
      cancel              | RunFinished | run.ended
      end                 | natural_end`,
  },
  {
    name: 'a hook that fails at the end is the end',
    options: { watched: ['runEnd'] },
    table: `
      model text | AssistantTurnCommitted | turn.ended 1 | | runEnd t1
      fail       |             |           | | runEnd t1
      fail       | RunFinished | run.ended
      end        | error(effect_failed)`,
  },
  {
    name: 'failed while tools run, and while waiting',
    calls: { b: asking('b') },
    table: `
      model a b | AssistantTurnCommitted | | b asks b/1 | a tool
      fail      | RunFinished | turn.ended 1, run.ended | a answers unfinished, a cancelled, b answers unfinished, b cancelled
      end       | error(effect_failed)`,
  },
  {
    name: 'failed while waiting',
    calls: { a: asking('a') },
    table: `
      model a | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1
      fail    | RunFinished | run.ended | a answers unfinished, a cancelled
      end     | error(effect_failed)`,
  },
  {
    name: 'a limit is kept over a wait, and its note comes once, at the end',
    calls: { a: asking('a') },
    limits: [{ code: 'max_turns', max: 1, action: 'stop' }],
    table: `
      model a b | AssistantTurnCommitted | | a asks a/1 | b tool
      tool b ok | ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | b succeeded, a placeholder
      deny a    | UserMessage, ToolResultsCommitted, RunFinished | run.resumed, run.ended | a answers denied, a cancelled, a late, note turns
      end       | stopped(max_turns)`,
  },
  {
    name: 'the final answer is not asked for while a call is suspended',
    calls: { a: asking('a') },
    limits: [{ code: 'max_turns', max: 1, action: 'finish' }],
    table: `
      model a b         | AssistantTurnCommitted | | a asks a/1 | b tool
      tool b ok         | ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | b succeeded
      resume a          | UserMessage | run.resumed | | a replay by a/1
      replay a supplied | ToolResultsCommitted | turn.started 2 | a succeeded | model t2 final
      model text        | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end               | stopped(max_turns)`,
  },
  {
    name: 'a late result of the last moment is told before the note of a cancel',
    calls: { a: asking('a') },
    table: `
      model a b | AssistantTurnCommitted | | a asks a/1 | b tool
      tool b ok | ToolResultsCommitted | turn.ended 1, turn.started 2 | b succeeded, a placeholder | model t2
      cancel    | RunFinished | turn.ended 2, run.ended | a answers unfinished, a cancelled, a late, note answering
      end       | cancelled`,
  },
  {
    name: 'what settles on the way into a wait is told with it, once',
    options: { watched: ['runEnd'] },
    calls: { a: asking('a'), b: asking('b') },
    table: `
      model a b c         | AssistantTurnCommitted | | a asks a/1, b asks b/1 | c tool
      tool c ok           | ToolResultsCommitted | turn.ended 1, turn.started 2 | c succeeded, a placeholder, b placeholder | model t2
      model text          | AssistantTurnCommitted | turn.ended 2 | | runEnd t2
      cancel b            | | | b answers user cancelled, b cancelled | runEnd t2
      phase runEnd passed | RunFinished | run.waiting | b late
      resume a            | UserMessage | run.resumed | | a replay by a/1
      replay a supplied   | ToolResultsCommitted | turn.started 3 | a succeeded, a late | model t3`,
  },
  {
    name: 'a wait whose last call settles on the way is over at once',
    options: { watched: ['runEnd'] },
    calls: { a: asking('a') },
    table: `
      model a             | AssistantTurnCommitted, ToolResultsCommitted | turn.ended 1 | a asks a/1 | runEnd t1
      cancel a            | | | a answers user cancelled, a cancelled | runEnd t1
      phase runEnd passed | RunFinished, UserMessage | run.waiting, run.resumed, turn.started 2 | | model t2`,
  },
  {
    name: 'a decision on the way into a wait is taken in there',
    options: { watched: ['runEnd'] },
    calls: { a: asking('a') },
    table: `
      model a             | AssistantTurnCommitted, ToolResultsCommitted | turn.ended 1 | a asks a/1 | runEnd t1
      resume a            | | | | runEnd t1
      phase runEnd passed | RunFinished, UserMessage | run.waiting, run.resumed | | a replay by a/1`,
  },
  {
    name: 'a hook that fails on the way into a wait takes the calls with it',
    options: { watched: ['runEnd'] },
    calls: { a: asking('a') },
    table: `
      model a | AssistantTurnCommitted, ToolResultsCommitted | turn.ended 1 | a asks a/1 | runEnd t1
      fail    | | | a answers unfinished, a cancelled | runEnd t1
      fail    | RunFinished | run.ended
      end     | error(effect_failed)`,
  },
  {
    name: 'a hook that fails after an error is named',
    options: { watched: ['runEnd'] },
    table: `
      model a b   | AssistantTurnCommitted | | | a tool, b tool
      tool a sets | | | a succeeded | b tool
      tool b sets | | turn.ended 1 | b succeeded | runEnd t1
      fail        | RunFinished | run.ended
      end         | error(effect_failed)`,
  },
  {
    name: 'calls of an answer that a cancel overtakes have their results, once',
    options: { watched: ['afterModel', 'runEnd'] },
    table: `
      model a | | | | afterModel t1
      cancel  | | turn.ended 1 | a answers unfinished, a cancelled | runEnd t1
      fail    | | | | runEnd t1
      fail    | RunFinished | run.ended
      end     | error(effect_failed)`,
  },
  {
    name: 'a failure between an answer and its commit ends the run, and does not wait for a call of an earlier round',
    options: { watched: ['afterModel'] },
    calls: { a: asking('a') },
    table: `
      model a b  |             |                             |       | afterModel t1
      phase afterModel passed | AssistantTurnCommitted | | a asks a/1 | b tool
      tool b ok  | ToolResultsCommitted | turn.ended 1, turn.started 2 | b succeeded, a placeholder | model t2
      model text |             |                             |       | afterModel t2
      fail       | RunFinished | turn.ended 2, run.ended | a answers unfinished, a cancelled, a late
      end        | error(effect_failed)`,
  },
  {
    name: 'a cancel while the end of a failed turn is told: the error stays, and waits for no call of an earlier round',
    options: { watched: ['afterTurn'] },
    calls: { a: asking('a') },
    table: `
      model a b  | AssistantTurnCommitted | | a asks a/1 | b tool
      tool b ok  | ToolResultsCommitted | turn.ended 1 | b succeeded | afterTurn t1
      phase afterTurn passed | | turn.started 2 | a placeholder | model t2
      model broken |           | turn.ended 2 | failure api_error | afterTurn t2
      cancel     | RunFinished | run.ended | a answers unfinished, a cancelled, a late
      end        | error(api_error)`,
  },
]
