import { expect, test } from 'vitest'
import { call, calls } from '../../proof/support/say.ts'
import { testAgent } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { fakeClock } from '../../proof/support/fake-clock.ts'
import type { AgentEvent } from '../../src/index.ts'
import type { PermissionManager, PermissionPolicy } from '../../src/ports.ts'

const down = () => {
  throw new Error('down')
}

interface Given {
  readonly policy?: PermissionPolicy
  readonly get?: PermissionManager['get']
  readonly isLate?: true
}

/** The failures reported while a tool is requested; nobody is authorised. */
async function failures({ policy = () => ['a'], get = () => ({}), isLate }: Given) {
  const clock = fakeClock()
  const never = () => {
    clock.advance(5)
    return new Promise<never>(() => {})
  }
  const { act, done } = toolbox()
  const { agent } = testAgent({
    replies: [calls(call('1', 'a')), 'Done.'],
    tools: [act('a'), act('b')],
    permissions: { policy, manager: { get: isLate === true ? never : get } },
    clock,
    limits: { pluginTimeoutMs: 5 },
  })
  const told: AgentEvent[] = []
  agent.on((event) => void told.push(event))
  const { status } = await agent.run('Go')
  expect([status, done]).toEqual(['done', []])
  return told.filter(({ type }) => type === 'permission.failed')
}

test.each<[string, string, readonly string[], string, Given]>([
  ['throws', 'manager', ['a'], 'The permission manager failed: down. The calls are denied.', { get: down }],
  ['is late', 'manager', ['a'], 'it did not finish within 5 ms. The calls', { isLate: true }],
  ['gives another word', 'manager', ['a'], 'returned an unknown word', { get: () => ({ a: 'yes' }) as never }],
  ['gives no object', 'manager', ['a'], 'returned no object', { get: () => 'approved' as never }],
  ['throws', 'policy', ['a', 'b'], 'failed: down. Every tool needs authorisation.', { policy: down }],
  ['gives no list', 'policy', ['a', 'b'], 'returned no list of texts.', { policy: () => 'a' as never }],
])('PERM-02 EVT-01 if it %s, an event says that the %s has failed, and why', async (_, part, toolNames, why, given) => {
  expect(await failures(given)).toMatchObject([{ part, toolNames, message: expect.stringContaining(why) }])
})

test('PERM-02 EVT-01 does not report a manager as failed if it has no answer about a tool', async () => {
  expect(await failures({})).toEqual([])
})
