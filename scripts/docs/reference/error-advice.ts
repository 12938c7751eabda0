import type { MemoryErrorCode } from '../../../src/adapters/memory/memory-error.ts'
import type { SessionErrorCode } from '../../../src/adapters/recorder/session-error.ts'
import type { McpErrorCode } from '../../../src/adapters/tools/mcp/mcp-error.ts'
import type { OpenApiErrorCode } from '../../../src/adapters/tools/openapi/openapi-error.ts'
import type { ToolErrorCode } from '../../../src/core/domain/message.ts'
import type { ModelErrorKind } from '../../../src/core/domain/model-error.ts'
import type { SnapshotErrorCode } from '../../../src/core/domain/snapshot-error.ts'
import type { StoreErrorCode } from '../../../src/core/domain/store-error.ts'
import type { UsageErrorCode } from '../../../src/core/domain/text/usage-error.ts'
import type { ToolsetErrorCode } from '../../../src/core/domain/toolset-error.ts'
import type { TranscriptErrorCode } from '../../../src/core/transcripts/transcript-error.ts'
import type { ServeMcpErrorCode } from '../../../src/servers/mcp/serve-error.ts'

/** The advice for each code of an error. A code without its line does not compile. */
type Advice<Code extends string> = Readonly<Record<Code, string>>

const usage: Advice<UsageErrorCode> = {
  bad_tool_name: 'Rename the tool: 1 to 64 letters, digits, `_` and `-`.',
  tool_name_taken: 'Two tools of the agent have one name. Rename one, or give the toolset a prefix.',
  bad_batch_size: 'Give `executor: { batch }` a whole number of 1 or more.',
  bad_option: 'Change the option that the message names to the form that it asks for.',
  bad_number: 'Give a number in the range that the message names.',
  bad_run_id: 'Use 1 to 128 letters, digits, `_`, `-` and `.`; `last` is taken.',
  bad_prompt: "Send a text, or content blocks that the agent's models take. [Files](../guides/files.md) lists them.",
  bad_message: 'Give an extension message a `kind` and data that are plain JSON.',
  bad_metadata: 'Give `details` that are plain JSON.',
  bad_decision:
    'Send a list of decisions, each with `target` and `action`. [Approvals](../guides/approvals.md) shows each form.',
  run_busy: 'Wait until the run rests, or use `steer`, `followUp`, `decide` or `cancel`, which a running run accepts.',
  run_waiting: 'Answer the suspended calls first, or end the run with `cancel`.',
  ambiguous_call: 'Several calls wait: name one as `target`.',
  run_detached: 'Nothing is lost. Call `agent.resume(id)` to drive the run on.',
  run_done: 'The run has ended. Go on with `run.prompt()` or in its session, which begins a new run.',
  bad_event_number: 'Pass the `seq` of an event of this run, or leave it out to read from the beginning.',
  other_agent: 'Load the run with the agent that started it, or pass `{ adopt: true }` if this agent takes its place.',
  other_prompt: 'A run with this id was started with another prompt. Choose another id, or load that run.',
  agent_closed: 'Create the agent anew: after `close()` it starts and drives nothing.',
  worker_drained: 'Create the worker anew: after `drain()` it takes nothing.',
  bad_step:
    'Give each `ctx.step` a name of 1 to 200 characters and a result that is JSON, and await it before the tool returns.',
  step_repeated: 'Give each step of one call its own name, for example with the index of the item.',
  bad_actor: 'Create actors from `agent.machine` of this agent, and decide on actors that have not stopped.',
  package_missing: 'Install the optional package that the message names.',
  old_platform: 'Run on a platform that has what the message names, such as a newer Node.',
  bad_session_id: 'Use 1 to 64 letters, digits, `_` and `-`; `last` is taken.',
  bad_session: 'The message names the field of the session that cannot be stored.',
  bad_config_id: 'Use 1 to 40 letters, digits, `_` and `-`.',
  bad_checkpoint: 'Pass `{ runId, version }` of a checkpoint that `history()` lists.',
  other_session: 'Name a run of this session.',
  other_subject: 'Load the run with its own subject, or start another one.',
  other_labels: 'The run or session belongs to other labels than the caller may see.',
  nothing_to_answer: 'The transcript has no message that a model should answer. Send a prompt.',
  nothing_to_compact: 'The session is empty. Compact it when it has messages.',
  bad_cursor: 'Pass the `cursor` of the last entry of the page before.',
  bad_branches:
    'The message names the branch or the strategy that does not fit. See [branches](../guides/several-agents.md#branches).',
}

