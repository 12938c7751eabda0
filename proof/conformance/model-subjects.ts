import { type ScriptedReply, scripted } from '../../src/adapters/providers/scripted.ts'
import type { ModelScenario, ModelUnderTest } from '../../src/testing/models/model-suite.ts'
import { faultServer, type Reply, stream } from '../wires/fault-server.ts'
import type { Wire } from '../wires/wire.ts'
import { wires } from '../wires/wires.ts'

/** A model of every implementation that plays a scenario, by its name; those with a wire ask a server on loopback. */
export const modelSubjects: Readonly<Record<string, (scenario: ModelScenario) => Promise<ModelUnderTest>>> = {
  scripted: async (scenario) => ({ model: scripted([scripts[scenario]]), dispose: async () => undefined }),
  ...Object.fromEntries(
    wires.map((wire) => [wire.name, (scenario: ModelScenario) => served(repliesOf(wire)[scenario], wire)]),
  ),
}

/** The scripted model's replies in each scenario. */
export const scripts: Readonly<Record<ModelScenario, ScriptedReply>> = {
  text: 'It rains in both.',
  calls: {
    thinking: 'Two cities.',
    text: 'Looking.',
    toolCalls: ['Oslo', 'Rome'].map((city) => ({ name: 'weather', arguments: { city } })),
    usage: { input: 10, output: 20, cacheRead: 3 },
  },
  failure: { text: 'It', error: { kind: 'network', message: 'The connection broke.' } },
  endless: { text: 'It rains in both.', chunks: 9 },
}

function repliesOf({ opening, closing, calls, error, mediaType }: Wire): Readonly<Record<ModelScenario, Reply>> {
  return {
    text: stream([...opening, ...closing], 'end', mediaType),
    calls: stream(calls, 'end', mediaType),
    failure: stream([...opening, error('internal', 'Internal')], 'end', mediaType),
    endless: stream(opening, 'hold', mediaType),
  }
}

async function served(reply: Reply, wire: Wire): Promise<ModelUnderTest> {
  const server = await faultServer(reply)
  return { model: wire.make(server.url), dispose: async () => await server[Symbol.asyncDispose]() }
}
