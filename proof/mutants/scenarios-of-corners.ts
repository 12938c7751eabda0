import { asking, sequential, type Scenario } from './scenario.ts'

const same = { callHash: 'same' }

/** Corners of the gate, the executors and the endings, each for one clause of the requirements. */
export const scenariosOfCorners: readonly Scenario[] = [
  {
    name: 'a gate with a decision pending commits all its results together',
    options: { decisions: 'gate' },
    calls: { a: asking('a'), b: asking('b') },
    table: `
      model a b c       | AssistantTurnCommitted | | a asks a/1, b asks b/1 | c tool
      tool c ok         | ToolResultsCommitted | turn.ended 1, turn.started 2 | c succeeded, a placeholder, b placeholder | model t2
      resume a          | | | | model t2
      cancel b          | | | b answers user cancelled, b cancelled | model t2
      model text        | AssistantTurnCommitted | turn.ended 2 | | a replay by a/1
      replay a supplied | ToolResultsCommitted | turn.started 3 | a succeeded, a late, b late | model t3`,
  },
  {
    name: 'a result nobody has heard does not lead past a limit',
    calls: { a: asking('a') },
    limits: [{ code: 'max_turns', max: 2, action: 'stop' }],
    table: `
      model a b         | AssistantTurnCommitted | | a asks a/1 | b tool
      tool b ok         | ToolResultsCommitted | turn.ended 1, turn.started 2 | b succeeded, a placeholder | model t2
      resume a          | | | | a replay by a/1, model t2
      replay a supplied | | | a succeeded | model t2
      model text        | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 2, run.ended | a late, note turns
      end               | stopped(max_turns)`,
  },
  {
    name: 'a natural end waits for the calls left, whatever the model has not heard',
    calls: { a: asking('a'), b: asking('b') },
    table: `
      model a b c       | AssistantTurnCommitted | | a asks a/1, b asks b/1 | c tool
      tool c ok         | ToolResultsCommitted | turn.ended 1, turn.started 2 | c succeeded, a placeholder, b placeholder | model t2
      resume a          | | | | a replay by a/1, model t2
      replay a supplied | | | a succeeded | model t2
      model text        | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 2, run.waiting | a late
      end               | waiting`,
  },
  {
    name: 'the final answer is asked for whoever watches the steps',
    options: { watched: ['stepStart', 'beforeModel'] },
    limits: [{ code: 'max_turns', max: 1, action: 'finish' }],
    table: `
      start                        | UserMessage | run.started | input | stepStart t1
      phase stepStart passed       | | | | beforeModel t1
      phase beforeModel passed | | turn.started 1 | | model t1
      model a                      | AssistantTurnCommitted | | | a tool
      tool a ok                    | ToolResultsCommitted | turn.ended 1 | a succeeded | stepStart t2
      phase stepStart passed       | | | | beforeModel t2
      phase beforeModel passed | | turn.started 2 | | model t2 final
      model text                   | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end                          | stopped(max_turns)`,
  },
  {
    name: 'a replay takes the next free slot of a sequential round',
    options: { executor: sequential },
    table: `
      model a x        | AssistantTurnCommitted | | | a tool
      tool a ok        | | | a succeeded | x tool
      tool x asks      | ToolResultsCommitted | turn.ended 1, turn.started 2 | x placeholder | model t2
      model b c        | AssistantTurnCommitted | | | b tool
      resume x         | | | | b tool
      tool b ok        | | | b succeeded | x replay by x/1
      replay x allowed | | | | x tool #2 by x/1
      tool x ok        | | | x succeeded | c tool
      tool c ok        | ToolResultsCommitted | turn.ended 2, turn.started 3 | c succeeded, x late | model t3`,
  },
  {
    name: 'a replay runs beside no later batch of a sequential round',
    options: { executor: sequential },
    table: `
      model a x        | AssistantTurnCommitted | | | a tool
      tool a ok        | | | a succeeded | x tool
      tool x asks      | ToolResultsCommitted | turn.ended 1, turn.started 2 | x placeholder | model t2
      model b c        | AssistantTurnCommitted | | | b tool
      tool b ok        | | | b succeeded | c tool
      resume x         | | | | c tool
      tool c ok        | ToolResultsCommitted | turn.ended 2 | c succeeded | x replay by x/1`,
  },
  {
    name: 'a stopped round is over before a replay begins',
    options: { executor: sequential },
    table: `
      model a x        | AssistantTurnCommitted | | | a tool
      tool a ok        | | | a succeeded | x tool
      tool x asks      | ToolResultsCommitted | turn.ended 1, turn.started 2 | x placeholder | model t2
      model b c        | AssistantTurnCommitted | | | b tool
      resume x         | | | | b tool
      tool b asks      | ToolResultsCommitted | turn.ended 2 | c answers skipped, c failed | x replay by x/1`,
  },
  {
    name: 'changes of a replay come after those of the round it runs beside',
    calls: { x: asking('x') },
    table: `
      model x b        | AssistantTurnCommitted | | x asks x/1 | b tool
      tool b ok        | ToolResultsCommitted | turn.ended 1, turn.started 2 | b succeeded, x placeholder | model t2
      resume x         | | | | model t2, x replay by x/1
      replay x allowed | | | | model t2, x tool by x/1
      tool x sets      | | | x succeeded | model t2
      model c          | AssistantTurnCommitted | | | c tool
      tool c sets      | ToolResultsCommitted | turn.ended 2, turn.started 3 | c succeeded, c applied, x applied, x late | model t3`,
  },
  {
    name: 'nothing of a later call is asked before its turn, and what is kept for it waits with it',
    options: { executor: sequential, watched: ['gateCall'] },
    table: `
      model a b         | AssistantTurnCommitted | | | a gate
      keep b resume     | | | | a gate
      gate a suppliedBadly | | | a failed | b gate
      gate b asks       | ToolResultsCommitted | turn.ended 1 | b asks b/1, kept for b/1 | b replay by kept`,
  },
  {
    name: 'a sequential call that needs approval asks when its turn comes',
    options: { executor: sequential },
    calls: { b: asking('b') },
    table: `
      model a b | AssistantTurnCommitted | | | a tool
      tool a ok | ToolResultsCommitted | turn.ended 1, turn.started 2 | a succeeded, b asks b/1, b placeholder | model t2`,
  },
  {
    name: 'a kept approval is used once plugins have heard of the suspension, and the round is over',
    options: { watched: ['reviewCall'] },
    table: `
      model a       | AssistantTurnCommitted | | | a tool
      keep a resume | | | | a tool
      tool a asks   | | | | a review
      review a      | ToolResultsCommitted | turn.ended 1 | kept for a/1 | a replay by kept`,
  },
  {
    name: 'plugins hear of a suspension before the run waits for it',
    options: { watched: ['reviewCall'] },
    calls: { a: asking('a') },
    table: `
      model a  | AssistantTurnCommitted | | a asks a/1 | a review
      review a | ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting
      deny a   | UserMessage | run.resumed | a answers denied | a review
      review a | ToolResultsCommitted | turn.started 2 | a cancelled | model t2`,
  },
  {
    name: 'equal failures are repeats too',
    options: { repeatLimit: 3 },
    calls: { a: same, b: same, c: same },
    table: `
      model a    | AssistantTurnCommitted | | | a tool
      tool a bad | ToolResultsCommitted | turn.ended 1, turn.started 2 | a failed | model t2
      model b    | AssistantTurnCommitted | | | b tool
      tool b bad | ToolResultsCommitted | turn.ended 2, turn.started 3 | b failed | model t3
      model c    | AssistantTurnCommitted | | | c tool
      tool c bad | ToolResultsCommitted | turn.ended 3, turn.started 4 | c failed, c noted third time | model t4`,
  },
  {
    name: 'time counts up to the wait and from the decision on',
    table: `
      model a @100      | AssistantTurnCommitted | | | a tool
      tool a asks @150  | ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting
      resume a @1000    | UserMessage | run.resumed | | a replay by a/1
      replay a supplied | ToolResultsCommitted | turn.started 2 | a succeeded | model t2
      model text @1100  | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end               | natural_end after 160`,
  },
  {
    name: 'time counts while a plugin decides to hold the run',
    options: { watched: ['runStart'] },
    reason: 'plugin',
    table: `
      start                        | | run.started | | runStart t0
      wake @50                     | | | | runStart t0
      phase runStart holds @100    | UserMessage, RunFinished | run.waiting | input, 0.hold asks 0.hold/1
      resume 0.hold @1000          | | run.resumed | | runStart t0 again
      phase runStart passed @1010  | UserMessage | | | 0.hold replay by 0.hold/1
      replay 0.hold supplied       | ToolResultsCommitted | turn.started 1 | 0.hold succeeded | model t1
      model text @1100             | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end                          | natural_end after 150`,
  },
  {
    name: 'a denied hold ends the run as the plugin asked',
    options: { watched: ['runStart'] },
    reason: 'plugin',
    table: `
      start                 | | run.started | | runStart t0
      phase runStart holds  | UserMessage, RunFinished | run.waiting | input, 0.hold asks 0.hold/1
      deny 0.hold           | | run.resumed | | runStart t0 again
      phase runStart passed | UserMessage, ToolResultsCommitted, RunFinished | run.ended | 0.hold answers denied, 0.hold cancelled
      end                   | plugin_requested`,
  },
  {
    name: 'cancelled calls of a waiting run, and a cancel for nobody',
    calls: { a: asking('a'), b: asking('b') },
    table: `
      model a b     | AssistantTurnCommitted, ToolResultsCommitted, RunFinished | turn.ended 1, run.waiting | a asks a/1, b asks b/1
      cancel nobody |
      resume nobody |
      cancel a      | UserMessage, ToolResultsCommitted, RunFinished | run.resumed, run.waiting | a answers user cancelled, a cancelled
      cancel b      | UserMessage, ToolResultsCommitted | run.resumed, turn.started 2 | b answers user cancelled, b cancelled | model t2`,
  },
  {
    name: 'a model that fails is no answer to review',
    options: { watched: ['afterModel', 'stepEnd'] },
    table: `
      model broken | RunFinished | turn.ended 1, run.ended | failure api_error
      end          | error(api_error)`,
  },
  {
    name: 'step end alone',
    options: { watched: ['stepEnd'] },
    table: `
      model a              | | | | stepEnd t1
      phase stepEnd passed | AssistantTurnCommitted | | | a tool`,
  },
]
