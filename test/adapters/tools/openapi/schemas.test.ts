import { describe, expect, test } from 'vitest'
import { documentOf, opened } from '../../../../proof/support/open-api.ts'
import { checkValue } from '../../../../src/core/effects/tools/check-value.ts'
import type { JsonObject } from '../../../../src/index.ts'

const servers = [{ url: 'https://x.example' }]

/** An operation whose body has this schema, in a document with these. */
async function bodyOf(schema: object, schemas: object = {}, rest: object = {}) {
  const requestBody = { required: true, content: { 'application/json': { schema } } }
  const text = documentOf(
    { '/a': { post: { operationId: 'op', requestBody } } },
    { servers, components: { schemas }, ...rest },
  )
  await using set = await opened(text)
  const { properties, $defs } = set.schema('op')
  const check = async (body: unknown) => {
    const input = set.tools[0]?.input
    if (input === undefined) throw new Error('The operation is missing.')
    return (await checkValue(input, { body })).issues === undefined
  }
  return { body: (properties as JsonObject)['body'], $defs, warnings: set.warnings, check }
}

describe('TOOL-05 schemas', () => {
  test('TOOL-05 schemas include only the definitions that they refer to, also in circles', async () => {
    const schemas = {
      Node: {
        type: 'object',
        required: ['value'],
        properties: {
          value: { type: 'integer' },
          next: { $ref: '#/components/schemas/Node' },
          tag: { $ref: '#/components/schemas/Tag' },
        },
      },
      Tag: { type: 'string', description: 'A tag.' },
      Other: { type: 'boolean' },
    }
    const { body, $defs, check } = await bodyOf({ $ref: '#/components/schemas/Node' }, schemas)
    expect(body).toEqual({ $ref: '#/$defs/Node' })
    expect($defs).toEqual({
      Node: {
        type: 'object',
        required: ['value'],
        properties: { value: { type: 'integer' }, next: { $ref: '#/$defs/Node' }, tag: { $ref: '#/$defs/Tag' } },
      },
      Tag: { type: 'string', description: 'A tag.' },
    })
    expect(await check({ value: 1, next: { value: 2 } })).toBe(true)
    expect(await check({ next: {} })).toBe(false)
  })

  const said30: readonly [string, object, object][] = [
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    ['nullable enum', { type: 'string', enum: ['a'], nullable: true }, { type: ['string', 'null'], enum: ['a', null] }],
    ['nullable of anything', { nullable: true }, {}],
    [
      'nullable of several',
      { nullable: true, allOf: [{ type: 'string' }] },
      { anyOf: [{ allOf: [{ type: 'string' }] }, { type: 'null' }] },
    ],
    [
      'exclusive bounds',
      { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
      { type: 'number', exclusiveMinimum: 1, maximum: 5 },
    ],
    ['example', { type: 'string', example: 'a' }, { type: 'string', examples: ['a'] }],
    ['large example', { type: 'string', example: 'a'.repeat(500) }, { type: 'string' }],
    [
      'what is not JSON Schema',
      { type: 'object', discriminator: { propertyName: 'a' }, xml: {}, externalDocs: {}, 'x-own': 1 },
      { type: 'object' },
    ],
    ['an enum of nothing', { type: 'string', enum: [] }, { type: 'string' }],
    ['an enum that is none', { type: 'string', enum: 'a' }, { type: 'string' }],
    [
      'what leads back by its own way',
      { $recursiveRef: '#', $recursiveAnchor: true, $vocabulary: {}, items: { $recursiveRef: '#' } },
      { items: {} },
    ],
    [
      'what only the server writes',
      { type: 'object', required: ['id', 'a'], properties: { id: { type: 'string', readOnly: true }, a: {} } },
      { type: 'object', required: ['a'], properties: { a: {} } },
    ],
    [
      'a property of the name of a keyword',
      { properties: { $ref: { type: 'string' }, items: { type: 'integer' } } },
      { properties: { $ref: { type: 'string' }, items: { type: 'integer' } } },
    ],
    [
      'data that looks like a reference',
      { enum: [{ $ref: '#/no' }], default: { $ref: '#/no' } },
      { enum: [{ $ref: '#/no' }], default: { $ref: '#/no' } },
    ],
  ]
  test.each(said30)('TOOL-05 translates %s to JSON Schema', async (_, schema, expected) => {
    expect((await bodyOf(schema, {}, { openapi: '3.0.3' })).body).toEqual(expected)
  })

  test('TOOL-05 accepts any value if a reference leads nowhere, and reports it', async () => {
    const { body, warnings, check } = await bodyOf({ properties: { a: { $ref: '#/components/schemas/Lost' } } })
    expect(body).toEqual({ properties: { a: {} } })
    expect(warnings).toEqual([
      'Toolset "openapi": Operation "op" refers to "#/components/schemas/Lost", which does not exist: any value is accepted there.',
    ])
    expect(await check({ a: 7 })).toBe(true)
  })

  test('TOOL-05 accepts any value if a reference is an anchor, not the whole document, and reports it', async () => {
    const { body, warnings } = await bodyOf({ properties: { a: { $ref: '#node' }, b: { $ref: '#a/openapi' } } })
    expect(body).toEqual({ properties: { a: {}, b: {} } })
    expect(warnings).toEqual([
      'Toolset "openapi": Operation "op" refers to "#node", "#a/openapi", which does not exist: any value is accepted there.',
    ])
  })

  test('TOOL-05 reads schemas that refer to themselves without an endless loop', async () => {
    const schemas = { A: { $ref: '#/components/schemas/B' }, B: { allOf: [{ $ref: '#/components/schemas/A' }] } }
    const { $defs, check } = await bodyOf({ $ref: '#/components/schemas/A' }, schemas)
    expect($defs).toEqual({ A: { $ref: '#/$defs/B' }, B: { allOf: [{ $ref: '#/$defs/A' }] } })
    expect(await check({ anything: true })).toBe(true)
  })

  test('TOOL-05 keeps schemas of one name in two places apart', async () => {
    const schemas = { 'a/b': { type: 'string' }, a_b: { type: 'integer' } }
    const properties = { one: { $ref: '#/components/schemas/a~1b' }, two: { $ref: '#/components/schemas/a_b' } }
    const { body, $defs } = await bodyOf({ properties }, schemas)
    expect(body).toEqual({ properties: { one: { $ref: '#/$defs/a_b' }, two: { $ref: '#/$defs/a_b_2' } } })
    expect($defs).toEqual({ a_b: { type: 'string' }, a_b_2: { type: 'integer' } })
  })

  test('TOOL-05 limits schemas: references beyond 60,000 bytes accept anything', async () => {
    const wide = (next: number) => ({
      type: 'object',
      description: 'x'.repeat(400),
      properties: Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [
          `p${index}`,
          { $ref: `#/components/schemas/S${(next * 20 + index) % 2_000}` },
        ]),
      ),
    })
    const schemas = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`S${index}`, wide(index + 1)]))
    const { body, $defs, check } = await bodyOf({ $ref: '#/components/schemas/S0' }, schemas)
    expect(body).toEqual({ $ref: '#/$defs/S0' })
    expect(JSON.stringify($defs).length).toBeLessThan(70_000)
    expect(Object.values($defs as JsonObject)).toContainEqual({})
    expect(await check({ p0: { p1: {} } })).toBe(true)
  })

  test('TOOL-05 schemas that are nested too deeply, and keys that reach a prototype, accept anything', async () => {
    const deep = JSON.parse(`${'{"properties":{"a":'.repeat(500)}{}${'}}'.repeat(500)}`)
    expect(JSON.stringify((await bodyOf(deep)).body).length).toBeLessThan(2_000)
    const odd = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{},"a":{}},"__proto__":{}}',
    )
    expect((await bodyOf(odd)).body).toEqual({ type: 'object', properties: { a: {} } })
  })

  test('TOOL-05 shows a pattern that never ends, and does not check by it', async () => {
    const { body, check } = await bodyOf({ type: 'string', pattern: '^(a+)+$', format: 'regex' })
    expect(body).toEqual({ type: 'string', pattern: '^(a+)+$', format: 'regex' })
    expect(await check(`${'a'.repeat(50)}!`)).toBe(true)
    expect(await check(7)).toBe(false)
  })

  test('TOOL-05 invalid schemas accept anything', async () => {
    for (const odd of [7, 'string', null, []]) expect((await bodyOf(odd as never)).body).toEqual({})
    expect((await bodyOf({ properties: [], items: 7, allOf: {}, required: 'a' })).body).toEqual({})
  })
})
