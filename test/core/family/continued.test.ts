import { expect, test } from 'vitest'
import { createAgent, type Store, textOf, tool } from '../../../src/index.ts'
import { scripted, type ScriptedReply } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const calling = (...names: readonly string[]): ScriptedReply => ({
  toolCalls: names.map((name) => ({ id: name, name, arguments: name === 'note' ? {} : { prompt: 'Look.' } })),
})

interface Setting {
  readonly store?: Store
  readonly boss: readonly ScriptedReply[]
  readonly reader: readonly ScriptedReply[]
}

/** A boss that goes on beside its reader, which may ask before it pays. */
function team({ store = memoryStore(), boss, reader }: Setting) {
  const note = tool({ name: 'note', description: 'Notes.', input: { type: 'object' }, execute: () => 'Noted.' })
  const pay = tool({ ...note, name: 'pay', needs: 'approval', input: {}, execute: () => 'Paid.' })
  const reading = createAgent({ name: 'reader', model: scripted(reader), tools: [pay] })
  const reads = reading.asTool({ description: 'Reads.', continue: true })
  return createAgent({ name: 'boss', store, model: scripted(boss), tools: [reads, note] })
}

test("AGT-05 RUN-03 a run continues during a sub-agent with continue, and ends with the sub-agent's answer", async () => {
  const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>()
  const prompts: string[] = []
  const saying =
    (text: string) =>
    ({ messages }: { readonly messages: readonly unknown[] }) => {
      prompts.push(JSON.stringify(messages))
      if (prompts.length === 1) ask()
      return text
    }
  const agent = team({
    boss: [calling('reader', 'note'), saying('I wait for the reader.'), saying('The reader is done.')],
    // The reader answers once its boss has gone on.
    reader: [async () => (await isAsked, 'Two lamps.')],
  })
  const result = await agent.run('Go.')
  expect(result).toMatchObject({ status: 'done', text: 'The reader is done.' })
  expect(prompts[0]).toContain("Tool 'reader' has not answered yet. Execution paused.")
  expect(prompts[1]).toContain('Two lamps.')
  const answers = result.messages.filter((one) => one.role === 'toolResult')
  expect(answers.map((one) => [one.toolName, textOf(one)])).toEqual([
    ['reader', 'Two lamps.'],
    ['note', 'Noted.'],
  ])
})

test('AGT-05 RUN-03 a question of a sub-agent with continue keeps its parent from ending, but not from continuing', async () => {
  const store = memoryStore()
  const setting: Setting = {
    store,
    boss: [calling('reader', 'note'), 'I have noted it.', 'All is paid.'],
    reader: [calling('pay'), 'Paid.'],
  }
  const waiting = await team(setting).run('Go.', { runId: 'r1' })
  expect(waiting).toMatchObject({ status: 'waiting', suspended: [{ toolName: 'pay' }] })
  expect(waiting.messages.some((one) => one.role === 'assistant' && textOf(one) === 'I have noted it.')).toBe(true)
  const run = await team(setting).load('r1')
  await run.approve()
  expect(await run.settled()).toMatchObject({ status: 'done', text: 'All is paid.' })
})

test('AGT-05 waits for the only call of an answer even with continue, and a cancel ends both runs', async () => {
  const store = memoryStore()
  const { promise: isWorking, resolve: begin } = Promise.withResolvers<void>()
  const never = new Promise<string>(() => undefined)
  const agent = team({ store, boss: [calling('reader'), 'Never.'], reader: [() => (begin(), never)] })
  const run = agent.start('Go.', { runId: 'r1' })
  await isWorking
  await run.cancel()
  expect(await run.settled()).toMatchObject({ outcome: { reason: 'cancelled' } })
  await agent.close()
  const runs = await store.list({})
  expect(runs.map((one) => 'status' in one && one.doneReason)).toEqual(['cancelled', 'cancelled'])
})

test('AGT-05 refuses continue for a call in the background', () => {
  const reader = createAgent({ name: 'reader', model: scripted([]) })
  expect(() => reader.asTool({ description: 'Reads.', background: true, continue: true })).toThrow('Leave it out')
})
