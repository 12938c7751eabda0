import { expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, type Tool, tool } from '../../src/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { scripted, type ScriptedToolCall } from '../../src/adapters/providers/scripted.ts'

const ran: string[] = []
const write: Tool = tool({
  name: 'write',
  description: '',
  input: z.object({ path: z.string().optional() }),
  ruleFields: { path: (path) => path.replace(/^\.\//, '') },
  execute: ({ path }) => {
    ran.push(path ?? '')
    return `wrote ${path ?? ''}`
  },
})
const callTool = (name: string, given: object): ScriptedToolCall => ({ name, arguments: { ...given } })
const careful: Tool = { ...write, name: 'careful', needs: 'approval' }

function agentWith(rules: object, ...calls: readonly ScriptedToolCall[]) {
  ran.length = 0
  const shown: string[][] = []
  const model = scripted([
    ({ tools }) => {
      shown.push(tools.map(({ name }) => name))
      return { toolCalls: calls }
    },
    'Done.',
  ])
  const agent = createAgent({ name: 'a', model, tools: [write, careful], permissions: { rules }, store: memoryStore() })
  return { agent, shown }
}

test('PERM-05 a denying rule answers the call, and the tool does not run', async () => {
  const { agent } = agentWith(
    { deny: ['write(path ~ "secrets/**")'] },
    callTool('write', { path: './secrets/x' }),
    callTool('write', { path: 'src/a' }),
  )
  const { messages, outcome } = await agent.run('Go')
  expect(outcome.reason).toBe('natural_end')
  expect(ran).toEqual(['src/a'])
  expect(JSON.stringify(messages)).toContain(
    '[Not executed: the permission rule write(path ~ \\"secrets/**\\") denies this call.]',
  )
})

test('PERM-05 an asking rule suspends the call as needs does, and names itself; the approval runs it', async () => {
  const { agent } = agentWith({ ask: ['write'] }, callTool('write', { path: 'a' }))
  const run = agent.start('Go')
  const waiting = await run.settled()
  expect(waiting.suspended).toMatchObject([{ toolName: 'write', suspension: { reason: 'approval', rule: 'write' } }])
  expect(waiting.suspended[0]?.suspension?.definition).toBeTypeOf('string')
  expect(ran).toEqual([])
  await run.approve()
  expect((await run.settled()).outcome.reason).toBe('natural_end')
  expect(ran).toEqual(['a'])
})

test('PERM-05 an allowing rule replaces the approval that a tool needs; other calls are asked about', async () => {
  const { agent } = agentWith(
    { allow: ['careful(path ~ "src/**")'] },
    callTool('careful', { path: 'src/a' }),
    callTool('careful', { path: 'b' }),
    callTool('careful', {}),
  )
  const { suspended } = await agent.run('Go')
  expect(ran).toEqual(['src/a'])
  expect(suspended.map((call) => call.arguments)).toEqual([{ path: 'b' }, {}])
})

test('PERM-05 refuses an edit that a rule denies when it would run', async () => {
  const { agent } = agentWith({ ask: ['write'], deny: ['write(path = "b")'] }, callTool('write', { path: 'a' }))
  const run = agent.start('Go')
  await run.settled()
  await run.edit(undefined, { path: 'b' })
  expect((await run.settled()).outcome.reason).toBe('natural_end')
  expect(ran).toEqual([])
})

test('PERM-05 hides a tool that is denied for all arguments, and denies a call of it', async () => {
  const { agent, shown } = agentWith({ deny: ['wri*'], allow: ['write'] }, callTool('write', { path: 'a' }))
  const { messages } = await agent.run('Go')
  expect(shown).toEqual([['careful']])
  expect(ran).toEqual([])
  expect(JSON.stringify(messages)).toContain('the permission rule wri* denies this call')
})

test("PERM-05 uses the current code's rules: they judge a call planned before a restart before it runs", async () => {
  const store = memoryStore()
  const model = () =>
    scripted([{ toolCalls: [callTool('write', { path: 'a' }), callTool('write', { path: 'b' })] }, 'Done.'])
  const first: Tool = {
    ...write,
    execute: () => {
      throw new Error('no')
    },
  }
  const base = { name: 'a', store, executor: 'sequential' } as const
  const run = createAgent({ ...base, model: model(), tools: [{ ...first, needs: 'approval' }] }).start('Go')
  await run.settled()
  ran.length = 0
  const later = createAgent({
    ...base,
    model: scripted(['Done.']),
    tools: [write],
    permissions: { rules: { deny: ['write'] } },
  })
  const again = await later.load(run.id)
  const { suspended } = await again.result()
  for (const { callId } of suspended) await again.approve(callId)
  await again.settled()
  expect(ran).toEqual([])
})

test.each<[string, { ask?: string[]; deny?: string[] } | undefined, object, number]>([
  ['no rule came', undefined, { status: 'done' }, 1],
  [
    'a rule came that asks',
    { ask: ['write'] },
    { status: 'waiting', suspended: [{ suspension: { rule: 'write' } }] },
    0,
  ],
  ['a rule came that denies', { deny: ['write'] }, { status: 'done' }, 0],
])(
  'PERM-05 judges again a call that was planned and not begun when its process ended: %s',
  async (_, rules, end, runs) => {
    ran.length = 0
    const store = memoryStore()
    const begun = Promise.withResolvers<void>()
    const first = tool({
      name: 'first',
      description: '',
      input: z.object({}),
      effects: 'none',
      execute: () => 'First.',
    })
    const held: Tool = { ...first, execute: () => (begun.resolve(), new Promise(() => {})) }
    const model = scripted([{ toolCalls: [callTool('first', {}), callTool('write', { path: 'a' })] }, 'Done.'])
    const base = { name: 'a', store, model, executor: 'sequential' } as const
    const before = createAgent({ ...base, tools: [held, write] })
    const run = before.start('Go')
    await begun.promise
    await before.close()

    const after = createAgent({
      ...base,
      tools: [first, write],
      ...(rules === undefined ? {} : { permissions: { rules } }),
    })
    const again = await after.load(run.id)
    expect(await again.settled()).toMatchObject(end)
    expect(ran).toHaveLength(runs)
  },
)

test.each([
  [{ deny: ['write('] }, 'permissions.rules.deny[0]'],
  [{ allow: [5] }, 'permissions.rules.allow[0]'],
  [{ ask: 'write' }, 'permissions.rules.ask'],
  [{ forbid: ['write'] }, 'permissions.rules.forbid'],
  [{ deny: ['write(a ~ "[")'] }, 'a \\"[\\" has no \\"]\\"'],
])('PERM-05 refuses the rules %j when the agent is built: %s', (rules, said) => {
  const build = () => createAgent({ name: 'a', model: scripted([]), permissions: { rules: rules as never } })
  expect(build).toThrow(expect.objectContaining({ code: 'bad_option' }))
  expect(build).toThrow(said.replaceAll('\\"', '"'))
})
