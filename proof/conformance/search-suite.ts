import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Suspended, type Tool, type ToolContext } from '../../src/core/ports/tool.ts'
import type { SuiteCase } from './run-suite.ts'

/** The cases every way of searching must pass; `make` gives the tool `search_files` of a folder. */
export function searchSuite(make: (root: string) => Tool): readonly SuiteCase[] {
  return cases.map(([name, given, expected]) => ({
    name,
    run: async () => {
      const root = realpathSync(mkdtempSync(join(tmpdir(), 'search-suite-')))
      try {
        fill(root)
        assert.equal(
          await answerOf(make(root), { query: '', ...given }),
          [...expected, ...('path' in given ? [] : [large])].join('\n'),
        )
      } finally {
        rmSync(root, { recursive: true })
      }
    },
  }))
}

type SearchCase = readonly [name: string, given: object, expected: readonly string[]]

const large = '[Not searched, over 1000000 bytes: odd/large]'

const cases: readonly SearchCase[] = [
  ['finds text', { query: 'const b' }, ['src/b.ts:2: const b = 1']],
  ['takes text as it is', { query: 'a.b*[c]$' }, ['odd/signs.txt:1: a.b*[c]$ (d|e)+ \\w']],
  ['finds text of any case', { query: 'GRÖßE', ignoreCase: true }, ['a.md:1: größe', 'src/b.ts:1: // Größe']],
  ['finds text with its case', { query: 'Größe' }, ['src/b.ts:1: // Größe']],
  ['finds nothing', { query: 'no such text' }, ['No match in 10 files.']],
  ['finds an expression', { query: '^con.t \\w+ = \\d$', regex: true }, ['src/b.ts:2: const b = 1']],
  [
    'finds an expression of any case',
    { query: '^CONST [a-c] =', regex: true, ignoreCase: true },
    ['src/b.ts:2: const b = 1'],
  ],
  ['takes the end of a line without its carriage return', { query: 'crlf$', regex: true }, ['odd/crlf.txt:1: crlf']],
  ['matches whole characters', { query: '^..$', regex: true }, ['odd/signs.txt:2: 🌍ß']],
  ['matches a character that cannot be read', { query: 'bad.byte', regex: true }, ['odd/latin1.txt:1: bad\uFFFDbyte']],
  [
    'matches words',
    { query: '\\bb\\b', regex: true },
    ['odd/signs.txt:1: a.b*[c]$ (d|e)+ \\w', 'src/b.ts:2: const b = 1'],
  ],
  ['takes groups, repetition and negation', { query: '^(?:[^ ]+ ){2}=\\s', regex: true }, ['src/b.ts:2: const b = 1']],
  ['takes an expression only JavaScript knows', { query: '(?<=const )b', regex: true }, ['src/b.ts:2: const b = 1']],
  ['looks into hidden and ignored files', { query: 'hidden' }, ['.hidden:1: hidden', 'ignored.txt:1: hidden too']],
  ['searches one file', { query: 'b', path: 'src/b.ts' }, ['src/b.ts:2: const b = 1']],
  ['searches one folder', { query: 'e', path: 'src' }, ['src/b.ts:1: // Größe']],
  [
    'searches a skipped folder that is named',
    { query: 'package', path: 'node_modules' },
    ['node_modules/x.js:1: package'],
  ],
  ['leaves out binary files, links and skipped folders', { query: 'package' }, ['No match in 10 files.']],
]

function fill(root: string): void {
  const files: Readonly<Record<string, string | Buffer>> = {
    'a.md': 'größe\n',
    '.hidden': 'hidden\n',
    '.gitignore': 'ignored.txt\n',
    'ignored.txt': 'hidden too\n',
    'src/b.ts': '// Größe\nconst b = 1\n',
    'odd/signs.txt': 'a.b*[c]$ (d|e)+ \\w\n🌍ß\n',
    'odd/crlf.txt': 'crlf\r\nlast',
    'odd/latin1.txt': Buffer.from('bad\xe9byte\n', 'latin1'),
    'odd/binary': Buffer.from('const b package\0'),
    'odd/large': 'const b package\n',
    'node_modules/x.js': 'package\n',
    '.git/config': 'package\n',
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content)
  }
  truncateSync(join(root, 'odd/large'), 1_000_001)
  symlinkSync('node_modules', join(root, 'link'))
}

async function answerOf({ execute }: Tool, given: object): Promise<string> {
  const result: unknown = await Reflect.apply(execute, undefined, [given, context])
  assert.ok(typeof result === 'object' && result !== null && 'content' in result && Array.isArray(result.content))
  return result.content.map((block: unknown) => Object(block).text).join('\n')
}

const context: ToolContext = {
  runId: 'run',
  run: { id: 'run', subject: 'run', labels: {} },
  callId: '1.search',
  toolName: 'search_files',
  attempt: 1,
  fence: 1,
  idempotencyKey: 'run:1.search:0',
  signal: new AbortController().signal,
  state: null,
  patch: () => {},
  step: async (_, perform) => perform(),
  suspend: (ticket = {}) => new Suspended(ticket),
  progress: () => {},
  update: () => {},
}
