import { describe, expect, test } from 'vitest'
import { schemaProblem } from '../../../../src/core/domain/json-schema/checkable-schema.ts'
import type { JsonObject } from '../../../../src/core/domain/text/json.ts'
import { checkJsonSchema } from '../../../../src/core/effects/tools/check-json-schema.ts'

const draft4 = 'http://json-schema.org/draft-04/schema#'
const draft7 = 'http://json-schema.org/draft-07/schema#'
const address = 'https://schemas.example/order.json'
const cents = { type: 'integer', minimum: 0 }
const toCents = { $ref: '#/definitions/cents' }
const definitions = { cents }

type Row = readonly [title: string, schema: JsonObject, good: unknown, bad: unknown]

/** Small schemas, one for each class that the schemas of other makers showed. */
const rows: readonly Row[] = [
  ['one address at two fields', fields({ n: { $id: 'c', ...cents }, m: { $id: 'c', ...cents } }), 1, -1],
  ['one address at the root and a field', { $id: address, ...fields({ n: { $id: address, ...cents } }) }, 1, -1],
  [
    'a field with an address that refers to the root',
    { $id: address, ...fields({ n: { $id: `${address}/n`, allOf: [toCents] } }), definitions },
    1,
    -1,
  ],
  [
    'the same by the id of draft 4',
    { $schema: draft4, ...fields({ n: { id: '/n', allOf: [toCents] } }), definitions },
    1,
    -1,
  ],
  [
    'a reference by the address of the root',
    { $id: address, ...fields({ n: { $ref: `${address}#/definitions/cents` } }), definitions },
    1,
    -1,
  ],
  [
    'a reference by the file of the root',
    { $id: address, ...fields({ n: { $ref: 'order.json#/definitions/cents' } }), definitions },
    1,
    -1,
  ],
  ['definitions of a part before those of the root', fields({ n: { $id: 'part', ...toCents, definitions } }), 1, -1],
  [
    'a reference to the address of a part',
    { ...fields({ n: { $ref: 'cents' } }), $defs: { c: { $id: 'cents', ...cents } } },
    1,
    -1,
  ],
  ['an anchor', { ...fields({ n: { $ref: '#c' } }), $defs: { c: { $anchor: 'c', ...cents } } }, 1, -1],
  [
    'an id of draft 7 that is an anchor',
    { $schema: draft7, ...fields({ n: { $ref: '#c' } }), definitions: { c: { $id: '#c', ...cents } } },
    1,
    -1,
  ],
  [
    'a dynamic reference',
    { ...fields({ n: { $dynamicRef: '#c' } }), $defs: { c: { $dynamicAnchor: 'c', ...cents } } },
    1,
    -1,
  ],
  [
    'a reference into a place that is no keyword',
    { ...fields({ n: { $ref: '#/components/schemas/c' } }), components: { schemas: { c: cents } } },
    1,
    -1,
  ],
  [
    'keys that a pointer escapes',
    { ...fields({ n: { $ref: '#/$defs/a~1b%25~0' } }), $defs: { 'a/b%~': cents } },
    1,
    -1,
  ],
  [
    'a list that refers to itself',
    { ...fields({ n: { $ref: '#/$defs/t' } }), $defs: { t: { items: { $ref: '#/$defs/t' }, type: 'array' } } },
    [[]],
    [1],
  ],
  [
    'two references at once',
    { ...fields({ n: { $ref: '#/$defs/a', $dynamicRef: '#/$defs/b' } }), $defs: { a: cents, b: { maximum: 5 } } },
    1,
    6,
  ],
  [
    'what stands beside a reference, of draft 7',
    { $schema: draft7, ...fields({ n: { ...toCents, maximum: 1 } }), definitions },
    5,
    -1,
  ],
  [
    'what stands beside a reference, of draft 2020-12',
    { ...fields({ n: { ...toCents, maximum: 1 } }), definitions },
    1,
    5,
  ],
  [
    'an exclusive limit of draft 4',
    { $schema: draft4, ...fields({ n: { maximum: 10, exclusiveMaximum: true } }) },
    9,
    10,
  ],
  [
    'a limit of draft 4 that is not exclusive',
    { $schema: draft4, ...fields({ n: { maximum: 10, exclusiveMaximum: false } }) },
    10,
    11,
  ],
  [
    'an exclusive limit of draft 6',
    { $schema: 'http://json-schema.org/draft-06/schema#', ...fields({ n: { exclusiveMaximum: 10 } }) },
    9,
    10,
  ],
  [
    'fields whose names are keywords',
    fields({ n: fields({ id: cents, $ref: cents, required: cents }) }),
    { id: 1, $ref: 1 },
    { $ref: -1 },
  ],
  [
    'data that looks like a schema',
    fields({ n: { const: { $ref: 'gone', type: 'x' } } }),
    { $ref: 'gone', type: 'x' },
    {},
  ],
  ['notes of the maker that look like keywords', fields({ n: { ...cents, pbj: { type: 'big', pattern: 1 } } }), 1, -1],
]

function fields(properties: JsonObject): JsonObject {
  return { type: 'object', properties }
}

test.each(rows)('TC-07 checks a JSON Schema with %s as its author meant it', (_, schema, good, bad) => {
  expect(schemaProblem(schema)).toBeUndefined()
  const n = (value: unknown) => (checkJsonSchema(schema, { n: value }).issues === undefined ? 'fits' : 'does not fit')
  expect([n(good), n(bad)]).toEqual(['fits', 'does not fit'])
})

describe('TOOL-01 a JSON Schema that cannot be checked names the place', () => {
  test.each<readonly [problem: string, schema: JsonObject]>([
    [
      '#/properties/n: $ref "#/$defs/gone" refers to no schema of the document.',
      fields({ n: { $ref: '#/$defs/gone' } }),
    ],
    [
      '#/properties/n: $ref "https://x.example/a" refers to no schema of the document.',
      fields({ n: { $ref: 'https://x.example/a' } }),
    ],
    ['#/properties/n: $ref "#gone" refers to no schema of the document.', fields({ n: { $ref: '#gone' } })],
    ['#/properties/n: $ref "//[" refers to no schema of the document.', fields({ n: { $ref: '//[' } })],
    ['#/properties/n: "$ref" has the value 5; expected a text.', fields({ n: { $ref: 5 } })],
    [
      '#/properties/a~1b: "required" has the value true; expected a list of names.',
      fields({ 'a/b': { required: true } }),
    ],
    ['#/items/1: "type" has the value "text"; expected a type of JSON Schema.', { items: [{}, { type: 'text' }] }],
    ['#: "properties" has the value ["n"]; expected schemas by name.', { properties: ['n'] }],
    ['#: "minimum" has the value "1"; expected a number.', { minimum: '1' }],
    ['#: "multipleOf" has the value 0; expected a number above 0.', { multipleOf: 0 }],
    ['#/$defs/a: "oneOf" has the value []; expected a list of schemas.', { $defs: { a: { oneOf: [] } } }],
    ['#: a schema refers to itself for the same value, so that its check never ends.', { anyOf: [{ $ref: '#' }] }],
  ])('%s', (problem, schema) => {
    expect(schemaProblem(schema)).toBe(problem)
  })
})

test('TOOL-01 refuses a schema that contains itself, which JSON cannot express, without an endless loop', () => {
  const tree: Record<string, unknown> = { type: 'object' }
  tree['properties'] = { n: tree }
  expect(schemaProblem(tree)).toBeUndefined()
  expect(checkJsonSchema(tree as JsonObject, { n: { n: 1 } }).issues).toContain('#/n/n')
})
