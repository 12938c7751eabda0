import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'
import { rolldown } from 'rolldown'
import { subpaths } from '../docs/snippets.ts'
import { renameImports } from '../examples.ts'

/** The path of Debian's Chromium. */
export const executablePath = '/usr/bin/chromium'

/** The example in the installed package. */
const program = 'examples/plain-xstate.ts'

/**
 * Bundles the example from the installed package for a browser and runs it in two separate pages of a headless
 * Chromium: one starts the run, and the other continues from its JSON and approves. Reports a missing Chromium; throws
 * if the result differs, or if the bundle contains a module of Node.
 */
export async function runInBrowser(folder: string): Promise<string> {
  if (!existsSync(executablePath)) return `no ${executablePath} here: the run in a browser is skipped`
  const bundle = await bundleFor(folder)
  const server = await serve(bundle)
  const { port } = server.address() as AddressInfo
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const address = `http://127.0.0.1:${port}/`
    const [text, saved] = await inPage(await browser.newContext(), address, begin, '')
    const [answer] = await inPage(await browser.newContext(), address, finish, saved ?? '')
    if (text !== 'Light it is.' || answer !== 'Lit.') throw new Error(`In Chromium: ${JSON.stringify([text, answer])}`)
    return `Chromium ${browser.version()} started a run, and another page of it approved and finished it: ${answer}`
  } finally {
    await browser.close()
    server.close()
  }
}

async function bundleFor(folder: string): Promise<string> {
  const doors = subpaths(readFileSync('package.json', 'utf8'))
  const source = renameImports(program, readFileSync(program, 'utf8'), 'public', doors)
  writeFileSync(join(folder, 'plain-xstate.ts'), source)
  writeFileSync(join(folder, 'page.js'), "import * as plain from './plain-xstate.ts'\nglobalThis.plain = plain\n")
  const bundle = await rolldown({ input: join(folder, 'page.js'), cwd: folder, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  const [{ code, imports }] = output
  if (imports.length > 0) throw new Error(`The bundle for a browser needs ${imports.join(', ')}.`)
  return code
}

async function serve(bundle: string): Promise<Server> {
  const server = createServer((request, response) => {
    const isBundle = request.url === '/page.js'
    response.setHeader('content-type', isBundle ? 'text/javascript' : 'text/html; charset=utf-8')
    response.end(
      isBundle
        ? bundle
        : '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

interface Plain {
  begin(prompt: string, show: (text: string) => void): Promise<string>
  finish(saved: string): Promise<string>
}

async function inPage(
  context: BrowserContext,
  address: string,
  act: (given: string) => Promise<readonly string[]>,
  given: string,
): Promise<readonly string[]> {
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => problems.push(message.text()))
  await page.goto(address, { waitUntil: 'load' })
  const result = await page.evaluate(act, given)
  await context.close()
  if (problems.length > 0) throw new Error(`The page says: ${problems.join('\n')}`)
  return result
}

/** Runs in the page. */
async function begin(): Promise<readonly string[]> {
  const { plain } = globalThis as unknown as { readonly plain: Plain }
  let text = ''
  const saved = await plain.begin('Light!', (part) => (text += part))
  return [text, saved]
}

/** Runs in the page. */
async function finish(saved: string): Promise<readonly string[]> {
  const { plain } = globalThis as unknown as { readonly plain: Plain }
  return [await plain.finish(saved)]
}
