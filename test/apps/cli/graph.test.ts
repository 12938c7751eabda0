import { beforeEach, expect, test } from 'vitest'
import { createMachine } from 'xstate'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call, lastLine, runIdIn } from './command.ts'

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
})

test('CLI-01 graph draws each chart in each format without a store', async () => {
  for (const chart of ['run', 'tool-call', 'model-call']) {
    const mermaid = await call(['graph', chart], { cwd })
    expect([mermaid.code, mermaid.out.split('\n')[0]]).toEqual([0, 'stateDiagram-v2'])
    const svg = await call(['graph', chart, '--format', 'svg', '--overview'], { cwd })
    expect([svg.code, svg.out.startsWith('<svg '), svg.out.endsWith('</svg>\n')]).toEqual([0, true, true])
    const json = await call(['graph', chart, '--format', 'json'], { cwd })
    expect(() => createMachine(JSON.parse(json.out))).not.toThrow()
  }
})

test("CLI-01 graph without a chart draws a run's chart, folded with --overview", async () => {
  const { out } = await call(['graph'], { cwd })
  expect(out).toContain('callingModel')
  const { out: overview } = await call(['graph', '--overview'], { cwd })
  expect([out.includes('judging'), overview.includes('judging')]).toEqual([true, false])
  expect(overview.length).toBeLessThan(out.length / 2)
})

test('CLI-01 graph --run marks the states that a stored run and its calls went through', async () => {
  const run = runIdIn(await call(['run', 'Look around', '--model', 'scripted'], { cwd }))
  const json = lastLine(await call(['graph', '--run', run, '--format', 'json', '--json'], { cwd }))
  const config = JSON.parse(String(json['drawing']))
  const count = (json['checkpoints'] as readonly unknown[]).length
  expect(count).toBeGreaterThan(3)
  expect(config.states.waiting.meta).toEqual({ passed: [count], isActive: true })
  expect(config.states.running.meta).toMatchObject({ isActive: false })
  const calls = await call(['graph', 'tool-call', '--run', run], { cwd })
  expect(calls.out).toMatch(/class suspended active/)
  expect(calls.out).toMatch(/state "succeeded \([\d, +]+\)"/)
  const svg = await call(['graph', '--run', 'last', '--format', 'svg'], { cwd })
  expect(svg.out).toMatch(/<g class="atomic active"><title>waiting/)
})

test.each([
  [['graph', 'rum'], 'unknown_chart', 'Known: run, tool-call, model-call.'],
  [['graph', '--format', 'png'], 'bad_format', 'Known: mermaid, svg, json.'],
  [['graph', '--format', 'json', '--overview'], 'bad_option', 'leave --overview out'],
  [['runs', '--overview'], 'bad_option', '--overview does not belong'],
])('CLI-01 graph refuses %j and lists the known names', async (argv, code, text) => {
  const called = await call([...argv, '--json'], { cwd })
  expect(called.code).toBe(2)
  expect(called.err).toContain(text)
  expect(lastLine(called)).toMatchObject({ error: { code } })
})

test('CLI-01 graph --run reports an unknown run, and a chart without checkpoints', async () => {
  const run = runIdIn(await call(['run', 'Look around', '--model', 'scripted'], { cwd }))
  const model = await call(['graph', 'model-call', '--run', run], { cwd })
  expect([model.code, model.err]).toEqual([2, expect.stringContaining('run, tool-call')])
  const other = await call(['graph', '--run', 'nowhere'], { cwd })
  expect(other.code).toBe(4)
})
