import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { restoreDump } from '../../../proof/fixtures/dump-store.ts'
import type { FixtureRun } from '../../../proof/fixtures/fixture-run.ts'
import { fixtureRuns } from '../../../proof/fixtures/fixture-runs.ts'
import { recordRun } from '../../../proof/fixtures/recording.ts'
import { createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { packDocument } from '../../../src/adapters/stores/sqlite/packed-document.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../adapters/stores/temporary-folder.ts'
import { clerk } from '../../servers/studio/clerk.ts'
import { askStudio, studioFor } from '../../servers/studio/open.ts'
import { files, lit, open, tab, waitingRun } from './open-page.ts'

/** The page shows runs, and what is wrong. */
export function runs(): void {
  test('OBS-03 a page reloaded in the middle shows the same run, and may still decide', async () => {
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

  test('OBS-03 a person steps back through the checkpoints by keyboard, and forks the run at one', async () => {
    const { studio, runId, store } = await waitingRun()
    const page = await open(studio, `run/${runId}`)
    await lit(page, 'waiting')
    const slider = page.getByRole('slider', { name: 'Checkpoint' })
    await slider.focus()
    await page.keyboard.press('ArrowLeft')
    await page.getByText('At checkpoint').waitFor()
    await page.locator('.leaf.active[data-state="waiting"]').waitFor({ state: 'detached' })
    await page.keyboard.press('Home')
    await page.locator('.where', { hasText: ' 1 of ' }).waitFor()
    await page.locator('.message').first().waitFor()
    expect(await page.locator('.message').count()).toBe(1)
    const version = Number(/at\/(\d+)$/.exec(page.url())?.[1])
    await page.getByRole('button', { name: 'Fork' }).click()
    await page.getByRole('link', { name: `${runId}, checkpoint ${version}` }).waitFor()
    const [fork] = await store.list({ limit: 1 })
    expect(fork).toMatchObject({ forkedFrom: { runId, version } })
    expect(page.url()).toContain(fork?.id)
  })

  test('OBS-03 a page explains its problem and what to do: no runs, a deleted run, no studio', async () => {
    const store = memoryStore()
    const empty = await studioFor({ store }, files)
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

  test('OBS-03 shows a run of an older chart with states that no longer exist, and a damaged run', async () => {
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
    const page = await open(await studioFor({ store }, files), 'run/run-1')
    await page.getByText('Only in an older version of the chart: pondering').waitFor()
    await page.locator('.message').first().waitFor()
    expect(await page.locator('.message').count()).toBe(2)
    await page.locator('a.run[href="#/run/run-2"]').click()
    await page.getByRole('heading', { name: 'The run is damaged' }).waitFor()
    expect(await page.locator('main [role=alert]').textContent()).toContain('run-2')
    await page.locator('a.run[href="#/run/run-1"]').click()
    await page.getByRole('button', { name: 'Approve' }).waitFor()
  })

  test('OBS-03 shows the beginning of a message of many megabytes, and more on request', async () => {
    const store = memoryStore()
    const agent = createAgent({ name: 'writer', model: scripted(['w'.repeat(9_000_000)]), store })
    const { runId } = await agent.run('Write.')
    const studio = await studioFor({ store }, files)
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

  test('OBS-03 a page shows nothing without the token, accepts an entered one, and keeps it out of the address', async () => {
    const store = memoryStore()
    const { runId } = await clerk(store).run('Write to Anna.')
    const studio = await studioFor({ store }, files)
    const page = await tab()
    const told: string[] = []
    page.on('response', async (response) => {
      if (response.url().includes('/api/')) told.push(`${response.status()} ${response.request().url()}`)
    })
    await page.goto(`${studio.url}#/run/${runId}`)
    await page.getByRole('heading', { name: 'This page needs its token' }).waitFor()
    expect(told).toEqual([])
    await page.getByLabel('Token').fill(`${studio.token}x`)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('refused that token')
    expect(await page.locator('body').textContent()).not.toContain('Write to Anna.')
    await page.getByLabel('Token').fill(studio.token)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await page.goto('about:blank')
    await page.goto(studio.address)
    await page.getByText('Write to Anna.').first().waitFor()
    expect(page.url()).toBe(studio.url)
    await page.goto(`${studio.url}#/run/${runId}`)
    await page.goBack()
    expect(page.url()).toBe(studio.url)
    expect(told.filter((line) => line.includes(studio.token))).toEqual([])
  })
}
