import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createAgent, ModelError, tool } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { fakeClock } from '../../../proof/support/fake-clock.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { anthropicWire } from '../../../proof/wires/anthropic-wire.ts'
import { faultServer, page, type Reply, stream } from '../../../proof/wires/fault-server.ts'
import { call, lastLine, runIdIn } from './command.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
})

/** A run that ends as these replies make it, its tool performed by another program of the same agent. */
async function endedRun(
  replies: readonly ScriptedReply[],
): Promise<{ readonly runId: string; readonly looks: number }> {
  await mkdir(join(cwd, '.statewright'), { recursive: true })
  const store = sqliteStore(join(cwd, '.statewright', 'runs.db'))
  let looks = 0
  const look = tool({
    name: 'list_files',
    description: 'Looks',
    input: { type: 'object' },
    execute: () => `README.md, seen ${++looks} times`,
  })
  const model = scripted(replies)
  const agent = createAgent({ name: 'statewright', model, tools: [look], store, retry: { maxRetries: 0 } })
  const { runId } = await agent.run('Look around', { labels: { root: cwd, model: 'scripted/scripted' } })
  await store.close()
  return { runId, looks }
}

const unreachable = { error: new ModelError('network', 'Connection refused.') }
const looking = { text: 'I look.', toolCalls: [{ name: 'list_files', arguments: {} }] }

/** A server of a model that is down until it is told to answer, and what the command line needs to call it. */
async function downModel() {
  const clock = fakeClock()
  let reply: Reply = page(503, '{"type":"error","error":{"type":"overloaded_error","message":"Down."}}')
  const server = await faultServer((response) => reply(response))
  const onPrint = (text: string) => {
    const seconds = /Asking again in (\d+) s/.exec(text)?.[1]
    if (seconds !== undefined) clock.advance(Number(seconds) * 1000)
  }
  const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url }
  const answerWith = (text: string) => (reply = stream(anthropicWire.answer(text)))
  return { server, clock, answerWith, given: { cwd, env, clock, onPrint } }
}

test('CLI-01 RUN-06 tries an unreachable model for about three minutes, reports it, waits for it, and tries again', async () => {
  const { server, clock, answerWith, given } = await downModel()
  await using _ = server
  const started = clock.now()
  const left = await call(['run', 'Hello'], given)
  expect(left.code).toBe(3)
  expect(left.out.match(/Asking again in \d+ s\./g)).toHaveLength(10)
  expect(server.requests).toHaveLength(11)
  expect(clock.now() - started).toBeGreaterThan(140_000)
  const id = runIdIn(left)
  expect(left.out).toContain(': the model gave no answer\n')
  expect(left.out).toContain(`run ${id} waits for its model\n`)
  const command = /ask it again: statewright (.*)$/m.exec(left.out)?.[1] ?? ''
  expect(command).toBe(`resume ${id}`)
  expect((await call(['show', id], { cwd })).out).toContain(`run ${id} waits for its model\n`)
  expect((await call(command.split(' '), given)).code).toBe(3)
  expect(server.requests).toHaveLength(22)

  answerWith('Here I am.')
  const resumed = await call(command.split(' '), given)
  expect(resumed.code).toBe(0)
  expect(resumed.out).toContain('Here I am.')
  expect(resumed.out).toMatch(/^done in 0 s, \d+ tokens, \$0\.\d+$/m)
  const reported = lastLine(await call(['show', id, '--json'], given))
  expect(reported).toMatchObject({ run: { id, reason: 'natural_end' }, cost: expect.any(Number) })
  expect(lastLine(await call(['runs', '--json'], given))).toMatchObject({ total: 1 })
})

test.each<[readonly string[], number, string]>([
  [['y'], 0, 'Here I am.'],
  [['Y'], 0, 'Here I am.'],
  [['n', 'Not today.'], 1, ': Not today.'],
  [['n', ''], 1, 'stopped (model_unavailable)'],
])('CLI-01 DEC-06 on a terminal %j decides whether to ask the model again', async (typed, code, said) => {
  const { server, answerWith, given } = await downModel()
  await using _ = server
  const onPrint = (text: string) => {
    if (text.startsWith('Ask the model again? [y/n/?] yes, no, help: ')) answerWith('Here I am.')
    given.onPrint(text)
  }
  const ended = await call(['run', 'Hello'], { ...given, onPrint, answers: ['perhaps', ...typed] })
  expect(ended.out).toContain('  n  no: end the run; you are asked why')
  expect(ended.out).toContain(said)
  expect(ended.code).toBe(code)
})

