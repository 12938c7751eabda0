import { expect, test } from 'vitest'
import { fakeClock } from '../../../../proof/support/fake-clock.ts'
import { countedIds } from '../../../../proof/support/test-agent.ts'
import { memoryStore } from '../../../../src/core/stores/memory/memory-store.ts'
import type { Json, Run, Tool } from '../../../../src/index.ts'
import { type AnswerPreview, type CallPreview, previewAnswers } from '../../../../src/testing/index.ts'
import { agentOf, oldVersion, type Version } from '../../../../proof/forecast/old-version.ts'
import { storeWaits, waits } from '../../../../proof/forecast/waits.ts'

async function stored(runId: string) {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  await storeWaits(store, clock, [runId])
  return { store, clock, ids: countedIds('f') }
}

const values: { readonly [name: string]: Json } = { valued: { paid: 1 }, pay: { paid: 1 }, passed: { n: 3 } }

async function give(run: Run, { callId, toolName }: CallPreview, action: AnswerPreview['action']): Promise<string> {
  const value = values[toolName] ?? null
  if (action === 'approve') return (await run.approve(callId)).answer
  if (action === 'deny') return (await run.deny(callId)).answer
  if (action === 'edit') return (await run.edit(callId, { n: 2 })).answer
  return (await (action === 'respond' ? run.respond(callId, value) : run.pass(callId, value))).answer
}

/** Gives one answer, and returns what followed, up to the next model answer. */
async function followed(runId: string, call: CallPreview, action: AnswerPreview['action']): Promise<string> {
  const outside = await stored(runId)
  let ran = false
  const watched = (tools: readonly Tool[] = []) =>
    tools.map((tool) => ({
      ...tool,
      execute: (...given: Parameters<Tool['execute']>) => {
        ran ||= tool.name === call.toolName
        return tool.execute(...given)
      },
    }))
  const asked: string[] = []
  const { tools, helper } = oldVersion
  const version = {
    ...oldVersion,
    tools: watched(tools),
    helper: { ...helper, tools: watched(helper?.tools as Tool[]) },
  }
  const agent = agentOf(version, outside, (_, { id }) => void asked.push(id))
  const run = await agent.load(runId)
  const answer = await give(run, call, action)
  const isBelow = call.callId.includes('/')
  await run.settled()
  const { status } = await run.result()
  const first = asked[0]?.endsWith('-helper') === isBelow ? 'model' : undefined
  return `${answer} ${ran ? 'runs' : 'does not run'} ${first ?? (status === 'waiting' ? 'waits' : 'ends')}`
}

const open = Object.entries(waits).filter(([, { diesIn, isFound }]) => diesIn === undefined || isFound === true)

test.each(open)('TOOL-08 VER-01 each answer to "%s" has the consequence that its preview names', async (runId) => {
  const { store, ...outside } = await stored(runId)
  const called = new Set<string>()
  const watched = new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name)
      return typeof method === 'function' ? (called.add(String(name)), method) : method
    },
  })
  const never = (): never => expect.unreachable()
  const tools = oldVersion.tools.map((tool) => ({ ...tool, execute: never }))
  const agent = agentOf({ ...oldVersion, tools }, { store, ...outside }, never)
  const previews = await previewAnswers(agent, watched, runId, { edits: { '1.c1': { n: 2 } } })
  expect([...called].filter((name) => !['record', 'read', 'inbox', 'input'].includes(name))).toEqual([])
  for (const call of previews) {
    for (const { action, text, next } of call.answers) {
      const runs = /" runs with/.test(text) ? 'runs' : 'does not run'
      expect(`${action}: applied ${runs} ${next}`).toBe(`${action}: ${await followed(runId, call, action)}`)
    }
  }
})

const changed = (change: (tool: Tool) => Partial<Tool>): Version => ({
  ...oldVersion,
  tools: oldVersion.tools.map((tool) => (tool.name === 'needing' ? { ...tool, ...change(tool) } : tool)),
})

test.each<[string, Version, Json | undefined, readonly string[]]>([
  [
    'an edit that does not fit',
    oldVersion,
    { n: 'two' },
    ['approve model "needing" runs with the arguments', 'edit waits The edit is refused. The input does not fit:'],
  ],
  [
    'a tool that has changed',
    changed(() => ({ description: 'Another' })),
    undefined,
    ['approve waits An approved call of "needing" would be asked about again', 'edit waits An approved call'],
  ],
  [
    'a rule that refuses',
    { ...oldVersion, permissions: { rules: { deny: ['needing'] } } },
    undefined,
    [
      'approve model An approved call of "needing" would be refused, because of the rule',
      'edit model An approved call',
    ],
  ],
  [
    'code that decides',
    { ...oldVersion, plugins: [{ name: 'guard', gateCall: () => expect.unreachable() }] },
    undefined,
    [
      'approve unknown "needing" runs with the arguments that are shown. The model is asked next. Code decides: plugin "guard"',
      'edit unknown "needing" runs with other arguments',
      'deny model "needing" does not run, and the model is told that it was denied. The model is asked next.',
    ],
  ],
  [
    'no tool of that name',
    { ...oldVersion, tools: [] },
    undefined,
    ['approve model An approved call of "needing" would fail, because the tool is gone.'],
  ],
  [
    'another version',
    { ...oldVersion, version: '2' },
    undefined,
    ['approve model "needing" runs with the arguments that are shown. The model is asked next.'],
  ],
])('VER-01 predicts the effect of an answer with %s', async (_, version, edit, expected) => {
  const { store, ...outside } = await stored('needs-approval')
  const agent = agentOf(version, { store, ...outside })
  const edits = edit === undefined ? {} : { edits: { '1.c1': edit } }
  const [call] = await previewAnswers(agent, store, 'needs-approval', edits)
  const said = call?.answers.map(({ action, next, text }) => `${action} ${next} ${text}`) ?? []
  for (const words of expected) expect(said).toContainEqual(expect.stringContaining(words))
})

test('VER-01 refuses to preview answers to a run of another agent, a value that is not an agent, and an unknown run', async () => {
  const { store, ...outside } = await stored('needs-approval')
  const other = agentOf({ ...oldVersion, name: 'other' }, { store, ...outside })
  await expect(previewAnswers(other, store, 'needs-approval')).rejects.toMatchObject({ code: 'other_agent' })
  await expect(previewAnswers({ name: 'test' }, store, 'needs-approval')).rejects.toMatchObject({ code: 'bad_option' })
  const agent = agentOf(oldVersion, { store, ...outside })
  await expect(previewAnswers(agent, store, 'gone')).rejects.toMatchObject({ code: 'run_unknown' })
})
