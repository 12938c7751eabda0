import { expect, test } from 'vitest'
import { lit, open, waitingRun } from './open-page.ts'

/** The page draws charts. */
export function charts(): void {
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
