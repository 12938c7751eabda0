import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { bundlePage } from '../../../proof/support/bundle-page.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { clerk } from '../../servers/studio/clerk.ts'
import { studioFor } from '../../servers/studio/open.ts'

const executablePath = '/usr/bin/chromium'

test.skipIf(!existsSync(executablePath))(
  'OBS-03 a page shows nothing without the token, takes one that is entered, and keeps it out of the address',
  async () => {
    const store = memoryStore()
    const { runId } = await clerk(store).run('Write to Anna.')
    const studio = await studioFor({ store }, bundlePage)
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
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
  },
)
