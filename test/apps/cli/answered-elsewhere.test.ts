import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { createAgent, type Run } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { call } from './command.ts'
import { atTerminal, noTerminal } from './pty.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
  await writeFile(join(cwd, 'README.md'), '# A project\n')
})

/** A run that waits for the approval of a file, and the agent of another process that may answer and drive it. */
async function waitingRun() {
  await mkdir(join(cwd, '.statewright'))
  const store = sqliteStore(join(cwd, '.statewright', 'runs.db'))
  const toolCalls = [{ name: 'write_file', arguments: { path: 'a', content: 'a\n' } }]
  const model = scripted([{ toolCalls }, 'It is as you said.'])
  const labels = { root: cwd, model: 'scripted/scripted' }
  const agent = createAgent({ name: 'statewright', model, tools: fileTools({ root: cwd }), store })
  const { runId } = await agent.run('Write', { labels })
  return { run: await agent.load(runId), store }
}

const approved = (run: Run) => run.approve(undefined, { by: 'ann' })
const denied = (run: Run) => run.deny(undefined, { reason: 'Not today.', by: 'ann' })
const cancelled = (run: Run) => run.cancelCall('1.scripted-0-0', 'Too late.')

test.each([
  ['resume', 'approved', approved, 'Answered elsewhere: ann approved it', 'It is as you said.'],
  ['resume', 'denied', denied, 'Answered elsewhere: ann denied it: Not today.', 'Not today.'],
  ['resume', 'cancelled', cancelled, 'The question is withdrawn: Too late.', 'Too late.'],
  ['approve', 'approved', approved, 'Answered elsewhere: ann approved it', 'It is as you said.'],
  ['approve', 'denied', denied, 'Answered elsewhere: ann denied it: Not today.', 'It is as you said.'],
] as const)(
  'CLI-01 withdraws a question of %s that is %s elsewhere, and shows what happened',
  async (command, _, answer, said, shown) => {
    const { run, store } = await waitingRun()
    let driven: Promise<unknown> = Promise.resolve()
    const onPrint = (text: string) => {
      if (text.startsWith('Approve? ')) driven = answer(run).then(() => run.settled())
    }
    const { code, out } = await call([command, run.id, '--model', 'scripted'], { cwd, answers: [null], onPrint })
    await driven
    expect(out).toContain(said)
    expect(out).toContain(shown)
    expect(out.match(/\[y\/n/g)).toHaveLength(1)
    expect(out).not.toContain('> Write')
    expect(code).toBe(0)
    await store.close()
  },
)

test('CLI-01 does not ask a question that was answered before it is shown', async () => {
  const { run, store } = await waitingRun()
  await approved(run)
  const { code, out } = await call(['resume', run.id, '--model', 'scripted'], { cwd, answers: [null] })
  expect(out).not.toContain('[y/n')
  expect(code).toBe(0)
  await store.close()
})

test('CLI-01 run and resume show who made a decision', async () => {
  const { run, store } = await waitingRun()
  await call(['resume', run.id, '--model', 'scripted'], { cwd, answers: ['y'] })
  expect((await run.result()).decisions).toMatchObject([{ action: 'resume', by: expect.any(String) }])
  await store.close()
})

describe.skipIf(noTerminal !== '')(`two chats at terminals${noTerminal}`, () => {
  test('CLI-01 a chat whose question is answered elsewhere withdraws it, and shows the answer and its result', async () => {
    const argv = ['chat', '--model', 'scripted', '--session', 'talk']
    const first = atTerminal(argv, { cwd })
    await first.ready()
    first.type('Write something\r')
    await first.until('Approve?')
    const second = atTerminal(argv, { cwd })
    await second.until('Approve?')
    await first.asked()
    await second.asked()
    second.type('y')
    await first.until('Answered elsewhere: ')
    await first.until('✓ write_file')
    await first.ready()
    await second.ready()
    first.type('\u0004')
    second.type('\u0004')
    expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0])
  })
})
