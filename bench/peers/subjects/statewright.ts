import { createAgent, tool, userMessage } from 'statewright'
import type { Model, Store } from 'statewright'
import type { ModelEvent } from 'statewright/ports'
import { memoryStore } from 'statewright/stores/memory'
import { sqliteStore } from 'statewright/stores/sqlite'
import { z } from 'zod'
import { startWatch } from '../../stopwatch.ts'
import { assistantText, resultText } from '../../texts.ts'
import { callsAfter, echoText, listener, type Plan, planIn, promptOf } from '../script.ts'
import type { Subject } from '../subject.ts'

const input = z.object({ text: z.string() })
const delta = 'word '

export const subject: Subject = {
  run: (plan) => play(memoryStore(), plan),
  async deltas(count) {
    let read = 0
    const plan = { turns: 0, calls: 0, deltas: count }
    for await (const event of agentOn(memoryStore()).start(promptOf(plan).join(''))) {
      if (event.type === 'message.updated') read++
    }
    if (read !== count) throw new Error(`${read} of ${count} deltas were read.`)
  },
  openDurable: (path) => {
    const store = sqliteStore(path, { synchronous: 'normal' })
    return Promise.resolve({ run: (plan) => play(store, plan), close: () => store.close() })
  },
  async resume(messages, path) {
    const plan: Plan = { turns: 1, calls: 1, tool: 'sign', users: messages - 1 }
    let read = startWatch('processor')
    listener.firstAsked = () => (read = startWatch('processor'))
    const first = sqliteStore(path, { synchronous: 'normal' })
    const runId = await suspendOn(first, plan)
    const second = sqliteStore(path, { synchronous: 'normal' })
    await goOnFrom(second, runId)
    const time = read()
    listener.firstAsked = () => {}
    for (const store of [first, second]) await store.close()
    return time
  },
  async suspend(messages, path) {
    const store = sqliteStore(path, { synchronous: 'normal' })
    await suspendOn(store, { turns: 1, calls: 1, tool: 'sign', users: messages - 1 })
    await store.close()
  },
  async goOn(path) {
    const store = sqliteStore(path, { synchronous: 'normal' })
    const [waiting] = await store.list()
    await goOnFrom(store, waiting?.id ?? '')
    await store.close()
  },
}

async function suspendOn(store: Store, plan: Plan): Promise<string> {
  const { runId, status } = await agentOn(store).run(promptOf(plan).map((text) => userMessage(text, 0)))
  if (status !== 'waiting') throw new Error(`The run is ${status}; expected it to wait.`)
  return runId
}

async function goOnFrom(store: Store, runId: string): Promise<void> {
  const run = await agentOn(store).load(runId)
  await run.approve()
  const { status } = await run.settled()
  if (status !== 'done') throw new Error(`The run is ${status}; expected it done.`)
}

async function play(store: Store, plan: Plan): Promise<void> {
  const { outcome } = await agentOn(store).run(promptOf(plan).join(''))
  if (outcome.reason !== 'natural_end') throw new Error(`The run ended with ${JSON.stringify(outcome)}.`)
}

const echo = tool({ name: 'echo', description: 'Answers with a text.', input, effects: 'none', execute: echoText })
const sign = tool({
  name: 'sign',
  description: 'Signs.',
  input,
  needs: 'approval',
  effects: 'none',
  execute: () => resultText,
})

function agentOn(store: Store) {
  return createAgent({
    name: 'peer',
    model,
    tools: [echo, sign],
    store,
    limits: { maxTurns: Infinity, maxTokens: Infinity, maxDurationMs: Infinity, maxCallsPerTurn: 256 },
  })
}

const model: Model = {
  provider: 'bench',
  id: 'scripted',
  async *stream({ messages }): AsyncIterable<ModelEvent> {
    const [first] = messages
    const block = first?.content[0]
    const plan = planIn(block?.type === 'text' ? block.text : '')
    const calls = callsAfter(plan, messages.length, (count) => count + 1)
    const { deltas = 0 } = plan
    for (let index = 0; index < deltas; index++) yield { type: 'text', delta }
    const text = deltas === 0 ? assistantText : delta.repeat(deltas)
    yield {
      type: 'finished',
      message: {
        role: 'assistant',
        content: [{ type: 'text', text }, ...calls.map((call) => ({ ...call, type: 'toolCall' as const }))],
        stopReason: calls.length === 0 ? 'stop' : 'toolUse',
        model: 'scripted',
        provider: 'bench',
        usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
        timestamp: 0,
      },
    }
  },
}
