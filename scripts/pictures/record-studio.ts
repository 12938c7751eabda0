import { chromium, type Page } from 'playwright-core'
import { bundlePage } from '../../proof/support/bundle-page.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { createAgent, tool } from '../../src/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { checkedOptions } from '../../src/servers/studio/options.ts'
import { openStudio } from '../../src/servers/studio/studio.ts'
import type { Scheme } from './draw-recording.ts'

/** The size of the picture in pixels. */
export const studioSize = { width: 920, height: 640 } as const

/** The page is wider: the list at its left is left out. */
const [list, head] = [260, 43]

const input = {
  type: 'object',
  properties: { to: { type: 'string' }, text: { type: 'string' } },
  required: ['to', 'text'],
}

/** Opens the real studio on a run that waits, approves its call there, and returns the page at each step as a WebP image. */
export async function recordStudio(colorScheme: Scheme): Promise<readonly string[]> {
  const store = memoryStore()
  const send = tool({
    name: 'send_mail',
    description: 'Sends a mail.',
    input,
    needs: 'approval',
    execute: () => 'Sent.',
  })
  const mail = { to: 'Ada', text: 'We meet on Tuesday at ten.' }
  const model = scripted([
    { text: 'I write to Ada.', toolCalls: [{ name: 'send_mail', arguments: mail }] },
    'Ada knows.',
  ])
  await using agent = createAgent({ name: 'clerk', model, tools: [send], store })
  const { runId } = await agent.run('Tell Ada that we meet on Tuesday.')
  await using studio = await openStudio(checkedOptions({ store, agents: [agent] }), bundlePage)
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  try {
    const context = await browser.newContext({
      viewport: { width: studioSize.width + list, height: studioSize.height + head },
      colorScheme,
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    const frames: string[] = []
    await page.goto(studio.address)
    await page.goto(`${studio.url}#/run/${runId}`)
    await page.waitForSelector('.leaf.active')
    frames.push(await frameOf(page))
    await page.getByRole('button', { name: 'Approve' }).first().click()
    await page.getByText('Ada knows.').first().waitFor()
    frames.push(await frameOf(page))
    return frames
  } finally {
    await browser.close()
  }
}

/** Returns the page as a data address; a browser writes a smaller image than its screenshot. */
async function frameOf(page: Page): Promise<string> {
  const png = (await page.screenshot({ clip: { x: list, y: head, ...studioSize } })).toString('base64')
  const blank = await page.context().newPage()
  const image = await blank.evaluate(async (data) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob())
    const canvas = Object.assign(document.createElement('canvas'), { width: bitmap.width, height: bitmap.height })
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
    return canvas.toDataURL('image/webp', 0.4)
  }, png)
  await blank.close()
  return image
}
