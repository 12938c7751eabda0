import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { createAgent, pruneRuns, tool, UsageError } from '../../../src/index.ts'
import { anthropic } from '../../../src/adapters/providers/anthropic.ts'
import { azure } from '../../../src/adapters/providers/azure.ts'
import { bedrock } from '../../../src/adapters/providers/bedrock.ts'
import { google } from '../../../src/adapters/providers/google.ts'
import { providerLimiter } from '../../../src/adapters/providers/limiter.ts'
import { compatible, openaiChat, openaiResponses } from '../../../src/adapters/providers/openai.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { vertex } from '../../../src/adapters/providers/vertex.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { defaultTools } from '../../../src/adapters/tools/default-tools.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { bubblewrap, shellTool, unconfined } from '../../../src/adapters/tools/shell.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { toolbox } from '../../../proof/support/tools.ts'

/** The error for an option; undefined if it is accepted. */
function refusalOf(make: () => unknown): string | undefined {
  try {
    make()
    return undefined
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
}

/** The value as a caller from plain JavaScript or a configuration file passes it. */
function untyped(options: object): never {
  return options as never
}

const pay = { name: 'pay', description: 'Pays', input: { type: 'object' }, execute: () => 'paid' }

test.for<[Record<string, unknown>, string]>([
  [{ ...pay, needsApproval: true }, `Option needsApproval of tool "pay" is not known. Did you mean needs: 'approval'?`],
  [{ ...pay, need: 'approval' }, 'Option need of tool "pay" is not known. Did you mean needs?'],
  [{ ...pay, needs: 'aproval' }, 'Option needs of tool "pay" is "aproval", which is refused.'],
  [{ ...pay, needs: true }, 'Option needs of tool "pay" is true, which is refused.'],
  [{ ...pay, effect: 'once' }, 'Option effect of tool "pay" is not known. Did you mean effects?'],
  [
    { ...pay, effects: 'idempotant' },
    'Option effects of tool "pay" is "idempotant", which is refused. Expected none, idempotent or once. Did you mean "idempotent"?',
  ],
  [{ ...pay, resume: 'use_as_result' }, 'Did you mean "use-as-result"?'],
  [{ ...pay, concurency: 'exclusive' }, 'Option concurency of tool "pay" is not known. Did you mean concurrency?'],
  [{ ...pay, concurrency: 1 }, 'Option concurrency of tool "pay" is 1, which is refused. Expected exclusive.'],
  [{ ...pay, priority: Number.NaN }, 'Option priority of tool "pay" is NaN, which is refused.'],
  [{ ...pay, timeout: 5 }, 'Option timeout of tool "pay" is not known. Did you mean timeoutMs?'],
  [{ ...pay, inputSchema: {} }, 'Option inputSchema of tool "pay" is not known. Did you mean input?'],
  [{ ...pay, input: undefined }, 'Option input of tool "pay" is missing.'],
  [{ ...pay, input: 'object' }, 'Option input of tool "pay" is "object", which is refused.'],
  [{ ...pay, input: { '~standard': {} } }, 'Its "~standard" has no method validate.'],
  [{ ...pay, output: 7 }, 'Option output of tool "pay" is 7, which is refused.'],
  [{ ...pay, preview: 'diff' }, 'Option preview of tool "pay" is "diff", which is refused. Expected a function.'],
  [{ ...pay, execute: 'paid' }, 'Option execute of tool "pay" is "paid", which is refused. Expected a function.'],
  [{ ...pay, description: undefined }, 'Option description of tool "pay" is missing. Expected a text.'],
  [{ ...pay, name: undefined }, 'Option name of a tool is missing. Expected a non-empty text.'],
])('AGT-12 TOOL-01 refuses a tool whose options contradict each other, declared or passed in: %#', ([given, text]) => {
  expect(refusalOf(() => tool(given as never))).toContain(text)
  const model = scripted([])
  expect(refusalOf(() => createAgent(untyped({ name: 'a', model, tools: [given] })))).toContain(text)
})

test('TOOL-01 accepts a tool that is a class instance with its own fields', async () => {
  class Counter {
    readonly name = 'count'
    readonly description = 'Counts'
    readonly input = { type: 'object' }
    count = 0
    execute() {
      return `${++this.count}`
    }
  }
  const { agent } = testAgent({ replies: [calls(call('c1', 'count')), 'Bye'], tools: [new Counter()] })
  expect((await agent.run('Hi')).outcome).toEqual({ reason: 'natural_end' })
})

test('TOOL-01 refuses to build an agent with an input schema that cannot be shown to a model', () => {
  const dated = { ...pay, input: z.object({ at: z.date() }) }
  expect(refusalOf(() => createAgent({ name: 'a', model: scripted([]), tools: [tool(dated)] }))).toBe(
    'The input of tool "pay" cannot be shown to a model: Date cannot be represented in JSON Schema',
  )
})

const agent = { name: 'a', model: scripted([]) }

test.for<[unknown, string]>([
  [{}, 'Option name of createAgent is missing. Expected a non-empty text.'],
  [{ ...agent, name: ' ' }, 'Option name of createAgent is " ", which is refused.'],
  [{ ...agent, name: 'a\ud800' }, 'which is refused.'],
  [{ name: 'a' }, 'Option model of createAgent is missing. Expected a model'],
  [{ ...agent, model: 'gpt-6-luna' }, 'Option model of createAgent is "gpt-6-luna", which is refused.'],
  [{ ...agent, model: { provider: 'p', id: 'i' } }, 'it has no method stream.'],
  [{ ...agent, model: { stream: () => [] } }, 'Expected a model with the texts provider and id.'],
  [{ ...agent, fallbackModels: [agent.model, 1] }, 'Option fallbackModels[1] of createAgent is 1'],
  [{ ...agent, instruction: '' }, 'Option instruction of createAgent is not known. Did you mean instructions?'],
  [{ ...agent, systemPrompt: '' }, 'Did you mean instructions?'],
  [{ ...agent, maxTurns: 3 }, 'Did you mean limits: { maxTurns }?'],
  [{ ...agent, instructions: ['a'] }, 'Option instructions of createAgent is an array, which is refused.'],
  [{ ...agent, tools: pay }, 'Option tools of createAgent is { name: string'],
  [{ ...agent, executor: 'serial' }, 'Option executor of createAgent is "serial", which is refused.'],
  [{ ...agent, executor: { batches: 2 } }, 'Did you mean batch?'],
  [{ ...agent, onPartialSuspension: 'block' }, 'Expected continue or wait.'],
  [{ ...agent, decisions: 'gates' }, 'Expected immediate or gate. Did you mean "gate"?'],
  [{ ...agent, limits: true }, 'Option limits of createAgent is true, which is refused. Expected an object.'],
  [{ ...agent, limits: { maxTurn: 1 } }, 'Option limits.maxTurn of createAgent is not known. Did you mean maxTurns?'],
  [{ ...agent, onLimit: 'fail' }, 'Expected stop, error, finish or ask.'],
  [{ ...agent, onLimit: { max_turn: 'stop' } }, 'Did you mean max_turns?'],
  [{ ...agent, onLimit: { max_turns: 'ignore' } }, 'Option onLimit.max_turns of createAgent is "ignore"'],
  [{ ...agent, limits: { onRepeat: true } }, 'Expected note or stop.'],
  [{ ...agent, retry: { retries: 1 } }, 'Option retry.retries of createAgent is not known.'],
  [{ ...agent, store: './runs.db' }, 'Expected a store, such as sqliteStore(path).'],
  [{ ...agent, clock: {} }, 'Expected a clock; it has no method now.'],
  [{ ...agent, request: { maxTokens: '9' } }, 'Expected a whole number of 1 or more.'],
  [{ ...agent, request: { temperature: 'hot' } }, 'Expected a finite number of 0 or more.'],
  [{ ...agent, plugins: [{ name: 'p', gateCall: { block: 'no' } }] }, 'Expected a function.'],
  [{ ...agent, plugins: [{ runEnd: () => {} }] }, 'Option name of a plugin is missing.'],
])('AGT-12 PH-01 refuses an agent with invalid options: %#', ([given, text]) => {
  expect(refusalOf(() => createAgent(given as never))).toContain(text)
})

test('AGT-12 refuses an agent without options', () => {
  expect(refusalOf(() => createAgent(undefined as never))).toBe(
    'The options of createAgent are undefined. Expected an object.',
  )
})

test('AGT-01 refuses a misspelt option of a start, a fork and an answer, and stores nothing', async () => {
  const { act } = toolbox()
  const { agent: asking, store } = testAgent({
    replies: [calls(call('c1', 'act')), 'Bye'],
    tools: [act('act', { needs: 'approval' })],
  })
  expect(refusalOf(() => asking.start('Hi', untyped({ runID: 'r' })))).toContain('Did you mean runId?')
  expect(refusalOf(() => asking.start('Hi', untyped({ signal: 'stop' })))).toContain('Expected an AbortSignal.')
  expect(await store.list()).toEqual([])
  const run = asking.start('Hi', { runId })
  await run.settled()
  await expect(asking.fork(runId, untyped({ form: 1 }))).rejects.toThrow('Did you mean from?')
  await expect(run.approve('1.c1', untyped({ input: {} }))).rejects.toThrow('Did you mean run.edit(target, input)?')
  await expect(run.deny('1.c1', untyped({ scoop: 'once' }))).rejects.toThrow('Did you mean scope?')
  await expect(run.deny('1.c1', 'no' as never)).rejects.toThrow('Expected an object.')
  await expect(run.respond('1.c1', 1, untyped({ who: 'anna' }))).rejects.toThrow(
    'Option who of an answer is not known.',
  )
  await expect(run.edit('1.c1', {}, untyped({ who: 'anna' }))).rejects.toThrow('Option who of an answer is not known.')
  expect(await store.inbox(runId, { kinds: ['decision'] })).toEqual([])
})

const makers: readonly [string, (options: never) => unknown][] = [
  ['anthropic', (options) => anthropic('m', options)],
  ['azure', (options) => azure('m', options)],
  ['bedrock', (options) => bedrock('m', options)],
  ['google', (options) => google('m', options)],
  ['vertex', (options) => vertex('m', options)],
  ['openaiChat', (options) => openaiChat('m', options)],
  ['openaiResponses', (options) => openaiResponses('m', options)],
  ['compatible("groq", …)', (options) => compatible('groq', 'm', options)],
]

test.for(makers)('PRV-02 refuses an option of %s that is unknown or of the wrong kind', ([maker, make]) => {
  const refusal = (given: object) => refusalOf(() => make(given as never))
  expect(refusal({ baseUrl: 'http://127.0.0.1' })).toContain(
    `Option baseUrl of ${maker} is not known. Did you mean baseURL?`,
  )
  expect(refusal({ thinking: 'max' })).toContain(`Option thinking of ${maker} is "max", which is refused.`)
  expect(refusal({ maxTokens: 0 })).toContain('Expected a whole number of 1 or more.')
  expect(refusal({ headers: { a: 1 } })).toContain('Expected texts by the names of headers.')
  expect(refusal({ apiKey: 12_345 })).toBe(`Option apiKey of ${maker} is [secret], which is refused. Expected a text.`)
  expect(refusal({})).toBeUndefined()
})

test('PRV-02 refuses a model without a name', () => {
  expect(refusalOf(() => anthropic(undefined as never))).toBe(
    'Option model of anthropic is missing. Expected a non-empty text.',
  )
})

test('CKP-06 TOOL-02 refuses misspelt options of stores, tools, sandboxes and limiters', async () => {
  const root = await temporaryFolder()
  const sandbox = unconfined()
  const refused: readonly [() => unknown, string][] = [
    [() => sqliteStore(join(root, 'a.db'), untyped({ sync: 'full' })), 'Option sync of sqliteStore is not known.'],
    [() => sqliteStore(join(root, 'a.db'), { synchronous: 'ful' as never }), 'Did you mean "full"?'],
    [() => sqliteStore(undefined as never), 'Option path of sqliteStore is missing.'],
    [() => fileTools({ root, write: 'alow' as never }), 'Expected approval or allow. Did you mean "allow"?'],
    [() => fileTools(untyped({ folder: root })), 'Option folder of fileTools is not known.'],
    [() => fileTools({ root: undefined as never }), 'Option root of fileTools is missing.'],
    [() => defaultTools({ root, sandbox, run: 'Allow' as never }), 'Did you mean "allow"?'],
    [() => defaultTools({ root, sandbox, write: true as never }), 'Expected approval or allow.'],
    [() => defaultTools(untyped({ root })), 'Option sandbox of defaultTools is missing. Expected a sandbox'],
    [() => shellTool({ root, sandbox, run: 'aprove' as never }), 'Expected approval or allow.'],
    [() => shellTool({ root, sandbox, timeoutMs: -1 }), 'Expected a finite number above 0.'],
    [() => bubblewrap({ network: 'off' as never }), 'Expected none or allow.'],
    [() => bubblewrap(untyped({ readble: [] })), 'Did you mean readable?'],
    [() => providerLimiter({ callsAtOnce: 0 }), 'Expected a number of 1 or more.'],
    [() => scripted([], untyped({ by: 'order' })), 'Expected messages or calls.'],
  ]
  for (const [make, text] of refused) expect(refusalOf(make)).toContain(text)
  await expect(pruneRuns(memoryStore(), untyped({ befor: 1 }))).rejects.toThrow('Did you mean before?')
})
