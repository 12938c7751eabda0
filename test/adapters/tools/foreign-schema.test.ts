import { expect, test } from 'vitest'
import { checkValue } from '../../../src/core/effects/tools/check-value.ts'
import { jsonSchemaOf } from '../../../src/core/effects/tools/json-schema-of.ts'
import { foreignSchema } from '../../../src/adapters/tools/foreign-schema.ts'

const fits = async (schema: object, value: unknown) =>
  (await checkValue(foreignSchema(schema), value)).issues === undefined

test('TOOL-04 an anchor of a foreign schema refers to the part that has it, or else to nothing', async () => {
  const schema = {
    type: 'object',
    properties: { node: { $ref: '#node' }, lost: { $ref: '#lost' }, odd: { $ref: '#x/required' }, all: { $ref: '#' } },
    required: ['node'],
    $defs: { other: { $anchor: 'node', type: 'integer' } },
  }
  expect(await fits(schema, { node: 1 })).toBe(true)
  expect(await fits(schema, { node: 'x' })).toBe(false)
  expect(await fits(schema, { node: 1, lost: 'anything', odd: 7 })).toBe(true)
})

test('TOOL-04 shows a foreign schema without empty enums and circular references', () => {
  const properties = {
    a: { type: 'string', enum: [] },
    b: { $recursiveRef: '#' },
    enum: { type: 'string' },
    $recursiveRef: { type: 'string' },
  }
  expect(jsonSchemaOf(foreignSchema({ type: 'object', properties }))).toEqual({
    type: 'object',
    properties: { a: { type: 'string' }, b: {}, enum: { type: 'string' }, $recursiveRef: { type: 'string' } },
  })
})

test("TOOL-04 does not refuse by a foreign schema's format, because its owner checks again", async () => {
  const schema = foreignSchema({ type: 'object', properties: { at: { type: 'string', format: 'date-time' } } })
  expect(await schema['~standard'].validate({ at: 'tomorrow' })).toEqual({ value: { at: 'tomorrow' } })
})

test.each([
  [
    'alternatives at its root',
    {
      properties: { id: { type: 'string' } },
      anyOf: [{ properties: { id: {}, name: { type: 'string' } }, required: ['name'] }, { $ref: '#/$defs/mail' }, null],
      $defs: { mail: { properties: { mail: { type: 'string' } } } },
    },
    {
      properties: { id: { type: 'string' }, name: { type: 'string' }, mail: { type: 'string' } },
      $defs: { mail: { properties: { mail: { type: 'string' } } } },
    },
  ],
  ['an enum or a negation at its root', { enum: [{}], not: {} }, {}],
  [
    'keywords without a value',
    { required: null, properties: { a: { type: 'string', required: true, enum: null, default: null }, b: null } },
    { properties: { a: { type: 'string', default: null }, b: {} } },
  ],
  [
    'names and data that read like keywords',
    { properties: { required: { type: 'null' }, enum: {}, a: { const: { required: null }, default: { enum: [] } } } },
    { properties: { required: { type: 'null' }, enum: {}, a: { const: { required: null }, default: { enum: [] } } } },
  ],
])('TOOL-04 shows a foreign schema with %s as vendors accept it', (_, schema, shown) => {
  expect(jsonSchemaOf(foreignSchema({ type: 'object', ...schema }))).toEqual({ type: 'object', ...shown })
})
