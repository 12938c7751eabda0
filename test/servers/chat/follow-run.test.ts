import { expect, test } from 'vitest'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { createAgent, type Run, type Store, tool } from '../../../src/index.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { nextLoopTurn } from '../../../src/core/domain/text/platform.ts'
import { followRun } from '../../../src/servers/chat/follow-run.ts'

test('SRV-02 SRV-03 a follower of a waiting run reads nothing when another run begins, waits and ends', async () => {
  const store = memoryStore()
  const read: string[] = []
  const seen: Store = {
    ...store,
    read: (runId, ...rest) => {
      read.push(runId)
      return store.read(runId, ...rest)
    },
  }
  const model = scripted([{ toolCalls: [{ name: 'pay', arguments: {} }] }, 'Paid.'])
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    needs: 'approval',
    execute: () => 'ok',
  })
  const agent = createAgent({ name: 'payer', model, tools: [pay], store: seen })
  await agent.run('Pay.', { runId: 'followed' })
  const run: Run = await agent.load('followed')
  const left = new AbortController()
  const rested = Promise.withResolvers<void>()
  const isOver = () => (rested.resolve(), false)
  const following = (async () => {
    for await (const _ of followRun(run, { agent, drives: true, signal: left.signal, isOver }));
  })()
  await rested.promise
  await nextLoopTurn()
  read.length = 0
  const { suspended } = await agent.run('Pay.', { runId: 'other' })
  await (await agent.load('other')).approve(suspended[0]?.callId ?? '')
  await (await agent.load('other')).settled()
  await nextLoopTurn()
  expect(read.filter((runId) => runId === 'followed')).toEqual([])
  left.abort()
  await following
  await agent.close()
})
