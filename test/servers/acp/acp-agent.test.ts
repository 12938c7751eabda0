import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { shellTool, unconfined } from '../../../src/adapters/tools/shell.ts'
import { acpAgent } from '../../../src/servers/acp.ts'
import { place, script, untilGone } from './foreign-place.ts'

const resultIn = (messages: readonly object[]) => messages.find((one) => Reflect.get(one, 'role') === 'toolResult')

test("SRV-03 a foreign agent's permissions are calls of its child run: one is approved, one denied, and both answers reach it", async () => {
  const { effects, open } = await place()
  const { boss } = open('alpha beta', ['noise', 'files'], {}, {}, { mode: 'ask' })
  const run = boss.start('Go.')
  const { suspended } = await run.settled()
  expect(suspended).toMatchObject([{ toolName: 'execute', arguments: { title: 'alpha', command: 'write alpha' } }])
  expect(effects()).toEqual([])
  await run.deny()
  expect((await run.settled()).suspended).toMatchObject([{ arguments: { title: 'beta' } }])
  await run.approve()
  const { text, messages } = await run.settled()
  expect([text, effects()]).toEqual(['The coder is done.', ['beta']])
  expect(resultIn(messages)).toMatchObject({
    content: [{ text: 'In mode ask. Refused. Left out alpha. Wrote beta. ' }],
  })
})

test("SRV-03 rules allow requests of a foreign agent, and the parent's denials take precedence", async () => {
  const { effects, open } = await place()
  const above = { rules: { deny: ['execute(command ~ "write b*")'] } }
  const { boss } = open('alpha beta', [], above, { rules: { allow: ['execute'] } })
  const { text, suspended } = await boss.run('Go.')
  expect([text, suspended, effects()]).toEqual(['The coder is done.', [], ['alpha']])
})

