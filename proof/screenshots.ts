import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { type Agent, createAgent, type Store, tool } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'
import { memoryStore } from '../src/core/stores/memory/memory-store.ts'
import { checkedOptions } from '../src/servers/studio/options.ts'
import { openStudio } from '../src/servers/studio/studio.ts'
import { bundlePage } from './support/bundle-page.ts'

const folder = resolve('.statewright/screenshots')
const widths = [
  [400, 850],
  [1_280, 800],
  [2_560, 1_440],
] as const

/** Writes pictures of the studio's pages, at each width, light and dark, to a folder that git ignores. */
async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const store = memoryStore()
  const agents = [clerk(store), ...household(store)]
  const [runId, rootId, talkId] = await fill(store, agents)
  await using studio = await openStudio(checkedOptions({ store, agents }), bundlePage)
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  for (const [width, height] of widths) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' })
      const page = await context.newPage()
      await page.goto(studio.address)
      for (const [name, look] of Object.entries(looksAt(studio.url, runId, rootId, talkId))) {
        await look(page)
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) })
      }
      await context.close()
    }
  }
  await browser.close()
  for (const agent of agents) await agent.close()
  console.log(`pictures are in ${folder}`)
}

type Look = (page: Page) => Promise<unknown>

/** Each picture, and how the page comes to show it. */
function looksAt(url: string, runId: string, rootId: string, talkId: string): Readonly<Record<string, Look>> {
  const at = (place: string) => (page: Page) => page.goto(`${url}#/${place}`)
  return {
    start: (page) => page.getByText('Write to Anna').first().waitFor(),
    run: async (page) => {
      await at(`run/${runId}`)(page)
      await page.waitForSelector('.leaf.active')
      await page.getByText('Turns').waitFor()
    },
    charted: (page) => page.locator('.chart-pane').scrollIntoViewIfNeeded(),
    edit: (page) => page.getByRole('button', { name: 'Edit' }).click(),
    chart: async (page) => {
      await at('charts/run')(page)
      await page.waitForSelector('.drawing')
    },
    family: async (page) => {
      await at(`run/${rootId}`)(page)
      await page.getByRole('link', { name: 'Answer its question' }).waitFor()
    },
    member: async (page) => {
      await page.getByRole('link', { name: 'Answer its question' }).click()
      await page.getByRole('button', { name: 'Approve' }).waitFor()
    },
    talk: async (page) => {
      await at('new')(page)
      await page.getByRole('textbox', { name: 'Your message' }).fill('What did we say about lamps?')
    },
    answer: async (page) => {
      await page.goto(`${url}#/run/${talkId}`)
      await page.locator('.markdown').first().waitFor()
    },
    questions: async (page) => {
      await at('waiting')(page)
      await page.getByRole('button', { name: 'Choose all' }).click()
    },
    store: async (page) => {
      await at('store')(page)
      await page.getByRole('button', { name: 'Revoke' }).waitFor()
    },
    missing: async (page) => {
      await at('run/none')(page)
      await page.getByText('No such run').waitFor()
    },
  }
}

/** Runs that are done, failed and wait, and a family; gives the one that waits, and the root of the family, and a talk. */
async function fill(
  store: Store,
  [writer, boss, talker]: readonly Agent[],
): Promise<readonly [string, string, string]> {
  const failing = createAgent({ name: 'reader', model: scripted([]), store })
  for (const prompt of ['Read the long report on the harbour, and say what it costs', 'Count'])
    await failing.run(prompt)
  const session = talker?.session('monday')
  let talkId = ''
  for (const prompt of ['Good morning', 'And again']) {
    const talk = await session?.prompt(prompt)
    await talk?.settled()
    talkId = talk?.id ?? ''
  }
  const granted = await writer?.run('Write to Bert that he is right.', { userId: 'anna' })
  const target = granted?.suspended[0]?.callId ?? ''
  await (await writer?.load(granted?.runId ?? ''))?.decide([{ target, action: 'resume', scope: 'always', by: 'anna' }])
  await (await writer?.load(granted?.runId ?? ''))?.settled()
  const root = await boss?.run('Keep the house.')
  const run = await writer?.run('Write to Anna that the meeting is on Tuesday, not on Monday.')
  return [run?.runId ?? '', root?.runId ?? '', talkId]
}

/** A family of three levels whose lowest member asks, and an agent that talks. */
function household(store: Store): readonly Agent[] {
  const usage = { input: 1_800, output: 240, cacheRead: 900 }
  const pay = tool({
    name: 'pay',
    description: 'Pays a bill.',
    input: { type: 'object' },
    needs: 'approval',
    execute: () => 'Paid.',
  })
  const asks = (name: string, given: Readonly<Record<string, string | number>>) => ({
    text: `I ask ${name}.`,
    toolCalls: [{ name, arguments: given }],
    usage,
  })
  const cashier = createAgent({
    name: 'cashier',
    model: scripted([asks('pay', { to: 'The harbour', euros: 12 }), 'The bill is paid.']),
    tools: [pay],
  })
  const helper = createAgent({
    name: 'helper',
    model: scripted([asks('cashier', { prompt: 'Pay the bill of the harbour.' }), 'Paid.']),
    tools: [cashier.asTool({ description: 'Pays bills.' })],
  })
  const boss = createAgent({
    name: 'boss',
    model: scripted([asks('helper', { prompt: 'See to the bills.' }), 'Done.']),
    tools: [helper.asTool({ description: 'Helps.' })],
    store,
  })
  const text = `## Two ways to count

1. Count the **lamps** in the hall.
2. Run \`count --all\`.

\`\`\`sh
count --all
\`\`\`

More in [the manual](https://example.org/manual).`
  return [boss, createAgent({ name: 'talker', model: scripted(() => ({ text, usage })), store })]
}

const diff = `--- a/outbox/anna.txt
+++ b/outbox/anna.txt
@@ -1,3 +1,3 @@
 Dear Anna,
-we meet on Monday at ten.
+we meet on Tuesday at ten.
 Yours
`

/** An agent that looks and then asks to write. */
function clerk(store: Store): Agent {
  const look = tool({
    name: 'look',
    description: 'Looks into a folder.',
    input: { type: 'object' },
    effects: 'none',
    execute: () => 'anna.txt\nbert.txt\n<b>not bold</b>',
  })
  const write = tool({
    name: 'write_mail',
    description: 'Writes a mail.',
    input: {
      type: 'object',
      properties: {
        to: { type: 'string' },
        copies: { type: 'integer', minimum: 1 },
        urgent: { type: 'boolean' },
        text: { type: 'string', description: 'What the mail says.' },
      },
      required: ['to', 'text'],
    },
    needs: 'approval',
    preview: () => ({ diff }),
    execute: () => 'written',
  })
  const answers = [
    { text: 'I look at what is there first.', toolCalls: [{ name: 'look', arguments: {} }] },
    {
      text: 'Anna has a mail that names Monday. I change it.',
      toolCalls: [{ name: 'write_mail', arguments: { to: 'anna', copies: 1, text: 'We meet on Tuesday at ten.' } }],
    },
    'Done.',
  ]
  return createAgent({ name: 'clerk', model: scripted(answers), tools: [look, write], store })
}

await main()
