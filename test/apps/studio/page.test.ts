import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { restoreDump } from '../../../proof/fixtures/dump-store.ts'
import type { FixtureRun } from '../../../proof/fixtures/fixture-run.ts'
import { fixtureRuns } from '../../../proof/fixtures/fixture-runs.ts'
import { recordRun } from '../../../proof/fixtures/recording.ts'
import { bundlePage } from '../../../proof/support/bundle-page.ts'
import { type Agent, createAgent, type Store, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { packDocument } from '../../../src/adapters/stores/sqlite/packed-document.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import type { Studio } from '../../../src/servers/studio/index.ts'
import { temporaryFolder } from '../../adapters/stores/temporary-folder.ts'
import { team } from '../../servers/studio/team.ts'
import { clerk, hostileText } from '../../servers/studio/clerk.ts'
import { askStudio, studioFor } from '../../servers/studio/open.ts'

const executablePath = '/usr/bin/chromium'
const files = bundlePage()

/** A store with an agent whose run waits, and a studio that drives it. */
async function waitingRun() {
  const store = memoryStore()
  const sent: unknown[] = []
  const agent = clerk(store, sent)
  const { runId } = await agent.run('Write to Anna.')
  const studio = await studioFor({ store, agents: [agent] }, () => files)
  return { store, sent, agent, runId, studio }
}

// Where there is no Chromium the page cannot be seen.
describe.skipIf(!existsSync(executablePath))('the page of the studio', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  })
  afterAll(() => browser.close())

  /** A tab of its own, opened by the address that was printed; what its console complains of ends the test. */
  async function open({ address, url }: Studio, place: string, size = { width: 1280, height: 800 }): Promise<Page> {
    const context = await browser.newContext({ viewport: size })
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
    await page.goto(address)
    await page.goto(`${url}#/${place}`)
    return page
  }

  const lit = (page: Page, path: string) => page.waitForSelector(`.leaf.active[data-state="${path}"]`)

  test('OBS-03 a call is approved in the page, and the chart moves; what tools give back is shown as text', async () => {
    const { runId, studio, sent } = await waitingRun()
    const page = await open(studio, '')
    await page.getByRole('link', { name: 'Write to Anna.' }).click()
    await lit(page, 'waiting')
    expect(await page.locator('.arrow path').first().getAttribute('marker-end')).toBe('url(#tip)')
    expect(await page.locator('.result .text').textContent()).toBe(
      hostileText.replace('\u202E', '\\u{202E}').replace('\u0007', '\\u{7}'),
    )
    expect(await page.locator('.diff .added').textContent()).toBe('+one mail <b>to</b> anna')
    expect(await page.locator('.transcript img, .transcript svg, .diff b').count()).toBe(0)
    await page.getByRole('button', { name: 'Approve' }).press('Enter')
    await lit(page, 'done')
    expect(await page.title()).toContain(runId)
    expect(await page.getByRole('status').textContent()).toBe('Approved.')
    await page.getByText('The mail is sent.').waitFor()
    expect(await page.locator('.one-call').last().locator('.pill.active').textContent()).toBe('succeeded')
    expect(sent).toEqual([{ to: 'anna', copies: 1 }])
  })

  test('OBS-03 AGT-05 a call that waits for its sub-agent leads to the question, whose answer lets all three runs end', async () => {
    const store = memoryStore()
    const agent = team(store)
    const { runId } = await agent.run('Keep the house.')
    const studio = await studioFor({ store, agents: [agent] }, () => files)
    const page = await open(studio, `run/${runId}`)
    await page.getByRole('link', { name: 'Answer its question' }).waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    expect(await page.locator('.family a').allTextContents()).toEqual([
      'bossKeep the house.waiting',
      'helperSee to the bills.waiting',
      'clerkPay the bill of the harbour.asks you',
    ])
    await page.getByRole('link', { name: 'Answer its question' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('The bill is paid.').waitFor()
    await page.getByRole('link', { name: 'boss Keep the house.' }).click()
    await page.getByText('All bills are paid.').waitFor()
  })

  test('OBS-03 arguments are edited by a form, which says what is wrong before anything is sent', async () => {
    const { studio, runId, sent } = await waitingRun()
    const page = await open(studio, `run/${runId}`, { width: 400, height: 850 })
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'to' }).fill('bert')
    await page.getByLabel('copies').fill('many')
    await page.getByRole('button', { name: 'Run with these' }).click()
    expect(await page.locator('.field .trouble').textContent()).toBe('Expected a number.')
    expect(await page.getByLabel('copies').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('copies').fill('1.5')
    await page.getByRole('button', { name: 'Run with these' }).click()
    expect(await page.locator('.field .trouble').textContent()).toBe('Expected a whole number.')
    await page.getByLabel('copies').fill('99')
    await page.getByRole('button', { name: 'Run with these' }).click()
    await page.locator('.decide > .trouble').waitFor()
    expect(sent).toEqual([])
    await page.getByLabel('copies').fill('2')
    await page.getByRole('button', { name: 'Run with these' }).click()
    await page.getByText('The mail is sent.').waitFor()
    expect(sent).toEqual([{ to: 'bert', copies: 2 }])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400)
  })

  test('OBS-03 a page that is loaded again in the middle shows the same run, and may still decide', async () => {
    const { studio, runId, agent } = await waitingRun()
    const page = await open(studio, `run/${runId}`)
    await lit(page, 'waiting')
    await page.reload()
    await lit(page, 'waiting')
    await page.locator('.message').nth(3).waitFor()
    expect(await page.locator('.message').count()).toBe(4)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByLabel('Why not?').fill('Not today.')
    await page.getByRole('button', { name: 'Deny' }).click()
    await lit(page, 'done')
    const { decisions } = await (await agent.load(runId)).result()
    expect(decisions).toMatchObject([{ action: 'cancel', reason: 'Not today.', by: 'studio' }])
  })

  test('OBS-03 of two tabs that decide at once one is told that the other was first', async () => {
    const store = memoryStore()
    const { runId } = await clerk(store).run('Go')
    const studio = await studioFor({ store }, () => files)
    const pages = [await open(studio, `run/${runId}`), await open(studio, `run/${runId}`)]
    const held = Promise.withResolvers<void>()
    let asked = 0
    for (const page of pages) {
      await page.route('**/decisions', async (route) => {
        if (++asked === 2) held.resolve()
        await held.promise
        await route.continue()
      })
    }
    await Promise.all(pages.map((page) => page.getByRole('button', { name: 'Approve' }).click()))
    const texts = await Promise.all(
      pages.map(async (page) => {
        await page.locator('.said:not(:empty)').waitFor()
        return (await page.locator('.said').textContent())?.split(/[:.]/)[0]
      }),
    )
    expect(new Set(texts)).toEqual(
      new Set(['Approved', 'Somebody else answered first, so your answer changed nothing']),
    )
    expect(await store.inbox(runId, { kinds: ['decision'] })).toHaveLength(1)
    await pages[0]?.getByText('Your answer is stored.').waitFor()
  })

  test('OBS-03 an answer that is stored elsewhere while the page begins to read is shown, though nobody drives the run', async () => {
    const store = memoryStore()
    const { runId, suspended } = await clerk(store).run('Go')
    const target = suspended[0]?.callId ?? ''
    const studio = await studioFor({ store }, () => files)
    const page = await open(studio, `run/${runId}`)
    await lit(page, 'waiting')
    let isStored = false
    await page.route('**/events?*', async (route) => {
      if (!isStored) await store.decide(runId, [{ target, action: 'resume' }], Date.now())
      isStored = true
      await route.continue()
    })
    await page.getByText('Your answer is stored.').waitFor()
    expect(await page.locator('.waiting h2').textContent()).toBe('Answered')
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
  })

  test('OBS-03 a person steps back through the checkpoints by keyboard, and forks the run at one', async () => {
    const { studio, runId, store } = await waitingRun()
    const page = await open(studio, `run/${runId}`)
    await lit(page, 'waiting')
    const slider = page.getByRole('slider', { name: 'Checkpoint' })
    await slider.focus()
    await page.keyboard.press('ArrowLeft')
    await page.getByText('As it stood at checkpoint').waitFor()
    await page.locator('.leaf.active[data-state="waiting"]').waitFor({ state: 'detached' })
    await page.keyboard.press('Home')
    await page.locator('.where', { hasText: ' 1 of ' }).waitFor()
    await page.locator('.message').first().waitFor()
    expect(await page.locator('.message').count()).toBe(1)
    const version = Number(/at\/(\d+)$/.exec(page.url())?.[1])
    await page.getByRole('button', { name: 'Fork from here' }).click()
    await page.getByRole('link', { name: `${runId}, checkpoint ${version}` }).waitFor()
    const [fork] = await store.list({ limit: 1 })
    expect(fork).toMatchObject({ forkedFrom: { runId, version } })
    expect(page.url()).toContain(fork?.id)
  })

  test('OBS-03 a question is answered by a form made of its schema', async () => {
    const store = memoryStore()
    const agent = asker(store)
    const { runId } = await agent.run('Paint it.')
    const studio = await studioFor({ store, agents: [agent] }, () => files)
    const page = await open(studio, `run/${runId}`)
    await page.getByText('Which colour?').waitFor()
    await page.getByRole('button', { name: 'Answer' }).click()
    await page.getByRole('button', { name: 'Answer' }).click()
    expect(await page.locator('.field .trouble').textContent()).toBe('Choose one.')
    await page.getByLabel('colour').selectOption('"red"')
    await page.getByRole('button', { name: 'Answer' }).click()
    await page.getByText('Painted.').waitFor()
  })

  test('OBS-03 a page says what is wrong and what to do: no runs, a run that is deleted, no studio', async () => {
    const store = memoryStore()
    const empty = await studioFor({ store }, () => files)
    const page = await open(empty, '')
    await page.getByText('The store has no run yet.').waitFor()
    await page.goto(`${empty.url}#/run/run%2`)
    await page.getByRole('heading', { name: 'No such run' }).waitFor({ timeout: 10_000 })
    const agent = clerk(store)
    const { runId } = await agent.run('Go')
    await page.goto(`${empty.url}#/run/${runId}`)
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await store.delete(runId)
    await page.getByText('The run was deleted meanwhile.').waitFor()
    await empty.close()
    await page.getByText('The studio cannot be reached.').first().waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(1)
  })

  test('OBS-03 a run of an older chart is shown with the states this one has not, beside one that is damaged', async () => {
    using folder = temporaryFolder()
    const path = folder.file('runs.db')
    const { schema, moments } = await recordRun(fixtureRuns.find(({ name }) => name === 'approval') as FixtureRun)
    const rows = moments.get('approval.1') ?? ''
    const spoilt = rows
      .replaceAll('run-1', 'run-2')
      .replaceAll('VALUES (1, ', 'VALUES (2, ')
      .replaceAll(/VALUES \((16777\d+)/g, (_, id: string) => `VALUES (${Number(id) + 2 ** 24}`)
      .replaceAll('\'{"role":"user"', '\'{"role":"ghost"')
    restoreDump(path, [schema, rows, spoilt])
    const store = sqliteStore(path)
    const { checkpoint } = await store.read('run-1')
    const old = checkpoint?.document.replaceAll('"value":"waiting"', '"value":"pondering"') ?? ''
    const database = new DatabaseSync(path)
    database
      .prepare('UPDATE log SET document = ? WHERE id = ?')
      .run(packDocument(old), 2 ** 24 + (checkpoint?.seq ?? 0))
    database.close()
    onTestFinished(() => store.close())
    const page = await open(await studioFor({ store }, () => files), 'run/run-1')
    await page.getByText('Of an older version of the chart, and not in this one: pondering').waitFor()
    await page.locator('.message').first().waitFor()
    expect(await page.locator('.message').count()).toBe(2)
    await page.locator('a.run[href="#/run/run-2"]').click()
    await page.getByRole('heading', { name: 'The run is damaged' }).waitFor()
    expect(await page.locator('main [role=alert]').textContent()).toContain('run-2')
    await page.locator('a.run[href="#/run/run-1"]').click()
    await page.getByRole('button', { name: 'Approve' }).waitFor()
  })

  test('OBS-03 of a message of many megabytes the beginning is shown, and more where somebody asks', async () => {
    const store = memoryStore()
    const agent = createAgent({ name: 'writer', model: scripted(['w'.repeat(9_000_000)]), store })
    const { runId } = await agent.run('Write.')
    const studio = await studioFor({ store }, () => files)
    const summary = await askStudio(`${studio.url}api/runs/${runId}/summary`)
    expect((await summary.text()).length).toBeLessThan(2_000)
    const page = await open(studio, `run/${runId}`)
    await page.getByRole('button', { name: '… 9.0M letters more' }).waitFor()
    const shown = () => page.evaluate(() => document.body.textContent?.length ?? 0)
    expect(await shown()).toBeLessThan(30_000)
    await page.getByRole('button', { name: '… 9.0M letters more' }).click()
    await page.getByRole('button', { name: '… 8.9M letters more' }).waitFor()
    expect(await shown()).toBeLessThan(100_000)
  })
})

/** An agent that asks a person for a colour. */
function asker(store: Store): Agent {
  const responseSchema = {
    type: 'object',
    properties: { colour: { enum: ['red', 'blue'] } },
    required: ['colour'],
  }
  const paint = tool({
    name: 'paint',
    description: 'Paints.',
    input: { type: 'object' },
    resume: 'use-as-result',
    execute: (_, context) => context.suspend({ reason: 'input', message: 'Which colour?', responseSchema }),
  })
  const model = scripted(({ messages }) =>
    messages.some(({ role }) => role === 'toolResult') ? 'Painted.' : { toolCalls: [{ name: 'paint', arguments: {} }] },
  )
  return createAgent({ name: 'asker', model, tools: [paint], store })
}
