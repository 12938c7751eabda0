import { expect, test } from 'vitest'
import { createActor, fromPromise, toPromise } from 'xstate'
import type { PlainImplementations } from '../../../src/ports.ts'
import { ModelError } from '../../../src/index.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { start } from '../../../proof/support/fake-clock.ts'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

const suspension = { id: 's', reason: 'approval' }
const failure = { code: 'auth_error', message: 'No key.' }

/** An actor, answers its chart cannot go on with, and what is said of them. */
const misfits: readonly [string, readonly unknown[], string][] = [
  ['keepTime', [undefined, {}, { at: '1' }], '{ at } with the time in Unix milliseconds'],
  [
    'gateCall',
    [
      { kind: 'refused' },
      { kind: 'suspended' },
      { kind: 'suspended', suspension: { id: 1 } },
      { kind: '', suspension },
    ],
    '{ kind: "allowed" }, { kind: "refused", text } or { kind: "suspended", suspension: { id, reason } }',
  ],
  [
    'ask',
    [{}, { at: 1, terminate: 1 }, { at: 1, holds: [] }],
    '{ at, terminate?: { code? }, request? } with the time in Unix milliseconds',
  ],
  [
    'refreshCredentials',
    [{ kind: 'failed' }, { kind: 'failed', error: failure }, { kind: 'failed', at: 1 }, { error: failure, at: 1 }],
    '{ kind: "refreshed" } or { kind: "failed", error: { code, message }, at }',
  ],
]

/** Ends a run whose model refuses its key at first, with such an actor. */
async function outcomeWith(name: string, answer: unknown) {
  const { act } = toolbox()
  const refused = { error: new ModelError('auth', 'refused', { status: 401 }) }
  const inner = scripted([refused, calls(call('c1', 'act')), 'Bye'], { by: 'calls' })
  const { agent } = testAgent({
    model: { ...inner, refreshCredentials: async () => {} },
    tools: [act()],
    plugins: [{ name: 'p', stepStart: () => undefined, gateCall: () => undefined }],
  })
  const isOfCall = name === 'gateCall'
  const logic = fromPromise(async ({ input }: { readonly input: { readonly phase?: string } }) =>
    isOfCall && input.phase !== name ? { at: start } : answer,
  )
  const actors = { [isOfCall ? 'ask' : name]: logic } as NonNullable<PlainImplementations['actors']>
  const actor = createActor(agent.machine.provide({ actors }), { input: 'Hi' }).start()
  return (await toPromise(actor)).outcome
}

test.for(misfits)('RUN-09 names what %s must return', async ([name, answers, expected]) => {
  for (const answer of answers) {
    const { reason, error } = await outcomeWith(name, answer)
    expect([answer, reason, error?.message]).toEqual([
      answer,
      'error',
      expect.stringMatching(
        new RegExp(`"${name === 'gateCall' ? 'ask' : name}" answered (undefined|an object with .+)\\. Expected `),
      ),
    ])
    expect(error?.message).toContain(`Expected ${expected}.`)
  }
})

test('RUN-09 PRV-05 a provided credentials refresh may fail with its own error', async () => {
  expect(await outcomeWith('refreshCredentials', { kind: 'failed', error: failure, at: 1 })).toMatchObject({
    reason: 'error',
    error: failure,
  })
  expect(await outcomeWith('refreshCredentials', { kind: 'refreshed' })).toEqual({ reason: 'natural_end' })
})
