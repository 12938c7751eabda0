import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import type { SuspendedCall } from '../../../src/ports.ts'
import { permissionFor } from '../../../src/servers/acp/questions.ts'
import { choose, delivering, editor, place, said, textIn } from './editor.ts'

const never = () => new Promise<never>(() => {})

test('SRV-03 asks about the mail of the example editor again after a SIGKILL and a load, outside a prompt, and sends it once', async () => {
  const at = await place()
  const sent = () => readFileSync(join(at.folder, 'sent.txt'), 'utf8')
  const example = [fileURLToPath(new URL('../../../examples/editor.ts', import.meta.url))]
  const asked = Promise.withResolvers<string>()
  const first = await editor(
    at,
    [],
    async ({ toolCall }) => {
      asked.resolve(toolCall.toolCallId)
      return await never()
    },
    undefined,
    example,
  )
  const { sessionId } = await first.agent.request('session/new', { cwd: at.folder, mcpServers: [] })
  const lost = first.agent.request('session/prompt', { sessionId, prompt: said('Mail Ada.') }).catch(() => 'lost')
  const callId = await asked.promise
  first.child.kill('SIGKILL')
  expect(await lost).toBe('lost')
  expect(existsSync(join(at.folder, 'sent.txt'))).toBe(false)

  const questions: string[] = []
  const [askedAgain, again] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const answer: Parameters<typeof editor>[2] = async ({ toolCall, options }) => {
    questions.push(toolCall.toolCallId)
    expect(options.map(({ kind }) => kind)).toEqual([
      'allow_once',
      'reject_once',
      'allow_always',
      'allow_always',
      'reject_always',
    ])
    askedAgain.resolve()
    await again.promise
    return choose('allow')
  }
  const second = await editor(at, [], answer, undefined, example)
  const listed = await second.agent.request('session/list', {})
  expect(listed.sessions).toMatchObject([{ sessionId, cwd: at.folder }])
  await second.agent.request('session/load', { sessionId, cwd: at.folder, mcpServers: [] })
  expect(await second.shown()).toMatchObject([
    { sessionUpdate: 'user_message_chunk', content: { text: 'Mail Ada.' } },
    { sessionUpdate: 'tool_call', toolCallId: callId, title: 'mail', rawInput: { to: 'Ada' } },
  ])
  await askedAgain.promise
  const answered = second.agent.request('session/prompt', { sessionId, prompt: said('Go on.') })
  again.resolve()
  expect(await answered).toEqual({ stopReason: 'end_turn' })
  expect(questions).toEqual([callId])
  expect(sent()).toBe('{"to":"Ada"}\n')
  expect(textIn(await second.shown())).toBe('Ada has mail.')
})

test('SRV-03 withdraws a question that another process has answered, and continues', async () => {
  const at = await place()
  const asked = Promise.withResolvers<void>()
  const withdrawn = Promise.withResolvers<void>()
  const { agent, shown } = await editor(at, delivering, async (_, signal) => {
    signal.addEventListener('abort', () => withdrawn.resolve())
    asked.resolve()
    await withdrawn.promise
    return { outcome: { outcome: 'cancelled' } }
  })
  const { sessionId } = await agent.request('session/new', { cwd: at.folder, mcpServers: [] })
  const done = agent.request('session/prompt', { sessionId, prompt: said('Deliver it.') })
  await asked.promise

  const store = sqliteStore(at.store)
  const elsewhere = createAgent({ name: 'courier', model: scripted([]), store })
  const [found] = await elsewhere.suspended()
  const run = await elsewhere.load(found !== undefined && 'calls' in found ? found.record.id : '')
  expect((await run.approve()).answer).toBe('applied')
  await withdrawn.promise
  expect(await done).toEqual({ stopReason: 'end_turn' })
  expect(at.deliveries()).toBe('Ann\n')
  expect(textIn(await shown())).toBe('It is there.')
  await elsewhere.close()
  await store.close()
})

test('SRV-03 ends a prompt as cancelled, and ignores the answer to a withdrawn question', async () => {
  const at = await place()
  const asked = Promise.withResolvers<void>()
  const { agent } = await editor(at, delivering, async (_, signal) => {
    asked.resolve()
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    return choose('allow')
  })
  const { sessionId } = await agent.request('session/new', { cwd: at.folder, mcpServers: [] })
  const done = agent.request('session/prompt', { sessionId, prompt: said('Deliver it.') })
  await asked.promise
  await agent.notify('session/cancel', { sessionId })
  expect(await done).toEqual({ stopReason: 'cancelled' })
  expect(at.deliveries()).toBe('')
})

