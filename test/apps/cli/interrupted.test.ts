import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createAgent, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call, lastLine } from './command.ts'
import { killedRun } from './killed-run.ts'

let cwd: string
let run: string

beforeEach(async () => {
  cwd = await temporaryFolder()
  run = await killedRun(cwd)
  // The file holds neither what the call writes nor nothing, so nobody can tell whether the call has run.
  await writeFile(join(cwd, 'note.md'), 'something else\n')
})

const note = () => readFile(join(cwd, 'note.md'), 'utf8')
const resume = () => call(['resume', run, '--model', 'scripted'], { cwd })

test('CLI-01 shows that an interrupted call may have run, and the three possible answers', async () => {
  const resumed = await resume()
  expect(resumed.code).toBe(3)
  expect(resumed.out).toContain('its process died while it ran; it may have run already')
  const shown = await call(['show', run], { cwd })
  expect(shown.out).toMatch(/run it again: +statewright approve \S+ \S+ --retry\n/)
  expect(shown.out).toMatch(/use this result:  +statewright respond \S+ \S+ <value>\n/)
  expect(shown.out).toMatch(/abandon it: +statewright deny \S+ \S+\n/)
  expect(lastLine(await call(['show', run, '--json'], { cwd }))).toMatchObject({
    suspended: [{ reason: 'interrupted', mayHaveRun: true, arguments: { path: 'note.md' } }],
  })
})

test('CLI-01 refuses to approve an interrupted call without --retry and changes nothing', async () => {
  await resume()
  const approved = await call(['approve', run, '1.scripted-0-0'], { cwd })
  expect(approved.code).toBe(2)
  expect(approved.err).toContain('may have run already: its process died while it ran.')
  expect(approved.err).toContain('--retry')
  expect(await note()).toBe('something else\n')
  expect((await call(['show', run], { cwd })).out).toContain('may have run already')
})

test('CLI-01 does not treat an approval from before the kill as --retry', async () => {
  const unnamed = await call(['approve', run], { cwd })
  expect(unnamed.code).toBe(4)
  expect(unnamed.err).toContain(`continue it: statewright resume ${run}`)
  const named = await call(['approve', run, '1.scripted-0-0', '--model', 'scripted'], { cwd })
  expect(named.code).toBe(3)
  expect(named.out).toContain('it may have run already')
  expect(await note()).toBe('something else\n')
})

test('CLI-01 runs an interrupted call again with --retry', async () => {
  await resume()
  expect((await call(['approve', run, '1.scripted-0-0', '--retry', '--model', 'scripted'], { cwd })).code).toBe(0)
  expect(await note()).toBe('written once\n')
})

test('CLI-01 accepts a value as the result of an interrupted call, which does not run', async () => {
  await resume()
  const responded = await call(['respond', run, 'It was written.', '--model', 'scripted'], { cwd })
  expect(responded).toMatchObject({ code: 0, err: '' })
  expect((await call(['show', run], { cwd })).out).toContain('  It was written.')
  expect(await note()).toBe('something else\n')
})

test('CLI-01 abandons an interrupted call on deny', async () => {
  await resume()
  expect((await call(['deny', run, '--model', 'scripted'], { cwd })).code).toBe(0)
  const { out } = await call(['show', run], { cwd })
  expect(out).toContain('[Interrupted: the tool may or may not have run.]')
  expect(await note()).toBe('something else\n')
})

test('CLI-01 warns on a terminal before it runs an interrupted call again', async () => {
  const { code, out } = await call(['resume', run, '--model', 'scripted'], { cwd, answers: ['y'] })
  expect(out).toContain('It may have run already. Run it again? [y/n/e/v/?] ')
  expect(code).toBe(0)
  expect(await note()).toBe('written once\n')
})

test('TOOL-08 asks nobody if the file shows whether the interrupted call has run', async () => {
  await rm(join(cwd, 'note.md'))
  expect((await resume()).code).toBe(0)
  expect(await note()).toBe('written once\n')
  const other = await killedRun(cwd)
  const resumed = await call(['resume', other, '--model', 'scripted'], { cwd })
  expect(resumed).toMatchObject({ code: 0, out: expect.stringContaining('Wrote note.md (13 bytes).') })
})

test('CLI-01 TC-08 lists the finished steps of an interrupted call, on the terminal and in --json', async () => {
  const store = sqliteStore(join(cwd, '.statewright', 'runs.db'))
  const mailing = Promise.withResolvers<void>()
  const pay = tool({
    name: 'pay',
    description: 'Charges, then mails',
    input: { type: 'object' },
    execute: async (_, { step }) => {
      await step('charge', () => ({ receipt: 7 }))
      return step('mail', () => {
        mailing.resolve()
        return new Promise<string>(() => {})
      })
    },
  })
  const agent = createAgent({
    name: 'shop',
    model: scripted([{ toolCalls: [{ name: 'pay', arguments: {} }] }, 'Paid.']),
    tools: [pay],
    store,
  })
  const paying = agent.start('Pay')
  const end = paying.settled()
  await mailing.promise
  await paying.detach()
  await end.catch(() => undefined)
  const { status } = await (await agent.load(paying.id)).settled()
  expect(status).toBe('waiting')
  await store.close()

  const shown = await call(['show', paying.id], { cwd })
  expect(shown.out).toContain('it may have run already\n  done, not repeated: charge\n')
  expect(lastLine(await call(['show', paying.id, '--json'], { cwd }))).toMatchObject({
    suspended: [{ toolName: 'pay', reason: 'interrupted', mayHaveRun: true, steps: ['charge'] }],
  })
})
