import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readChart, runMachine } from '../../../machines/index.ts'
import { bundlePage } from '../../../proof/support/bundle-page.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { partOf } from '../../../src/servers/studio/chart-part.ts'
import { drawPlainly } from '../../../src/servers/studio/draw-plainly.ts'
import type { DrawnState, Spot } from '../../../src/servers/studio/drawn-chart.ts'
import type { Studio } from '../../../src/servers/studio/index.ts'
import { clerk } from '../../servers/studio/clerk.ts'
import { studioFor } from '../../servers/studio/open.ts'

const executablePath = '/usr/bin/chromium'
const files = bundlePage()

/** A studio that shows a run which waits. */
async function waitingRun() {
  const store = memoryStore()
  const agent = clerk(store)
  const { runId } = await agent.run('Write to Anna.')
  return { runId, studio: await studioFor({ store, agents: [agent] }, () => files) }
}

// Where there is no Chromium the page cannot be seen.
describe.skipIf(!existsSync(executablePath))('a chart on the page of the studio', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  })
  afterAll(() => browser.close())

  async function open({ url, address }: Studio, place: string): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    onTestFinished(() => page.close())
    await page.goto(address)
    await page.goto(`${url}#/${place}`)
    return page
  }

  const lit = (page: Page, path: string) => page.waitForSelector(`.leaf.active[data-state="${path}"]`)

  test('OBS-03 a chart wider than its box fades where it goes on, and is shown whole on demand', async () => {
    const { studio, runId } = await waitingRun()
    const page = await open(studio, `run/${runId}`)
    await lit(page, 'waiting')
    const box = page.locator('.chart .scroll')
    await page.waitForSelector('.chart .scroll[data-more~="right"]')
    const look = () =>
      box.evaluate((element) => ({
        more: element.dataset['more'],
        fades: ['--left', '--right'].map((side) => getComputedStyle(element).getPropertyValue(side)),
        isCut: element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight,
      }))
    expect(await look()).toEqual({ more: expect.not.stringContaining('left'), fades: ['0px', '3rem'], isCut: true })
    await box.evaluate((element) => element.scrollBy(10_000, 0))
    await page.waitForSelector('.chart .scroll[data-more~="left"]:not([data-more~="right"])')
    await page.getByRole('button', { name: 'Fit' }).click()
    await page.waitForSelector('.chart .scroll[data-more=""]')
    expect(await look()).toEqual({ more: '', fades: ['0px', '0px'], isCut: false })
    await page.getByRole('button', { name: 'Fit' }).click()
    await page.waitForSelector('.chart .scroll[data-more~="right"]')
  })

  test('OBS-03 a chart that is drawn without a layout package shows each transition whole, inside of its state', async () => {
    const { studio, runId } = await waitingRun()
    const whole = readChart(runMachine)
    const part = partOf(whole, '')
    const drawn = part && drawPlainly('run', part, whole)
    expect(drawn?.arrows.filter(({ points: [start] }) => drawn.states.every((box) => !isBeside(box, start)))).toEqual(
      [],
    )
    const page = await open(studio, '')
    await page.route('**/api/charts/run', (route) => route.fulfill({ json: drawn }))
    await page.goto(`${studio.url}#/run/${runId}`)
    await lit(page, 'waiting')
    const outside = await page.locator('.state:has(> .row)').evaluateAll((states) =>
      states.flatMap((state) => {
        const box = state.querySelector('.box')?.getBoundingClientRect()
        const rows = [...state.querySelectorAll('.row')].map((row) => row.getBoundingClientRect())
        return rows
          .filter(({ left }) => box === undefined || left < box.left)
          .map(() => state.getAttribute('data-state'))
      }),
    )
    expect(outside).toEqual([])
    expect(await page.locator('.state > .row').count()).toBeGreaterThan(5)
  })
})

/** Whether a line begins at the right side of a box. */
function isBeside({ x, y, width, height }: DrawnState, [atX, atY]: Spot = [NaN, NaN]): boolean {
  return Math.abs(x + width - atX) < 1 && atY >= y && atY <= y + height
}
