import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { createAgent, ModelError, tool } from '../../src/index.ts'
import { scripted, type ScriptedReply } from '../../src/providers/scripted.ts'
import { sqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import { temporaryFolder } from '../../proof/support/temporary-folder.ts'
import { anthropicWire } from '../../proof/wires/anthropic-wire.ts'
import { faultServer, page, type Reply, stream } from '../../proof/wires/fault-server.ts'
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

test('CLI-01 asks an unreachable model for some three minutes, says so, and goes on under a new id', async () => {
  const clock = fakeClock()
  let reply: Reply = page(503, '{"type":"error","error":{"type":"overloaded_error","message":"Down."}}')
  await using server = await faultServer((response) => reply(response))
  const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url }
  const started = clock.now()
  const onPrint = (text: string) => {
    const seconds = /Asking again in (\d+) s/.exec(text)?.[1]
    if (seconds !== undefined) clock.advance(Number(seconds) * 1000)
  }
  const failed = await call(['run', 'Hello'], { cwd, env, clock, onPrint })
  expect(failed.code).toBe(1)
  expect(failed.out.match(/Asking again in \d+ s\./g)).toHaveLength(10)
  expect(server.requests).toHaveLength(11)
  expect(clock.now() - started).toBeGreaterThan(140_000)
  const old = runIdIn(failed)
  const command = /under a new id: statewright (.*)$/m.exec(failed.out)?.[1] ?? ''
  expect(command).toBe(`resume ${old}`)

  reply = stream(anthropicWire.answer('Here I am.'))
  const resumed = await call(command.split(' '), { cwd, env, clock })
  expect(resumed.code).toBe(0)
  expect(resumed.out).toContain('Here I am.')
  expect(resumed.out).toMatch(/^done in 0 s, \d+ tokens, \$0\.\d+$/m)
  const reported = lastLine(await call(['show', runIdIn(resumed), '--json'], { cwd, env, clock }))
  expect(reported).toMatchObject({ cost: expect.any(Number), usage: { totalTokens: expect.any(Number) } })
  expect(reported['cost']).toBeGreaterThan(0)
  expect(failed.out).toMatch(/^ended after [23] min \d+ s$/m)
  const renewed = runIdIn(resumed)
  expect(renewed).not.toBe(old)
  expect(resumed.out).toMatch(
    new RegExp(`It goes on from checkpoint \\d+ of run ${old}, which has ended in an error\\.`),
  )
  expect((await call(['show', renewed], { cwd })).out).toMatch(
    new RegExp(`^goes on from checkpoint \\d+ of run ${old}$`, 'm'),
  )
  expect((await call(['show', old], { cwd })).out).toContain('error: ')
})

test('CLI-01 goes on from the last checkpoint of the run, not from its beginning', async () => {
  const { runId, looks } = await endedRun([looking, unreachable])
  expect(looks).toBe(1)
  const resumed = await call(['resume', runId, '--model', 'scripted', '--json'], { cwd })
  expect(lastLine(resumed)).toMatchObject({ exitCode: 3, run: { forkedFrom: { runId } } })
  expect(resumed.out).not.toContain('→ list_files')
  const { out } = await call(['show', runIdIn(resumed)], { cwd })
  expect(out.match(/README\.md, seen 1 times/g)).toHaveLength(1)
  expect(out).not.toContain('Connection refused.')
})

test('CLI-01 takes up again what an earlier resume made of a run', async () => {
  const { runId } = await endedRun([unreachable])
  const first = await call(['resume', runId, '--model', 'scripted'], { cwd })
  const again = await call(['resume', runId, '--model', 'scripted'], { cwd })
  expect(runIdIn(again)).toBe(runIdIn(first))
  expect(lastLine(await call(['runs', '--json'], { cwd }))).toMatchObject({ total: 2 })
})

test('CLI-01 does not go on with a run that ended in an error another try would meet again', async () => {
  const { runId } = await endedRun([{ error: new ModelError('api', 'No such model.') }])
  const resumed = await call(['resume', runId, '--model', 'scripted'], { cwd })
  expect(resumed.code).toBe(1)
  expect(resumed.out).toContain('It is over and is not driven on.')
  expect(lastLine(await call(['runs', '--json'], { cwd }))).toMatchObject({ total: 1 })
})
