import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { heldReply } from '../../../proof/support/test-agent.ts'
import { createHandlers } from '../../../src/servers/http/server.ts'
import { mailer } from '../../servers/mailer.ts'
import { browserPages, bundled, executablePath, pageServer } from './open-pages.ts'

const asks = { text: 'I will.', toolCalls: [{ id: 'c', name: 'send', arguments: { to: 'Ada' } }] }

test.skipIf(!existsSync(executablePath))(
  'SRV-01 a React page approves in one of two tabs, and is reloaded in the middle of an answer',
  async () => {
    const held = heldReply()
    const { agent, sent } = mailer([asks, held.reply])
    await agent.run('Bill Ada.', { runId: 'bill' })
    const url = await pageServer(
      await bundled(new URL('page.ts', import.meta.url).pathname),
      createHandlers(agent, { authorize: () => ({ by: 'anna' }), basePath: '/api' }),
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
