import { expect, test } from 'vitest'
import { redactSecrets } from '../../../src/core/plugins/index.ts'
import type { Plugin } from '../../../src/index.ts'
import { transcriptOf } from '../../../proof/support/read-run.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { toolNamed } from '../../../proof/support/tools.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'

const secrets = [{ name: 'TOKEN', value: 'hunter2-hunter2' }]

test('PH-01 masks secrets in every prompt and in stored results', async () => {
  const seen: string[] = []
  const login = toolNamed('login', (input) => {
    seen.push(JSON.stringify(input))
    return { content: [{ type: 'text', text: 'as hunter2-hunter2' }], details: { key: 'hunter2-hunter2' } }
  })
  const sent: string[] = []
  const replies = [calls(call('c1', 'login', { token: 'hunter2-hunter2' })), 'Bye']
  const { agent, store, prompts } = testAgent({
    replies: replies.map((reply) => (request) => {
      sent.push(JSON.stringify([request.system, request.messages]))
      return reply
    }),
    instructions: 'Use hunter2-hunter2.',
    tools: [login],
    plugins: [redactSecrets(secrets)],
  })
  await agent.run('My token is hunter2-hunter2', { runId })

  expect(prompts[1]).toEqual([
    'user: My token is [secret TOKEN]',
    'assistant: calls 1.c1 login',
    'result 1.c1: as [secret TOKEN]',
  ])
  expect(sent).toHaveLength(2)
  for (const request of sent) {
    expect(request).not.toContain('hunter2')
    expect(request).toContain('Use [secret TOKEN].')
  }
  expect(sent[1]).toContain('"arguments":{"token":"[secret TOKEN]"}')
  expect(seen).toEqual(['{"token":"hunter2-hunter2"}'])
  expect(await transcriptOf(store, runId)).toContain('1.c1 succeeded, result 1.c1: as [secret TOKEN]')
  expect(JSON.stringify(await store.calls(runId))).not.toContain('hunter2')
})

test('PH-01 TC-04 masks a result that an earlier plugin rewrote, and the result of a blocked call', async () => {
  const adding: Plugin = {
    name: 'adding',
    gateCall: ({ call: { toolName } }) => (toolName === 'no' ? { block: 'hunter2-hunter2' } : undefined),
    reviewCall: ({ call: { toolName, result }, rewrite }) => {
      if (toolName === 'act') rewrite(`${result?.status}, by hunter2-hunter2`)
    },
  }
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'act'), call('c2', 'no')), 'Bye'],
    tools: [toolNamed('act', () => 'done'), toolNamed('no', () => 'done')],
    plugins: [adding, redactSecrets(secrets)],
  })
  await agent.run('Hi', { runId })
  expect((await transcriptOf(store, runId)).slice(2, 4)).toEqual([
    '1.c1 succeeded, result 1.c1: success, by [secret TOKEN]',
    '1.c2 failed, result 1.c2 (error): [secret TOKEN]',
  ])
})

test.each([['hunter2'], [[{ name: 'TOKEN' }]], [[{ name: '', value: 'x' }]]])(
  'PH-01 refuses secrets that are not a list: %o',
  (given) => {
    expect(() => redactSecrets(given as never)).toThrow(/of redactSecrets|Option secrets/)
  },
)
