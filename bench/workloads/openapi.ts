import { jsonSchemaOf } from '../../src/core/effects/tools/json-schema-of.ts'
import { openApiToolset } from '../../src/adapters/tools/openapi.ts'
import { timeOf } from '../stopwatch.ts'
import type { Workload } from '../workload.ts'

/**
 * So many operations loaded from their text, beside the parsing of that text; and, of ten chosen ones, the bytes of what a
 * model is told of them, beside their own schemas in the document.
 */
export const openapi: Workload = {
  name: 'openapi',
  unit: 'µs a document, or bytes',
  floor:
    'JSON.parse of the same document; for the prompt, the JSON Schemas of the ten chosen operations as they stand in the document.',
  rounds: 25,
  warmUp: { size: 1_000, times: 10 },
  variants: [
    {
      name: 'load',
      floor: 'parses the same document by JSON.parse.',
      sizes: [1_000],
      subjects: {
        floor: (size) => timeOf('processor', () => void JSON.parse(documentOf(size))),
        statewright: (size) => timeOf('processor', () => load(documentOf(size))),
      },
    },
    {
      name: 'prompt of 10',
      floor: 'the JSON of the parts of the document that the ten chosen operations name.',
      sizes: [1_000],
      warmsUp: false,
      subjects: { floor: (size) => bytesOf(ownSchemas(size)), statewright: chosenBytes },
    },
  ],
}

const documents = new Map<number, string>()

function documentOf(size: number): string {
  const known = documents.get(size) ?? JSON.stringify(build(size))
  documents.set(size, known)
  return known
}

/** As real documents are: parameters and bodies by reference, schemas that share others, descriptions, responses. */
function build(size: number) {
  const numbers = Array.from({ length: size }, (_, index) => index)
  const text = 'What this is for, and what is to be known of it before it is used. '
  const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })
  const json = (schema: object) => ({ content: { 'application/json': { schema } } })
  const schemaOf = (index: number) => ({
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', description: text },
      kind: { type: 'string', enum: ['small', 'large'] },
      ...(index % 10 === 0 ? {} : { part: ref('schemas', `Thing${index - 1}`) }),
      notes: { type: 'array', items: { type: 'string', maxLength: 200 } },
    },
  })
  const pathOf = (index: number) => ({
    parameters: [ref('parameters', 'id')],
    put: {
      operationId: `things/put-${index}`,
      tags: [`group${index % 20}`],
      summary: text,
      description: text.repeat(4),
      parameters: [{ name: 'dry', in: 'query', schema: { type: 'boolean' } }],
      requestBody: { required: true, ...json(ref('schemas', `Thing${index}`)) },
      responses: {
        200: { description: text, ...json(ref('schemas', `Thing${index}`)) },
        404: ref('responses', 'Missing'),
      },
    },
  })
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    servers: [{ url: 'https://things.example' }],
    paths: Object.fromEntries(numbers.map((index) => [`/things-${index}/{id}`, pathOf(index)])),
    components: {
      parameters: { id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } } },
      responses: { Missing: { description: text } },
      schemas: Object.fromEntries(numbers.map((index) => [`Thing${index}`, schemaOf(index)])),
    },
  }
}

async function load(text: string): Promise<void> {
  const toolset = openApiToolset({ source: { text }, onWarning: () => {} })
  const tools = await toolset.tools()
  if (tools.length === 0) throw new Error('No operation became a tool.')
  await toolset.close()
}

const chosen = Array.from({ length: 10 }, (_, index) => index * 10 + 5)

/** Parameters and bodies of the chosen operations with all they refer to, as the document has them, and their summaries. */
function ownSchemas(size: number): unknown {
  const { paths, components } = build(size)
  return chosen.map((index) => {
    const operation = paths[`/things-${index}/{id}`]?.put
    const shared = Array.from({ length: (index % 10) + 1 }, (_, back) => components.schemas[`Thing${index - back}`])
    return [
      operation?.operationId,
      operation?.summary,
      operation?.description,
      operation?.parameters,
      components.parameters.id,
      operation?.requestBody,
      shared,
    ]
  })
}

async function chosenBytes(size: number): Promise<number> {
  const ids = chosen.map((index) => `things/put-${index}`)
  const toolset = openApiToolset({ source: { text: documentOf(size) }, filter: { ids } })
  const tools = await toolset.tools()
  const told = tools.map(({ name, description, input }) => [name, description, jsonSchemaOf(input)])
  await toolset.close()
  return bytesOf(told)
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