test('SRV-03 an approval in a second process and a denial in a third reach the example foreign agent once each', async () => {
  const { folder, effects } = await place()
  const example = new URL('../../../examples/foreign-agent.ts', import.meta.url).pathname
  const play = async (action: string, given: string) => {
    const args = [example, action, given, process.execPath, script, folder, 'load']
    return (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout.trim()
  }
  const asked = await play('start', 'alpha beta')
  expect([asked, effects()]).toEqual([expect.stringMatching(/asks execute .*"write alpha"/), []])
  const [runId = ''] = asked.split(' ')
  expect(await play('approve', runId)).toMatch(/asks execute .*"write beta"/)
  expect(await play('deny', runId)).toBe('The coder is done.')
  expect(effects()).toEqual(['alpha'])
}, 180_000)

test('SRV-03 a restart interrupts an agent that loads no session, and it starts over after an approval', async () => {
  const { effects, open } = await place()
  const first = open('alpha')
  const { runId } = await first.boss.run('Go.')
  await first.close()
  const { boss } = open('alpha')
  const run = await boss.load(runId)
  await run.approve()
  expect((await run.settled()).suspended).toMatchObject([{ toolName: 'work', suspension: { reason: 'interrupted' } }])
  expect(effects()).toEqual([])
  await run.approve()
  expect((await run.settled()).suspended).toMatchObject([{ toolName: 'execute' }])
  await run.approve()
  expect([(await run.settled()).text, effects()]).toEqual(['The coder is done.', ['alpha']])
})

test('SRV-03 a foreign agent that dies while working is interrupted, is paid for, reports why, and continues if it loads its session', async () => {
  const { path, effects, open } = await place()
  const env = { API_TOKEN: 's3cret-s3cret' }
  const { coder } = open('', ['load', 'pays', 'die', 'complains'], {}, {}, { store: sqliteStore(path), env })
  const run = coder.start('alpha')
  await run.settled()
  await run.approve()
  const { suspended, cost, messages } = await run.settled()
  expect(suspended).toMatchObject([{ toolName: 'work', suspension: { reason: 'interrupted' } }])
  expect(suspended[0]?.suspension?.message).toMatch(
    /ended with 7\. It wrote: x+ no account for \[secret API_TOKEN\]\. If you approve, it continues/,
  )
  expect(cost).toBe(0.25)
  const stderr = Reflect.get(Object(messages.findLast(({ role }) => role === 'toolResult')), 'details').stderr
  expect([stderr.length, stderr.endsWith('no account for [secret API_TOKEN]\n')]).toEqual([2_000, true])
  await run.approve()
  expect(await run.settled()).toMatchObject({ text: 'Done.', cost: 0.25 })
  expect(effects()).toEqual(['alpha'])
})

test('SRV-03 work is interrupted when its process leaves, its foreign process ends, and no effect is repeated', async () => {
  const { effects, open } = await place()
  const rules = { rules: { allow: ['execute'] } }
  const first = open('alpha beta', ['load', 'hang'], {}, rules)
  const run = first.boss.start('Go.')
  const driving = run.settled().catch(() => undefined)
  await expect.poll(effects, { timeout: 60_000 }).not.toEqual([])
  await first.close()
  await driving
  const { boss } = open('alpha beta', ['load'], {}, rules)
  const { run: taken } = await boss.resume(run.id)
  const { suspended } = await taken.settled()
  expect(suspended).toMatchObject([{ toolName: 'work', suspension: { reason: 'interrupted' } }])
  await taken.approve()
  expect([(await taken.settled()).text, effects()]).toEqual(['The coder is done.', ['alpha', 'beta']])
})

test('SRV-03 a cancelled run ends the process of its foreign agent', async () => {
  const { effects, pid: pidOf, open } = await place()
  const { boss } = open('alpha', ['hang'], {}, { rules: { allow: ['execute'] } })
  const run = boss.start('Go.')
  const settled = run.settled()
  await expect.poll(effects, { timeout: 60_000 }).not.toEqual([])
  const pid = pidOf()
  await run.cancel()
  expect((await settled).outcome.reason).toBe('cancelled')
  await untilGone(pid)
})

test('SRV-03 a cancel ends the process of a foreign agent that waits for a decision', async () => {
  const { pid, open } = await place()
  const { boss } = open('alpha')
  const run = boss.start('Go.')
  expect((await run.settled()).suspended).toHaveLength(1)
  await run.cancel()
  expect((await run.settled()).outcome.reason).toBe('cancelled')
  await untilGone(pid())
})

test('SRV-03 a foreign agent that begins no session fails with its own message, and its process ends', async () => {
  const { pid, open } = await place()
  const { coder } = open('alpha', ['login', 'complains'])
  const { reason, error } = (await coder.run('alpha')).outcome
  expect([reason, error?.message]).toEqual(['error', expect.stringMatching(/ It wrote: x+ no account for undefined/)])
  await untilGone(pid())
})

test('SRV-03 parallel commands of a foreign agent have their own terminals, and a killed one has no exit code', async () => {
  const { folder, open } = await place()
  const tools = [shellTool({ root: folder, sandbox: unconfined(), run: 'allow' })]
  const { coder } = open('', ['killed'], {}, { rules: { allow: ['execute'] } }, { tools })
  const { text } = await coder.run('alpha')
  expect(text).toBe('[Ended by SIGKILL.]: null SIGKILL. second: 0 null. Wrote alpha. ')
})

test('SRV-03 settles the costs of a restarted session in addition to those of the earlier one', async () => {
  const { path, open } = await place()
  const first = open('', ['pays'], {}, {}, { store: sqliteStore(path) })
  const run = first.coder.start('alpha beta')
  await run.settled()
  await run.approve()
  const standing = await run.settled()
  expect([standing.suspended, standing.cost]).toMatchObject([[{ arguments: { title: 'beta' } }], 0.25])
  await first.close()
  const { coder } = open('', ['pays'], {}, {}, { store: sqliteStore(path) })
  const taken = await coder.load(run.id)
  // The permission, the interrupted work, and the permission again.
  for (const _ of [1, 2, 3]) {
    await taken.approve()
    await taken.settled()
  }
  expect(await taken.result()).toMatchObject({ status: 'done', cost: 0.5 })
})

test('SRV-03 a command rule applies to a command given as a list of words', async () => {
  const { effects, open } = await place()
  const own = { rules: { allow: ['execute'], deny: ['execute(command ~ "write b*")'] } }
  const { coder } = open('', ['words'], {}, own)
  await coder.run('alpha beta')
  expect(effects()).toEqual(['alpha'])
})

test('SRV-03 a path rule allows no other path, no link out of the folder, and no dangling link', async () => {
  const { folder, effects, open } = await place()
  const outside = await temporaryFolder()
  mkdirSync(join(folder, 'src'))
  symlinkSync(outside, join(folder, 'src/out'))
  symlinkSync(join(outside, 'none'), join(folder, 'src/broken'))
  const places = { two: 'src/a.txt,out/b.txt', out: 'src/out/b.txt', none: 'src/broken', well: 'src/a.txt' }
  const flags = Object.entries(places).map(([word, paths]) => `at:${word}=${paths}`)
  const { coder } = open('', flags, {}, { rules: { allow: ['execute(path ~ "src/**")'] } })
  const run = coder.start('two out none well')
  for (const title of ['two', 'out', 'none']) {
    expect((await run.settled()).suspended).toMatchObject([{ arguments: { title } }])
    await run.deny()
  }
  expect([(await run.settled()).suspended, effects()]).toEqual([[], ['well']])
})

test("SRV-03 a foreign agent's files and commands are calls of our tools, under rules, and its costs are settled", async () => {
  const { folder, open } = await place()
  writeFileSync(join(folder, 'a.txt'), 'one\ntwo\n')
  const sandbox = unconfined()
  const tools = [...fileTools({ root: folder }), shellTool({ root: folder, sandbox })]
  const own = { rules: { allow: ['shell', 'execute'] } }
  const { boss } = open('alpha', ['serve', 'load'], {}, own, { tools })
  const run = boss.start('Go.')
  const { suspended } = await run.settled()
  expect(suspended).toMatchObject([{ toolName: 'write_file', suspension: { preview: { path: 'b.txt' } } }])
  await run.approve()
  const { text, messages } = await run.settled()
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('two\n')
  const told = /^Copied\. .*outside the root folder.*2 words\n+\[Exit code 3\.\] 3 Wrote alpha\. $/s
  expect(text).toBe('The coder is done.')
  expect(resultIn(messages)).toMatchObject({ content: [{ text: expect.stringMatching(told) }] })
  const childRunId = String(Reflect.get(resultIn(messages) ?? {}, 'childRunId'))
  expect((await (await boss.load(childRunId)).result()).cost).toBe(0.25)
})

test("SRV-03 costs that a foreign agent reports count for its run's limit", async () => {
  const { folder, effects, open } = await place()
  writeFileSync(join(folder, 'a.txt'), 'one\ntwo\n')
  const tools = [
    ...fileTools({ root: folder, write: 'allow' }),
    shellTool({ root: folder, sandbox: unconfined(), run: 'allow' }),
  ]
  const { coder } = open('', ['serve'], {}, { rules: { allow: ['execute'] } }, { tools, limits: { maxCost: 0.2 } })
  const { outcome, cost } = await coder.run('alpha beta')
  expect([outcome, cost, effects()]).toMatchObject([{ reason: 'stopped', code: 'max_cost' }, 0.25, []])
})

test('SRV-03 a run reports a denial that its foreign agent ignores, and treats an agent that asks for everything alike', async () => {
  const { effects, open } = await place()
  const own = { rules: { deny: ['execute'] } }
  const words = Array.from({ length: 40 }, (_, number) => `w${number}`).join(' ')
  const { boss } = open(words, ['ignores'], {}, own)
  const { suspended, text } = await boss.run('Go.')
  expect([suspended, text, effects().length]).toEqual([[], 'The coder is done.', 40])
})

test('SRV-03 fails a call whose command cannot be started, and names the command', async () => {
  const coder = acpAgent({ name: 'coder', command: '/no/such/command', cwd: process.cwd() })
  onTestFinished(() => coder.close())
  const { outcome } = await coder.run('Go.')
  expect(outcome.reason).toBe('error')
  expect(outcome.error?.message).toContain('/no/such/command')
})

test('SRV-03 a foreign agent that writes 40 MB without an end is interrupted, and harms nothing else', async () => {
  const { open } = await place()
  const { coder } = open('', ['floods'])
  const { suspended } = await coder.run('alpha')
  expect(suspended).toMatchObject([{ toolName: 'work', suspension: { reason: 'interrupted' } }])
})
