import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StateMachine } from 'xstate'
import type * as Machines from '../../machines/index.ts'
import type * as Engine from '../../src/index.ts'
import type * as Scripted from '../../src/adapters/providers/scripted.ts'
import type * as Sqlite from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { bundleEntries } from './bundle-entries.ts'

// The folder is inside the repository, where the external packages are found.
mkdirSync('.statewright', { recursive: true })
const folder = mkdtempSync(resolve('.statewright/bundles-'))
let files: readonly string[] = []

beforeAll(async () => {
  files = await bundleEntries(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', imports: platformImports() }))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the published bundles', () => {
  test('an error has the same class in every subpath', async () => {
    const { ModelError, StoreError } = await open<typeof Engine>('src/index.js')
    const { sqliteStore } = await open<typeof Sqlite>('src/adapters/stores/sqlite/sqlite-store.js')
    const { scripted } = await open<typeof Scripted>('src/adapters/providers/scripted.js')
    const request = { system: '', messages: [], tools: [], signal: new AbortController().signal }
    const stream = scripted([]).stream(request)[Symbol.asyncIterator]()
    expect(() => sqliteStore(join(folder, 'absent', 'runs.db'))).toThrow(StoreError)
    await expect(stream.next()).rejects.toBeInstanceOf(ModelError)
  })

  test('the bundles leave every package outside, so that there is one xstate', async () => {
    const { createAgent } = await open<typeof Engine>('src/index.js')
    const { runMachine } = await open<typeof Machines>('machines/index.js')
    const { scripted } = await open<typeof Scripted>('src/adapters/providers/scripted.js')
    expect(createAgent({ name: 'one', model: scripted([]) }).machine).toBeInstanceOf(StateMachine)
    expect(runMachine).toBeInstanceOf(StateMachine)
    const packages = new Set(
      files.flatMap((file) => [...importsOf(file), ...onUseBy(file)].filter((name) => !/^(\.|#|node:)/.test(name))),
    )
    const { dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
    const promised = Object.keys({ ...dependencies, ...peerDependencies })
    expect([...packages].filter((name) => !promised.some((one) => name === one || name.startsWith(`${one}/`)))).toEqual(
      [],
    )
    expect([...packages]).toContain('xstate')
  })

  test('the bundles open the engine with one file for each of its parts', () => {
    expect(loadedBy('src/index.js').toSorted()).toEqual([
      'shared/base.js',
      'shared/engine.js',
      'shared/machines.js',
      'src/index.js',
    ])
  })

  test('the bundles load on use the code that checks JSON Schemas, forks runs and calls plugins', () => {
    const atOnce = loadedBy('src/index.js')
    expect(atOnce.flatMap(importsOf)).not.toContain('@cfworker/json-schema')
    const loaded = atOnce.flatMap((file) => onUseBy(file))
    for (const name of ['check-json-schema', 'fork-run', 'ask', 'gate-replay', 'store-decisions', 'match-rules'])
      expect(loaded.filter((file) => new RegExp(`/${name}\\d*\\.js$`).test(file))).not.toEqual([])
  })

  test('the bundles open the engine without code that only other entry points load at once', () => {
    const code = loadedBy('src/index.js').map((file) => readFileSync(join(folder, file), 'utf8'))
    const named = code
      .join('\n')
      .match(/\bfunction (?:createAgent|drawSvg|forecast|listGrants|parsePolicy|valueShower)\b/g)
    expect(named).toEqual(['function createAgent'])
  })

  test('the bundles open the charts, a store and a provider without the engine', () => {
    const doors = [
      'machines/index.js',
      'src/adapters/stores/sqlite/sqlite-store.js',
      'src/adapters/providers/scripted.js',
    ]
    expect(doors.flatMap((door) => loadedBy(door))).not.toContain('shared/engine.js')
  })
})

interface Manifest {
  readonly imports: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

/** Returns the `imports` of the package, for bundles outside `dist`. */
function platformImports(): object {
  const { imports } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
  return JSON.parse(JSON.stringify(imports).replaceAll('./dist/', './')) as object
}

async function open<Door>(path: string): Promise<Door> {
  return (await import(join(folder, path))) as Door
}

/** Returns every file that is loaded at once with a file, including the file itself. */
function loadedBy(file: string, seen: string[] = []): string[] {
  if (seen.includes(file)) return seen
  seen.push(file)
  const near = importsOf(file).filter((name) => name.startsWith('.'))
  for (const name of near) loadedBy(join(file, '..', name), seen)
  return seen
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(folder, file), 'utf8')
  return [...text.matchAll(/^(?:import|export)\b(?:.*?\bfrom)? ?"([^"]+)"/gm)].map(([, named = '']) => named)
}

/** Returns the files that one file loads on use. */
function onUseBy(file: string): readonly string[] {
  const text = readFileSync(join(folder, file), 'utf8')
  return [...text.matchAll(/\bimport\("([^"]+)"\)/g)].map(([, loaded = '']) => loaded)
}
