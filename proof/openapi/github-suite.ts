import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createAgent } from '../../src/core/agent/create-agent.ts'
import { argumentsSchemaOf } from '../../src/core/effects/tools/json-schema-of.ts'
import type { Toolset } from '../../src/core/ports/toolset.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { openApiToolset } from '../../src/adapters/tools/openapi.ts'
import type { SuiteCase } from '../conformance/run-suite.ts'
import { loopbackServer } from '../support/loopback-server.ts'
import { sampleArguments } from './sample-arguments.ts'

const folder = join(import.meta.dirname, 'github')
const document = join(folder, 'node_modules/@octokit/openapi/generated/api.github.com.json')

/** Operations a whole document of today has at least. */
const fewest = 1_000

/** Installs GitHub's document where it is not there as the lock file has it; says why where it cannot be had. */
export function installGitHub(): string | undefined {
  const [lock, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map((name) => join(folder, name))
  if (lock === undefined || installed === undefined) return undefined
  const isNew = existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs
  if (isNew && existsSync(document)) return undefined
  const parameters = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status, stderr, error } = spawnSync('npm', parameters, { cwd: folder, encoding: 'utf8', timeout: 120_000 })
  if (status === 0 && existsSync(document)) return undefined
  const reason = (error?.message ?? stderr).trim().split('\n').at(-1) ?? ''
  return `@octokit/openapi could not be installed: ${reason.slice(0, 200)}`
}

/** GitHub's whole document: opened under any prefix, taken in by an agent that calls it, each operation sent once. */
export function gitHubSuite(): readonly SuiteCase[] {
  const open = (prefix?: string, baseUrl?: string): Toolset =>
    openApiToolset({
      source: { file: document },
      onWarning: () => {},
      ...(prefix === undefined ? {} : { prefix }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
    })
  const prefixes = [undefined, 'github', 'p'.repeat(32)]
  return [
    ...prefixes.map((prefix) => ({
      name: `an agent takes all of it in and calls it, with ${prefix === undefined ? 'no prefix' : `prefix ${prefix}`}`,
      run: () => runs(prefix, open),
    })),
    { name: 'each operation is sent once, with arguments made from its schema', run: () => sendsAll(open) },
  ]
}

type Open = (prefix?: string, baseUrl?: string) => Toolset

async function runs(prefix: string | undefined, open: Open): Promise<void> {
  await using server = await loopbackServer()
  const toolset = open(prefix, server.origin)
  const tools = await toolset.tools()
  assert.ok(tools.length >= fewest, `It has ${tools.length} operations.`)
  assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length)
  const name = tools.find(({ sourceName }) => sourceName === 'repos/get')?.name ?? ''
  const call = { id: 'c', name, arguments: { owner: 'octo', repo: 'cat' } }
  const model = scripted([{ toolCalls: [call] }, 'Done.'])
  await using agent = createAgent({ name: 'suite', model, tools: [toolset] })
  const { text } = await agent.run('Go.')
  assert.deepEqual([text, server.seen.map(({ url }) => url)], ['Done.', ['/repos/octo/cat']])
}

async function sendsAll(open: Open): Promise<void> {
  await using server = await loopbackServer()
  const toolset = open(undefined, server.origin)
  const context = { signal: new AbortController().signal }
  const unsent: string[] = []
  for (const { sourceName, input, execute } of await toolset.tools()) {
    const before = server.seen.length
    await Reflect.apply(execute, undefined, [sampleArguments(argumentsSchemaOf(input)), context])
    if (server.seen.length !== before + 1) unsent.push(sourceName ?? '')
  }
  await toolset.close()
  assert.deepEqual(unsent, [])
}
