import { textOf } from '../../src/core/domain/message.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import {
  type AgentOptions,
  type Json,
  type Model,
  type ModelRequest,
  type Tool,
  contract,
  createAgent,
} from '../../src/index.ts'
import { call, calls } from '../support/say.ts'
import { toolNamed } from '../support/tools.ts'

/** The parts of a version of the agent and of its sub-agent, so that a change may be one of either. */
export interface Version extends Partial<Omit<AgentOptions, 'tools' | 'store' | 'model'>> {
  readonly modelId?: string
  readonly tools: readonly Tool[]
  /** The sub-agent that the tool `help` has; undefined for none. */
  readonly helper?: Pick<AgentOptions, 'tools' | 'instructions' | 'prices'> | undefined
}

const input = { type: 'object', properties: { n: { type: 'number' } } }
const output = { type: 'object', properties: { paid: { type: 'number' } } }

/** Tools by the waiting that a call of each begins. */
const tools: readonly Tool[] = [
  toolNamed('needing', () => 'done', { input, needs: 'approval' }),
  toolNamed('ruled', () => 'done', { input }),
  toolNamed('asking', (_, { decision, suspend }) => (decision ? 'done' : suspend()), { input }),
  toolNamed('valued', (_, { suspend }) => suspend(), { input, output, resume: 'use-as-result' }),
  toolNamed('passed', (_, { decision, suspend }) => (decision ? 'done' : suspend()), { input, resume: 'pass-to-tool' }),
  toolNamed('once', () => 'done', { input }),
  toolNamed('safe', () => 'done', { input, effects: 'idempotent' }),
  toolNamed('alone', () => 'done', { input, effects: 'idempotent', concurrency: 'exclusive' }),
  toolNamed('lone', () => 'done', { input, effects: 'idempotent', concurrency: 'exclusive', needs: 'approval' }),
]

/** A service that answers from outside. */
const service = contract({ type: 'pay', version: '1', accepts: input, emits: { paid: output } })

const price = { input: 2, output: 2, cacheRead: 2, cacheWrite: 2 }

/** The version that has stored all runs. */
export const oldVersion: Version = {
  name: 'test',
  version: '1',
  instructions: 'Be kind.',
  tools,
  services: [service],
  permissions: { rules: { ask: ['ruled'] } },
  limits: { maxCost: 100 },
  prices: { 'scripted/one': price },
  onModelFailure: 'wait',
  retry: { maxRetries: 0 },
  helper: {
    tools: [toolNamed('dig', () => 'done', { input, needs: 'approval' })],
    instructions: 'Help.',
    prices: { 'scripted/one-helper': price },
  },
}

/** The calls that a prompt has the model make, e.g. `needing+ruled`. */
function reply({ messages }: ModelRequest) {
  const said = messages.findLast(({ role }) => role === 'user')
  const names =
    said?.role === 'user'
      ? textOf(said)
          .split('+')
          .filter((name) => name !== 'nothing')
      : []
  if (names.length === 0) return done
  return calls(...names.map((name, place) => call(`c${place + 1}`, name, argumentsFor(name))))
}

function argumentsFor(name: string): Json {
  return name === 'help' ? { prompt: 'dig' } : { n: 1 }
}

/** Makes an agent of a version; `asked` is told each request to a model, and may hold or fail it. */
export function agentOf(
  { modelId = 'one', helper, tools: own, ...options }: Version,
  outside: Pick<AgentOptions, 'store' | 'clock' | 'ids'>,
  asked: (request: ModelRequest, model: Model) => void | Promise<void> = () => undefined,
) {
  const model = (id: string): Model => {
    const now = outside.clock?.now ?? Date.now
    const inner: Model = scripted(
      async (request) => {
        await asked(request, inner)
        return request.messages.some(({ role }) => role === 'assistant') ? done : reply(request)
      },
      { id, now },
    )
    return inner
  }
  const below = helper && createAgent({ name: 'helper', ...helper, model: model(`${modelId}-helper`) })
  const help = below === undefined ? [] : [below.asTool({ name: 'help', description: 'Helps.' })]
  return createAgent({ name: 'test', ...options, ...outside, model: model(modelId), tools: [...own, ...help] })
}

/** The last answer, of which somebody knows the price. */
const done = { text: 'Done.', usage: { input: 1_000, output: 10 } }