test('CLI-01 approve needs no call id if the call is another attempt at the model', async () => {
  const { server, answerWith, given } = await downModel()
  await using _ = server
  const id = runIdIn(await call(['run', 'Hello'], given))
  answerWith('Here I am.')
  expect(await call(['approve', id], given)).toMatchObject({ code: 0, err: '' })
})

test.each<[string, Reply]>([
  ['a wrong key', page(401, '{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}')],
  ['a wrong name', page(404, '{"type":"error","error":{"type":"not_found_error","message":"model: claude-nope"}}')],
])('CLI-01 RUN-06 after %s a run waits, and "resume --model" asks another model', async (_, refusal) => {
  await using server = await faultServer((response) => refusal(response))
  const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url }
  const left = await call(['run', 'Hello'], { cwd, env })
  expect(left.code).toBe(3)
  const id = runIdIn(left)
  expect(left.out).toContain(`ask another:  statewright resume ${id} --model <provider/name>`)
  expect(left.out).toContain(`run ${id} waits for its model\n`)
  const resumed = await call(['resume', id, '--model', 'scripted', '--json'], { cwd, env: {} })
  expect(lastLine(resumed)).toMatchObject({ exitCode: 3, run: { id, status: 'waiting' } })
  expect(lastLine(resumed)).toMatchObject({ suspended: [{ toolName: 'write_file' }] })
})

test('CLI-01 continues under a new id if a run has ended because its model was unreachable', async () => {
  const { runId } = await endedRun([unreachable])
  const shown = await call(['show', runId], { cwd })
  expect(shown.out).toContain('error: Connection refused.')
  expect(shown.out).toContain(`To continue from its last checkpoint, with a new id: statewright resume ${runId}`)
  const resumed = await call(['resume', runId, '--model', 'scripted'], { cwd })
  const renewed = runIdIn(resumed)
  expect(renewed).not.toBe(runId)
  expect(resumed.out).toMatch(
    new RegExp(`It continues from checkpoint \\d+ of run ${runId}, which has ended in an error\\.`),
  )
  expect((await call(['show', renewed], { cwd })).out).toMatch(
    new RegExp(`^continues from checkpoint \\d+ of run ${runId}$`, 'm'),
  )
})

test("CLI-01 continues from the run's last checkpoint, not from its beginning", async () => {
  const { runId, looks } = await endedRun([looking, unreachable])
  expect(looks).toBe(1)
  const resumed = await call(['resume', runId, '--model', 'scripted', '--json'], { cwd })
  expect(lastLine(resumed)).toMatchObject({ exitCode: 3, run: { forkedFrom: { runId } } })
  expect(resumed.err).not.toContain('→ list_files')
  const { out } = await call(['show', runIdIn(resumed)], { cwd })
  expect(out.match(/README\.md, seen 1 times/g)).toHaveLength(1)
  expect(out).not.toContain('Connection refused.')
})

test('CLI-01 continues a run from the state in which an earlier resume left it', async () => {
  const { runId } = await endedRun([unreachable])
  const first = await call(['resume', runId, '--model', 'scripted'], { cwd })
  const again = await call(['resume', runId, '--model', 'scripted'], { cwd })
  expect(runIdIn(again)).toBe(runIdIn(first))
  expect(lastLine(await call(['runs', '--json'], { cwd }))).toMatchObject({ total: 2 })
})

test('CLI-01 does not resume a run that ended in an error which would happen again', async () => {
  const { runId } = await endedRun([{ error: new ModelError('api', 'No such model.') }])
  const resumed = await call(['resume', runId, '--model', 'scripted'], { cwd })
  expect(resumed.code).toBe(1)
  expect(resumed.out).toContain('The run has ended. Continue it in a new run: ')
  expect(lastLine(await call(['runs', '--json'], { cwd }))).toMatchObject({ total: 1 })
})
