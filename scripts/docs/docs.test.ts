import { describe, expect, test } from 'vitest'
import { assign, fromPromise, setup } from 'xstate'
import { staleLines } from '../docs.ts'
import { drawMermaid } from '../../src/core/charts/draw-mermaid.ts'
import { foldChart } from '../../src/core/charts/fold-chart.ts'
import { readNamedChart } from '../../proof/charts/read-chart.ts'
import { renameImports } from '../examples.ts'
import { checkLinks } from './check-links.ts'
import { checkPaths } from './check-paths.ts'
import { checkSnippets, readSnippets } from './snippets.ts'
import { writeExports } from './write-exports.ts'
import { writeGolden } from '../../proof/charts/write-golden.ts'
import { writePage } from './write-page.ts'

const doorMachine = setup({
  types: { events: {} as { type: 'door.pushed'; force: number } | { type: 'door.locked' } },
  actors: { creak: fromPromise<void>(() => Promise.resolve()) },
  actions: { ring: () => {}, count: assign({}), note: (_, _params: { text: string }) => {} },
  guards: { isStrong: (_, { force }: { force: number; at: string }) => force > 1, isOiled: () => true },
}).createMachine({
  id: 'door',
  description: 'A door.',
  initial: 'closed',
  states: {
    closed: {
      description: 'Shut | not locked.',
      entry: 'ring',
      on: {
        'door.pushed': [
          { guard: { type: 'isStrong', params: ({ event }) => ({ force: event.force, at: 'once' }) }, target: 'open' },
          {
            guard: 'isOiled',
            target: 'open.moving',
            reenter: true,
            actions: ['count', { type: 'note', params: { text: 'oil' } }],
          },
        ],
        'door.locked': 'locked',
      },
    },
    open: {
      initial: 'moving',
      on: { 'door.pushed': { actions: 'count' } },
      states: {
        moving: { invoke: { src: 'creak', onDone: 'still', onError: '#door.locked' } },
        still: { always: { guard: 'isOiled', target: '#door.closed' } },
      },
    },
    locked: { type: 'final' },
  },
})

const chart = readNamedChart('door', doorMachine)

