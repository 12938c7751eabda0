import { expect, test } from 'vitest'
import * as z from 'zod'
import { checkValue } from '../../../../src/core/effects/tools/check-value.ts'
import type { StandardSchema } from '../../../../src/core/ports/schema.ts'

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

test('TC-07 a format of a JSON Schema is checked only where its vocabulary asks for that', async () => {
  const schema = {
    type: 'object',
    properties: { format: { type: 'string', format: 'email' }, list: { items: { anyOf: [{ format: 'uri' }] } } },
    required: ['format'],
    const: { format: 'email', list: ['no address'] },
  }
  expect(await checkValue(schema, { format: 'email', list: ['no address'] })).not.toHaveProperty('issues')
  expect((await checkValue(schema, { format: 'other', list: [] })).issues).toContain('Instance does not match')
  expect((await checkValue({ properties: { format: { type: 'string' } } }, { format: 1 })).issues).toContain('format')
  const $vocabulary = { 'https://json-schema.org/draft/2020-12/vocab/format-assertion': true }
  const asking = { $vocabulary, type: 'string', format: 'email' }
  expect((await checkValue(asking, 'no address')).issues).toContain('format')
})

test.each<readonly [pattern: string, good: string, bad: string]>([
  [String.raw`^\w+\-\d+$`, 'a-1', 'a_1'],
  [String.raw`^[\-\_a]\@\:\ x$`, '-@: x', 'b@: x'],
  [String.raw`^\p{L}\.\/$`, 'ü./', 'ü,/'],
])('TC-07 a JSON Schema with the pattern %j, written for another engine, is checked', async (pattern, good, bad) => {
  const schema = {
    type: 'object',
    properties: { s: { pattern } },
    patternProperties: { [pattern]: { type: 'number' } },
  }
  expect(await checkValue(schema, { s: good, [good]: 1 })).toEqual({ value: { s: good, [good]: 1 } })
  expect(await checkValue(schema, { s: bad })).toEqual({ issues: expect.stringContaining('- #/s: ') })
  expect(await checkValue(schema, { [good]: 'x' })).toEqual({ issues: expect.stringContaining('- #/') })
})

test.each(['[\\w-.]+', '(', '\\'])(
  'TC-07 a JSON Schema with the pattern %j, which does not compile, takes any text',
  async (pattern) => {
    const schema = { type: 'object', properties: { s: { type: 'string', pattern } } }
    expect(await checkValue(schema, { s: 'x' })).toEqual({ value: { s: 'x' } })
    expect(await checkValue(schema, { s: 1 })).toEqual({ issues: expect.stringContaining('- #/s: ') })
  },
)
