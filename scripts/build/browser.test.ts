import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync } from 'oxc-parser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleEntries } from './bundle-entries.ts'

mkdirSync('.statewright', { recursive: true })
const folder = mkdtempSync(resolve('.statewright/browser-'))

beforeAll(async () => {
  await bundleEntries(folder)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The files that an application with a memory store and without file tools loads. */
const doors = [
  'src/index.js',
  'machines/index.js',
  'src/core/stores/memory/memory-store.js',
  'src/adapters/providers/scripted.js',
]

type Condition = 'browser' | 'default'
interface Manifest {
  readonly imports: Readonly<Record<string, Readonly<Record<Condition, string>>>>
}

const { imports } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest

/** Returns the parts that a browser lacks: built-in modules, and global names that only Node has. */
function nodeOnlyIn(condition: Condition, from = doors): readonly string[] {
  const found = new Set<string>()
  const seen = new Set<string>()
  const open = [...from]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    const { program } = parseSync(file, readFileSync(join(folder, file), 'utf8'))
    for (const source of sourcesIn(program)) {
      if (source.startsWith('.')) open.push(join(file, '..', source))
      else if (source.startsWith('#')) open.push(imports[source]?.[condition].replace('./dist/', '') ?? source)
      else if (source.startsWith('node:')) found.add(source)
    }
    for (const name of globalsIn(program)) found.add(name)
  }
  return [...found].toSorted()
}

const nodeOnly = ['Buffer', 'process', 'setImmediate', 'clearImmediate', 'require', '__dirname', '__filename', 'global']

interface Node {
  readonly type?: string
  readonly [field: string]: unknown
}

function* nodesIn(node: unknown): Generator<{ readonly node: Node; readonly field: string; readonly parent: Node }> {
  if (node === null || typeof node !== 'object') return
  for (const [field, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (child === null || typeof child !== 'object') continue
      yield { node: child as Node, field, parent: node as Node }
      yield* nodesIn(child)
    }
  }
}

function sourcesIn(program: unknown): readonly string[] {
  return [...nodesIn(program)].flatMap(({ node, field, parent }) =>
    field === 'source' && /^(Import|Export)/.test(parent.type ?? '') && typeof node['value'] === 'string'
      ? node['value']
      : [],
  )
}

/** Returns the names that are read as globals, without keys and properties. */
function globalsIn(program: unknown): readonly string[] {
  return [...nodesIn(program)].flatMap(({ node, field, parent }) => {
    const { type, name } = node
    const isProperty = (field === 'property' || field === 'key') && parent['computed'] !== true
    return type === 'Identifier' && typeof name === 'string' && !isProperty && nodeOnly.includes(name) ? name : []
  })
}

describe('RUN-09 in a browser', () => {
  test('the engine, the charts, the memory store and the scripted model import nothing that is only in Node', () => {
    expect(nodeOnlyIn('browser')).toEqual([])
  })

  test("SCALE-02 the Durable Objects host imports no Node module; only a worker's signals use the process", () => {
    expect(nodeOnlyIn('browser', ['src/adapters/hosts/durable-object/index.js'])).toEqual(['process'])
  })

  test("the same walk by the default condition finds Node's modules", () => {
    expect(nodeOnlyIn('default')).toEqual(['Buffer', 'process', 'setImmediate'])
  })
})