const store: Advice<StoreErrorCode> = {
  run_exists: 'Load the run of this id, or choose another id.',
  run_unknown: "Check the id and the store's address. `statewright runs` lists what is stored.",
  run_is_driven: 'Another process drives the run. Send decisions and messages to the store; it reads them.',
  version_conflict: 'Another process has committed meanwhile. Read the run again.',
  fence_conflict: 'Another process has taken the run over. Stop working on it; nothing of yours was written.',
  run_damaged: 'Restore the run from a copy, or delete it. Other runs are not affected.',
  store_unavailable: 'Check the address, the rights and the disk. Runs stay at their last commit.',
  store_busy: 'Try again. If it lasts, look for a program that holds a long transaction.',
  store_replaced: 'The file was deleted or replaced while it was open. Put it back, or open the store again.',
  store_foreign: 'The file or schema belongs to another program or version. Choose another address.',
  session_conflict: 'Another process has changed the session. Read it again.',
  session_unknown: 'Check the id. `statewright sessions` lists what is stored.',
  session_is_read: "Delete the runs that read this session first, or pass `{ whereRead: 'keep' }`.",
  record_damaged: 'Restore the record from a copy. Nothing was changed.',
}

const snapshot: Advice<SnapshotErrorCode> = {
  snapshot_unreadable: 'The document is damaged or from a newer version. Upgrade, or restore it from a copy.',
  log_missing: 'Pass the log that `agent.snapshot(runId)` returned together with this snapshot.',
  log_of_another_run: 'Pass the log of the same run.',
  log_cut_short: 'Pass the whole log.',
  log_of_another_moment: 'Take snapshot and log from one call of `agent.snapshot(runId)`.',
}

const transcript: Advice<TranscriptErrorCode> = {
  not_json: 'Pass the transcript as JSON.',
  too_large: 'Leave out files or old messages.',
  unknown_format: 'Name the `format`: the messages fit none or several.',
  bad_transcript: 'Repair the message at index `at`.',
}

const toolset: Advice<ToolsetErrorCode> = {
  toolset_unavailable: 'Start the server of the tools, then resume the run.',
  toolset_not_closed: 'The source of the tools failed while it was closed. Nothing of a run is lost.',
}

const model: Advice<ModelErrorKind> = {
  rate_limit:
    'The engine retries. Lower the load with [`providerLimiter`](../guides/models.md#what-a-provider-allows), or add `fallbackModels`.',
  network: 'The engine retries. Check the address and the network.',
  auth: 'Give a valid key; `credentials` can fetch a new one for each call.',
  overflow: 'The engine compacts the prompt once. Lower `compaction.budget` if it happens again.',
  api: "Read the provider's message: the request or the answer does not fit.",
  cancelled: 'The adapter reported a cancel that nobody asked for.',
}

const session: Advice<SessionErrorCode> = {
  bad_session_id: usage.bad_session_id,
  bad_session: 'Record fewer events (option `events`), or begin a new session.',
  session_unknown: store.session_unknown,
  locked: 'Another process writes the record. Try again.',
  session_damaged: 'Restore the record from a copy, or delete it.',
  session_foreign: 'The file is not a record. Choose another folder.',
  session_later: 'A newer version wrote the record. Upgrade.',
  store_unavailable: store.store_unavailable,
}

const openApi: Advice<OpenApiErrorCode> = {
  bad_option: usage.bad_option,
  unreachable: 'Check the address of the document.',
  bad_document: 'Pass an OpenAPI 3.0 or 3.1 document.',
  external_ref: 'Put everything into one document.',
  no_server: 'Give `baseUrl`.',
  unknown_operation: 'The message lists the operations that the document has.',
  closed: 'The toolset was closed. Create another one.',
}

const mcp: Advice<McpErrorCode> = {
  package_missing: usage.package_missing,
  bad_option: usage.bad_option,
  unreachable: 'Start the MCP server, or check its address or command.',
  bad_list: 'The server lists its tools in a form that the protocol does not have. Report it there.',
  unknown_tool: 'The message lists the tools that the server has.',
  closed: openApi.closed,
}

