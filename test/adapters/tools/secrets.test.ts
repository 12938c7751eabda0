import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { redactorOf } from '../../../src/core/domain/text/redactor.ts'
import { Suspended, type ToolReturn } from '../../../src/core/ports/tool.ts'
import { tool } from '../../../src/core/ports/define-tool.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { redactedTool } from '../../../src/adapters/tools/redacted-tool.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { callTool, contextFor, textOf } from './call-tool.ts'

const redactor = redactorOf([{ name: 'KEY', value: 'sk-12345678' }])

test('TOOL-03 masks what another tool returns', async () => {
  const root = await temporaryFolder()
  await writeFile(join(root, '.env'), 'KEY=sk-12345678\n')
  const tools = fileTools({ root, write: 'allow' }).map((one) => redactedTool(one, redactor))
  expect(textOf(await callTool(tools, 'read_file', { path: '.env' }))).toBe('KEY=[secret KEY]\n')
  const written = await callTool(tools, 'write_file', { path: '.env', content: 'sk-12345678 is old' })
  expect(written.details).toMatchObject({ diff: expect.stringContaining('-KEY=[secret KEY]\n+[secret KEY] is old') })
})

test.each<[string, ToolReturn, ToolReturn]>([
  ['nothing', undefined, undefined],
  ['a text', 'is sk-12345678', 'is [secret KEY]'],
  ['a value', { a: ['sk-12345678', 1] }, { a: ['[secret KEY]', 1] }],
  [
    'an image',
    { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
    { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
  ],
  ['a question', new Suspended({ message: 'Use sk-12345678?' }), new Suspended({ message: 'Use [secret KEY]?' })],
  [
    'the parameters of a question',
    new Suspended({ parameters: { key: 'sk-12345678' } }),
    new Suspended({ parameters: { key: '[secret KEY]' } }),
  ],
  ['a question without words', new Suspended({}), new Suspended({})],
])('TOOL-03 masks %s', async (_what, returned, masked) => {
  const told: unknown[] = []
  const plain = tool({
    name: 'tell',
    description: 'Tells.',
    input: { type: 'object' },
    execute: (_input, context) => {
      context.progress('at sk-12345678')
      context.update('part sk-12345678')
      return returned
    },
  })
  const context = { ...contextFor('tell'), progress: told.push.bind(told), update: told.push.bind(told) }
  const { execute } = redactedTool(plain, redactor)
  expect(await Reflect.apply(execute, undefined, [{}, context])).toEqual(masked)
  expect(told).toEqual(['at [secret KEY]', 'part [secret KEY]'])
})

test.each<[string, () => never]>([
  ['an error', () => raise(new Error('cannot log in with sk-12345678', { cause: 'sk-12345678' }))],
  ['a text', () => raise('cannot log in with sk-12345678')],
])('TOOL-03 masks %s that is thrown, and passes on no cause', async (_what, execute) => {
  const plain = tool({ name: 'fail', description: 'Fails.', input: { type: 'object' }, execute })
  const thrown: unknown = await Reflect.apply(redactedTool(plain, redactor).execute, undefined, [
    {},
    contextFor('fail'),
  ]).catch((error: unknown) => error)
  expect(thrown).toEqual(new Error('cannot log in with [secret KEY]'))
  expect(inspect(thrown, { showHidden: true })).not.toContain('sk-')
})

function raise(error: unknown): never {
  throw error
}
