import type * as acp from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { type Agent, tool } from '../../../src/index.ts'
import type { EditorSession } from '../../../src/servers/acp.ts'
import { said } from './editor.ts'
import { calling, inEditor } from './in-editor.ts'

test('SRV-03 offers choices, including the mode, and makes the next agent from them', async () => {
  const systems: string[] = []
  const noted = ({ system }: { readonly system: string }) => {
    systems.push(system)
    return 'Noted.'
  }
  const at = await inEditor([noted, noted, noted], {
    choices: (editor) => {
      const mode = editor.choose({ id: 'mode', name: 'Mode', category: 'mode', values: { ask: 'Ask', plan: 'Plan' } })
      return `${mode} ${editor.choose({ id: 'tone', name: 'Tone', values: { dry: 'Dry', warm: 'Warm' } })}`
    },
  })
  const made = await at.agent.request('session/new', { cwd: at.folder, mcpServers: [] })
  const { sessionId } = made
  expect(made.modes).toMatchObject({ currentModeId: 'ask', availableModes: [{ id: 'ask' }, { id: 'plan' }] })
  expect(made.configOptions).toMatchObject([
    { id: 'mode', currentValue: 'ask' },
    { id: 'tone', currentValue: 'dry' },
  ])
  const say = () => at.agent.request('session/prompt', { sessionId, prompt: said('Hi.') })
  await say()
  await at.agent.request('session/set_mode', { sessionId, modeId: 'plan' })
  await say()
  const set = (configId: string, value: string) =>
    at.agent.request('session/set_config_option', { sessionId, configId, value })
  expect((await set('tone', 'warm')).configOptions).toMatchObject([{ currentValue: 'plan' }, { currentValue: 'warm' }])
  await set('mode', 'ask')
  await say()
  expect(systems).toEqual(['ask dry', 'plan dry', 'ask warm'])
  for (const [id, value] of [
    ['tone', 'loud'],
    ['mood', 'dry'],
    ['tone', 'constructor'],
  ] as const) {
    await expect(set(id, value)).rejects.toMatchObject({ code: -32602 })
  }
  await expect(at.agent.request('session/set_mode', { sessionId, modeId: 'all' })).rejects.toMatchObject({
    code: -32602,
  })
  const kinds = (await at.shown()).map(({ sessionUpdate }) => sessionUpdate)
  expect(kinds).toContain('config_option_update')
  expect(kinds).toContain('current_mode_update')
})

const ask = (editor: EditorSession) =>
  editor.choose({ id: 'mode', name: 'Mode', category: 'mode', values: { ask: 'Ask', plan: 'Plan' } })

const isClosed = (agent: Agent) =>
  agent
    .session(undefined)
    .continue()
    .then(
      () => false,
      (error: unknown) => Reflect.get(Object(error), 'code') === 'agent_closed',
    )

test("SRV-03 cancels a prompt that waits for a new choice's agent, and closes each agent that was made", async () => {
  let [ready, making] = [Promise.resolve(), Promise.withResolvers<void>()]
  const at = await inEditor(['Never said.'], {
    choices: ask,
    ready: () => {
      making.resolve()
      return ready
    },
  })
  const { sessionId } = await at.agent.request('session/new', { cwd: at.folder, mcpServers: [] })
  const free = Promise.withResolvers<void>()
  ;[ready, making] = [free.promise, Promise.withResolvers<void>()]
  const set = at.agent.request('session/set_mode', { sessionId, modeId: 'plan' })
  await making.promise
  const done = at.agent.request('session/prompt', { sessionId, prompt: said('Hi.') })
  await at.agent.notify('session/cancel', { sessionId })
  await at.shown()
  free.resolve()
  expect([await set, await done]).toEqual([{}, { stopReason: 'cancelled' }])
  expect((await at.agent.request('session/list', {})).sessions).toEqual([])
  await at.agent.request('session/prompt', { sessionId, prompt: said('Hi.') })
  const load = () => at.agent.request('session/load', { sessionId, cwd: at.folder, mcpServers: [] })
  await at.agent.request('session/close', { sessionId })
  await Promise.all([load(), load()])
  expect(at.made.length).toBe(4)
  await at.close()
  expect(await Promise.all(at.made.map(isClosed))).toEqual([true, true, true, true])
})

test('SRV-03 drives a loaded run with its original choices', async () => {
  const store = memoryStore()
  const systems: string[] = []
  const send = tool({
    name: 'send',
    description: 'Sends.',
    input: z.object({}),
    needs: 'approval',
    execute: () => 'Sent.',
  })
  const noted = ({ system }: { readonly system: string }) => {
    systems.push(system)
    return 'Done.'
  }
  const asked = Promise.withResolvers<void>()
  const offer = { store, choices: ask, tools: () => [send] }
  const first = await inEditor([calling('send', {})], {
    ...offer,
    answer: () => {
      asked.resolve()
      return new Promise<never>(() => undefined)
    },
  })
  const { sessionId } = await first.agent.request('session/new', { cwd: first.folder, mcpServers: [] })
  const say = (at: typeof first, text: string) =>
    at.agent.request('session/prompt', { sessionId, prompt: said(text) }).catch(() => undefined)
  await first.agent.request('session/set_mode', { sessionId, modeId: 'plan' })
  void say(first, 'Send.')
  await asked.promise
  // A choice for the next prompt, which never comes.
  await first.agent.request('session/set_mode', { sessionId, modeId: 'ask' })
  await first.close()

  const second = await inEditor([noted, noted, noted], offer)
  const at = { sessionId, cwd: second.folder, mcpServers: [] }
  expect((await second.agent.request<acp.LoadSessionResponse>('session/load', at)).modes?.currentModeId).toBe('plan')
  await say(second, 'Go on.')
  await second.agent.request('session/set_mode', { sessionId, modeId: 'ask' })
  await say(second, 'And now?')
  await second.close()
  const third = await inEditor([], offer)
  expect((await third.agent.request<acp.ResumeSessionResponse>('session/resume', at)).modes?.currentModeId).toBe('ask')
  expect([systems.at(0), systems.at(-1)]).toEqual(['plan', 'ask'])
})
