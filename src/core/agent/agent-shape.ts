import { UsageError } from '../domain/text/usage-error.ts'
import type { RetryOptions } from '../ports/retry-options.ts'
import type { AnswerOptions, SettledOptions } from './run.ts'
import type { AsToolOptions, CloseOptions, ForkOptions, LoadOptions } from './agent.ts'
import { detailShape, shortText } from '../driving/start-details.ts'
import type { NewRunOptions, PromptOptions, StartOptions } from '../driving/start-run.ts'
import { compaction } from './compaction-options.ts'
import { type AgentOptions, type BuiltOutput, isBuilt, type RequestSettings } from './options.ts'
import { model, prices } from './model-shape.ts'
import { plugins } from './plugin-shape.ts'
import type { LimitsOption } from '../driving/run-options.ts'
import type { ProvideOptions } from '../plain/plain-machine.ts'
import type { LimitCode } from '../../../machines/run/run.types.ts'
import { isRecord } from '../domain/text/json.ts'
import {
  amount,
  badOption,
  callback,
  checkedElsewhere,
  checkOptions,
  either,
  expecting,
  flag,
  having,
  listOf,
  filledText,
  number,
  oneOf,
  optional,
  type OptionCheck,
  options,
  type OptionShape,
  type OtherNames,
  signal,
  text,
} from '../domain/text/option-shape.ts'
import { permissions } from '../ports/permission-shape.ts'
import { checkContract } from '../ports/define-contract.ts'
import { isText } from '../domain/text/shape.ts'
import { schema, toolOrToolset } from '../ports/tool-shape.ts'

/** Throws a `UsageError` if the options of an agent are unknown, missing or invalid. */
export function checkAgentOptions(given: object, isMember = false): void {
  checkOptions('createAgent', given, agentShape, agentWords)
  if (!isMember && (given as AgentOptions).name.includes('/')) throw slashed((given as AgentOptions).name)
}

function slashed(name: string): UsageError {
  const wish = 'Runs of sub-agents are stored as "<parent>/<child>". Choose a name without "/".'
  const found = `Option "name" of createAgent is refused: ${JSON.stringify(name)} has a "/".`
  return new UsageError('bad_option', `${found} ${wish}`)
}

/** Throws a `UsageError` for invalid options of `agent.asTool`. */
export function checkSubAgentOptions(given: unknown): void {
  checkOptions('asTool', given, subAgentShape)
}

/** Throws a `UsageError` for invalid options of a run's start. */
export function checkStartOptions(given: unknown): void {
  checkOptions('the start of a run', given, startShape)
}

/** Throws a `UsageError` for invalid options of `agent.run`, which drives the new run at once. */
export function checkRunOptions(given: unknown): void {
  if (given !== undefined) checkOptions('the start of a run', given, runShape)
}

/** Throws a `UsageError` for invalid options of a run that continues another run. */
export function checkPromptOptions(given: unknown): void {
  checkOptions<PromptOptions>('prompt', given, promptShape)
}

/** Throws a `UsageError` for invalid options of `load`. */
export function checkLoadOptions(given: unknown): void {
  checkOptions('load', given, loadShape)
}

/** Throws a `UsageError` for invalid options of `settled`. */
export function checkSettledOptions(given: unknown): void {
  checkOptions<SettledOptions>('settled', given, { follow: optional(flag) })
}

/** Throws a `UsageError` for invalid options of `close`. */
export function checkCloseOptions(given: unknown): void {
  checkOptions('close', given, closeShape)
}

/** Throws a `UsageError` for invalid options of `fork`. */
export function checkForkOptions(given: unknown): void {
  checkOptions('fork', given, forkShape)
}

/** Throws a `UsageError` for invalid options of `agent.provide`. */
export function checkProvideOptions(given: unknown): void {
  checkOptions('agent.provide', given, provideShape, provideWords)
}

/** Throws a `UsageError` for invalid options of a person's answer. */
export function checkAnswerOptions(given: unknown, more: object = {}): void {
  checkOptions('an answer', given, { ...answerShape, ...more }, answerWords)
}

