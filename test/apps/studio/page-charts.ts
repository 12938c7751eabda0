import { expect, test } from 'vitest'
import { createAgent, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { askStudio, studioFor } from '../../servers/studio/open.ts'
import { files, lit, open, waitingRun } from './open-page.ts'

/** The page draws charts. */
export function charts(): void {
  test('OBS-03 OBS-04 the charts show which transitions stored runs walk, and which of these no test takes', async () => {
    const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'Seen.' })
    const store = memoryStore()
    const tested = { name: 'looker', tools: [look], turns: [] }
    const model = scripted([{ toolCalls: [{ name: 'look', arguments: {} }] }, 'Seen.'])
    await createAgent({ name: 'looker', tools: [look], model, store }).run('Look.')
    const studio = await studioFor({ store, tested }, files)
    const page = await open(studio, 'charts/tool-call')
    await page.getByRole('button', { name: 'Coverage' }).click()
    await page.locator('.arrow.untested').first().waitFor()
    expect(await page.locator('.legend').textContent()).toMatch(
      /^1 run took \d+ of \d+ transitions\. Dashed: never taken\. Amber/,
    )
    const cover = await (await askStudio(`${studio.url}api/coverage/tool-call`)).json()
    const lines = Object.values(cover.lines as Record<string, Record<string, number>>)
    expect(lines.filter(({ walked }) => walked === 0)).toHaveLength(await page.locator('.arrow.never').count())
    expect(cover).toMatchObject({ runs: 1, left: 0, counts: { untested: cover.counts.walked } })
    await page.getByRole('link', { name: 'model-call' }).click()
    await page.locator('.arrow.tested').first().waitFor()
    expect((await askStudio(`${studio.url}api/coverage/odd`)).status).toBe(404)
    const { url } = await studioFor({ store })
    expect((await askStudio(`${url}api/coverage/run`)).status).toBe(404)
  })

  test("OBS-03 a run's chart is readable at 1,280 px, with the transitions that the run took", async () => {
    const { studio, runId } = await waitingRun()
    const page = await open(studio, `run/${runId}`)
    await lit(page, 'waiting')
    const taken = () =>
      page.locator('.arrow.passed').evaluateAll((all) => all.map((one) => one.getAttribute('data-line')))
    await page.locator('.arrow.last').first().waitFor()
    const way = [
      'running.opening → running.resumeGate',
      'running.resumeGate → running.turn',
      'running.turn → running.toolRound',
      'running.toolRound → running.turn',
      'running.turn → running.resumeGate',
      'running.resumeGate → running.closing',
      'running.closing → waiting',
    ]
    await expect.poll(taken).toHaveLength(way.length)
    expect(new Set(await taken())).toEqual(new Set(way))
    const box = page.locator('.chart .scroll')
    expect(await box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
    const sizes = await page
      .locator('.drawing .name, .drawing .event')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
    expect(Math.min(...sizes)).toBeGreaterThan(10)
    await page.getByRole('button', { name: 'Approve' }).click()
    await lit(page, 'done')
    await page.locator('.arrow.last[data-line="running.closing → done"]').waitFor()
    await page.getByRole('button', { name: 'Fit' }).click()
    await expect.poll(() => box.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0)
  })
}
