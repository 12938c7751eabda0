import { expect, test } from 'vitest'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { createWorker, type WorkerOptions } from '../../../src/core/workers/worker.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const store = memoryStore()
const { agent } = testAgent({ store })
const other = testAgent({ name: 'other' }).agent

test.each<[string, Partial<Record<keyof WorkerOptions, unknown>>, string]>([
  ['no agents', { agents: [] }, 'Option agents of createWorker is empty. Give it the agents whose runs it drives.'],
  ['no list', { agents: agent }, 'Option agents of createWorker'],
  ['no agent', { agents: [{ name: 'test' }] }, 'createWorker received no agent.'],
  ['two of one name', { agents: [agent, agent] }, 'Two agents of the worker are called "test"'],
  ['two stores', { agents: [agent, other] }, 'Agent "other" has another store than the worker'],
  ['another store', { agents: [agent], store: memoryStore() }, 'Agent "test" has another store than the worker'],
  ['no places', { agents: [agent], concurrency: 0 }, 'Option concurrency of createWorker is 0'],
  ['half a place', { agents: [agent], concurrency: 1.5 }, 'Option concurrency of createWorker is 1.5'],
  ['no queue', { agents: [agent], queueLimit: 0 }, 'Option queueLimit of createWorker is 0'],
  ['no polls', { agents: [agent], pollMs: 0 }, 'Option pollMs of createWorker is 0'],
  ['no failures', { agents: [agent], maxFailures: 0 }, 'Option maxFailures of createWorker is 0'],
  ['an unknown one', { agents: [agent], threads: 2 } as never, 'threads'],
])('SCALE-01 refuses a worker of %s', (_, options, message) => {
  const refusal = expect.objectContaining({ code: 'bad_option', message: expect.stringContaining(message) })
  expect(() => createWorker(options as never)).toThrow(refusal)
})

test('SCALE-01 refuses invalid requests', async () => {
  await using worker = createWorker({ agents: [agent] })
  await expect(worker.start(other, 'Hi')).rejects.toMatchObject({ code: 'bad_option' })
  await expect(worker.start(agent, '')).rejects.toMatchObject({ code: 'bad_prompt' })
  await expect(worker.start(agent, 'Hi', { drive: true } as never)).resolves.toBeDefined()
  expect(() => worker.on('claimed' as never)).toThrow('worker.on')
  expect(() => worker.drain({ drainMs: -1 })).toThrow('drainMs')
  expect(() => worker.drainOn('SIGTERM', { drainMs: Number.NaN })).toThrow('drainMs')
})
