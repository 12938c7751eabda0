import { UsageError } from '../domain/text/usage-error.ts'
import type { RetryOptions } from '../ports/retry-options.ts'
import type { AnswerOptions } from './run.ts'
import type { AsToolOptions, CloseOptions, ForkOptions, LoadOptions } from './agent.ts'
import { detailShape, shortText } from '../driving/start-details.ts'
import type { NewRunOptions, StartOptions } from '../driving/start-run.ts'
import { compaction } from './compaction-options.ts'
import { type AgentOptions, type BuiltOutput, isBuilt, type RequestSettings } from './options.ts'
import { model, prices } from './model-shape.ts'
import { plugins } from './plugin-shape.ts'
import type { LimitsOption } from '../driving/run-options.ts'
import type { ProvideOptions } from '../plain/plain-machine.ts'
import type { LimitCode } from '../../../machines/run/run.types.ts'
import { isRecord } from '../domain/text/json.ts'
import * as is from '../domain/text/option-shape.ts'
import { permissions } from '../ports/permission-shape.ts'
import { checkContract } from '../ports/define-contract.ts'
import { isText } from '../domain/text/shape.ts'
import { schema, toolOrToolset } from '../ports/tool-shape.ts'

/** Throws a `UsageError` if the options of an agent are unknown, missing or invalid. */
export function checkAgentOptions(given: object, isMember = false): void {
  is.checkOptions('createAgent', given, agentShape, agentWords)
  if (!isMember && (given as AgentOptions).name.includes('/')) throw slashed((given as AgentOptions).name)
}

function slashed(name: string): UsageError {
  const wish = 'Runs of sub-agents are stored as "<parent>/<child>". Choose a name without "/".'
  const found = `Option "name" of createAgent is refused: ${JSON.stringify(name)} has a "/".`
  return new UsageError('bad_option', `${found} ${wish}`)
}

/** Throws a `UsageError` for invalid options of a method of an agent or of a run. */
export function checkMethodOptions(method: Method, given: unknown): void {
  const [owner, shape, words] = methods[method]
  is.checkOptions(owner, given, shape, words)
}

/** Throws a `UsageError` for invalid options of a person's answer. */
export function checkAnswerOptions(given: unknown, more: object = {}): void {
  is.checkOptions('an answer', given, { ...answerShape, ...more }, answerWords)
}

/** Throws a `UsageError` for a listener that is not a function; `of` is the name of the called method. */
export function checkListener(of: string, given: unknown): void {
  if (typeof given === 'function') return
  throw is.badOption({ field: 'listener', owner: of }, given, 'Expected a function that receives each event.')
}

const runShape: is.OptionShape<NewRunOptions> = {
  runId: is.checkedElsewhere,
  ifExists: is.optional(is.oneOf('refuse', 'attach')),
  signal: is.optional(is.signal),
  ...detailShape,
}

const limits = is.options<LimitsOption>({
  maxTurns: is.checkedElsewhere,
  maxTokens: is.checkedElsewhere,
  maxDurationMs: is.checkedElsewhere,
  maxToolInteractions: is.checkedElsewhere,
  maxCost: is.checkedElsewhere,
  maxCallsPerTurn: is.optional(
    is.number('a whole number from 1 to 256', (value) => value >= 1 && value <= 256 && Number.isInteger(value)),
  ),
  repeat: is.checkedElsewhere,
  onRepeat: is.optional(is.oneOf('note', 'stop')),
  outputRetries: is.optional(is.wholeFrom(0)),
  toolTimeoutMs: is.checkedElsewhere,
  pluginTimeoutMs: is.optional(is.number('more than 0 milliseconds, or Infinity', (value) => value > 0)),
})

const subAgentShape: is.OptionShape<AsToolOptions> = {
  name: is.optional(is.filledText),
  description: is.filledText,
  input: is.optional(schema),
  background: is.optional(is.flag),
  continue: is.optional(is.flag),
  limits: is.optional(limits),
}

const startShape: is.OptionShape<StartOptions> = { ...runShape, drive: is.optional(is.flag), at: is.checkedElsewhere }

const { ifExists: _, at: __, ...promptShape } = startShape

const loadShape: is.OptionShape<LoadOptions> = { adopt: is.optional(is.flag) }

const closeShape: is.OptionShape<CloseOptions> = {
  drainMs: is.optional(is.amount),
}

const forkShape: is.OptionShape<ForkOptions> = {
  from: is.number('the version of a checkpoint, as history() lists it', Number.isInteger),
  runId: is.checkedElsewhere,
}

const provideShape: is.OptionShape<ProvideOptions> = {
  log: is.checkedElsewhere,
  onLog: is.optional(is.callback),
  actorTimeoutMs: is.optional(is.number('more than 0 milliseconds', (value) => value > 0)),
}
const provideWords: is.OtherNames = {
  actors: 'agent.provide().provide({ actors })',
  actions: 'agent.provide().provide({ actions })',
  store: 'createAgent({ store }) with agent.start(prompt)',
}

type Method = 'asTool' | 'start' | 'run' | 'prompt' | 'load' | 'settled' | 'close' | 'fork' | 'provide'
type MethodCheck = readonly [owner: string, shape: Readonly<Record<string, is.OptionCheck>>, words?: is.OtherNames]

