import type { Scenario } from './scenario.ts'

/** Answers that do not fit the output contract, and models that cannot be reached (AGT-08, RUN-06). */
export const scenariosOfAnswers: readonly Scenario[] = [
  {
    name: 'the model is told what does not fit, as often as it needs',
    options: { watched: ['afterTurn'] },
    table: `
      model unfit            | AssistantTurnCommitted | turn.ended 1   | note misfit | afterTurn t1
      phase afterTurn passed |                        | turn.started 2 |             | model t2 corrects
      model unfit            | AssistantTurnCommitted | turn.ended 2   | note misfit | afterTurn t2
      phase afterTurn passed |                        | turn.started 3 |             | model t3 corrects
      model a                | AssistantTurnCommitted |                |             | a tool
      tool a ok              | ToolResultsCommitted   | turn.ended 3   | a succeeded | afterTurn t3
      phase afterTurn passed |                        | turn.started 4 |             | model t4
      model text             | AssistantTurnCommitted | turn.ended 4   |             | afterTurn t4
      phase afterTurn passed | RunFinished            | run.ended
      end                    | natural_end`,
  },
  {
    name: 'the contract comes before steering, and a limit ends the corrections',
    limits: [{ code: 'max_turns', max: 2, action: 'stop' }],
    table: `
      steer Left. |             |                             |       | model t1
      model unfit | AssistantTurnCommitted, UserMessage | turn.ended 1, turn.started 2 | note misfit, says Left. | model t2 corrects
      model unfit | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended | note misfit, note turns
      end         | stopped(max_turns)`,
  },
  {
    name: 'an end that was put off has no say in the turns behind it',
    options: { watched: ['runEnd', 'afterTurn'] },
    table: `
      model text             | AssistantTurnCommitted | turn.ended 1   |             | afterTurn t1
      phase afterTurn passed |                        |                |             | runEnd t1
      followUp More.         |                        |                |             | runEnd t1
      phase runEnd passed    | UserMessage            | turn.started 2 | says More.  | model t2
      model unfit            | AssistantTurnCommitted | turn.ended 2   | note misfit | afterTurn t2
      phase afterTurn passed |                        | turn.started 3 |             | model t3 corrects
      model text             | AssistantTurnCommitted | turn.ended 3   |             | afterTurn t3
      phase afterTurn passed |                        |                |             | runEnd t3
      phase runEnd passed    | RunFinished            | run.ended
      end                    | natural_end`,
  },
  {
    name: 'a final answer is taken as it is',
    limits: [{ code: 'max_turns', max: 1, action: 'finish' }],
    table: `
      model a     | AssistantTurnCommitted | | | a tool
      tool a ok   | ToolResultsCommitted | turn.ended 1, turn.started 2 | a succeeded | model t2 final
      model unfit | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end         | stopped(max_turns)`,
  },
  {
    name: 'a contract that fails itself ends the run, after the hook of its turn',
    options: { watched: ['afterTurn', 'onError'] },
    table: `
      followUp More.         |                        |              | | model t1
      model unjudged         | AssistantTurnCommitted | turn.ended 1 | | afterTurn t1
      phase afterTurn passed |                        |              | | onError t1 of effect_failed
      phase onError passed   | RunFinished            | run.ended    | undelivered: says More.
      end                    | error(effect_failed)`,
  },
  {
    name: 'a contract that fails itself ends the run',
    table: `
      model unjudged | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end            | error(effect_failed)`,
  },
  {
    name: 'an answer that was refused takes no turn, and the model is told why as often as it is corrected',
    options: { watched: ['onAnswer', 'beforeModel', 'afterTurn'], outputRetries: 2 },
    table: `
      start                    | UserMessage    | run.started    | input | beforeModel t1
      phase beforeModel asks   |                | turn.started 1 |       | model t1 with big
      model refused @100       |                | turn.ended 1   | note rude | afterTurn t0
      phase afterTurn passed   |                |                |       | beforeModel t1
      phase beforeModel passed |                | turn.started 1 |       | model t1 corrects
      model unfit @120         | AssistantTurnCommitted | turn.ended 1 | note misfit | afterTurn t1
      phase afterTurn passed   |                |                |       | beforeModel t2
      phase beforeModel passed |                | turn.started 2 |       | model t2 corrects
      model refused @140       |                | turn.ended 2   |       | afterTurn t1
      phase afterTurn passed   | RunFinished    | run.ended
      end                      | stopped(answer_refused) after 139`,
  },
  {
    name: 'an answer that is taken after a refusal lets the model be corrected anew',
    options: { watched: ['onAnswer'], outputRetries: 1 },
    table: `
      followUp More. |                        |                             |       | model t1
      model refused  |                        | turn.ended 1, turn.started 1 | note rude | model t1 corrects
      model text     | AssistantTurnCommitted, UserMessage | turn.ended 1, turn.started 2 | says More. | model t2
      model refused  |                        | turn.ended 2, turn.started 2 | note rude | model t2 corrects
      model text     | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end            | natural_end`,
  },
  {
    name: 'an answer that was refused is an interaction and costs what it cost',
    options: { watched: ['onAnswer'] },
    limits: [{ code: 'max_tool_interactions', max: 2, action: 'stop' }],
    table: `
      model refused |             | turn.ended 1, turn.started 1 | note rude | model t1 corrects
      model refused | RunFinished | turn.ended 1, run.ended      | note rude, note [Agent stopped: maximum number of tool interactions reached]
      end           | stopped(max_tool_interactions)`,
  },
  {
    name: 'the tokens of a refused answer count',
    options: { watched: ['onAnswer'] },
    limits: [
      { code: 'max_tokens', max: 10, action: 'stop' },
      { code: 'max_cost', max: 9, action: 'error' },
    ],
    table: `
      model refused | RunFinished | turn.ended 1, run.ended     | note rude, note [Agent stopped: maximum number of tokens reached]
      end           | stopped(max_tokens)`,
  },
  {
    name: 'the cost of a refused answer counts',
    options: { watched: ['onAnswer'] },
    limits: [{ code: 'max_cost', max: 1, action: 'stop' }],
    table: `
      model refused | RunFinished | turn.ended 1, run.ended     | note rude, note [Agent stopped: maximum cost reached]
      end           | stopped(max_cost)`,
  },
  {
    name: 'a model that an account cannot pay for is not asked, and the run stops without the turn',
    options: { watched: ['beforeModel', 'afterTurn'] },
    table: `
      start                    | UserMessage | run.started    | input | beforeModel t1
      phase beforeModel passed |             | turn.started 1 |       | model t1
      model exhausted @100     |             | turn.ended 1   |       | afterTurn t0
      phase afterTurn passed   | RunFinished | run.ended      | note [Agent stopped: maximum cost reached]
      end                      | stopped(max_cost) after 99`,
  },
  {
    name: 'an account that is used up ends the run in the error of its limit',
    limits: [{ code: 'max_cost', max: 9, action: 'error' }],
    table: `
      model exhausted | RunFinished | turn.ended 1, run.ended
      end             | error(max_cost)`,
  },
  {
    name: 'an account that is used up allows a final answer, and ends the run without one that it cannot pay for',
    limits: [{ code: 'max_cost', max: 9, action: 'finish' }],
    options: { watched: ['beforeModel'] },
    table: `
      start                    | UserMessage | run.started | input | beforeModel t1
      phase beforeModel asks   |             | turn.started 1 |    | model t1 with big
      model exhausted          |             | turn.ended 1 |      | beforeModel t1
      phase beforeModel passed |             | turn.started 1 |    | model t1 final
      model exhausted          | RunFinished | turn.ended 1, run.ended | note [Agent stopped: maximum cost reached]
      end                      | stopped(max_cost)`,
  },
  {
    name: 'an account that is used up holds the run until somebody adds to it, whatever the run itself has used',
    reason: 'limit',
    limits: [{ code: 'max_cost', max: 1, action: 'ask' }],
    table: `
      model a                 | AssistantTurnCommitted | | | a tool
      tool a ok               | ToolResultsCommitted | turn.ended 1, turn.started 2 | a succeeded | model t2
      model asking            |             |                |  | hold of max_cost
      hold                    | RunFinished | turn.ended 2, run.waiting | 0.hold asks 0.hold/1
      resume 0.hold           | UserMessage | run.resumed    |  | 0.hold replay by 0.hold/1
      replay 0.hold supplied  | ToolResultsCommitted | turn.started 2 | 0.hold succeeded | model t2
      model text              | AssistantTurnCommitted, RunFinished | turn.ended 2, run.ended
      end                     | natural_end`,
  },
  {
    name: 'a run stops with the code of its limit if somebody denies the hold for its account',
    reason: 'limit',
    table: `
      model asking |             |                |  | hold of max_cost
      hold         | RunFinished | turn.ended 1, run.waiting | 0.hold asks 0.hold/1
      deny 0.hold  | UserMessage, ToolResultsCommitted, RunFinished | run.resumed, run.ended | 0.hold answers denied, 0.hold cancelled, note [Agent stopped: maximum cost reached]
      end          | stopped(max_cost)`,
  },
  {
    name: 'a final answer that was refused is not asked for again',
    options: { watched: ['onAnswer', 'afterTurn'] },
    limits: [{ code: 'max_turns', max: 1, action: 'finish' }],
    table: `
      model a                | AssistantTurnCommitted | | | a tool
      tool a ok              | ToolResultsCommitted | turn.ended 1 | a succeeded | afterTurn t1
      phase afterTurn passed |             | turn.started 2 |       | model t2 final
      model refused          |             | turn.ended 2   |       | afterTurn t1
      phase afterTurn passed | RunFinished | run.ended
      end                    | stopped(max_turns)`,
  },
  {
    name: 'a run without corrections ends with its first refused answer, once its calls are decided',
    options: { watched: ['onAnswer'], outputRetries: 0 },
    calls: { a: { verdict: { kind: 'suspended', suspension: { id: 'a/1', reason: 'approval' } } } },
    table: `
      model a b     | AssistantTurnCommitted | | a asks a/1 | b tool
      tool b ok     | ToolResultsCommitted | turn.ended 1, turn.started 2 | b succeeded, a placeholder | model t2
      model refused | RunFinished | turn.ended 2, run.waiting
      deny a        | UserMessage, ToolResultsCommitted, RunFinished | run.resumed, run.ended | a answers denied, a cancelled, a late
      end           | stopped(answer_refused)`,
  },
  {
    name: 'a model that cannot be reached holds the run, retries and fallbacks spent',
    options: { onModelFailure: 'wait', maxRetries: 1, fallbacks: 1, watched: ['beforeModel'] },
    table: `
      start                        | UserMessage | run.started    | input | beforeModel t1
      phase beforeModel asks   |             | turn.started 1 |       | model t1 with big
      model busy                   |             |                |       | modelCall until 7
      sleep modelCall              |             |                |       | model t1 f1 with big
      model busy                   |             |                |       | model t1 m1 with big
      model busy                   |             |                |       | modelCall until 7
      sleep modelCall              |             |                |       | model t1 m1 f1 with big
      model busy @100              |             |                |       | hold of rate_limit
      hold @200                    | RunFinished | turn.ended 1, run.waiting | 0.hold asks 0.hold/1
      resume 0.hold @1000          | UserMessage | run.resumed    |       | 0.hold replay by 0.hold/1
      replay 0.hold supplied       | ToolResultsCommitted |       | 0.hold succeeded | beforeModel t1
      phase beforeModel passed |             | turn.started 1 |       | model t1
      model text @1100             | AssistantTurnCommitted, RunFinished | turn.ended 1, run.ended
      end                          | natural_end after 299`,
  },
  {
    name: 'a model that refuses ends the run, though one that cannot be reached would hold it',
    options: { onModelFailure: 'wait' },
    table: `
      model broken | RunFinished | turn.ended 1, run.ended | failure api_error
      end          | error(api_error)`,
  },
  {
    name: 'a run is cancelled while it is about to be held',
    options: { onModelFailure: 'wait' },
    table: `
      model busy |             |                             |       | hold of rate_limit
      cancel     | RunFinished | turn.ended 1, run.ended
      end        | cancelled`,
  },
  {
    name: 'a run fails while it is about to be held',
    options: { onModelFailure: 'wait' },
    table: `
      model busy |             |                             |       | hold of rate_limit
      fail       | RunFinished | turn.ended 1, run.ended
      end        | error(effect_failed)`,
  },
  {
    name: 'a final answer is allowed again after the outage',
    options: { onModelFailure: 'wait', watched: ['afterTurn'] },
    limits: [{ code: 'max_turns', max: 1, action: 'finish' }],
    table: `
      model a                | AssistantTurnCommitted | | | a tool
      tool a ok              | ToolResultsCommitted | turn.ended 1 | a succeeded | afterTurn t1
      phase afterTurn passed |             | turn.started 2 |       | model t2 final
      model busy             |             |                |       | hold of rate_limit
      hold                   |             | turn.ended 2   | 0.hold asks 0.hold/1 | afterTurn t1
      phase afterTurn passed | RunFinished | run.waiting
      resume 0.hold          | UserMessage | run.resumed    |       | 0.hold replay by 0.hold/1
      replay 0.hold supplied | ToolResultsCommitted | turn.started 2 | 0.hold succeeded | model t2 final
      model text             | AssistantTurnCommitted | turn.ended 2 |  | afterTurn t2
      phase afterTurn passed | RunFinished | run.ended
      end                    | stopped(max_turns)`,
  },
]
