import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { argumentsSchemaOf, jsonSchemaOf } from '../../../../src/core/effects/tools/json-schema-of.ts'
import { createAgent, type Schema, tool } from '../../../../src/index.ts'
import { scripted } from '../../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../../src/core/stores/memory/memory-store.ts'

const shown = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] }
const schemas = {
  zod: z.object({ place: z.string() }),
  'zod/mini': mini.object({ place: mini.string() }),
  ArkType: type({ place: 'string' }),
  Valibot: toStandardJsonSchema(v.object({ place: v.string() })),
} as const

describe('TOOL-01 schemas of vendors', () => {
  test.each(Object.entries(schemas))('TOOL-01 shows and checks %s, and types its output', async (_, input) => {
    expect(argumentsSchemaOf(input)).toMatchObject(shown)
    const given: string[] = []
    const visit = tool({
      name: 'visit',
      description: 'Visits.',
      input,
      output: input,
      execute: ({ place }) => {
        given.push(place)
        return { place }
      },
    })
    const model = scripted([
      { toolCalls: [{ id: 'a', name: 'visit', arguments: { place: 1 } }] },
      { toolCalls: [{ id: 'b', name: 'visit', arguments: { place: 'Ulm' } }] },
      'Done.',
    ])
    const store = memoryStore()
    await using agent = createAgent({ name: 'guide', model, tools: [visit], store })
    const { runId, text } = await agent.run('Go.')
    const calls = (await store.calls(runId)).map(({ record }) => record.result?.isError)
    expect([text, given, calls]).toEqual(['Done.', ['Ulm'], [true, false]])
  })

  test('TOOL-01 keeps the descriptions of a zod/mini schema, and shows the schema as given', () => {
    const place = mini.string().register(mini.globalRegistry, { description: 'A town' })
    const schema = mini.object({ place, days: mini._default(mini.number(), 1) })
    expect(jsonSchemaOf(schema)).toMatchObject({
      properties: { place: { type: 'string', description: 'A town' }, days: { type: 'number', default: 1 } },
      required: ['place'],
    })
  })

  test('TOOL-01 AGT-08 ArkType may define the output of an agent', async () => {
    const model = scripted(['{"place":"Ulm"}'])
    await using agent = createAgent({ name: 'guide', model, output: schemas.ArkType })
    expect(await agent.run('Go.')).toMatchObject({ output: { place: 'Ulm' } })
  })

  test('TOOL-01 refuses Valibot without its converter, and names the converter', () => {
    const input = v.object({ place: v.string() })
    const visit = tool({ name: 'visit', description: 'Visits.', input, execute: () => 'there' })
    expect(() => createAgent({ name: 'guide', model: scripted([]), tools: [visit] })).toThrow(
      'The input of tool "visit" cannot be shown to a model: The schema of vendor "valibot" cannot be converted to JSON Schema. Wrap it: toStandardJsonSchema(schema) of the package @valibot/to-json-schema.',
    )
  })

  test('TOOL-01 refuses a zod/mini schema that JSON Schema cannot express', () => {
    expect(() => jsonSchemaOf(mini.object({ at: mini.date() }))).toThrow(
      /^The schema of zod\/mini cannot be converted to JSON Schema: Date cannot be represented/,
    )
  })

  test('TOOL-01 refuses another vendor without a converter, and a function that is not a schema', () => {
    const odd: Schema = { '~standard': { version: 1, vendor: 'odd', validate: () => ({ value: 1 }) } }
    expect(() => jsonSchemaOf(odd)).toThrow(
      new TypeError(
        'The schema of vendor "odd" cannot be converted to JSON Schema. Use zod 4 or later, or give a JSON Schema.',
      ),
    )
    const input = (() => true) as never
    expect(() => tool({ name: 'visit', description: 'Visits.', input, execute: () => '' })).toThrow(
      /Expected a Standard Schema, such as of zod 4, or a JSON Schema/,
    )
  })
})

test('TOOL-01 converts a schema once, and uses a JSON Schema unchanged', () => {
  const json = { type: 'object', properties: { n: { type: 'number' } } }
  expect(jsonSchemaOf(schemas.zod)).toEqual(shown)
  expect(jsonSchemaOf(schemas.zod)).toBe(jsonSchemaOf(schemas.zod))
  expect(jsonSchemaOf(json)).toBe(json)
  expect(argumentsSchemaOf(json)).toBe(json)
})

test.each<[object, string[]]>([
  [{}, []],
  [{ description: 'Nothing.', 'x-own': 1 }, []],
  [{ properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false }, []],
])('TOOL-01 makes the root of arguments an object, even if %j does not say so', (json) => {
  const made = argumentsSchemaOf(json as Schema)
  expect(made).toEqual({ type: 'object', ...json })
  expect(argumentsSchemaOf(json as Schema)).toBe(made)
})

test.each<[Schema, RegExp]>([
  [{ anyOf: [{ type: 'object' }] }, /^The root of its JSON Schema has no type, but anyOf\. A tool's arguments are an/],
  [{ $ref: '#/$defs/a', $defs: { a: { type: 'object' } } }, /has no type, but \$ref\. /],
  [{ enum: [{}], oneOf: [{}] }, /has no type, but enum, oneOf\. /],
  [
    { type: 'string' },
    /has the type "string"\. .* expected the type "object" there, and the rest in a property of it\.$/,
  ],
  [{ type: ['object', 'null'] }, /has the type \["object","null"\]\. /],
  [z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), /has no type, but anyOf\. /],
])('TOOL-01 refuses %j as the root of arguments', (schema, expected) => {
  expect(() => argumentsSchemaOf(schema)).toThrow(expected)
  const input = tool({ name: 'visit', description: 'Visits.', input: schema, execute: () => '' })
  expect(() => createAgent({ name: 'guide', model: scripted([]), tools: [input] })).toThrow(
    /^The input of tool "visit" cannot be shown to a model: The root of its JSON Schema/,
  )
})

const wrap = /has fields \(title\) and no keyword of JSON Schema\. Wrap the fields: z\.object\(\{ … \}\)/

test.each<readonly [shape: Schema, expected: RegExp]>([
  [{ title: z.string() } as unknown as Schema, wrap],
  [{ titel: { type: 'string' } }, /has fields \(titel\) and no keyword/],
  [
    { type: 'object', properties: { n: { $ref: '#/gone' } } },
    /cannot be checked at #\/properties\/n: \$ref "#\/gone" refers/,
  ],
])('TOOL-01 AGT-08 refuses %j as a schema when it is declared', (shape, expected) => {
  const of = { name: 'visit', description: 'Visits.', execute: () => '' }
  expect(() => tool({ ...of, input: shape })).toThrow(expected)
  expect(() => tool({ ...of, input: { type: 'object' }, output: shape, execute: () => '' })).toThrow(expected)
  expect(() => createAgent({ name: 'guide', model: scripted([]), output: shape })).toThrow(expected)
})

test('TOOL-01 types execute by the output schema of a tool', () => {
  const of = { name: 'weather', description: 'Weather', input: z.object({}) }
  const output = z.object({ degrees: z.number() })
  tool({ ...of, output, execute: () => ({ degrees: 7 }) })
  tool({ ...of, output, execute: async () => ({ content: [], status: 'error' }) })
  tool({ ...of, output, execute: (_, { suspend }) => suspend() })
  tool({ ...of, output: { type: 'object' }, execute: () => 'anything' })
  // @ts-expect-error: a text is not a number.
  const wrong = tool({ ...of, output, execute: () => ({ degrees: 'seven' }) })
  expect(wrong.output).toBe(output)
})
