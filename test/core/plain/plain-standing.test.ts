import { createActor, toPromise, waitFor } from 'xstate'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { say } from '../../../proof/support/say.ts'
import { heldReply, testAgent } from '../../../proof/support/test-agent.ts'
import { type PlainLog, tool } from '../../../src/index.ts'

const send = tool({
  name: 'send',
  description: 'Sends.',
  input: z.object({ to: z.string() }),
  needs: 'approval',
  execute: ({ to }) => `Sent to ${to}.`,
})
const asks = { text: 'I will.', toolCalls: [{ id: 'c', name: 'send', arguments: { to: 'Ada' } }] }

test("RUN-09 standing() returns a bare actor's transcript and its waiting calls with their arguments, also after a restore", async () => {
  const { agent } = testAgent({ replies: [asks, 'Done.'], tools: [send] })
  let log: PlainLog | undefined
  const first = createActor(agent.provide({ onLog: (kept) => (log = kept) }), { input: 'Bill Ada.' }).start()
  await waitFor(first, () => agent.standing(first).suspended.length > 0)
  const standing = agent.standing(first)
  expect(standing.messages.map(say)).toEqual(['user: Bill Ada.', expect.stringContaining('I will.')])
  expect(standing).toMatchObject({
    text: 'I will.',
    suspended: [{ callId: '1.c', toolName: 'send', arguments: { to: 'Ada' } }],
  })
  const snapshot = JSON.parse(JSON.stringify(first.getPersistedSnapshot())) as never
  first.stop()
  const second = createActor(agent.provide({ log: JSON.parse(JSON.stringify(log)) as PlainLog }), { snapshot }).start()
  expect(agent.standing(second)).toEqual(standing)
  const [call] = agent.standing(second).suspended
  await agent.decide(second, [{ target: call?.callId ?? '', action: 'resume' }])
  await toPromise(second)
  expect([agent.standing(second).text, agent.standing(second).suspended]).toEqual(['Done.', []])
})

test('RUN-09 steers a bare actor before its next turn, and refuses to steer an ended one', async () => {
  const held = heldReply()
  const { agent, prompts } = testAgent({ replies: [held.reply, 'Shorter.'] })
  const actor = createActor(agent.machine, { input: 'Tell me.' }).start()
  await held.asked
  agent.steer(actor, 'Be short.')
  held.give('A long story.')
  const { text } = await toPromise(actor)
  expect([text, prompts.at(-1)?.at(-1)]).toEqual(['Shorter.', 'user: Be short.'])
  expect(() => agent.steer(actor, 'Late.')).toThrow(expect.objectContaining({ code: 'run_done' }))
  expect(() => agent.steer(actor, '')).toThrow(expect.objectContaining({ code: 'bad_prompt' }))
  const other = testAgent().agent
  expect(() => other.standing(actor)).toThrow(expect.objectContaining({ code: 'bad_actor' }))
  expect(() => other.steer(actor, 'Hi')).toThrow(expect.objectContaining({ code: 'bad_actor' }))
})
