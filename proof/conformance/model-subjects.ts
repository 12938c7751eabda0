import type { Model } from '../../src/ports/model.ts'
import { type ScriptedReply, scripted } from '../../src/providers/scripted.ts'
import type { ModelScenario, ModelUnderTest } from '../../src/testing/models/model-suite.ts'
import { faultServer, type Reply } from '../wires/fault-server.ts'
import { anthropicWire, chatWire } from '../wires/wires.ts'
import { anthropicReplies, chatReplies } from './wire-replies.ts'

/** A model of every implementation that plays a scenario, by its name; those with a wire ask a server on loopback. */
export const modelSubjects: Readonly<Record<string, (scenario: ModelScenario) => Promise<ModelUnderTest>>> = {
  scripted: async (scenario) => ({ model: scripted([replies[scenario]]), dispose: async () => undefined }),
  anthropic: (scenario) => served(anthropicReplies[scenario], anthropicWire.make),
  'openai-chat': (scenario) => served(chatReplies[scenario], chatWire.make),
}

const replies: Readonly<Record<ModelScenario, ScriptedReply>> = {
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

async function served(reply: Reply, make: (url: string) => Model): Promise<ModelUnderTest> {
  const server = await faultServer(reply)
  return { model: make(server.url), dispose: async () => await server[Symbol.asyncDispose]() }
}
