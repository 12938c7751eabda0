import { existsSync } from 'node:fs'
import { chromium, type Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { expect, onTestFinished, test } from 'vitest'
import { heldReply } from '../../proof/support/test-agent.ts'
import { createHandlers } from '../../src/protocols/server.ts'
import { listening, mailer } from '../protocols/mailer.ts'

const executablePath = '/usr/bin/chromium'
const asks = { text: 'I will.', toolCalls: [{ id: 'c', name: 'send', arguments: { to: 'Ada' } }] }

async function bundled(entry: string): Promise<string> {
  const define = { 'process.env.NODE_ENV': '"production"' }
  const bundle = await rolldown({
    input: new URL(entry, import.meta.url).pathname,
    platform: 'browser',
    transform: { define },
  })
  const [{ code, imports }] = (await bundle.generate({ format: 'esm', codeSplitting: false })).output
  await bundle.close()
  expect(imports).toEqual([])
  return code
}

/** Serves a page beside the routes of an agent. */
async function pageServer(handlers: ReturnType<typeof createHandlers>, code: string): Promise<string> {
  const html = '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/page.js"></script>'
  return listening({
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      if (pathname.startsWith('/api/')) return handlers.fetch(request)
      const isCode = pathname === '/page.js'
      return new Response(isCode ? code : html, {
        headers: { 'content-type': isCode ? 'text/javascript' : 'text/html; charset=utf-8' },
      })
    },
  })
}

async function browserPages(): Promise<{ open(url: string): Promise<Page>; readonly problems: string[] }> {
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

test.skipIf(!existsSync(executablePath))(
  'SRV-01 a page of React approves in one of two tabs, and is loaded again in the middle of an answer',
  async () => {
    const held = heldReply()
    const { agent, sent } = mailer([asks, held.reply])
    await agent.run('Bill Ada.', { runId: 'bill' })
    const url = await pageServer(
      createHandlers(agent, { authorize: () => ({ by: 'anna' }), basePath: '/api' }),
      await bundled('page.ts'),
    )
    const { open, problems } = await browserPages()
    const first = await open(url)
    await first.click('nav button:has-text("Bill Ada.")')
    await first.waitForSelector('li:has-text("send {\\"to\\":\\"Ada\\"}")')
    const second = await open(`${url}/#bill`)
    await second.click('li button:has-text("Approve")')
    await held.asked
    await first.waitForSelector('main[data-status=running] p:has-text("Sent to Ada.")')
    await first.goto(`${url}/?again#bill`)
    await first.waitForSelector('main[data-status=running] p:has-text("Sent to Ada.")')
    held.give('All done.')
    for (const page of [first, second]) {
      await page.waitForSelector('main[data-status=done] p:has-text("All done.")')
      expect(await page.locator('p').allTextContents()).toEqual(['Bill Ada.', 'I will.', 'Sent to Ada.', 'All done.'])
    }
    expect([sent, problems]).toEqual([['Ada'], []])
    const { decisions } = await (await agent.load('bill')).result()
    expect(decisions.map(({ by }) => by)).toEqual(['anna'])
  },
)
