import { asking, type Scenario } from './scenario.ts'

/** Suspensions, decisions and waits (RUN-03, RUN-08, DEC-01 to DEC-09). */
export const scenariosOfWaits: readonly Scenario[] = [
  {
    name: 'approved',
    calls: { a: asking('a') },
    table: `
      model a          | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1
      resume a         | UserMessage | run.resumed | | a replay by a/1
      replay a allowed |             |             | | a tool by a/1
      tool a ok        | ToolResultsCommitted | turn.started 2 | a succeeded | model t2
      model text       | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end              | natural_end`,
  },
  {
    name: 'denied with a reason',
    calls: { a: asking('a') },
    table: `
      model a        | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1
      deny a because | UserMessage, ToolResultsCommitted | run.resumed, turn.started 2 | a answers because, a cancelled | model t2`,
  },
  {
    name: 'leaving a wait passes run start again',
    options: { watched: ['runStart', 'runEnd'] },
    calls: { a: asking('a') },
    table: `
      start                 |             | run.started | | runStart t0
      phase runStart passed | UserMessage | turn.started 1 | input | model t1
      model a               | AssistantTurnCommitted, ToolResultsCommitted | turn.ended 1 | a asks a/1 | runEnd t1
      phase runEnd passed   | RunFinished | run.waiting
      resume a              |             | run.resumed | | runStart t1 again
      phase runStart passed | UserMessage | | | a replay by a/1`,
  },
  {
    name: 'a mixed round goes on, and the late result is told',
    calls: { a: asking('a') },
    table: `
      model a b        | AssistantTurnCommitted | | a asks a/1 | b tool
      tool b ok        | ToolResultsCommitted | turn.ended 1, turn.started 2 | b succeeded, a placeholder | model t2
      resume a         |  |  |  | a replay by a/1, model t2
      replay a allowed |  |  |  | a tool by a/1, model t2
      tool a ok        |  |  | a succeeded | model t2
      model text       | AssistantTurnCommitted, ToolResultsCommitted | turn.ended 2, turn.started 3 | a late | model t3
      model text       | AssistantTurnCommitted, RunFinished | turn.ended 3, run.ended
      end              | natural_end`,
  },
  {
    name: 'an end the model took back is forgotten',
    calls: { a: asking('a'), c: asking('c') },
    table: `
      model a b        | AssistantTurnCommitted | | a asks a/1 | b tool
      tool b ok        | ToolResultsCommitted | turn.ended 1, turn.started 2 | b succeeded, a placeholder | model t2
      resume a         |  |  |  | a replay by a/1, model t2
      replay a supplied |  |  | a succeeded | model t2
      model text       | AssistantTurnCommitted, ToolResultsCommitted | turn.ended 2, turn.started 3 | a late | model t3
      model c d        | AssistantTurnCommitted | | c asks c/1 | d tool
      tool d ok        | ToolResultsCommitted | turn.ended 3, turn.started 4 | d succeeded, c placeholder | model t4`,
  },
  {
    name: 'a suspended call outlives rounds with one placeholder, and holds the end',
    calls: { a: asking('a') },
    table: `
      model a b         | AssistantTurnCommitted | | a asks a/1 | b tool
      tool b ok         | ToolResultsCommitted | turn.ended 1, turn.started 2 | b succeeded, a placeholder | model t2
      model c           | AssistantTurnCommitted | | | c tool
      tool c ok         | ToolResultsCommitted | turn.ended 2, turn.started 3 | c succeeded | model t3
      model text        | AssistantTurnCommitted, RunFinished | turn.ended 3, run.waiting
      resume a          | UserMessage | run.resumed | | a replay by a/1
      replay a supplied | ToolResultsCommitted | turn.started 4 | a succeeded, a late | model t4
      model text        | AssistantTurnCommitted, RunFinished | turn.ended 4, run.ended
      end               | natural_end`,
  },
  {
    name: 'a decision during the round is applied at once, and its result waits for the gate',
    calls: { a: asking('a') },
    table: `
      model a b        | AssistantTurnCommitted | | a asks a/1 | b tool
      resume a         | | | | a replay by a/1, b tool
      replay a allowed | | | | a tool by a/1, b tool
      tool b ok        | ToolResultsCommitted | turn.ended 1 | b succeeded | a tool by a/1
      tool a ok        | ToolResultsCommitted | turn.started 2 | a succeeded | model t2`,
  },
  {
    name: 'decisions queued to the gate',
    options: { decisions: 'gate' },
    calls: { a: asking('a') },
    table: `
      model a b         | AssistantTurnCommitted | | a asks a/1 | b tool
      tool b ok         | ToolResultsCommitted | turn.ended 1, turn.started 2 | b succeeded, a placeholder | model t2
      resume a          | | | | model t2
      model text        | AssistantTurnCommitted | turn.ended 2 | | a replay by a/1
      replay a supplied | ToolResultsCommitted | turn.started 3 | a succeeded, a late | model t3`,
  },
  {
    name: 'two suspended calls, answered one after the other',
    calls: { a: asking('a'), b: asking('b') },
    table: `
      model a b         | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1, b asks b/1
      resume a          | UserMessage | run.resumed | | a replay by a/1
      replay a supplied | ToolResultsCommitted, RunFinished | run.waiting | a succeeded
      deny b            | UserMessage, ToolResultsCommitted | run.resumed, turn.started 2 | b answers denied, b cancelled | model t2`,
  },
  {
    name: 'a kept denial is used at the first suspension',
    table: `
      model a     | AssistantTurnCommitted | | | a tool
      keep a deny | | | | a tool
      tool a asks | ToolResultsCommitted, ToolResultsCommitted | turn.ended 1, turn.started 2 | kept for a/1, a answers denied, a cancelled | model t2`,
  },
  {
    name: 'a decision kept while plugins hear of the suspension',
    options: { watched: ['reviewCall'] },
    table: `
      model a b        | AssistantTurnCommitted | | | a tool, b tool
      tool a asks      | | | | a review, b tool
      tool b asks      | | | | a review, b review
      keep a resume    | | | | a review, b review
      keep b deny      | | | | a review, b review
      review a         | | | kept for a/1 | a replay by kept, b review
      review b         | ToolResultsCommitted | turn.ended 1 | kept for b/1, b answers denied | a replay by kept, b review
      review b         | | | b cancelled | a replay by kept`,
  },
  {
    name: 'a kept decision that comes when the call rests already',
    table: `
      model a       | AssistantTurnCommitted | | | a tool
      tool a asks   | ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting
      keep a resume | UserMessage | run.resumed | kept for a/1 | a replay by kept`,
  },
  {
    name: 'a call without an answer expires',
    expiresAt: 5,
    table: `
      model a     | AssistantTurnCommitted | | | a tool
      tool a asks | ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | | a until 5
      sleep a     | UserMessage, ToolResultsCommitted | run.resumed, turn.started 2 | a answers expired, a cancelled | model t2`,
  },
  {
    name: 'an interrupted call takes no kept decision, and says what is not known of it',
    reason: 'interrupted',
    table: `
      model a b     | AssistantTurnCommitted | | | a tool, b tool
      keep a resume | | | | a tool, b tool
      tool a asks   | | | | b tool
      tool b ok     | ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | b succeeded
      deny a        | UserMessage, ToolResultsCommitted | run.resumed, turn.started 2 | a answers interrupted, a cancelled | model t2`,
  },
  {
    name: 'a plugin holds the run at its start',
    options: { watched: ['runStart'] },
    reason: 'plugin',
    table: `
      start                  |             | run.started | | runStart t0
      phase runStart holds   | UserMessage, RunFinished | run.waiting | input, 0.hold asks 0.hold/1
      resume 0.hold          |             | run.resumed | | runStart t0 again
      phase runStart passed  | UserMessage | | | 0.hold replay by 0.hold/1
      replay 0.hold supplied | ToolResultsCommitted | turn.started 1 | 0.hold succeeded | model t1`,
  },
]
