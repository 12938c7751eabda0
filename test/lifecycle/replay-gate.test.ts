import { expect, test } from 'vitest'
import type { ResumeMode } from '../../src/domain/call.ts'
import type { Decision, Json } from '../../src/index.ts'
import type { GateAnswer } from '../../src/ports/plugin.ts'
import { resultsOf, statusesOf } from '../support/read-run.ts'
import { call, calls } from '../support/say.ts'
import { toolbox } from '../support/tools.ts'
import { runId, world } from '../support/world.ts'

interface Replay {
  readonly what: string
  readonly mode: ResumeMode
  readonly answer: Pick<Decision, 'input' | 'result'>
  readonly path: string
  readonly executed: readonly string[]
}

const safe = { path: '/safe' }
const etc = { path: '/etc' }
const home = { path: '/home' }

test.for<Replay>([
  { what: 'a plain replay', mode: 'replay', answer: {}, path: '/safe', executed: ['write {"path":"/safe"}'] },
  { what: 'an edit', mode: 'replay', answer: { input: home }, path: '/home', executed: ['write {"path":"/home"}'] },
  { what: 'an edit it blocks', mode: 'replay', answer: { input: etc }, path: '/etc', executed: [] },
  {
    what: 'a result passed to the tool',
    mode: 'pass-to-tool',
    answer: { result: home },
    path: '/home',
    executed: ['write {"path":"/home"}'],
  },
  {
    what: 'a result passed to the tool that it blocks',
    mode: 'pass-to-tool',
    answer: { result: etc },
    path: '/etc',
    executed: [],
  },
])('TC-02 DEC-03 shows the gate the arguments of $what', async ({ mode, answer, path, executed }) => {
  const { done, act } = toolbox()
  const seen: Json[] = []
  const { agent, store } = world({
    replies: [calls(call('c1', 'write', safe)), 'Bye'],
    tools: [act('write', { needs: 'approval', resume: mode })],
    plugins: [
      {
        name: 'guard',
        beforeToolExecute: (context): GateAnswer => {
          seen.push(context.arguments)
          return JSON.stringify(context.arguments).includes('/etc') ? { block: 'Not there.' } : undefined
        },
      },
    ],
  })
  await agent.run('Hi', { runId })
  const run = await agent.load(runId)
  await run.decide([{ target: '1.c1', action: 'resume', ...answer }])

  expect((await run.settled()).text).toBe('Bye')
  expect(seen).toEqual([safe, { path }])
  expect(done).toEqual(executed)
  const isBlocked = executed.length === 0
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': isBlocked ? 'Not there.' : 'write done' })
  expect(await statusesOf(store, runId)).toEqual({ '1.c1': isBlocked ? 'failed' : 'succeeded' })
})