/** Throws a `UsageError` for a listener that is not a function; `of` is the name of the called method. */
export function checkListener(of: string, given: unknown): void {
  if (typeof given === 'function') return
  throw badOption({ field: 'listener', owner: of }, given, 'Expected a function that is given each event.')
}

const runShape: OptionShape<NewRunOptions> = {
  runId: checkedElsewhere,
  ifExists: optional(oneOf('refuse', 'attach')),
  signal: optional(signal),
  ...detailShape,
}

const limits = options<LimitsOption>({
  maxTurns: checkedElsewhere,
  maxTokens: checkedElsewhere,
  maxDurationMs: checkedElsewhere,
  maxToolInteractions: checkedElsewhere,
  maxCost: checkedElsewhere,
  maxCallsPerTurn: optional(
    number('a whole number from 1 to 256', (value) => value >= 1 && value <= 256 && Number.isInteger(value)),
  ),
  repeat: checkedElsewhere,
  onRepeat: optional(oneOf('note', 'stop')),
  outputRetries: optional(number('a whole number of 0 or more', (value) => value >= 0 && Number.isInteger(value))),
  toolTimeoutMs: checkedElsewhere,
  pluginTimeoutMs: optional(number('more than 0 milliseconds, or Infinity', (value) => value > 0)),
})

const subAgentShape: OptionShape<AsToolOptions> = {
  name: optional(filledText),
  description: filledText,
  input: optional(schema),
  background: optional(flag),
  continue: optional(flag),
  limits: optional(limits),
}

const startShape: OptionShape<StartOptions> = { ...runShape, drive: optional(flag), at: checkedElsewhere }

const { ifExists: _, at: __, ...promptShape } = startShape

const loadShape: OptionShape<LoadOptions> = { adopt: optional(flag) }

const closeShape: OptionShape<CloseOptions> = {
  drainMs: optional(number('a finite number of milliseconds, 0 or more', (ms) => Number.isFinite(ms) && ms >= 0)),
}

const forkShape: OptionShape<ForkOptions> = {
  from: number('the version of a checkpoint, as history() lists it', Number.isInteger),
  runId: checkedElsewhere,
}

const provideShape: OptionShape<ProvideOptions> = {
  log: checkedElsewhere,
  onLog: optional(callback),
  actorTimeoutMs: optional(number('more than 0 milliseconds', (value) => value > 0)),
}
const provideWords: OtherNames = {
  actors: 'agent.provide().provide({ actors })',
  actions: 'agent.provide().provide({ actions })',
  store: 'createAgent({ store }) with agent.start(prompt)',
}

const answerShape: OptionShape<AnswerOptions> = {
  scope: checkedElsewhere,
  by: checkedElsewhere,
  reason: checkedElsewhere,
  decisionId: checkedElsewhere,
}
/** The additional option of an approval. */
export const grantedNames = { granted: optional(listOf(text)) }
const answerWords: OtherNames = {
  input: 'run.edit(target, input)',
  result: 'run.respond(target, result)',
  granted: 'run.approve(target, { granted })',
}

const mode = oneOf('one', 'all')

const executor: OptionCheck = (value, option) => {
  if (value === 'parallel' || value === 'sequential') return
  if (!isRecord(value)) throw badOption(option, value, 'Expected parallel, sequential or { batch: number }.')
  options<{ batch: number }>({ batch: checkedElsewhere })(value, option)
}

const actions = oneOf('stop', 'error', 'finish')
const accountActions = oneOf('stop', 'error', 'finish', 'ask')
const codes: OptionShape<Record<LimitCode, unknown>> = {
  max_turns: optional(actions),
  max_tokens: optional(accountActions),
  max_duration: optional(actions),
  max_tool_interactions: optional(actions),
  max_cost: optional(accountActions),
}

const builtOutput = options<BuiltOutput>({ schema, build: callback })

const output: OptionCheck = (value, option) => (isBuilt(value) ? builtOutput : schema)(value, option)

