import { asking, sequential, type Scenario } from './scenario.ts'

/** Messages to an active run: steering, follow-ups, and when they are read (AGT-03). */
export const scenariosOfQueue: readonly Scenario[] = [
  {
    name: 'steering before the next turn, after the round, one message a turn',
    table: `
      steer Left.  |             |                             |       | model t1
      steer Right. |             |                             |       | model t1
      model a b    | AssistantTurnCommitted |                  |       | a tool, b tool
      tool a ok    |             |                             | a succeeded | b tool
      tool b ok    | ToolResultsCommitted, UserMessage   | turn.ended 1, turn.started 2 | b succeeded, says Left. | model t2
      model text   | AssistantTurnCommitted, UserMessage | turn.ended 2, turn.started 3 | says Right. | model t3
      model text   | AssistantTurnCommitted, RunFinished | turn.ended 3, run.ended
      end          | natural_end`,
  },
  {
    name: 'all that wait together',
    options: { queueModes: { steer: 'all', followUp: 'all' } },
    table: `
      followUp More. |            |                             |       | model t1
      steer Left.   |             |                             |       | model t1
      followUp On.  |             |                             |       | model t1
      steer Right.  |             |                             |       | model t1
      model text    | AssistantTurnCommitted, UserMessage | turn.ended 1, turn.started 2 | says Left., says Right. | model t2
      model text    | AssistantTurnCommitted, UserMessage | turn.ended 2, turn.started 3 | says More., says On. | model t3
      model text    | AssistantTurnCommitted, RunFinished | turn.ended 3, run.ended
      end           | natural_end`,
  },
  {
    name: 'a follow-up waits for the end of the run, and for steering',
    options: { executor: sequential },
    table: `
      followUp More. |             |                             |       | model t1
      model a b      | AssistantTurnCommitted |                  |       | a tool
      tool a ok      |             |                             | a succeeded | b tool
      tool b ok      | ToolResultsCommitted | turn.ended 1, turn.started 2 | b succeeded | model t2
      steer Left.    |             |                             |       | model t2
      model text     | AssistantTurnCommitted, UserMessage | turn.ended 2, turn.started 3 | says Left. | model t3
      model text     | AssistantTurnCommitted, UserMessage | turn.ended 3, turn.started 4 | says More. | model t4
      model text     | AssistantTurnCommitted, RunFinished | turn.ended 4, run.ended
      end            | natural_end`,
  },
  {
    name: 'steering leaves out the calls of a sequential round that were not started',
    options: { executor: sequential },
    table: `
      model a b c | AssistantTurnCommitted |                  |       | a tool
      steer Left. |             |                             |       | a tool
      tool a ok   | ToolResultsCommitted, UserMessage | turn.ended 1, turn.started 2 | a succeeded, b answers steered, b failed, c answers steered, c failed, says Left. | model t2
      model text  | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end         | natural_end`,
  },
  {
    name: 'steering between batches',
    options: { executor: { batchSize: 2, stopsOnSuspension: true } },
    table: `
      model a b c | AssistantTurnCommitted |                  |       | a tool, b tool
      tool a ok   |             |                             | a succeeded | b tool
      steer Left. |             |                             |       | b tool
      tool b ok   | ToolResultsCommitted, UserMessage | turn.ended 1, turn.started 2 | b succeeded, c answers steered, c failed, says Left. | model t2
      model text  | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end         | natural_end`,
  },
  {
    name: 'steering of a waiting run is kept, and heard when it goes on',
    calls: { a: asking('a') },
    table: `
      model a          | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1
      steer Left.      |
      post card        |             |             | posted card
      resume a         | UserMessage | run.resumed |       | a replay by a/1
      replay a allowed |             |             |       | a tool by a/1
      tool a ok        | ToolResultsCommitted, UserMessage | turn.started 2 | a succeeded, says Left. | model t2
      model text       | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end              | natural_end`,
  },
  {
    name: 'at a natural end steering goes first, then a follow-up, then the suspended calls, then the end',
    calls: { a: asking('a') },
    table: `
      model a b        | AssistantTurnCommitted | | a asks a/1 | b tool
      tool b ok        | ToolResultsCommitted | turn.ended 1, turn.started 2 | b succeeded, a placeholder | model t2
      followUp More.   |             |             |       | model t2
      steer Left.      |             |             |       | model t2
      model text       | AssistantTurnCommitted, UserMessage | turn.ended 2, turn.started 3 | says Left. | model t3
      model text       | AssistantTurnCommitted, UserMessage | turn.ended 3, turn.started 4 | says More. | model t4
      model text       | AssistantTurnCommitted, RunFinished | turn.ended 4, run.waiting
      end              | waiting`,
  },
  {
    name: 'a follow-up waits for a result the model has not heard',
    calls: { a: asking('a') },
    table: `
      model a b        | AssistantTurnCommitted | | a asks a/1 | b tool
      tool b ok        | ToolResultsCommitted | turn.ended 1, turn.started 2 | b succeeded, a placeholder | model t2
      followUp More.   |             |             |       | model t2
      resume a         |             |             |       | a replay by a/1, model t2
      replay a allowed |             |             |       | a tool by a/1, model t2
      model text       | AssistantTurnCommitted | turn.ended 2 | | a tool by a/1
      tool a ok        | ToolResultsCommitted | turn.started 3 | a succeeded, a late | model t3
      model text       | AssistantTurnCommitted, UserMessage | turn.ended 3, turn.started 4 | says More. | model t4
      model text       | AssistantTurnCommitted, RunFinished | turn.ended 4, run.ended
      end              | natural_end`,
  },
  {
    name: 'a plugin that ends the run is put off, and a message for the application is recorded at once',
    options: { watched: ['stepStart'] },
    table: `
      start                  | UserMessage | run.started    | input       | stepStart t1
      post card              |             |                | posted card | stepStart t1
      followUp More.         |             |                |             | stepStart t1
      phase stepStart ends   | UserMessage |                | says More.  | stepStart t1
      phase stepStart passed |             | turn.started 1 |             | model t1
      model text             | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end                    | natural_end`,
  },
  {
    name: 'other endings name what nobody has heard: a code of a plugin',
    options: { watched: ['afterModel'] },
    table: `
      steer Left.                |             |                             |       | model t1
      followUp More.             |             |                             |       | model t1
      model text                 |             |                             |       | afterModel t1
      phase afterModel stops | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended | undelivered: says Left. says More.
      end                        | stopped(enough)`,
  },
  {
    name: 'other endings name what nobody has heard: a limit that stops',
    limits: [{ code: 'max_turns', max: 1, action: 'stop' }],
    table: `
      steer Left. |             |                             |       | model t1
      model a     | AssistantTurnCommitted |                  |       | a tool
      tool a ok   | ToolResultsCommitted, RunFinished | turn.ended 1, run.ended | a succeeded, note turns, undelivered: says Left.
      end         | stopped(max_turns)`,
  },
  {
    name: 'other endings name what nobody has heard: a limit that is an error',
    limits: [{ code: 'max_turns', max: 1, action: 'error' }],
    table: `
      steer Left. |             |                             |       | model t1
      model a     | AssistantTurnCommitted |                  |       | a tool
      tool a ok   | ToolResultsCommitted, RunFinished | turn.ended 1, run.ended | a succeeded, undelivered: says Left.
      end         | error(max_turns)`,
  },
  {
    name: 'a final answer hears a follow-up',
    limits: [{ code: 'max_turns', max: 1, action: 'finish' }],
    table: `
      followUp More. |             |                             |       | model t1
      model a        | AssistantTurnCommitted |                  |       | a tool
      tool a ok      | ToolResultsCommitted, UserMessage | turn.ended 1, turn.started 2 | a succeeded, says More. | model t2 final
      model text     | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end            | stopped(max_turns)`,
  },
  {
    name: 'a cancel names what nobody has heard',
    table: `
      steer Left. |             |                             |       | model t1
      cancel      | RunFinished | turn.ended 1, run.ended | note answering, undelivered: says Left.
      end         | cancelled`,
  },
  {
    name: 'what is taken in comes before the phases of the step',
    options: { watched: ['stepStart', 'beforeModel', 'beforeTurn'] },
    table: `
      start                        | UserMessage | run.started    | input | stepStart t1
      phase stepStart passed       |             |                |       | beforeModel t1
      phase beforeModel passed |             |                |       | beforeTurn t1
      phase beforeTurn passed      |             | turn.started 1 |       | model t1
      steer Left.                  |             |                |       | model t1
      steer Right.                 |             |                |       | model t1
      model text                   | AssistantTurnCommitted, UserMessage | turn.ended 1 | says Left. | stepStart t2
      phase stepStart stops        | RunFinished | run.ended | undelivered: says Right.
      end                          | stopped(enough)`,
  },
  {
    name: 'what is taken in comes before beforeModel',
    options: { watched: ['beforeModel', 'beforeTurn'] },
    table: `
      start                        | UserMessage | run.started    | input | beforeModel t1
      phase beforeModel passed |             |                |       | beforeTurn t1
      phase beforeTurn passed      |             | turn.started 1 |       | model t1
      steer Left.                  |             |                |       | model t1
      steer Right.                 |             |                |       | model t1
      model text                   | AssistantTurnCommitted, UserMessage | turn.ended 1 | says Left. | beforeModel t2
      phase beforeModel stops  | RunFinished | run.ended | undelivered: says Right.
      end                          | stopped(enough)`,
  },
  {
    name: 'what is taken in comes before beforeTurn',
    options: { watched: ['beforeTurn'] },
    table: `
      start                   | UserMessage | run.started    | input | beforeTurn t1
      steer Left.             |             |                |       | beforeTurn t1
      steer Right.            |             |                |       | beforeTurn t1
      phase beforeTurn passed |             | turn.started 1 |       | model t1
      model text              | AssistantTurnCommitted, UserMessage | turn.ended 1 | says Left. | beforeTurn t2
      phase beforeTurn stops  | RunFinished | run.ended      | undelivered: says Right.
      end                     | stopped(enough)`,
  },
]
