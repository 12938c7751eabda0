import { contract, type Agent, type AgentOptions, createAgent, type Run, tool, userMessage } from '../src/index.ts'
import { answerTo } from '../src/core/services/index.ts'
import type { RunStatus } from '../src/ports.ts'
import type { Store } from '../src/core/ports/store.ts'
import { inProcessBroker } from '../src/core/services/index.ts'
import { callOf, modelThat } from './counting-agent.ts'
import { startWatch } from './stopwatch.ts'
import { resultText, userText } from './texts.ts'

/** Who answers the one call of a run: a person, or a service of the same process. */
export type Answerer = 'person' | 'service'

const given = { type: 'object', properties: { text: { type: 'string' } } }
const signed = 'evt.bench.sign.done'
const signing = contract({ type: 'sign', version: '1.0.0', accepts: given, emits: { [signed]: { type: 'string' } } })
const sign = tool({
  name: 'sign',
  description: 'Signs.',
  input: given,
  needs: 'approval',
  effects: 'none',
  execute: () => resultText,
})

/** Microseconds of processor time a run, from the prompt to the end of a run with one call that somebody answers. */
export async function answeredRuns(store: Store, by: Answerer, messages: number, runs: number): Promise<number> {
  const agent = by === 'person' ? signingAgent(store, messages, { tools: [sign] }) : servedAgent(store, messages)
  let ended = Promise.withResolvers<void>()
  agent.on(({ type }) => type === 'run.ended' && ended.resolve())
  const prompt = Array.from({ length: messages - 1 }, () => userMessage(userText, 0))
  const watch = startWatch('processor')
  for (let played = 0; played < runs; played++, ended = Promise.withResolvers()) {
    const { runId, status } = await agent.run(prompt)
    if (by === 'person') await approve(await agent.load(runId), status)
    await ended.promise
  }
  const time = watch() / runs
  await agent.close()
  return time
}

async function approve(run: Run, status: RunStatus): Promise<void> {
  if (status !== 'waiting') throw new Error(`The run is ${status}; expected it to wait.`)
  await run.approve()
  await run.settled()
}

/** Its service answers each event that asks with one event. */
function servedAgent(store: Store, messages: number): Agent {
  const broker = inProcessBroker()
  broker.subscribe({ types: ['sign'] }, (asked) =>
    broker.publish(answerTo(asked, { source: '/signer', type: signed, data: resultText })),
  )
  return signingAgent(store, messages, { services: [signing], broker })
}

function signingAgent(store: Store, messages: number, others: Partial<AgentOptions>): Agent {
  const model = modelThat((asked) => (asked === messages - 1 ? { calls: [callOf(0, 0, 'sign')] } : {}))
  return createAgent({ name: 'bench', model, store, limits: false, compaction: false, ...others })
}

/** What an agent lists that nobody calls: a service, and who would carry its events. */
export const uncalled = () => ({ services: [signing], broker: inProcessBroker() })
