import { existsSync, readFileSync } from 'node:fs'
import type { Plugin } from 'rolldown'
import { expect, test } from 'vitest'
import { browserPages, bundled, executablePath, pageServer } from './open-pages.ts'

const page = new URL('chat-page.ts', import.meta.url).pathname

/** The recipe as the guide prints it, and a page that is given it. */
const fromGuide: Plugin = {
  name: 'from-guide',
  resolveId: (id) => (id.startsWith('guide:') ? id : null),
  load(id) {
    if (id === 'guide:page')
      return `import * as keeping from 'guide:recipe'\nimport { chat } from '${page}'\nchat(keeping)`
    if (id !== 'guide:recipe') return null
    const guide = readFileSync('docs/guides/plain-xstate.md', 'utf8')
    const code = [...guide.matchAll(/```ts\n([^]*?)```/g)].find(([, block]) => block?.includes('indexedDB'))?.[1]
    return code === undefined ? null : { code, moduleType: 'ts' }
  },
}

test.skipIf(!existsSync(executablePath))(
  'RUN-09 a chat in a page remembers after a reload, and only one of two tabs drives it at a time',
  async () => {
    const url = await pageServer(await bundled('guide:page', [fromGuide]))
    const { open, problems } = await browserPages()
    const first = await open(url)
    await first.waitForSelector('button:has-text("Approve")')
    const second = await open(url)
    await second.waitForSelector('body[data-status=elsewhere]', { state: 'attached' })
    await first.reload()
    await second.waitForSelector('p:has-text("I will.")')
    await first.waitForSelector('body[data-status=elsewhere]', { state: 'attached' })
    await second.click('button:has-text("Approve")')
    await second.waitForSelector('body[data-status=done]')
    await second.close()
    await first.waitForSelector('body[data-status=done]')
    expect(await first.locator('p').allTextContents()).toEqual(['Bill Ada.', 'I will.', 'Sent.', 'All done.'])
    expect(await first.evaluate(() => localStorage.getItem('sent'))).toBe('x')
    expect(problems).toEqual([])
  },
)
