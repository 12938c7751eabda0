import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createActor, type Snapshot, toPromise, waitFor } from 'xstate'
import { start } from '../../proof/support/fake-clock.ts'
import { call, calls, say } from '../../proof/support/say.ts'
import { testAgent } from '../../proof/support/test-agent.ts'
import { toolNamed } from '../../proof/support/tools.ts'
import { userMessage } from '../../src/domain/message.ts'
import type { PlainLog } from '../../src/index.ts'

interface Saved {
  readonly snapshot: Snapshot<unknown>
  readonly log: PlainLog
}

type Moment = 'waiting' | 'filteringPrompt' | 'filteringQueued' | 'building'

/** What actors of the version before messages left their contexts have persisted, taken from that version. */
const recorded: Readonly<Record<Moment, Saved>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'plain-schema-2.json'), 'utf8'),
)

test.each<[Moment, readonly unknown[], readonly string[]]>([
  ['waiting', ['followUp MARK-FOLLOWED'], ['user: MARK-INPUT', 'user: MARK-FOLLOWED']],
  ['filteringPrompt', ['prompt MARK-INPUT'], ['user: MARK-INPUT']],
  ['filteringQueued', ['steer MARK-STEERED'], ['user: MARK-INPUT', 'user: MARK-STEERED']],
  ['building', ['built from {"order":"MARK-VALUE"}'], ['user: MARK-BUILT']],
])(
  'RUN-09 CKP-07 a snapshot of schema 2, taken in %s, goes on with its messages beside it',
  async (name, asked, users) => {
    const { snapshot, log } = structuredClone(recorded[name])
    const heard: string[] = []
    const { agent } = testAgent({
      replies: [calls(call('c1', 'pause')), 'Bye', 'Swept.'],
      tools: [toolNamed('pause', () => 'paused', { effects: 'none', needs: 'approval' })],
      inputFilters: [
        { name: 'f', check: (messages, { kind }) => void heard.push(`${kind} ${messages.map(say).join().slice(6)}`) },
      ],
      ...(name === 'building'
        ? {
            contextBuilder: ({ input }) => {
              heard.push(`built from ${JSON.stringify(input)}`)
              return { system: '', messages: [userMessage('MARK-BUILT', start)] }
            },
          }
        : {}),
    })
    const actor = createActor(agent.provide({ log }), { snapshot })
    actor.start()
    await waitFor(actor, ({ value }) => value === 'waiting')
    const { context, children } = actor.getPersistedSnapshot() as unknown as { context: unknown; children: unknown }
    expect(JSON.stringify([context, children])).not.toContain('MARK')
    await agent.decide(actor, [{ target: '1.c1', action: 'resume' }])
    const { outcome, messages } = await toPromise(actor)
    expect(outcome).toEqual({ reason: 'natural_end' })
    expect(heard).toEqual(asked)
    expect(messages.map(say).filter((line) => line.startsWith('user: '))).toEqual(users)
  },
)

test('RUN-09 CKP-07 a snapshot of schema 2 is left as it was given', async () => {
  const { snapshot, log } = structuredClone(recorded.waiting)
  const { agent } = testAgent({ replies: ['Bye'] })
  createActor(agent.provide({ log }), { snapshot }).start().stop()
  expect({ snapshot, log }).toEqual(recorded.waiting)
})
