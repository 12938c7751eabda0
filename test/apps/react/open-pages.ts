import { chromium, type Page } from 'playwright-core'
import { type Plugin, rolldown } from 'rolldown'
import { expect, onTestFinished } from 'vitest'
import { forBrowsers } from '../../../proof/support/bundle-page.ts'
import type { Handlers } from '../../../src/servers/http/server.ts'
import { listening } from '../../servers/mailer.ts'

/** Chromium as Debian packages it. */
export const executablePath = '/usr/bin/chromium'

/** A program for browsers, as one script without imports. */
export async function bundled(input: string, plugins: readonly Plugin[] = []): Promise<string> {
  const define = { 'process.env.NODE_ENV': '"production"' }
  const bundle = await rolldown({
    input,
    plugins: [...plugins, forBrowsers],
    platform: 'browser',
    transform: { define },
  })
  const [{ code, imports }] = (await bundle.generate({ format: 'esm', codeSplitting: false })).output
  await bundle.close()
  expect(imports).toEqual([])
  return code
}

/** Serves a page, and the routes of an agent beside it where there are some. */
export async function pageServer(code: string, handlers?: Handlers): Promise<string> {
  const html = '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/page.js"></script>'
  return listening({
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      if (handlers !== undefined && pathname.startsWith('/api/')) return handlers.fetch(request)
      const isCode = pathname === '/page.js'
      return new Response(isCode ? code : html, {
        headers: { 'content-type': isCode ? 'text/javascript' : 'text/html; charset=utf-8' },
      })
    },
  })
}

/** Tabs of one browser, which share what a page keeps, and what went wrong in any of them. */
export async function browserPages(): Promise<{ open(url: string): Promise<Page>; readonly problems: string[] }> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  onTestFinished(() => browser.close())
  const context = await browser.newContext()
  const problems: string[] = []
  return {
    problems,
    async open(url) {
      const page = await context.newPage()
      page.on('pageerror', ({ message }) => problems.push(message))
      await page.goto(url)
      return page
    },
  }
}
