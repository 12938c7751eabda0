import type { Tool } from '../../src/index.ts'
import { toolNamed } from '../support/tools.ts'
import { policies } from '../../src/core/plugins/policies.ts'
import type { Version } from './old-version.ts'

/** A change of the code. */
export type Change = (version: Version) => Version

const eachTool =
  (change: (tool: Tool) => Tool): Change =>
  ({ tools, helper, ...others }) => ({
    ...others,
    tools: tools.map(change),
    helper: helper && { ...helper, tools: (helper.tools as readonly Tool[]).map(change) },
  })
const rules =
  (given: object): Change =>
  (version) => ({ ...version, permissions: { rules: given } })
const policed =
  (text: string): Change =>
  (version) => ({ ...version, permissions: { ...version.permissions, policies: policies([text]) } })
const all = ['needing', 'ruled', 'asking', 'valued', 'passed', 'once', 'safe', 'alone', 'lone', 'dig', 'pay', 'help']

/** One change of each class. */
const single: { readonly [name: string]: Change } = {
  nothing: (version) => version,
  'tools gone': ({ helper, ...version }) => ({ ...version, tools: [], helper: helper && { ...helper, tools: [] } }),
  'tools renamed': eachTool((tool) => ({ ...tool, name: `my_${tool.name}` })),
  'a tool more': (version) => ({ ...version, tools: [...version.tools, toolNamed('more', () => '')] }),
  'arguments that do not fit': eachTool((tool) => ({
    ...tool,
    input: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  })),
  'arguments that fit': eachTool((tool) => ({
    ...tool,
    input: { type: 'object', properties: { n: { type: 'number', minimum: 0 } } },
  })),
  descriptions: eachTool((tool) => ({ ...tool, description: 'Does it.' })),
  'needs taken away': eachTool(({ needs: _, ...tool }) => tool),
  'needs added': eachTool((tool) => ({ ...tool, needs: 'approval' })),
  effects: eachTool((tool) => ({ ...tool, effects: 'once' })),
  'results that do not fit': eachTool((tool) =>
    tool.name === 'valued' ? { ...tool, output: { type: 'string' } } : tool,
  ),
  'rules that deny': rules({ deny: all }),
  'rules that deny other arguments': rules({ deny: all.map((name) => `${name}(n = 7)`) }),
  'rules that ask': rules({ ask: all }),
  'no rules': ({ permissions: _, ...version }) => version,
  'lower limits': (version) => ({ ...version, limits: { maxTurns: 1, maxTokens: 1 } }),
  'no limits': (version) => ({ ...version, limits: false }),
  prices: (version) => ({
    ...version,
    prices: { 'scripted/one': { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 } },
  }),
  'no prices': ({ prices: _, helper, ...version }) => ({ ...version, helper: { ...helper, prices: {} } }),
  'policies that forbid': policed('never(ran())'),
  'policies that allow': policed('never(ran(other))'),
  instructions: (version) => ({ ...version, instructions: 'Be brief.' }),
  'the output': (version) => ({ ...version, output: { type: 'string' } }),
  'the model': (version) => ({ ...version, modelId: 'two' }),
  settings: (version) => ({ ...version, request: { temperature: 0.5 } }),
  'no service': ({ services: _, ...version }) => version,
  'no sub-agent': ({ helper: _, ...version }) => version,
  'instructions of the sub-agent': ({ helper, ...version }) => ({
    ...version,
    helper: { ...helper, instructions: 'Hurry.' },
  }),
  'a plugin that only watches': (version) => ({ ...version, plugins: [{ name: 'watch', afterTool: () => {} }] }),
  'the version': (version) => ({ ...version, version: '2' }),
  'the version, which takes runs over': (version) => ({ ...version, version: { name: '2', others: 'move' } }),
  'the name': (version) => ({ ...version, name: 'tests' }),
}

const pairs: readonly (readonly [string, string])[] = [
  ['tools gone', 'rules that deny'],
  ['tools renamed', 'rules that ask'],
  ['arguments that do not fit', 'rules that deny'],
  ['arguments that fit', 'rules that deny'],
  ['arguments that fit', 'needs taken away'],
  ['descriptions', 'effects'],
  ['effects', 'rules that ask'],
  ['results that do not fit', 'no service'],
  ['policies that forbid', 'rules that ask'],
  ['no prices', 'effects'],
  ['the name', 'tools gone'],
  ['the version, which takes runs over', 'instructions'],
  ['the version, which takes runs over', 'no prices'],
]

/** Changes of the code between the old version and a new one, by their names: each class alone, and pairs. */
export const changes: readonly (readonly [string, Change])[] = [
  ...Object.entries(single),
  ...pairs.map(([one, two]): readonly [string, Change] => [
    `${one} and ${two}`,
    (version) => changed(two, changed(one, version)),
  ]),
]

function changed(name: string, version: Version): Version {
  const change = single[name]
  if (change === undefined) throw new Error(`No change is named "${name}".`)
  return change(version)
}
