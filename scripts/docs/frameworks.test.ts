import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { compiled } from '../../proof/support/compiled.ts'
import { subpaths } from './snippets.ts'

const page = readFileSync('docs/guides/web-server.md', 'utf8')
const sources = Object.entries(subpaths(readFileSync('package.json', 'utf8')))

/** The program of the page with a file name, and the package that it needs. */
function programOf(file: string): string {
  const block = page.split('```js\n').find((part) => part.startsWith(`// ${file}\n`))
  return withSources(block?.split('```')[0] ?? '')
}

function withSources(code: string): string {
  const urlOf = (source: string) => pathToFileURL(resolve(source)).href
  return sources.reduce((text, [name, source]) => text.replaceAll(`'${name}'`, `'${urlOf(source)}'`), code)
}

const clerk = `import { createAgent } from 'statewright'
import { scripted } from 'statewright/providers/scripted'
import { createHandlers } from 'statewright/server'
const agent = createAgent({ name: 'clerk', model: scripted(['Hello.']) })
export const handlers = createHandlers(agent, { basePath: '/api', authorize: () => true })`

/** Serves the route as Next calls it: the exported function of the method, with a request. */
const nextServer = `import { createServer } from 'node:http'
import { nodeListener } from 'statewright/server/node'
import * as route from './app/api/[...path]/route.mjs'
const fetch = (request) => route[request.method](request)
createServer(nodeListener({ fetch })).listen(process.env.PORT, '127.0.0.1')`

/** Prints where a server listens. */
const telling = `import { subscribe } from 'node:diagnostics_channel'
import { Server } from 'node:net'
const { listen } = Server.prototype
Server.prototype.listen = function (...given) {
  this.once('listening', () => console.log(this.address().port))
  return listen.apply(this, given)
}`

const has = (name: string) => {
  try {
    return existsSync(createRequire(import.meta.url).resolve(name))
  } catch {
    return false
  }
}

for (const name of ['hono', 'express', 'fastify'].filter((one) => !has(one))) {
  process.stdout.write(`${name} is not installed: its program in the guide skipped\n`)
}

test.each(['hono', 'next', 'express', 'fastify'].filter((name) => name === 'next' || has(name)))(
  "SRV-01 the guide's server program runs in %s",
  async (name) => {
    mkdirSync('.statewright', { recursive: true })
    const folder = mkdtempSync(join('.statewright', 'frameworks-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const put = (file: string, code: string) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), code)
    }
    put('clerk.mjs', withSources(clerk))
    put('telling.mjs', telling)
    if (name === 'next') {
      put('app/api/[...path]/route.mjs', programOf('app/api/[...path]/route.mjs'))
      put('next.mjs', withSources(nextServer))
    } else {
      put(`${name}.mjs`, programOf(`${name}.mjs`))
    }
    const parameters = ['--import', `./${join(folder, 'telling.mjs')}`, join(folder, `${name}.mjs`)]
    const child = spawn(process.execPath, parameters, {
      env: { ...compiled, PATH: process.env['PATH'] ?? '', PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const port = await new Promise<string>((found) => createInterface({ input: child.stdout }).once('line', found))
    const at = `http://127.0.0.1:${port}/api/runs`
    const body = JSON.stringify({ prompt: 'Hi.', runId: 'r' })
    const started = await fetch(at, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    expect([started.status, await started.json()]).toMatchObject([201, { runId: 'r' }])
    const events = await (await fetch(`${at}/r/events?deltas=0`)).text()
    expect(events).toContain('"type":"run.ended"')
    expect((await fetch(`${at}/nobody`)).status).toBe(404)
  },
  60_000,
)