describe('chart docs', () => {
  test('lists the adjacency, with guards in order and parameters', () => {
    expect(writeGolden(chart).split('\n')).toEqual([
      '(root) --(initial)--> closed',
      'closed --(entry)--> / ring',
      'closed --door.locked--> locked',
      "closed --door.pushed[isStrong(force: event.force, at: 'once')]--> open",
      "closed --door.pushed[isOiled]--> open.moving (reenters) / count, note(text: 'oil')",
      'locked is final',
      'open --(initial)--> open.moving',
      'open --door.pushed--> (stays) / count',
      'open.moving --(invokes)--> creak as 0.door.open.moving',
      'open.moving --done(creak)--> open.still',
      'open.moving --error(creak)--> locked',
      'open.still --always[isOiled]--> closed',
      '',
    ])
  })

  test('draws arrows between composite states at their borders', () => {
    expect(drawMermaid(chart).split('\n')).toEqual([
      'stateDiagram-v2',
      '  [*] --> closed',
      '  state "closed" as closed',
      '  state "open" as open {',
      '    [*] --> open_moving',
      '    state "moving" as open_moving',
      '    state "still" as open_still',
      '    open_moving --> open_still : done(creak)',
      '  }',
      '  state "locked" as locked',
      '  locked --> [*]',
      '  closed --> open : door.pushed [isStrong(once)]<br/>door.pushed [isOiled] → moving',
      '  closed --> locked : door.locked',
      '  open --> locked : (moving) error(creak)',
      '  open --> closed : (still) always [isOiled]',
    ])
  })

  test('draws an overview of compounds, of what is beside them, and of the paths between them', () => {
    expect(drawMermaid(foldChart(chart)).split('\n')).toEqual([
      'stateDiagram-v2',
      '  [*] --> closed',
      '  state "closed" as closed',
      '  state "open" as open',
      '  state "locked" as locked',
      '  locked --> [*]',
      '  closed --> open : door.pushed',
      '  closed --> locked : door.locked',
      '  open --> locked : error(creak)',
      '  open --> closed : always',
    ])
  })

  test('frames a compound with nested compounds, enters it by its first state, and leaves a flat chart as it is', () => {
    const house = setup({
      types: { events: {} as { type: 'left' } | { type: 'burnt' } | { type: 'back' } },
    }).createMachine({
      id: 'house',
      initial: 'inside',
      on: { burnt: '.gone' },
      states: {
        inside: {
          initial: 'kitchen',
          on: { back: '.kitchen.cooking' },
          states: {
            kitchen: { initial: 'cooking', states: { cooking: { on: { left: '#house.inside.hall' } } } },
            hall: { on: { left: '#house.outside' } },
          },
        },
        outside: { on: { back: 'inside' } },
        gone: { type: 'final' },
      },
    })
    expect(drawMermaid(foldChart(readNamedChart('house', house))).split('\n')).toEqual([
      'stateDiagram-v2',
      '  [*] --> inside',
      '  state "inside" as inside {',
      '    [*] --> inside_kitchen',
      '    state "kitchen" as inside_kitchen',
      '    state "hall" as inside_hall',
      '    inside_kitchen --> inside_hall : left',
      '  }',
      '  state "outside" as outside',
      '  state "gone" as gone',
      '  gone --> [*]',
      '  gone --> gone : (anywhere) burnt',
      '  inside --> outside : (hall) left',
      '  outside --> inside : back → kitchen',
    ])
    const flat = setup({}).createMachine({ initial: 'a', states: { a: { always: 'b' }, b: {} } })
    const unfolded = readNamedChart('flat', flat)
    expect(foldChart(unfolded)).toBe(unfolded)
  })

  test('writes a page with a row for each state', () => {
    const page = writePage(chart)
    expect(page).toContain('A door.')
    expect(page).toContain('| `closed` | Shut \\| not locked. | `ring` |')
    expect(page).toContain('| `locked` *(final)* |')
  })

  test('refuses a config with a function instead of a name', () => {
    const inline = setup({}).createMachine({
      initial: 'a',
      states: { a: { always: { guard: () => true, target: 'a' } } },
    })
    expect(() => readNamedChart('inline', inline)).toThrow(/not a name/)
  })

  test('shows which lines of a generated file are stale', () => {
    expect(staleLines('a\nb\n', 'a\nb\n')).toEqual([])
    expect(staleLines('a\nb\n', 'a\nc\n')).toEqual(['- b', '+ c'])
    expect(staleLines('b\na\n', 'a\nb\n')).toEqual(['the same lines in another order'])
  })
})

test('the list of public names distinguishes types from values, and names a re-export of everything', () => {
  const text =
    "export { b, type A } from './x.ts'\nexport function c() {}\nexport * from './y.ts'\nexport type { D } from './z.ts'"
  expect(writeExports([{ subpath: 'statewright/x', path: 'x.ts', text }]).split('\n')).toEqual([
    'statewright/x b',
    'statewright/x c',
    'statewright/x everything of ./y.ts',
    'statewright/x type A',
    'statewright/x type D',
    '',
  ])
})

