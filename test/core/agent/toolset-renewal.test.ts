import { expect, test } from 'vitest'
import { agentWith, echo, noticesOf } from '../../../proof/support/agent-with-toolsets.ts'
import { heldToolset } from '../../../proof/support/held-toolset.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { eventsOf, heldReply, runId } from '../../../proof/support/test-agent.ts'
import { heldTool } from '../../../proof/support/tools.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

test('TOOL-06 leaves an unreachable optional toolset out, reports it once a run, and includes it in the next run', async () => {
  const pets = heldToolset('pets', [echo('find_pet')], { optional: true })
  pets.fail('down')
  const { agent, seen } = agentWith([echo('own'), pets.toolset], {
    replies: [calls(call('c1', 'own')), 'Bye'],
  })
  const notice = ['toolset.failed', 'pets', 'Toolset "pets" cannot be used: down.']
  expect(noticesOf(await eventsOf(agent.start('Hi', { runId })))).toEqual([notice])
  expect(noticesOf(await eventsOf(agent.start('Hi', { runId: 'run-2' })))).toEqual([notice])
  pets.fail(undefined)
  expect(noticesOf(await eventsOf(agent.start('Hi', { runId: 'run-3' })))).toEqual([])
  expect(seen.map((names) => names.join(' '))).toEqual(['own', 'own', 'own', 'own', 'own find_pet', 'own find_pet'])
})

test('TOOL-06 renews a toolset between turns; a round keeps the tools that it began with', async () => {
  const slow = heldTool('slow', { concurrency: 'exclusive' })
  const pets = heldToolset('pets', [slow.tool, echo('gone')])
  const { agent, seen, prompts } = agentWith([pets.toolset], {
    executor: 'sequential',
    replies: [calls(call('c1', 'slow'), call('c2', 'gone')), calls(call('c3', 'gone'), call('c4', 'come')), 'Bye'],
  })
  const driving = agent.run('Hi', { runId })
  await slow.begins('1.c1')
  pets.give(slow.tool, echo('come'))
  slow.finish('1.c1')
  expect((await driving).outcome).toEqual({ reason: 'natural_end' })
  expect(seen).toEqual([
    ['slow', 'gone'],
    ['slow', 'come'],
    ['slow', 'come'],
  ])
  expect(
    prompts
      .at(-1)
      ?.filter((line) => /gone|come/.test(line))
      .join('\n'),
  ).toContain('gone done')
  expect(prompts.at(-1)?.join('\n')).toContain('Tool "gone" does not exist. Available tools: slow, come.')
  expect(prompts.at(-1)?.join('\n')).toContain('come done')
})

test('TOOL-06 a renewal for one run does not change the round of another', async () => {
  const slow = heldTool('slow', { concurrency: 'exclusive' })
  const pets = heldToolset('pets', [slow.tool, echo('gone')])
  const { agent, prompts } = agentWith([pets.toolset], {
    executor: 'sequential',
    model: scripted(({ messages }) =>
      messages.length === 1 && JSON.stringify(messages).includes('first')
        ? calls(call('c1', 'slow'), call('c2', 'gone'))
        : 'Bye',
    ),
  })
  const first = agent.run('first', { runId })
  await slow.begins('1.c1')
  pets.give(slow.tool)
  await agent.run('second', { runId: 'run-2' })
  expect(pets.asked).toEqual(['tools', 'tools'])
  slow.finish('1.c1')
  await first
  expect(prompts.at(-1)?.join('\n')).toContain('gone done')
})

test('TOOL-06 SVC-02 leaves new tools out if their names are taken or refused, and reports it once', async () => {
  const pets = heldToolset('pets', [echo('a')])
  const shops = heldToolset('shops', [echo('b')])
  const first = heldReply()
  const { agent, seen } = agentWith([echo('own'), pets.toolset, shops.toolset], {
    model: scripted([first.reply, calls(call('c2', 'own')), calls(call('c3', 'own')), 'Bye']),
  })
  const events = eventsOf(agent.start('Hi', { runId }))
  await first.asked
  pets.give(echo('b'), echo('own'), echo('a b'), echo('c'), echo('c'), echo('a'))
  first.give(calls(call('c1', 'own')))
  expect(noticesOf(await events)).toEqual([
    ['tool.leftOut', 'pets', 'b'],
    ['tool.leftOut', 'pets', 'own'],
    ['tool.leftOut', 'pets', 'a b'],
    ['tool.leftOut', 'pets', 'c'],
  ])
  expect(seen.slice(0, 2)).toEqual([
    ['own', 'a', 'b'],
    ['own', 'c', 'a', 'b'],
  ])
  shops.give()
  await agent.run('Hi', { runId: 'run-2' })
  expect(seen.at(-1)).toEqual(['own', 'b', 'c', 'a'])
})

test('TOOL-06 keeps its current tools if a toolset cannot be read again', async () => {
  const pets = heldToolset('pets', [echo('a')])
  const first = heldReply()
  const { agent, seen } = agentWith([pets.toolset], {
    model: scripted([first.reply, calls(call('c2', 'a')), 'Bye']),
  })
  const events = eventsOf(agent.start('Hi', { runId }))
  await first.asked
  pets.fail('half-way down')
  pets.give(echo('b'))
  first.give(calls(call('c1', 'a')))
  expect(noticesOf(await events)).toEqual([
    [
      'toolset.failed',
      'pets',
      'Toolset "pets" cannot be used: half-way down. Fix that, or mark the toolset as optional.',
    ],
  ])
  expect(seen).toEqual([['a'], ['a'], ['a']])
  expect(pets.asked).toEqual(['tools', 'tools'])
})

test("TOOL-06 shows a person the tool's current definition if its toolset changed while the call waited", async () => {
  const gated = (description: string) => ({ ...echo('pay', { needs: 'approval' as const }), description })
  const bank = heldToolset('bank', [gated('Pays up to 10.')])
  const { agent } = agentWith([bank.toolset], { replies: [calls(call('c1', 'pay')), 'Bye'] })
  const run = agent.start('Hi', { runId })
  const [before] = (await run.settled()).suspended
  bank.give(gated('Pays any amount.'))
  await run.approve()
  const [after, ...others] = (await run.settled()).suspended
  expect(others).toEqual([])
  expect(after?.suspension).toEqual({
    ...before?.suspension,
    id: after?.suspension?.id,
    definition: expect.not.stringContaining(before?.suspension?.definition ?? ''),
    message: expect.stringContaining('The definition of tool "pay"'),
  })
  await run.approve()
  expect(await run.settled()).toMatchObject({ status: 'done', text: 'Bye' })
})
