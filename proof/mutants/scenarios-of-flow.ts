import type { Phase } from '../../machines/run/run.phases.ts'
import type { Scenario } from './scenario.ts'

const allOfLoop: readonly Phase[] = ['runStart', 'stepStart', 'beforeModel', 'afterModel', 'stepEnd', 'runEnd']

/** The order of phases, turns, checkpoints and events (RUN-02, PH-01, CKP-01), time, and the model's failures. */
export const scenariosOfFlow: readonly Scenario[] = [
  {
    name: 'a text',
    table: `
      model text | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end        | natural_end`,
  },
  {
    name: 'one call, and one of lower priority dropped',
    table: `
      model a -b | AssistantTurnCommitted              | calls.dropped 1 b            |             | a tool
      tool a ok  | ToolResultsCommitted                | turn.ended 1, turn.started 2 | a succeeded | model t2
      model text | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end        | natural_end`,
  },
  {
    name: 'every phase of the loop, with the time up to each counted before a crash',
    options: { watched: allOfLoop },
    table: `
      start                                   |             | run.started    |       | runStart t0
      phase runStart passed @100              | UserMessage |                | input | stepStart t1
      phase stepStart passed @200             |             |                |       | beforeModel t1
      wake @1000                              |             |                |       | beforeModel t1
      phase beforeModel passed @1100      |             | turn.started 1 |       | model t1
      wake @2000                              |             |                |       | model t1
      model text @2100                        |             |                |       | afterModel t1
      wake @3000                              |             |                |       | afterModel t1
      phase afterModel passed @3100       |             |                |       | stepEnd t1
      wake @4000                              |             |                |       | stepEnd t1
      phase stepEnd passed @4100              | AssistantTurnCommitted | turn.ended 1 |  | runEnd t1
      phase runEnd passed                     | RunFinished            | run.ended
      end                                     | natural_end after 500`,
  },
  {
    name: 'step start alone, with its time',
    options: { watched: ['stepStart', 'afterModel'] },
    table: `
      start                             | UserMessage | run.started | input | stepStart t1
      phase stepStart passed @100       |             | turn.started 1 | | model t1
      model text @300                   |             |             |       | afterModel t1
      phase afterModel passed @400  | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end                               | natural_end after 300`,
  },
  {
    name: 'a plugin ends the run before inference',
    options: { watched: ['beforeModel', 'runEnd'] },
    table: `
      start                      | UserMessage | run.started | input | beforeModel t1
      phase beforeModel ends |             |             |       | runEnd t0
      phase runEnd passed        | RunFinished | run.ended
      end                        | plugin_requested`,
  },
  {
    name: 'stopped with a code waits for the tools of the round',
    options: { watched: ['afterModel'] },
    table: `
      model a                    |                        |                             |       | afterModel t1
      phase afterModel stops | AssistantTurnCommitted |                             |       | a tool
      tool a ok                  | ToolResultsCommitted, RunFinished | turn.ended 1, run.ended | a succeeded
      end                        | stopped(enough)`,
  },
  {
    name: 'any other ending skips the tools of the round',
    options: { watched: ['afterModel', 'stepEnd', 'reviewCall', 'gateCall'] },
    table: `
      model a b                 |             |                             |       | afterModel t1
      phase afterModel ends |             |                             |       | stepEnd t1
      phase stepEnd passed      | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.ended | a answers unfinished, a cancelled, b answers unfinished, b cancelled
      end                       | plugin_requested`,
  },
  {
    name: 'retries, a fallback model, continuations, and a failure that stays in the transcript',
    options: { maxRetries: 1, fallbacks: 1 },
    table: `
      model truncated |             |                             |       | model t1 c1
      model truncated 2 |           |                             |       | model t1 c2
      model truncated 1 |           |                             |       | model t1 c1
      model busy      |             |                             |       | modelCall until 7
      sleep modelCall |             |                             |       | model t1 f1 c1
      model busy      |             |                             |       | model t1 m1
      model busy      |             |                             |       | modelCall until 7
      sleep modelCall |             |                             |       | model t1 m1 f1
      model busy      | RunFinished | turn.ended 1, run.ended     | failure rate_limit
      end             | error(rate_limit)`,
  },
  {
    name: 'credentials refused: refreshed once a model call, the count of failures kept',
    options: { maxRetries: 1 },
    table: `
      model busy         |                                     |                              |             | modelCall until 7
      sleep modelCall    |                                     |                              |             | model t1 f1
      model unauthorized |                                     |                              |             | refresh m0
      refresh ok         |                                     |                              |             | model t1 f1
      model a            | AssistantTurnCommitted              |                              |             | a tool
      tool a ok          | ToolResultsCommitted                | turn.ended 1, turn.started 2 | a succeeded | model t2
      model unauthorized |                                     |                              |             | refresh m0
      refresh ok         |                                     |                              |             | model t2
      model unauthorized | RunFinished                         | turn.ended 2, run.ended      | failure auth_error
      end                | error(auth_error)`,
  },
  {
    name: 'a prompt refused as too long: made smaller once a model call, what was counted kept',
    options: { maxRetries: 1 },
    table: `
      model busy       |                                     |                              |             | modelCall until 7
      sleep modelCall  |                                     |                              |             | model t1 f1
      model overflow   |                                     |                              |             | compact t1 m0
      compact          |                                     |                              |             | model t1 f1
      model a          | AssistantTurnCommitted              |                              |             | a tool
      tool a ok        | ToolResultsCommitted                | turn.ended 1, turn.started 2 | a succeeded | model t2
      model truncated  |                                     |                              |             | model t2 c1
      model overflow   |                                     |                              |             | compact t2 m0
      compact          |                                     |                              |             | model t2 c1
      model overflow   | RunFinished                         | turn.ended 2, run.ended      | failure context_overflow
      end              | error(context_overflow)`,
  },
  {
    name: 'pictures and files refused: left out once a model call, whatever follows in it',
    options: { maxRetries: 1, fallbacks: 1 },
    table: `
      model busy         |                                     |                              |             | modelCall until 7
      sleep modelCall    |                                     |                              |             | model t1 f1
      model mediaRefused |                                     |                              |             | model t1 bare f1
      model overflow     |                                     |                              |             | compact t1 m0 bare
      compact outgrown   |                                     |                              |             | summarise t1 m0 refused bare
      summarise          |                                     |                              |             | model t1 told bare f1
      model busy         |                                     |                              |             | model t1 told bare m1
      model a            | AssistantTurnCommitted              |                              |             | a tool
      tool a ok          | ToolResultsCommitted                | turn.ended 1, turn.started 2 | a succeeded | model t2
      model mediaRefused |                                     |                              |             | model t2 bare
      model mediaRefused | RunFinished                         | turn.ended 2, run.ended      | failure api_error
      end                | error(api_error)`,
  },
  {
    name: 'a request refused for another reason is not made again',
    table: `
      model mediaRefused finally | RunFinished | turn.ended 1, run.ended     | failure api_error
      end                        | error(api_error)`,
  },
  {
    name: 'a failure of another kind is no prompt that is too long',
    table: `
      model overflow finally | RunFinished | turn.ended 1, run.ended     | failure context_overflow
      end                    | error(context_overflow)`,
  },
  {
    name: 'a smaller prompt is that of the model a plugin has chosen',
    options: { watched: ['beforeModel'] },
    table: `
      start                      | UserMessage | run.started             | input                    | beforeModel t1
      phase beforeModel asks |             | turn.started 1          |                          | model t1 with big
      model overflow             |             |                         |                          | compact t1 m0 with big
      compact                    |             |                         |                          | model t1 with big
      model overflow             | RunFinished | turn.ended 1, run.ended | failure context_overflow
      end                        | error(context_overflow)`,
  },
  {
    name: 'an outgrown prompt told in short once a model call: what that took counts for the limits',
    options: { maxRetries: 1 },
    limits: [{ code: 'max_cost', max: 4, action: 'stop' }],
    table: `
      model outgrown    |                        |                              |             | summarise t1 m0
      summarise         |                        |                              |             | model t1 told
      model busy        |                        |                              |             | modelCall until 7
      sleep modelCall   |                        |                              |             | model t1 told f1
      model overflow    |                        |                              |             | compact t1 m0 told
      compact           |                        |                              |             | model t1 told f1
      model a           | AssistantTurnCommitted |                              |             | a tool
      tool a ok         | ToolResultsCommitted   | turn.ended 1, turn.started 2 | a succeeded | model t2
      model overflow    |                        |                              |             | compact t2 m0
      compact outgrown  |                        |                              |             | summarise t2 m0 refused
      summarise         |                        |                              |             | model t2 told
      model b           | AssistantTurnCommitted |                              |             | b tool
      tool b ok         | ToolResultsCommitted, RunFinished | turn.ended 2, run.ended | b succeeded, note [Agent stopped: maximum cost reached] |
      end               | stopped(max_cost)`,
  },
  {
    name: 'a second prompt told in short in one model call is refused, and so is a second recovery by it',
    table: `
      model outgrown   |             |                             |                      | summarise t1 m0
      summarise        |             |                             |                      | model t1 told
      model overflow   |             |                             |                      | compact t1 m0 told
      compact outgrown |             |                             |                      | model t1 told
      model outgrown   | RunFinished | turn.ended 1, run.ended     | failure engine_error |
      end              | error(engine_error)`,
  },
  {
    name: 'a summary is of the prompt of the model that a plugin has chosen',
    options: { watched: ['beforeModel'] },
    table: `
      start                      | UserMessage                         | run.started             | input | beforeModel t1
      phase beforeModel asks |                                     | turn.started 1          |       | model t1 with big
      model outgrown             |                                     |                         |       | summarise t1 m0 with big
      summarise                  |                                     |                         |       | model t1 told with big
      model text                 | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended |       |
      end                        | natural_end`,
  },
  {
    name: 'what plugins ask of a model call is asked at each attempt, and of no other call',
    options: { watched: ['beforeModel'], maxRetries: 1, fallbacks: 1 },
    table: `
      start                      | UserMessage            | run.started    | input       | beforeModel t1
      phase beforeModel asks |                        | turn.started 1 |             | model t1 with big
      model unauthorized         |                        |                |             | refresh m0 of big
      refresh ok                 |                        |                |             | model t1 with big
      model truncated            |                        |                |             | model t1 c1 with big
      model busy                 |                        |                |             | modelCall until 7
      sleep modelCall            |                        |                |             | model t1 f1 c1 with big
      model busy                 |                        |                |             | model t1 m1 with big
      model a                    | AssistantTurnCommitted |                |             | a tool
      tool a ok                  | ToolResultsCommitted   | turn.ended 1   | a succeeded | beforeModel t2
      phase beforeModel passed |                      | turn.started 2 |             | model t2
      model text                 | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end                        | natural_end`,
  },
  {
    name: 'credentials refused by a fallback model, and none to be had',
    options: { fallbacks: 1 },
    table: `
      model busy         |             |                             |       | model t1 m1
      model unauthorized |             |                             |       | refresh m1
      refresh failed     | RunFinished | turn.ended 1, run.ended     | failure auth_error
      end                | error(auth_error)`,
  },
  {
    name: 'credentials refused where there is no way to get others',
    options: { maxRetries: 1, fallbacks: 1 },
    table: `
      model unauthorized finally | RunFinished | turn.ended 1, run.ended     | failure auth_error
      end                        | error(auth_error)`,
  },
  {
    name: 'a limit of turns that stops, before the phases of the next step',
    options: { watched: ['stepStart', 'beforeModel'] },
    limits: [{ code: 'max_turns', max: 1, action: 'stop' }],
    table: `
      start                        | UserMessage            | run.started    | input | stepStart t1
      phase stepStart passed       |                        |                |       | beforeModel t1
      phase beforeModel passed |                        | turn.started 1 |       | model t1
      model a                      | AssistantTurnCommitted |                |       | a tool
      tool a ok                    | ToolResultsCommitted, RunFinished | turn.ended 1, run.ended | a succeeded, note turns
      end                          | stopped(max_turns)`,
  },
  {
    name: 'a limit that is an error, before the phases of the next step',
    options: { watched: ['stepStart', 'beforeModel'] },
    limits: [{ code: 'max_tool_interactions', max: 1, action: 'error' }],
    table: `
      start                        | UserMessage            | run.started    | input | stepStart t1
      phase stepStart passed       |                        |                |       | beforeModel t1
      phase beforeModel passed |                        | turn.started 1 |       | model t1
      model a                      | AssistantTurnCommitted |                |       | a tool
      tool a ok                    | ToolResultsCommitted, RunFinished | turn.ended 1, run.ended | a succeeded
      end                          | error(max_tool_interactions)`,
  },
  {
    name: 'a limit that allows one final answer',
    limits: [{ code: 'max_turns', max: 1, action: 'finish' }],
    table: `
      model a    | AssistantTurnCommitted              |                              |             | a tool
      tool a ok  | ToolResultsCommitted                | turn.ended 1, turn.started 2 | a succeeded | model t2 final
      model text | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end        | stopped(max_turns)`,
  },
  {
    name: 'running time is a limit, and waiting is no part of it',
    limits: [{ code: 'max_duration', max: 160, action: 'stop' }],
    calls: { a: { verdict: { kind: 'suspended', suspension: { id: 'a/1', reason: 'approval' } } } },
    table: `
      start            | UserMessage | run.started, turn.started 1 | input | 160 ms, model t1
      model a @100     | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1
      resume a @1000   | UserMessage | run.resumed | | 150 ms, a replay by a/1
      replay a allowed |             |             | | 150 ms, a tool by a/1
      tool a ok @1100  | ToolResultsCommitted | turn.started 2 | a succeeded | 150 ms, model t2
      model b @1140    | AssistantTurnCommitted | | | 150 ms, b tool
      tool b ok @1150  | ToolResultsCommitted, RunFinished | turn.ended 2, run.ended | b succeeded, note time
      end              | stopped(max_duration) after 160`,
  },
]
