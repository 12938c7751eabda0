import { expect, test } from 'vitest'
import { agentWith } from '../../proof/support/agent-with-toolsets.ts'
import { heldToolset } from '../../proof/support/held-toolset.ts'
import { call, calls } from '../../proof/support/say.ts'
import { quiet, runId, testAgent } from '../../proof/support/test-agent.ts'
import { heldTool, toolbox } from '../../proof/support/tools.ts'

const noPermission = "[Critical] You don't have the permission to call this tool"

test('PERM-02 authorises a call again too if it was approved while its round still runs', async () => {
  let answer: 'approved' | 'denied' = 'approved'
  const slow = heldTool('slow')
  const { act, done } = toolbox()
  const permissions = { policy: () => ['act'], manager: { get: () => ({ act: answer }) } }
  const { agent, prompts } = testAgent({
    ...{ permissions, tools: [slow.tool, act('act', { needs: 'approval' })] },
    replies: [calls(call('a', 'act'), call('b', 'slow')), 'Done.'],
  })
  const run = agent.start('Go', { runId })
  await slow.begins('1.b')
  answer = 'denied'
  expect(await run.approve('1.a')).toMatchObject({ answer: 'applied' })
  await quiet()
  slow.finish('1.b')
  expect((await run.settled()).status).toBe('done')
  expect(done).toEqual([])
  expect(prompts[1]?.join('\n')).toContain(noPermission)
})

test('PERM-01 asks the policy about a tool that a toolset has gained since its last round', async () => {
  const { act, done } = toolbox()
  const tools = heldToolset('tools', [act('safe')])
  const { agent, prompts } = agentWith([tools.toolset], {
    permissions: { policy: (at) => at.tools.filter((name) => name !== 'safe') },
    replies: [calls(call('a', 'safe')), calls(call('b', 'safe')), calls(call('c', 'dangerous')), 'Done.'],
    plugins: [{ name: 'renew', stepEnd: ({ turn }) => void (turn === 1 && tools.give(act('safe'), act('dangerous'))) }],
  })
  expect((await agent.run('Go', { runId })).status).toBe('done')
  expect(done).toEqual(['safe {}', 'safe {}'])
  expect(prompts[3]?.join('\n')).toContain(noPermission)
})