describe('code in pages', () => {
  const packageJson = '{ "exports": { ".": { "default": "./dist/scripts/requirements/read-rows.js" } } }'

  test('reads the ts blocks of a page, and continues on request', () => {
    const page =
      'x\n\n```ts\n// run\nconst a = 1\n```\n\n```sh\nls\n```\n\n```ts\n// continues\na\n```\n\n```ts\nb\n```\n'
    expect(readSnippets('p.md', page)).toEqual([
      { page: 'p.md', line: 4, code: '// run\nconst a = 1\n', runs: true },
      { page: 'p.md', line: 13, code: '// run\nconst a = 1\n// continues\na\n', runs: true },
      { page: 'p.md', line: 18, code: 'b\n', runs: false },
    ])
  })

  test('saves a block that names its file as that file, which others import, and refuses a second one', () => {
    const page =
      '```ts\n// one.mts\nexport const one = 1\n```\n\n```ts\n// run\nimport { one } from "./one.mts"\nif (one !== 1) throw new Error()\n```\n'
    const [one, two] = readSnippets('p.md', page)
    if (one === undefined || two === undefined) throw new Error('The page has two blocks.')
    expect([one.file, two.file]).toEqual(['one.mts', undefined])
    expect(checkSnippets([one, two], packageJson)).toEqual([])
    expect(checkSnippets([{ ...one, code: 'const one: string = 1' }], packageJson)).toEqual([
      expect.stringMatching(/^p\.md, block at line 2, its line 1: error/),
    ])
    expect(checkSnippets([one, { ...one, page: 'q.md' }], packageJson)).toEqual([
      'q.md:2 is one.mts once more; p.md:2 is that file',
    ])
  })

  test('accepts a block that uses the package by its public name, and runs it', () => {
    const code =
      "// run\nimport { readRows } from 'statewright'\nif (readRows('| A-01 | now | a |').length !== 1) throw new Error()"
    expect(checkSnippets([{ page: 'p.md', line: 1, code, runs: true }], packageJson)).toEqual([])
  })

  test('names page and line of a block that has a wrong type or does not run', () => {
    const wrong = { page: 'p.md', line: 7, code: 'const a = 1\nconst b: string = a', runs: false }
    expect(checkSnippets([wrong], packageJson)).toEqual([
      expect.stringMatching(/^p\.md, block at line 7, its line 2: error/),
    ])
    const throws = { page: 'p.md', line: 7, code: "throw new Error('planted')", runs: true }
    expect(checkSnippets([throws], packageJson)).toEqual([expect.stringMatching(/^p\.md:7 does not run: [^]*planted/)])
  })
})

describe('paths in pages', () => {
  const map = (text: string) => new Map([['docs/architecture.md', text]])
  const many = Array.from({ length: 40 }, (_, index) => `\`src/file-${index}.ts\``).join('\n')

  test('names paths that do not exist', () => {
    expect(checkPaths(map(many), (path) => path !== 'src/file-7.ts')).toEqual([
      'docs/architecture.md names src/file-7.ts, which does not exist',
    ])
  })

  test('reports a first page that is too long, and a map with too little in it', () => {
    const long = new Map([
      ['docs/architecture.md', '-\n'.repeat(151)],
      ['AGENTS.md', '-\n'.repeat(26)],
      ['README.md', '-\n'.repeat(151)],
      ['CONTRIBUTING.md', '-\n'.repeat(500)],
    ])
    expect(checkPaths(long, () => true)).toEqual([
      'docs/architecture.md has 151 lines; expected 150 or fewer: say less, or say it elsewhere',
      'docs/architecture.md names 0 paths; expected 40 or more',
      'AGENTS.md has 26 lines; expected 25 or fewer: say less, or say it elsewhere',
      'README.md has 151 lines; expected 150 or fewer: say less, or say it elsewhere',
    ])
    expect(checkPaths(new Map([['AGENTS.md', '-\n'.repeat(25)]]), () => true)).toEqual([])
  })
})

test('checks that links lead to something, and links of packed pages to packed files', () => {
  const pages = new Map([
    ['README.md', '[a](docs/a.md#two-words) [b](docs/b.md) [c](AGENTS.md) [d](https://a.test/x) [e](#here)'],
    ['AGENTS.md', '[f](CONTRIBUTING.md)'],
    ['docs/a.md', '## Two words\n[g](../README.md#here)\n[h](a.md#three)'],
  ])
  const exists = (path: string) => path !== 'docs/b.md'
  expect(checkLinks(pages, ['docs'], exists)).toEqual([
    'README.md links to docs/b.md, which does not exist',
    'README.md is packed and links to AGENTS.md, which is not',
    'README.md links to #here, a heading that is not there',
    'docs/a.md links to ../README.md#here, a heading that is not there',
    'docs/a.md links to a.md#three, a heading that is not there',
  ])
})

test('packs an example with the public names of its imports, and restores it unchanged', () => {
  const doors = { statewright: 'src/index.ts', 'statewright/x': 'src/x/y.ts' }
  const own =
    "import { a } from '../../src/index.ts'\nimport { b } from '../../src/x/y.ts'\nimport { c } from './c.ts'\n"
  const named = renameImports('examples/deep/one.ts', own, 'public', doors)
  expect(named).toBe("import { a } from 'statewright'\nimport { b } from 'statewright/x'\nimport { c } from './c.ts'\n")
  expect(renameImports('examples/deep/one.ts', named, 'own', doors)).toBe(own)
})