const onLimit: OptionCheck = (value, option) => {
  if (isRecord(value)) options(codes)(value, option)
  else accountActions(value, option)
}

const versionText = expecting(
  'a text of 1 to 100 characters, without control characters and white space at its ends',
  (value) => isText(value) && /^(?=.{1,100}$)\S(.*\S)?$/u.test(value) && !/[\p{Cc}\p{Cs}]/u.test(value),
)

const textOrFunction = expecting(
  'a text, or a function that gives one',
  (value) => typeof value === 'string' || typeof value === 'function',
)

const agentShape: OptionShape<AgentOptions> = {
  name: filledText,
  version: optional(versionText),
  otherVersions: optional(oneOf('pin', 'move')),
  model,
  fallbackModels: optional(listOf(model)),
  prices: optional(prices),
  history: optional(flag),
  instructions: optional(textOrFunction),
  tools: optional(listOf(toolOrToolset)),
  services: optional(listOf(checkContract)),
  broker: optional(having('a broker, such as inProcessBroker()', 'publish', 'subscribe')),
  plugins: optional(plugins),
  memory: optional(having('a memory, such as sqliteMemory(path)', 'query', 'add', 'forget')),
  compaction: optional(either(false, compaction)),
  maskSeenMedia: optional(flag),
  output: optional(output),
  queueModes: optional(
    options<NonNullable<AgentOptions['queueModes']>>({ steer: optional(mode), followUp: optional(mode) }),
  ),
  onModelFailure: optional(oneOf('end', 'wait')),
  interpreter: optional(oneOf('tables', 'xstate')),
  store: optional(having('a store, such as sqliteStore(path)', 'create', 'claim', 'commit', 'decide', 'read')),
  executor: optional(executor),
  onPartialSuspension: optional(oneOf('continue', 'wait')),
  decisions: optional(oneOf('immediate', 'gate')),
  limits: optional(either(false, limits)),
  onLimit: optional(onLimit),
  request: optional(
    options<RequestSettings>({
      maxTokens: optional(number('a whole number of 1 or more', (value) => Number.isInteger(value) && value >= 1)),
      temperature: optional(amount),
      thinking: checkedElsewhere,
      cache: checkedElsewhere,
    }),
  ),
  retry: optional(
    options<RetryOptions>({
      maxRetries: checkedElsewhere,
      initialDelayMs: checkedElsewhere,
      factor: checkedElsewhere,
      maxDelayMs: checkedElsewhere,
      random: optional(callback),
    }),
  ),
  clock: optional(having('a clock', 'now', 'sleepUntil')),
  ids: optional(having('a source of ids', 'next')),
  id: optional(filledText),
  configId: checkedElsewhere,
  configName: optional(shortText),
  leaseMs: checkedElsewhere,
  permissions: optional(permissions),
  inspect: optional(checkedElsewhere),
  tracer: optional(having('a tracer', 'open')),
}

const agentWords: OtherNames = {
  llm: 'model',
  system: 'instructions',
  systemPrompt: 'instructions',
  prompt: 'instructions',
  maxTurns: 'limits: { maxTurns }',
  maxSteps: 'limits: { maxTurns }',
  maxDurationMs: 'limits: { maxDurationMs }',
  maxCost: 'limits: { maxCost }',
  maxRetries: 'retry: { maxRetries }',
  timeoutMs: 'limits: { toolTimeoutMs }',
  maxTokens: 'request: { maxTokens }',
  temperature: 'request: { temperature }',
  thinking: 'request: { thinking }',
  reasoning: 'request: { thinking }',
  cache: 'request: { cache }',
  rules: 'permissions: { rules }',
  policy: 'permissions: { policy }',
  permission: 'permissions',
  hooks: 'plugins: [{ name, beforeTurn, … }]',
  inputFilters: 'plugins: [{ name, filterInput }]',
  contextBuilder: 'plugins: [{ name, buildContext }]',
  promptBuilder: 'plugins: [{ name, buildPrompt }]',
}
