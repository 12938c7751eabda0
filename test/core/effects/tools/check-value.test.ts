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

test('TC-07 returns the value that a schema produces, or one line with a path for each issue', async () => {
  const schema = z.object({ list: z.array(z.number()), size: z.string().transform((text) => text.length) })
  expect(await checkValue(schema, { list: [1], size: 'abc' })).toEqual({ value: { list: [1], size: 3 } })
  const { issues } = await checkValue(schema, { list: ['x'], size: 1 })
  expect(issues?.split('\n')).toEqual([expect.stringMatching(/^- list\.0: /), expect.stringMatching(/^- size: /)])
  expect((await checkValue(schema, undefined)).issues).toMatch(/^- [^:]+: /)
})

const standard = (validate: StandardSchema['~standard']['validate']): StandardSchema => ({
  '~standard': { version: 1, vendor: 'odd', validate },
})

test('TC-07 formats issues without a path, and with both forms of keys', async () => {
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

test('TC-07 reports a schema that throws as an issue', async () => {
  const schema = standard(() => {
    throw new Error('boom')
  })
  expect(await checkValue(schema, 1)).toEqual({ issues: '- The check itself failed: boom', hasThrown: true })
})

test("TC-07 checks a JSON Schema's format unless formats are ignored, and ignores data that looks like a format", async () => {
  const schema = {
    type: 'object',
    properties: { format: { type: 'string', format: 'email' }, list: { items: { anyOf: [{ format: 'uri' }] } } },
    enum: [{ format: 'email' }, { format: 'a@b.example', list: ['urn:x:1'] }],
  }
  const good = { format: 'a@b.example', list: ['urn:x:1'] }
  expect(await checkValue(schema, good)).toEqual({ value: good })
  expect((await checkValue(schema, { format: 'email' })).issues).toContain('#/format: String does not match format')
  expect(await checkValue(schema, { format: 'email' }, 'ignored')).toEqual({ value: { format: 'email' } })
  expect((await checkValue({ properties: { format: { type: 'string' } } }, { format: 1 })).issues).toContain('format')
})

test.each<readonly [format: string, good: string, bad: string]>([
  ['date-time', '2026-02-28T10:00:00Z', 'tomorrow'],
  ['date', '2028-02-29', '2026-02-29'],
  ['time', '23:59:60Z', '10:00'],
  ['email', 'ann@mail.example', 'ann'],
  ['uri', 'mailto:ann@mail.example', 'a b'],
  ['uuid', '0d5e2f52-2c59-4c4e-a1a4-8a3f5d3d1a11', '12'],
  ['ipv4', '127.0.0.1', '127.0.0.256'],
  ['ipv6', '::1', ':::1'],
])('TC-07 the format %s accepts %j and refuses %j, or accepts it if formats are ignored', async (format, good, bad) => {
  const schema = { type: 'string', format }
  expect(await checkValue(schema, good)).toEqual({ value: good })
  expect((await checkValue(schema, bad)).issues).toContain(`format "${format}"`)
  expect(await checkValue(schema, bad, 'ignored')).toEqual({ value: bad })
})

test("TC-07 treats an unknown format as a note, unless the schema's vocabulary requires all formats", async () => {
  const note = { type: 'string', format: 'hostname' }
  expect(await checkValue(note, 'a b')).toEqual({ value: 'a b' })
  const $vocabulary = { 'https://json-schema.org/draft/2020-12/vocab/format-assertion': true }
  expect((await checkValue({ $vocabulary, ...note }, 'a b', 'ignored')).issues).toContain('format "hostname"')
})

test.each<readonly [pattern: string, good: string, bad: string]>([
  [String.raw`^\w+\-\d+$`, 'a-1', 'a_1'],
  [String.raw`^[\-\_a]\@\:\ x$`, '-@: x', 'b@: x'],
  [String.raw`^\p{L}\.\/$`, 'ü./', 'ü,/'],
])('TC-07 checks a JSON Schema with the pattern %j, written for another engine', async (pattern, good, bad) => {
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
  'TC-07 a JSON Schema with the pattern %j, which does not compile, accepts any text',
  async (pattern) => {
    const schema = { type: 'object', properties: { s: { type: 'string', pattern } } }
    expect(await checkValue(schema, { s: 'x' })).toEqual({ value: { s: 'x' } })
    expect(await checkValue(schema, { s: 1 })).toEqual({ issues: expect.stringContaining('- #/s: ') })
  },
)
