import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { bundlePage } from '../proof/support/bundle-page.ts'
import type { Store } from '../src/index.ts'
import { checkedOptions } from '../src/servers/studio/options.ts'
import { openStudio, type Studio } from '../src/servers/studio/studio.ts'
import { median } from './median.ts'

const executablePath = '/usr/bin/chromium'

let opened: Promise<Browser> | undefined
let bundled: ReturnType<typeof bundlePage> | undefined

/** Milliseconds until the page of the studio shows the list of a store; 0 where there is no Chromium. */
export function firstPaintOf(store: Store): Promise<number> {
  return inStudio(store, async (page, { address }) => {
    await page.goto(address)
    const shown = await page.waitForFunction(() => {
      const isThere = document.querySelector('a.run') !== null
      return isThere && performance.now()
    })
    return Number(await shown.jsonValue())
  })
}

/** Milliseconds of script and layout that one step of scrolling through a run takes; 0 where there is no Chromium. */
export function scrollStepOf(store: Store, runId: string): Promise<number> {
  return inStudio(store, async (page, { address, url }) => {
    await page.goto(address)
    await page.goto(`${url}#/run/${runId}`)
    await page.waitForSelector('.transcript .message')
    await page.getByText('Turns').waitFor()
    const steps = await page.evaluate(async () => {
      const box = document.querySelector('.transcript')
      const times: number[] = []
      if (!(box instanceof HTMLElement)) return times
      for (let step = 0; step < 200; step++) {
        const start = performance.now()
        box.scrollTop -= 300
        box.dispatchEvent(new Event('scroll'))
        await Promise.resolve()
        await Promise.resolve()
        void box.offsetHeight
        times.push(performance.now() - start)
        await new Promise(requestAnimationFrame)
      }
      return times
    })
    return median(steps)
  })
}

async function inStudio(store: Store, look: (page: Page, studio: Studio) => Promise<number>): Promise<number> {
  if (!existsSync(executablePath)) return 0
  const files = (bundled ??= bundlePage())
  const browser = await (opened ??= chromium.launch({ executablePath, args: ['--no-sandbox'] }))
  const studio = await openStudio(checkedOptions({ store }), () => files)
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  try {
    return await look(page, studio)
  } finally {
    await page.close()
    await studio.close()
  }
}
