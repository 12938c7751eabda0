import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const source = new URL('../../../src/', import.meta.url).href

/** What begins each module: the agents of the tests, on a store. */
const clerk = `
import { createAgent, tool } from '${source}index.ts'
import { scripted } from '${source}adapters/providers/scripted.ts'
import { sqliteStore } from '${source}adapters/stores/sqlite/sqlite-store.ts'
const input = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }), jsonSchema: { input: () => ({ type: 'object' }) } },
}
const stamp = tool({ name: 'stamp', description: 'Stamps', input, needs: 'approval', execute: () => 'stamped' })
const reply = { toolCalls: [{ id: 'c1', name: 'stamp', arguments: {} }] }
const clerkOn = (store, name = 'clerk') => createAgent({ name, store, tools: [stamp], model: scripted([reply, 'Stamped it.']) })
`

/** Modules as people write them, by what is the matter with them. */
const modules = {
  'given a store': 'export default (store) => clerkOn(store)',
  'of two agents': "export const agents = async (store) => [clerkOn(store), clerkOn(store, 'mailer')]",
  'with a store of its own':
    "const store = sqliteStore(new URL('own.db', import.meta.url).pathname)\nexport const one = clerkOn(store)\nexport { one as default }",
  'without an agent': 'export const answer = 42',
  'with two of one name': 'export default (store) => [clerkOn(store), clerkOn(store)]',
  'with two stores':
    "export const one = clerkOn(sqliteStore(':memory:'))\nexport const two = clerkOn(sqliteStore(':memory:'), 'mailer')",
  'without a store': 'export const one = clerkOn(undefined)',
  'that throws': "throw new Error('no key\\nis set')",
  'whose function throws': "export default () => { throw new Error('no key is set') }",
  'that never settles': 'await new Promise(() => {})\nexport default (store) => clerkOn(store)',
  'whose function never settles': 'export default () => new Promise(() => {})',
  'whose function ignores its store': "export default () => clerkOn(sqliteStore(':memory:'))",
} as const

/** Writes one of the modules into a folder, and gives its name. */
export async function agentModule(folder: string, which: keyof typeof modules): Promise<string> {
  const name = `${which.replaceAll(' ', '-')}.mjs`
  await writeFile(join(folder, name), `${clerk}\n${modules[which]}\n`)
  return name
}
