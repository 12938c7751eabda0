import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { createAgent } from '../../../src/index.ts'
import { isRecord } from '../../../src/core/domain/text/json.ts'
import { serveAcp } from '../../../src/servers/acp.ts'
import { mailer, sharedFile } from '../mailer.ts'

const send = { toolCalls: [{ id: 'c', name: 'send', arguments: { to: 'Ann' } }] }

test("SRV-03 a permission answered twice, and with foreign ids, counts once, and another agent's or user's session is unknown", async () => {
  const { store } = await sharedFile()
  const { agent, sent } = mailer([send, send, 'Done.', 'Hi.'], { store })
  const other = createAgent({ name: 'other', model: scripted(['Hello.']), store })
  const theirs = other.session('theirs', { labels: { acp: 'other' } })
  await (await theirs.prompt('Hi.')).settled()
  const ofBob = agent.session('of-bob', { labels: { acp: 'mailer', acpUser: 'bob of another computer' } })
  await (await ofBob.prompt('Hi.')).settled()
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = await serveAcp(agent, { input, output })
  onTestFinished(() => served.close())
  const lines = createInterface({ input: output })
  const say = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const until = async (fits: (message: Record<string, unknown>) => boolean) => {
    for (;;) {
      const [line] = (await once(lines, 'line')) as [string]
      const message: unknown = JSON.parse(line)
      if (isRecord(message) && fits(message)) return message
    }
  }
  say({ id: 1, method: 'initialize', params: { protocolVersion: 1 } })
  await until(({ id }) => id === 1)
  for (const [id, sessionId] of ['theirs', 'of-bob'].entries()) {
    for (const method of ['session/load', 'session/resume', 'session/delete']) {
      say({ id: `${method}${id}`, method, params: { sessionId, cwd: '/', mcpServers: [] } })
      expect(await until((one) => one['id'] === `${method}${id}`)).toMatchObject({ error: { code: -32002 } })
    }
  }
  say({ id: 2, method: 'session/list', params: {} })
  expect(await until(({ id }) => id === 2)).toMatchObject({ result: { sessions: [] } })
  say({ id: 3, method: 'session/new', params: { cwd: '/', mcpServers: [] } })
  const { result } = await until(({ id }) => id === 3)
  const sessionId = Reflect.get(result ?? {}, 'sessionId')
  say({ id: 4, method: 'session/prompt', params: { sessionId, prompt: [{ type: 'text', text: 'Mail.' }] } })
  const allowed = { outcome: { outcome: 'selected', optionId: 'allow' } }
  const first = await until(({ method }) => method === 'session/request_permission')
  for (const id of [first['id'], first['id'], 'nobody asked', 99]) say({ id, result: allowed })
  const second = await until(({ method }) => method === 'session/request_permission')
  expect([second['id'] === first['id'], sent]).toEqual([false, ['Ann']])
  say({ id: second['id'], result: { outcome: { outcome: 'selected', optionId: 'reject-always' } } })
  expect(await until(({ id }) => id === 4)).toMatchObject({ result: { stopReason: 'end_turn' } })
  expect(sent).toEqual(['Ann'])
  expect(await agent.grants()).toMatchObject([{ says: 'deny', scope: 'always', toolName: 'send' }])
})

test('SRV-03 an editor that writes 40 MB without an end loses its connection, and the process goes on', async () => {
  const input = new PassThrough()
  const { closed } = await serveAcp(mailer([]).agent, { input, output: new PassThrough().resume() })
  for (let piece = 0; piece < 40; piece++) input.write('x'.repeat(1_000_000))
  expect(await closed).toBe(undefined)
})