test('SRV-03 rejects unknown sessions, relative folders, empty prompts and audio, and keeps serving', async () => {
  const at = await place()
  const { agent, about, shown } = await editor(at, ['Good day.'], async () => choose('no such option'))
  expect(about.agentInfo).toEqual({ name: 'courier', version: '1' })
  const { sessionId } = await agent.request('session/new', { cwd: at.folder, mcpServers: [] })
  const load = (id: string, cwd = at.folder) => agent.request('session/load', { sessionId: id, cwd, mcpServers: [] })
  await expect(load('nobody')).rejects.toMatchObject({ code: -32002 })
  await expect(load('../other')).rejects.toMatchObject({ code: -32002 })
  await expect(load(sessionId, 'here')).rejects.toMatchObject({ code: -32602 })
  await expect(agent.request('session/prompt', { sessionId: 'nobody', prompt: said('Hi.') })).rejects.toMatchObject({
    code: -32002,
  })
  await expect(agent.request('session/prompt', { sessionId, prompt: [] })).rejects.toMatchObject({ code: -32602 })
  const sound = [{ type: 'audio' as const, data: 'AAAA', mimeType: 'audio/wav' }]
  await expect(agent.request('session/prompt', { sessionId, prompt: sound })).rejects.toMatchObject({ code: -32602 })

  const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const image = { type: 'image' as const, data, mimeType: 'image/png' }
  const prompt = [
    ...said('Hi.'),
    image,
    { type: 'resource' as const, resource: { uri: 'file:///a.txt', text: 'A file.' } },
  ]
  expect(await agent.request('session/prompt', { sessionId, prompt })).toEqual({ stopReason: 'end_turn' })
  expect(textIn(await shown())).toBe('Good day.')
  await load(sessionId)
  expect(await shown()).toContainEqual({ sessionUpdate: 'user_message_chunk', content: image })
  await agent.request('session/close', { sessionId })
  // The module has made another agent for the session.
  expect(at.deliveries()).toBe('closed\n')
  await agent.request('session/delete', { sessionId })
  expect((await agent.request('session/list', {})).sessions).toEqual([])
})

test('SRV-03 survives half a line of JSON and a closed pipe, and leaves the run stored', async () => {
  const at = await place()
  const asked = Promise.withResolvers<void>()
  const { agent, child, ended } = await editor(at, delivering, async () => {
    asked.resolve()
    return await never()
  })
  child.stdin.write('{"jsonrpc": "2.0", "id": \n')
  const { sessionId } = await agent.request('session/new', { cwd: at.folder, mcpServers: [] })
  agent.request('session/prompt', { sessionId, prompt: said('Deliver it.') }).catch(() => undefined)
  await asked.promise
  child.stdin.end()
  expect(await ended).toBe(0)
  const store = sqliteStore(at.store)
  expect(await store.suspended()).toMatchObject([{ calls: [{ toolName: 'deliver' }], answered: [] }])
  await store.close()
})

test('SRV-03 asks for a value with an elicitation, and passes the value to the call', async () => {
  const at = await place()
  const asked: unknown[] = []
  const script = [{ toolCalls: [{ id: 'c', name: 'survey', arguments: {} }] }, 'Noted.']
  const { agent, shown } = await editor(
    at,
    script,
    async () => choose('allow'),
    (params) => {
      asked.push(params)
      return { action: 'accept', content: { kilos: 3 } }
    },
  )
  const { sessionId } = await agent.request('session/new', { cwd: at.folder, mcpServers: [] })
  const done = await agent.request('session/prompt', { sessionId, prompt: said('How heavy?') })
  expect(done).toEqual({ stopReason: 'end_turn' })
  const requestedSchema = { type: 'object', properties: { kilos: { type: 'number' } }, required: ['kilos'] }
  expect(asked).toEqual([{ mode: 'form', sessionId, toolCallId: '1.c', message: 'How heavy is it?', requestedSchema }])
  expect(await shown()).toContainEqual({
    sessionUpdate: 'tool_call_update',
    toolCallId: '1.c',
    status: 'completed',
    content: [{ type: 'content', content: { type: 'text', text: '{"kilos":3}' } }],
  })
})

test('SRV-03 keeps a call suspended after an answer that was not offered, and asks again with the next prompt', async () => {
  const at = await place()
  const answers = ['allow everything', 'reject']
  const first = Promise.withResolvers<void>()
  const { agent, shown } = await editor(at, delivering, async () => {
    const answer = choose(answers.shift() ?? '')
    first.resolve()
    return answer
  })
  const { sessionId } = await agent.request('session/new', { cwd: at.folder, mcpServers: [] })
  const done = agent.request('session/prompt', { sessionId, prompt: said('Deliver it.') })
  await first.promise
  // After two round trips the answer has reached the server, which asks no more until the next prompt.
  await shown()
  await shown()
  const joined = agent.request('session/prompt', { sessionId, prompt: said('And now?') })
  expect([await done, await joined]).toEqual([{ stopReason: 'end_turn' }, { stopReason: 'end_turn' }])
  expect(answers).toEqual([])
  expect(at.deliveries()).toBe('')
})

test('SRV-03 ends the connection at a message of 100 MB', async () => {
  const at = await place()
  const { child, ended } = await editor(at, delivering, never)
  child.stdin.on('error', () => undefined)
  child.stdin.write('x'.repeat(100_000_000))
  expect(await ended).toBe(0)
})

test('SRV-03 shows the change of a file as a diff in the permission request', () => {
  const preview = {
    path: 'a.txt',
    change: 'replace',
    diff: '--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
    before: {},
    after: {},
  }
  const suspension = { id: 's', reason: 'approval' as const, preview }
  const call = { callId: '1.c', toolName: 'edit_file', arguments: {}, suspension } as unknown as SuspendedCall
  const { toolCall, options } = permissionFor(call, 'talk', '/home/ann')
  expect(toolCall.content).toEqual([{ type: 'diff', path: '/home/ann/a.txt', oldText: 'one\ntwo', newText: 'one\n2' }])
  expect(options.map(({ optionId }) => optionId)).toEqual(['allow', 'reject'])
})
