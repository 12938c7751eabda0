import { truncateSync, writeFileSync } from 'node:fs'
import { onTestFinished, expect, test } from 'vitest'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { createAgent, tool } from '../../../src/index.ts'
import { temporaryFolder } from '../../adapters/stores/temporary-folder.ts'
import { studioFor } from '../../servers/studio/open.ts'
import { files, open, tab, waitingRun } from './open-page.ts'

/** The page says what does not work. */
export function troubles(): void {
  test('OBS-03 a slow studio is asked again only after it has answered, and one that fails at first has not no agents', async () => {
    const { studio, runId } = await waitingRun()
    const page = await tab()
    await page.clock.install()
    const asked: string[] = []
    let isSlow = true
    await page.route(/api.(?:studio|runs[?]|runs.*summary|store)/, async (route) => {
      const url = route.request().url()
      asked.push(new URL(url).pathname)
      if (url.endsWith('/studio')) await route.fulfill({ status: 500, json: { code: 'odd', message: 'Out of order.' } })
      else if (!isSlow) await route.continue()
    })
    await page.goto(studio.address)
    await expect.poll(() => asked).toContain('/api/runs')
    await page.clock.runFor(12_000)
    await page.getByText('Out of order.').waitFor()
    expect(await page.getByText('To start runs here, load your agents').count()).toBe(0)
    expect(asked.filter((path) => path === '/api/runs')).toHaveLength(1)
    isSlow = false
    await page.goto(`${studio.url}#/run/${runId}`)
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    isSlow = true
    asked.length = 0
    await page.clock.runFor(12_000)
    await expect.poll(() => asked.length).toBeGreaterThan(0)
    expect(asked.filter((path) => path.endsWith('/summary')).length).toBeLessThan(3)
  })

  test('OBS-03 older runs that cannot be read are reported, and days follow the clock of the reader', async () => {
    const store = memoryStore()
    const agent = createAgent({ name: 'counter', model: scripted(() => 'One.'), store })
    for (let run = 0; run < 201; run++) agent.start(`Count ${run}`, { drive: false })
    await expect.poll(async () => (await store.list({ limit: 300 })).length).toBe(201)
    const studio = await studioFor({ store }, files)
    const page = await tab(undefined, 'Pacific/Auckland')
    await page.goto(studio.address)
    await page.route('**/api/runs?*before=*', (route) => route.abort())
    await page.getByRole('button', { name: 'Older runs' }).click()
    await page.getByText('The studio cannot be reached.').waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    const sent = page.waitForRequest(/until=/)
    await page.getByLabel('Changed until').fill('2026-11-29')
    expect(new URL((await sent).url()).searchParams.get('until')).toBe('2026-11-29T11:00:00.000Z')
  })

  test('OBS-03 a question that is longer than its line is not answered together with others', async () => {
    const store = memoryStore()
    const send = tool({
      name: 'send',
      description: 'Sends.',
      input: { type: 'object', properties: { text: { type: 'string' } } },
      needs: 'approval',
      execute: () => 'Sent.',
    })
    for (const length of [100, 500]) {
      const model = scripted([{ toolCalls: [{ name: 'send', arguments: { text: 'x'.repeat(length) } }] }])
      await createAgent({ name: 'sender', model, tools: [send], store }).run(`Send ${length}.`)
    }
    const page = await open(await studioFor({ store }, files), 'waiting')
    await page.getByRole('button', { name: 'Choose all' }).click()
    await page.getByRole('button', { name: 'Approve 1' }).waitFor()
    await page.getByText('longer than shown').waitFor()
    expect(await page.getByRole('checkbox', { name: 'Send 500.' }).isDisabled()).toBe(true)
  })

  test('OBS-03 files that no message takes are refused before they are read', async () => {
    const { studio } = await waitingRun()
    const folder = temporaryFolder()
    onTestFinished(() => folder[Symbol.dispose]())
    const file = folder.file('film.mp4')
    writeFileSync(file, '')
    truncateSync(file, 36_000_000)
    const page = await open(studio, 'new')
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText('A message may have 35 MB of files.').waitFor()
    expect(await page.locator('.files').count()).toBe(0)
  })
}
