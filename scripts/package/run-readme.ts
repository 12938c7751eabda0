import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { readSnippets } from '../docs/snippets.ts'
import { executablePath } from './run-in-browser.ts'

/** The pages whose programs are tried. */
const pages = ['README.md', 'docs/guides/web-server.md']

/** The maximum number of lines of these programs, without the line with the name. */
const most = { 'hello.mts': 10, 'approve.mts': 7, 'server.mts': 45 }

/**
 * Writes the README's programs into the folder of a user's project; throws if one is missing or longer than promised.
 */
export function writePrograms(folder: string): void {
  const snippets = pages.flatMap((page) => readSnippets(page, readFileSync(page, 'utf8')))
  const files = snippets.flatMap(({ file, code }) => {
    if (file === undefined) return []
    writeFileSync(join(folder, file), code)
    return { file, lines: code.trimEnd().split('\n').length - 1 }
  })
  for (const [name, limit] of Object.entries(most)) {
    const lines = files.find(({ file }) => file === name)?.lines
    if (lines === undefined) throw new Error(`README has no ${name}.`)
    if (lines > limit) throw new Error(`${name} of README has ${lines} lines; at most ${limit} are promised.`)
  }
}

/** Runs the programs in sequence, each in its own process, as the README describes; throws for another output. */
export async function runPrograms(folder: string): Promise<string> {
  expectLines('hello.mts', await output(folder, 'hello.mts'), ['done Take an umbrella.'])
  const asked = await output(folder, 'ask.mts')
  const runId = asked.at(-1) ?? ''
  expectLines('ask.mts', asked, ["waiting send { to: 'Ada' }", runId])
  await approveTwice(folder, runId)
  const port = await freePort()
  const server = start(folder, ['server.mts'], { PORT: String(port) })
  try {
    const address = await firstLine(server)
    const begin = `http://127.0.0.1:${port}/?`
    if (!address.startsWith(begin) || address.length < begin.length + 20)
      throw new Error(`server.mts of README printed ${address}; expected ${begin} and a secret.`)
    await followAndApprove(address)
    const inPage = await clickThrough(address)
    return `README says hello, approves in another process and serves a page; ${inPage}`
  } finally {
    server.kill()
    await once(server, 'exit')
  }
}

/** Approves one call from two terminals at once: one answer counts, and both see the end. */
async function approveTwice(folder: string, runId: string): Promise<void> {
  const both = await Promise.all([1, 2].map(() => output(folder, 'approve.mts', runId)))
  const [applied, second] = both.flat().toSorted()
  expectLines('approve.mts', [applied ?? ''], ['applied done It is out.'])
  const answers = ['duplicate', 'stale'].map((answer) => `${answer} done It is out.`)
  if (!answers.includes(second ?? '')) throw new Error(`approve.mts of README, run twice at once, printed ${second}.`)
}

/** Throws if a program printed something else. */
export function expectLines(name: string, lines: readonly string[], expected: readonly string[]): void {
  if (JSON.stringify(lines) === JSON.stringify(expected)) return
  throw new Error(`${name} printed ${JSON.stringify(lines)}; expected ${JSON.stringify(expected)}.`)
}

/** Starts a program in a folder. */
export function start(folder: string, parameters: readonly string[], variables: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, parameters, {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 120_000,
  })
}

/** Returns the lines that a program prints. Throws if it fails. */
export async function output(folder: string, ...parameters: readonly string[]): Promise<readonly string[]> {
  const child = start(folder, parameters)
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => (text += piece))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${parameters.join(' ')} ended with ${code}:\n${text}`)
  return text.trimEnd().split('\n')
}

/** Returns the first words of a program. */
export async function firstLine(child: ChildProcess): Promise<string> {
  // Listening keeps the pipe open; a loop that ends here would close it before the server's next line.
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${child.spawnargs.join(' ')} ended without a word.`)
  })
  const [piece] = await Promise.race([once(child.stdout ?? child, 'data'), ended])
  return String(piece).trimEnd()
}

