import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { bundlePage } from '../../../proof/support/bundle-page.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import type { Studio } from '../../../src/servers/studio/index.ts'
import { clerk } from '../../servers/studio/clerk.ts'
import { studioFor } from '../../servers/studio/open.ts'

const executablePath = '/usr/bin/chromium'

/** False where there is no Chromium, so that the page cannot be seen. */
export const isSeen = existsSync(executablePath)

let browser: Browser | undefined

/** Starts the one browser of all tests of the page. */
export async function startBrowser(): Promise<void> {
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

export async function stopBrowser(): Promise<void> {
  await browser?.close()
}

let bundled: ReturnType<typeof bundlePage> | undefined

/** The script and the style of the page. */
export function files(): ReturnType<typeof bundlePage> {
  return (bundled ??= bundlePage())
}

/** A store with an agent whose run waits, and a studio that drives it. */
export async function waitingRun() {
  const store = memoryStore()
  const sent: unknown[] = []
  const agent = clerk(store, sent)
  const { runId } = await agent.run('Write to Anna.')
  const studio = await studioFor({ store, agents: [agent] }, files)
  return { store, sent, agent, runId, studio }
}

/** A tab of its own; what its console complains of ends the test. */
export async function tab(size = { width: 1280, height: 800 }, timezoneId?: string): Promise<Page> {
  if (browser === undefined) throw new Error('No browser was started.')
  const context = await browser.newContext({ viewport: size, ...(timezoneId === undefined ? {} : { timezoneId }) })
  const complaints: string[] = []
  onTestFinished(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })
  const page = await context.newPage()
  page.on('console', (line) => {
    const isOfNetwork = line.text().startsWith('Failed to load resource')
    if (line.type() === 'error' && !isOfNetwork) complaints.push(line.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return page
}

/** A tab at a place of a studio, opened by the address that was printed. */
export async function open(
  { address, url }: Studio,
  place: string,
  size?: { width: number; height: number },
): Promise<Page> {
  const page = await tab(size)
  await page.goto(address)
  await page.goto(`${url}#/${place}`)
  return page
}

export const lit = (page: Page, path: string) => page.waitForSelector(`.leaf.active[data-state="${path}"]`)
