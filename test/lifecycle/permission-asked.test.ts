import { expect, test } from 'vitest'
import { call, calls } from '../../proof/support/say.ts'
import { runId, testAgent } from '../../proof/support/test-agent.ts'
import { toolbox } from '../../proof/support/tools.ts'
import type { PermissionManager, PermissionPolicy } from '../../src/ports.ts'
import { payment } from '../core/services/banking.ts'

test('PERM-01 passes the policy the names of services, MCP tools and other tools separately', async () => {
  const asked: unknown[] = []
  const { act } = toolbox()
  const policy: PermissionPolicy = (tools) => {
    asked.push(tools)
    return []
  }
  const { agent } = testAgent({
    replies: [calls(call('a', 'act')), 'Done.'],
    tools: [act(), act('mcp__docs__find', { kind: 'mcp' })],
    services: [payment],
    permissions: { policy },
  })
  await agent.run('Go')
  expect(asked).toEqual([{ services: ['com_bank_payment'], mcp: ['mcp__docs__find'], tools: ['act'] }])
})

test("PERM-02 passes the manager the run's access control, to identify the owner of the permissions", async () => {
  const told: unknown[] = []
  const manager: PermissionManager = {
    get: (whose) => {
      told.push(whose)
      return { act: 'approved' }
    },
    cleanup: (whose) => void told.push(whose),
  }
  const { act } = toolbox()
  const { agent } = testAgent({
    replies: [calls(call('a', 'act')), 'Done.'],
    tools: [act()],
    permissions: { policy: () => ['act'], manager },
  })
  const accessControl = { team: 'north', may: ['read'] }
  await agent.run('Go', { runId, subject: 'order 7', accessControl })
  const whose = { runId, agent: 'test', subject: 'order 7', accessControl }
  expect(told).toEqual([whose, whose])
})
