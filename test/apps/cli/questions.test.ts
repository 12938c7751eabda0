import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { tool } from '../../../src/index.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call } from './command.ts'
import { waitingRun, write } from './waiting-run.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
  await writeFile(join(cwd, 'README.md'), 'A project\n')
})

const model = ['--model', 'scripted']

test('CLI-01 asks for an object field by field, and repeats a field until it is valid', async () => {
  const responseSchema = {
    type: 'object',
    properties: {
      colour: { enum: ['red', 'green'] },
      count: { type: 'integer' },
      note: { type: 'string' },
      __proto__: 1,
    },
    required: ['colour', 'count'],
  }
  const asking = tool({
    name: 'ask',
    description: 'Asks',
    input: { type: 'object' },
    execute: (_input, context) => context.suspend({ reason: 'input', message: 'Which tiles?', responseSchema }),
    resume: 'use-as-result',
  })
  const run = await waitingRun(cwd, [{ name: 'ask', arguments: {} }], [asking])
  const answers = ['y', 'blue', 'green', 'many', '7', '', 'n', '']
  const { code, out } = await call(['resume', run, ...model], { cwd, answers })
  expect(code).toBe(0)
  expect(out).toContain('Value with the fields colour, count, note:')
  expect(out).toContain('colour (red, green): ')
  expect(out).toContain('Not understood. Expected one of: red, green')
  expect(out).toContain('note (string; Enter skips it): ')
  expect((await call(['show', run], { cwd })).out).toContain('{"colour":"green","count":7}')
})

test('CLI-01 approve without a call asks about each of several calls, one after another', async () => {
  const run = await waitingRun(cwd, [write('a'), write('b')])
  const { out } = await call(['approve', run, ...model], { cwd, answers: ['y', 'n', '', 'n', ''] })
  expect(out.match(/\d of 2: /g)).toEqual(['1 of 2: ', '2 of 2: '])
  expect((await readdir(cwd)).includes('a')).toBe(true)
  expect((await readdir(cwd)).includes('b')).toBe(false)
})
