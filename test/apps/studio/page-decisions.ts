import { expect, test } from 'vitest'
import { type Agent, createAgent, type Store, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { clerk, hostileText } from '../../servers/studio/clerk.ts'
import { studioFor } from '../../servers/studio/open.ts'
import { team } from '../../servers/studio/team.ts'
import { files, lit, open, waitingRun } from './open-page.ts'

/** People decide in the page. */
export function decisions(): void {
  test('OBS-03 approves a call in the page, and the chart moves; shows tool results as text', async () => {
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
    expect(await page.locator('.decide .facts').allInnerTexts()).toEqual([
      [
        'Approve',
        '"send_mail" runs with the arguments that are shown. The model is asked next.',
        'Edit',
        '"send_mail" runs with other arguments, if they fit its schema and no rule refuses them. The model is asked next.',
        'Deny',
        '"send_mail" does not run, and the model is told that it was denied. The model is asked next.',
      ].join('\n'),
    ])
    await page.getByRole('button', { name: 'Approve' }).press('Enter')
    await lit(page, 'done')
    expect(page.url()).toContain(runId)
    expect(await page.title()).toBe('Write to Anna. · statewright studio')
    expect(await page.getByRole('status').textContent()).toBe('Approved.')
    await page.getByText('The mail is sent.').waitFor()
    expect(await page.locator('.one-call').last().locator('.pill.active').textContent()).toBe('succeeded')
    expect(sent).toEqual([{ to: 'anna', copies: 1 }])
  })

  test('OBS-03 AGT-05 a call that waits for its sub-agent links to the question, whose answer lets all three runs end', async () => {
    const store = memoryStore()
    const agent = team(store)
    const { runId } = await agent.run('Keep the house.')
    const studio = await studioFor({ store, agents: [agent] }, files)
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

  test('OBS-03 answers several runs at once, and follows a run begun in the page to its end', async () => {
    const store = memoryStore()
    const sent: unknown[] = []
    const agent = clerk(store, sent)
    for (const prompt of ['Write to Anna.', 'Write to Bert.']) await agent.run(prompt)
    const studio = await studioFor({ store, agents: [agent] }, files)
    const page = await open(studio, 'waiting')
    await page.getByRole('button', { name: 'Choose all' }).click()
    await page.getByRole('button', { name: 'Approve 2' }).click()
    await page.getByText('2 approved.').waitFor()
    await page.getByText('No run waits for an answer.').waitFor()
    expect(sent).toHaveLength(2)
    await page.getByRole('link', { name: 'New' }).click()
    await page.getByRole('textbox', { name: 'Your message' }).fill('Write to <b>Carl</b>.')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Write to <b>Carl</b>.' }).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await lit(page, 'done')
    await page.getByRole('textbox', { name: 'Continue at the end of this conversation' }).fill('Once more.')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('heading', { name: 'Once more.' }).waitFor()
    expect(await page.locator('.message.user').first().textContent()).toContain('Write to <b>Carl</b>.')
    await page.getByRole('searchbox', { name: 'Search runs' }).fill('bert')
    await expect.poll(() => page.locator('a.run').count()).toBe(1)
  })

  test('OBS-03 edits arguments in a form, which reports errors before anything is sent', async () => {
    const { studio, runId, sent } = await waitingRun()
    const page = await open(studio, `run/${runId}`, { width: 400, height: 850 })
    const card = page.locator('.decide')
    const [own, room] = [await card.boundingBox(), await page.locator('.talk-pane').boundingBox()]
    expect((own?.x ?? 0) + (own?.width ?? 400)).toBeLessThanOrEqual((room?.x ?? 0) + (room?.width ?? 0))
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
    await page.getByRole('button', { name: 'Look ahead' }).click()
    await page.getByText('The edit is refused. The input does not fit').waitFor()
    await page.getByRole('button', { name: 'Run with these' }).click()
    await page.locator('.decide > .trouble').waitFor()
    expect(sent).toEqual([])
    await page.getByLabel('copies').fill('2')
    await page.getByRole('button', { name: 'Run with these' }).click()
    await page.getByText('The mail is sent.').waitFor()
    expect(sent).toEqual([{ to: 'bert', copies: 2 }])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400)
  })

  test('OBS-03 tells the second of two tabs that decide at once that the other was first', async () => {
    const store = memoryStore()
    const { runId } = await clerk(store).run('Go')
    const studio = await studioFor({ store }, files)
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

  test('OBS-03 shows an answer that is stored elsewhere while the page begins to read, even without a driver', async () => {
    const store = memoryStore()
    const { runId, suspended } = await clerk(store).run('Go')
    const target = suspended[0]?.callId ?? ''
    const studio = await studioFor({ store }, files)
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

  test('OBS-03 answers a question in a form made from its schema', async () => {
    const store = memoryStore()
    const agent = asker(store)
    const { runId } = await agent.run('Paint it.')
    const studio = await studioFor({ store, agents: [agent] }, files)
    const page = await open(studio, `run/${runId}`)
    await page.getByText('Which colour?').waitFor()
    await page.getByRole('button', { name: 'Answer' }).click()
    await page.getByRole('button', { name: 'Answer' }).click()
    expect(await page.locator('.field .trouble').textContent()).toBe('Choose one.')
    await page.getByLabel('colour').selectOption('"red"')
    await page.getByRole('button', { name: 'Answer' }).click()
    await page.getByText('Painted.').waitFor()
  })
}

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