const memory: Advice<MemoryErrorCode> = {
  memory_foreign: 'The file or schema holds something else or is damaged. Choose another address.',
  memory_failed: 'Check the disk or the database. The engine sends the data again.',
  embed_failed: 'Return one vector for each text from `embed`.',
}

const serveMcp: Advice<ServeMcpErrorCode> = {
  package_missing: usage.package_missing,
  bad_option: usage.bad_option,
  cannot_listen: 'Choose another port or address.',
}

/** The advice for the codes of each error class that has codes. */
export const adviceOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  UsageError: usage,
  StoreError: store,
  SnapshotError: snapshot,
  TranscriptError: transcript,
  ToolsetError: toolset,
  ModelError: model,
  SessionError: session,
  OpenApiError: openApi,
  McpError: mcp,
  MemoryError: memory,
  ServeMcpError: serveMcp,
}

/** The advice for error classes without codes of their own. */
export const adviceOfClass: Readonly<Record<string, string>> = {
  EngineError: 'This is a defect of the engine. Report it with the message; the stored run stays at its last commit.',
  RequestError: "`code` is the server's code; see [below](#answers-of-servers). With status 0, no answer came.",
}

/** The error codes of a tool result, which the model reads. */
export const resultAdvice: Advice<ToolErrorCode> = {
  unknown_tool: 'The model called a tool that the agent does not have. It reads the list of tools and may try again.',
  bad_arguments: 'The arguments do not fit `input`. The model reads the problem and may try again.',
  failed:
    'The tool threw, returned an error, or was refused. With `effects` `none` or `idempotent`, `retry` repeats it.',
  timed_out: 'The tool took longer than `timeoutMs`. It may still have acted.',
}

/** The codes that only servers send. */
export const serverAdvice: Readonly<Record<string, string>> = {
  bad_access: '`authorize` returned something that it must not. See [the guide](../guides/web-server.md).',
  bad_body: 'Send the body as UTF-8.',
  bad_chat: "Send what the AI SDK's `useChat` sends.",
  bad_input: 'Send a `RunAgentInput` of AG-UI.',
  bad_json: 'Send valid JSON without keys such as `__proto__`.',
  bad_method: 'Use a method that the `allow` header names.',
  bad_number: 'Send a whole number of 0 or more.',
  bad_prompt: 'Send a message with a text or a file.',
  bad_scope: 'Send `once`, `run`, `family` or `always`.',
  bad_status: 'Send `running`, `waiting` or `done`.',
  body_too_long: 'Send less, or raise `maxBodyBytes`.',
  decision_refused: 'The message says why the answer does not fit the call.',
  file_refused: 'The message names the file and the rule. [Files](../guides/files.md) lists what is taken.',
  foreign_host: 'Open the studio by the address that it printed.',
  foreign_origin:
    "Name the page's origin in `cors` or `origin`. [Behind a proxy](../guides/web-server.md) explains it.",
  internal: 'The server failed; `onError` received the error. What was stored stays stored.',
  message_unknown: 'Load the conversation again: it has no such message at this place.',
  no_authorize: 'Give the handlers `authorize`: without it nothing is served.',
  no_chart: 'Ask for a chart that the studio lists.',
  no_grant: 'Load the page again: the answer no longer applies, so there is nothing to revoke.',
  not_postponed: 'Load the page again: workers look at this run as usual.',
  no_route: 'Check the path and `basePath`.',
  no_agent: 'Load the agent into the studio with --agents.',
  no_tool: 'Load the agent of the run into the studio.',
  not_tested: 'Start the studio with `--options <file>`, or with option `tested`.',
  not_allowed: '`authorize` has refused this request.',
  not_driven: 'Begin the run where its agent is loaded.',
  not_json: 'Send `content-type: application/json`.',
  nothing_to_answer: 'The conversation has no call that waits. Load it again.',
  run_unknown: 'There is no run with this id for this caller.',
  run_waiting: 'Answer the suspended call first.',
  session_unknown: 'There is no conversation with this id for this caller.',
  token_missing: 'Open the studio by the address that it printed.',
  token_wrong: 'Open the studio by the address that it printed.',
  unclear_answer: 'Answer with a yes or a no, as the client of the protocol does.',
}