/** Returns a port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/**
 * Signs in by the address, loads the page, starts a run, follows its events, approves its call and sees the end. Throws
 * if the server serves anything without the secret, or anything to a foreign page.
 */
async function followAndApprove(address: string): Promise<void> {
  const { origin: url } = new URL(address)
  for (const path of ['/', '/runs', '/?', '/?wrong']) await refused(await fetch(`${url}${path}`), 401)
  await refused(await send(`${url}/runs`, { prompt: 'Bill Ada.' }), 401)
  const cookie = (await fetch(address, { redirect: 'manual' })).headers.get('set-cookie')?.split(';')[0] ?? ''
  const signedIn = { cookie }
  const page = await (await fetch(url, { headers: signedIn })).text()
  if (!page.includes('new EventSource')) throw new Error(`server.mts of README has no page: ${page}`)
  await refused(await send(`${url}/runs`, { prompt: 'Bill Ada.' }, { ...signedIn, origin: 'http://a.test' }), 403)
  const { runId } = await post<{ readonly runId: string }>(`${url}/runs`, { prompt: 'Bill Ada.' }, signedIn)
  const told: Told[] = []
  for await (const event of eventsFrom(`${url}/runs/${runId}/events`, signedIn)) told.push(event)
  const target = told.at(-1)?.suspended?.[0]?.callId
  const decisions = [{ target, action: 'resume' }]
  const { receipts } = await post<{ readonly receipts: readonly { readonly answer: string }[] }>(
    `${url}/runs/${runId}/decisions`,
    { decisions },
    signedIn,
  )
  if (receipts[0]?.answer !== 'applied')
    throw new Error(`server.mts of README answered an approval with ${receipts[0]?.answer}.`)
  const after = `${url}/runs/${runId}/events?after=${told.at(-1)?.seq}`
  for await (const event of eventsFrom(after, signedIn)) told.push(event)
  if (told[0]?.type !== 'run.started' || told.at(-1)?.type !== 'run.ended')
    throw new Error(`server.mts of README told ${told.map(({ type }) => type).join(', ')}.`)
  const standing = await (await fetch(`${url}/runs/${runId}`, { headers: signedIn })).text()
  if (!standing.includes(`"by":${JSON.stringify(userInfo().username)}`))
    throw new Error(`server.mts of README does not name who approved: ${standing}`)
}

async function refused(response: Response, status: number): Promise<void> {
  if (response.status === status) return
  throw new Error(`server.mts of README answered ${response.url} with ${response.status}; expected ${status}.`)
}

type Headers = Readonly<Record<string, string>>

async function post<Answer>(url: string, body: object, headers: Headers): Promise<Answer> {
  const response = await send(url, body, headers)
  if (!response.ok) throw new Error(`POST ${url} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Answer
}

function send(url: string, body: object, headers: Headers = {}): Promise<Response> {
  const all = { 'content-type': 'application/json', ...headers }
  return fetch(url, { method: 'POST', body: JSON.stringify(body), headers: all })
}

interface Told {
  readonly type: string
  readonly seq?: number
  readonly suspended?: readonly { readonly callId: string }[]
}

async function* eventsFrom(url: string, headers: Headers): AsyncGenerator<Told> {
  const { body } = await fetch(url, { headers })
  let text = ''
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const parts = (text + piece).split('\n\n')
    text = parts.pop() ?? ''
    for (const part of parts) yield JSON.parse(/^data: (.+)$/m.exec(part)?.[1] ?? '{}') as Told
  }
}

/**
 * Does the same in Chromium as a person would; the page is reloaded while the run waits. Reports a missing Chromium.
 */
async function clickThrough(address: string): Promise<string> {
  if (!existsSync(executablePath)) return `no ${executablePath} here: nobody clicked on it`
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    await page.goto(address)
    await page.getByRole('button', { name: 'Bill Ada' }).click()
    await page.getByRole('button', { name: 'Approve send {"to":"Ada"}' }).first().waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Approve send {"to":"Ada"}' }).first().click()
    await page.getByText('assistant: It is out.').first().waitFor()
    return 'in Chromium it was clicked through'
  } finally {
    await browser.close()
  }
}