const methods: Readonly<Record<Method, MethodCheck>> = {
  asTool: ['asTool', subAgentShape],
  start: ['the start of a run', startShape],
  // It drives the new run at once.
  run: ['the start of a run', runShape],
  prompt: ['prompt', promptShape],
  load: ['load', loadShape],
  settled: ['settled', { follow: is.optional(is.flag) }],
  close: ['close', closeShape],
  fork: ['fork', forkShape],
  provide: ['agent.provide', provideShape, provideWords],
}

const answerShape: is.OptionShape<AnswerOptions> = {
  scope: is.checkedElsewhere,
  by: is.checkedElsewhere,
  reason: is.checkedElsewhere,
  decisionId: is.checkedElsewhere,
}
/** The additional option of an approval. */
export const grantedNames = { granted: is.optional(is.listOf(is.text)) }
const answerWords: is.OtherNames = {
  input: 'run.edit(target, input)',
  result: 'run.respond(target, result)',
  granted: 'run.approve(target, { granted })',
}

const mode = is.oneOf('one', 'all')

const executor: is.OptionCheck = (value, option) => {
  if (value === 'parallel' || value === 'sequential') return
  if (!isRecord(value)) throw is.badOption(option, value, 'Expected parallel, sequential or { batch: number }.')
  is.options<{ batch: number }>({ batch: is.checkedElsewhere })(value, option)
}

const actions = is.oneOf('stop', 'error', 'finish')
const accountActions = is.oneOf('stop', 'error', 'finish', 'ask')
const codes: is.OptionShape<Record<LimitCode, unknown>> = {
  max_turns: is.optional(actions),
  max_tokens: is.optional(accountActions),
  max_duration: is.optional(actions),
  max_tool_interactions: is.optional(actions),
  max_cost: is.optional(accountActions),
}

const builtOutput = is.options<BuiltOutput>({ schema, build: is.callback })

const output: is.OptionCheck = (value, option) => (isBuilt(value) ? builtOutput : schema)(value, option)

const onLimit: is.OptionCheck = (value, option) => {
  if (isRecord(value)) is.options(codes)(value, option)
  else accountActions(value, option)
}

const versionText = is.expecting(
  'a text of 1 to 100 characters, without control characters and white space at its ends',
  (value) => isText(value) && /^(?=.{1,100}$)\S(.*\S)?$/u.test(value) && !/[\p{Cc}\p{Cs}]/u.test(value),
)

const versionParts = is.options<Exclude<NonNullable<AgentOptions['version']>, string>>({
  name: versionText,
  others: is.optional(is.oneOf('pin', 'move')),
})
const version: is.OptionCheck = (value, option) => (isRecord(value) ? versionParts : versionText)(value, option)

const textOrFunction = is.expecting(
  'a text, or a function that returns one',
  (value) => typeof value === 'string' || typeof value === 'function',
)

const agentShape: is.OptionShape<AgentOptions> = {
  name: is.filledText,
  version: is.optional(version),
  model,
  fallbackModels: is.optional(is.listOf(model)),
  prices: is.optional(prices),
  history: is.optional(is.flag),
  instructions: is.optional(textOrFunction),
  tools: is.optional(is.listOf(toolOrToolset)),
  services: is.optional(is.listOf(checkContract)),
  broker: is.optional(is.having('a broker, such as inProcessBroker()', 'publish', 'subscribe')),
  plugins: is.optional(plugins),
  memory: is.optional(is.having('a memory, such as sqliteMemory(path)', 'query', 'add', 'forget')),
  compaction: is.optional(is.either(false, compaction)),
  output: is.optional(output),
  queueModes: is.optional(
    is.options<NonNullable<AgentOptions['queueModes']>>({ steer: is.optional(mode), followUp: is.optional(mode) }),
  ),
  onModelFailure: is.optional(is.oneOf('end', 'wait')),
  interpreter: is.optional(is.oneOf('tables', 'xstate')),
  store: is.optional(is.having('a store, such as sqliteStore(path)', 'create', 'claim', 'commit', 'decide', 'read')),
  executor: is.optional(executor),
  onPartialSuspension: is.optional(is.oneOf('continue', 'wait')),
  decisions: is.optional(is.oneOf('immediate', 'gate')),
  limits: is.optional(is.either(false, limits)),
  onLimit: is.optional(onLimit),
  request: is.optional(
    is.options<RequestSettings>({
      maxTokens: is.optional(is.wholeFrom(1)),
      temperature: is.optional(is.amount),
      thinking: is.checkedElsewhere,
      cache: is.checkedElsewhere,
      maskSeenMedia: is.optional(is.flag),
    }),
  ),
  retry: is.optional(
    is.options<RetryOptions>({
      maxRetries: is.checkedElsewhere,
      initialDelayMs: is.checkedElsewhere,
      factor: is.checkedElsewhere,
      maxDelayMs: is.checkedElsewhere,
      random: is.optional(is.callback),
    }),
  ),
  clock: is.optional(is.having('a clock', 'now', 'sleepUntil')),
  ids: is.optional(is.having('a source of ids', 'next')),
  id: is.optional(is.filledText),
  configId: is.checkedElsewhere,
  configName: is.optional(shortText),
  leaseMs: is.checkedElsewhere,
  permissions: is.optional(permissions),
  inspect: is.optional(is.checkedElsewhere),
  tracer: is.optional(is.having('a tracer', 'open')),
}

const agentWords: is.OtherNames = {
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
