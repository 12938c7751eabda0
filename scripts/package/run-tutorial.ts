import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { readSnippets } from '../docs/snippets.ts'
import { executablePath } from './run-in-browser.ts'
import { expectLines, firstLine, freePort, output, start } from './run-readme.ts'

const page = 'docs/tutorial.md'
const waiting = "waiting refund { order: 'A7', euros: 80 }"

/** Does what the tutorial says, in a folder of the user's project. Throws if a step does something else. */
export async function runTutorial(folder: string): Promise<string> {
  mkdirSync(folder)
  for (const { file, code } of readSnippets(page, readFileSync(page, 'utf8')))
    if (file !== undefined) writeFileSync(join(folder, file), code)
  const tool = join('..', 'node_modules', 'statewright', 'bin', 'statewright.js')
  const [first, runId = ''] = await output(folder, 'complain.mts')
  expectLines('complain.mts', [first ?? ''], [waiting])
  expectLines('agree.mts', await output(folder, 'agree.mts', runId), ['applied done You get 80 euros back.'])
  expectLines('agree.mts', await output(folder, 'agree.mts', runId), ['stale done You get 80 euros back.'])
  expectLines('refunds.txt', linesOf(folder, 'refunds.txt'), ['A7 80'])
  const dying = start(folder, ['crash.mts'])
  expectLines('crash.mts', [String((await once(dying, 'exit'))[1])], ['SIGKILL'])
  expectLines('crash.mts', await output(folder, 'crash.mts'), ['waiting interrupted'])
  expectLines('transfers.txt', linesOf(folder, 'transfers.txt'), ['A7 80'])
  await output(folder, tool, 'respond', 'crashed', '"It arrived."', '--store', 'desk.db', '--no-drive')
  const clicked = await clickThrough(folder)
  await work(folder, tool)
  expectLines('transfers.txt', linesOf(folder, 'transfers.txt'), ['A7 80'])
  const tests = await output(folder, '--test', 'paths.mts')
  const passed = tests.find((line) => / pass \d\d/.test(line))
  if (passed === undefined) throw new Error(`paths.mts of the tutorial has no test that passed: ${tests.join('\n')}`)
  return `the tutorial works step by step; ${clicked}`
}

function linesOf(folder: string, file: string): readonly string[] {
  return readFileSync(join(folder, file), 'utf8').trimEnd().split('\n')
}

/** Opens the page as a person would, and approves the refund there. */
async function clickThrough(folder: string): Promise<string> {
  const server = start(folder, ['page.mts'], { PORT: String(await freePort()) })
  try {
    const address = await firstLine(server)
    const { status } = await fetch(new URL('/runs', address))
    if (status !== 403) throw new Error(`page.mts of the tutorial answers ${status} to a stranger; expected 403.`)
    if (!existsSync(executablePath)) return `no ${executablePath} here: nobody clicked on its page`
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
    try {
      const tab = await browser.newPage()
      await tab.goto(address)
      await tab.getByRole('button', { name: 'My lamp is broken' }).click()
      await tab.getByRole('button', { name: 'Approve refund {"order":"A7","euros":80}' }).click()
      await tab.getByText('done You get 80 euros back.').waitFor()
      return 'its page was clicked through in Chromium'
    } finally {
      await browser.close()
    }
  } finally {
    server.kill()
    await once(server, 'exit')
  }
}

/** Lets a worker go on with a run that is approved from the command line. */
async function work(folder: string, tool: string): Promise<void> {
  const worker = start(folder, ['work.mts'])
  try {
    const [runId = ''] = /run_\w+/.exec(await firstLine(worker)) ?? []
    const shown = (await output(folder, tool, 'show', runId, '--agents', 'desk.mts', '--json')).join('')
    const { suspended } = JSON.parse(shown) as { readonly suspended: readonly { readonly callId: string }[] }
    const callId = suspended[0]?.callId ?? ''
    await output(folder, tool, 'approve', runId, callId, '--store', 'desk.db', '--no-drive')
    const watched = await output(folder, tool, 'watch', runId, '--store', 'desk.db')
    if (!watched.join('\n').includes('You get 80 euros back.'))
      throw new Error(`The worker of the tutorial did not go on: ${watched.join('\n')}`)
  } finally {
    worker.kill()
    await once(worker, 'exit')
  }
}
