import assert from 'node:assert/strict'
import { createAgent } from '../../src/core/agent/create-agent.ts'
import type { JsonObject } from '../../src/core/domain/text/json.ts'
import { jsonSchemaOf } from '../../src/core/effects/tools/json-schema-of.ts'
import type { Tool } from '../../src/core/ports/tool.ts'
import type { Toolset } from '../../src/core/ports/toolset.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { openApiToolset } from '../../src/adapters/tools/openapi.ts'
import type { SuiteCase } from '../conformance/run-suite.ts'
import type { ExampleDocument } from './example-documents.ts'
import { misfitArguments, sampleArguments } from './sample-arguments.ts'

/** Prism's answer to a request that its document does not allow. */
const refusedByPrism = /prism\/errors#(UNPROCESSABLE_ENTITY|UNAUTHORIZED|NO_PATH|NO_METHOD|NO_SERVER|INVALID)/

/**
 * Each operation of a document, called by an agent once with arguments that fit and once with others: the first reach the
 * server, which takes them for valid; the second are refused and go nowhere.
 */
export async function openApiSuite(example: ExampleDocument, origin: string): Promise<readonly SuiteCase[]> {
  const { path, options, excused } = example
  const open = () => openApiToolset({ source: { file: path }, baseUrl: origin, onWarning: () => {}, ...options })
  const listed = open()
  const tools = await listed.tools()
  await listed.close()
  return [
    {
      name: 'excuses only operations it has',
      run: async () => {
        const unknown = Object.keys(excused).filter((id) => !tools.some(({ sourceName }) => sourceName === id))
        assert.deepEqual(unknown, [])
      },
    },
    ...tools.map((tool) => ({
      name: `${tool.sourceName ?? tool.name} takes what fits and refuses what does not`,
      run: async () => checkOperation(tool, open(), excused[tool.sourceName ?? tool.name] === undefined),
    })),
  ]
}

async function checkOperation({ name, input }: Tool, toolset: Toolset, hasSample: boolean): Promise<void> {
  const schema = jsonSchemaOf(input)
  const [fitting, misfit] = await resultsOf(name, [sampleArguments(schema), misfitArguments(schema)], toolset)
  assert.match(misfit ?? '', /^Invalid arguments for /)
  if (!hasSample) return
  assert.match(fitting ?? '', /^[A-Z]+ http:\/\/127\.0\.0\.1:\d+\/\S* → [2-5]\d\d\n\n/)
  assert.doesNotMatch(fitting ?? '', refusedByPrism)
}

/** The texts of the results of calls of one tool, one a turn. */
async function resultsOf(name: string, given: readonly JsonObject[], toolset: Toolset): Promise<readonly string[]> {
  const store = memoryStore()
  const replies = given.map((arguments_, index) => ({ toolCalls: [{ id: `c${index}`, name, arguments: arguments_ }] }))
  await using agent = createAgent({
    name: 'suite',
    model: scripted([...replies, 'Done.']),
    tools: [toolset],
    store,
    limits: { repeat: 0 },
  })
  const { runId, outcome } = await agent.run('Go.')
  assert.deepEqual(outcome, { reason: 'natural_end' })
  const { log } = await store.read(runId)
  return log.flatMap((entry) => {
    if (entry.kind !== 'call' || entry.call.result === undefined) return []
    return entry.call.result.content.map((block) => (block.type === 'text' ? block.text : block.type)).join('')
  })
}
