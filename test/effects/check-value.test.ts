import { expect, test } from 'vitest'
import * as z from 'zod'
import { checkValue, jsonSchemaOf } from '../../src/effects/check-value.ts'
import type { StandardSchema } from '../../src/ports/schema.ts'

const json = { type: 'object', properties: { n: { type: 'number' }, s: { type: 'string' } }, required: ['n'] }

test('TC-07 checks a copy of the value by a JSON Schema, and lists every issue', async () => {
  const value = { n: 1 }
  const checked = await checkValue(json, value)
  expect(checked).toEqual({ value })
  expect('value' in checked && checked.value).not.toBe(value)
  const { issues } = await checkValue(json, { n: 'x', s: 2 })
  expect(issues).toContain('- #/n: ')
  expect(issues).toContain('- #/s: ')
})

test('TC-07 gives what a schema makes of the value, or a line an issue with its path', async () => {
  const schema = z.object({ list: z.array(z.number()), size: z.string().transform((text) => text.length) })
  expect(await checkValue(schema, { list: [1], size: 'abc' })).toEqual({ value: { list: [1], size: 3 } })
  const { issues } = await checkValue(schema, { list: ['x'], size: 1 })
  expect(issues?.split('\n')).toEqual([expect.stringMatching(/^- list\.0: /), expect.stringMatching(/^- size: /)])
  expect((await checkValue(schema, undefined)).issues).toMatch(/^- [^:]+: /)
})

const standard = (validate: StandardSchema['~standard']['validate']): StandardSchema => ({
  '~standard': { version: 1, vendor: 'odd', validate },
})

test('TC-07 spells issues without a path, and with keys of both forms', async () => {
  const issues = [
    { message: 'all of it' },
    { message: 'empty', path: [] },
    { message: 'deep', path: ['a', { key: 'b' }, 0] },
  ]
  expect(
    await checkValue(
      standard(() => ({ issues })),
      1,
    ),
  ).toEqual({ issues: '- all of it\n- empty\n- a.b.0: deep' })
})

test('TC-07 takes a schema that throws for an issue', async () => {
  const schema = standard(() => {
    throw new Error('boom')
  })
  expect(await checkValue(schema, 1)).toEqual({ issues: '- The check itself failed: boom', hasThrown: true })
})

test('TOOL-01 shows a model the JSON Schema of a schema, made once', () => {
  const schema = z.object({ n: z.number() })
  const shown = jsonSchemaOf(schema)
  expect(shown).toEqual({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] })
  expect(jsonSchemaOf(schema)).toBe(shown)
  expect(jsonSchemaOf(json)).toBe(json)
  expect(() => jsonSchemaOf(standard(() => ({ value: 1 })))).toThrow(
    new TypeError(
      'The schema of vendor "odd" cannot be converted to JSON Schema. Use zod 4 or later, or give a JSON Schema.',
    ),
  )
})
