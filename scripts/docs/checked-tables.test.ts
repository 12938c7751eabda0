import { expect, test } from 'vitest'
import { checkEffects } from './check-effects.ts'
import { checkEndings } from './check-endings.ts'
import { checkSpans } from './check-spans.ts'
import { checkSurface } from './check-surface.ts'
import { checkOnce } from './reference/check-once.ts'
import { readType } from './reference/read-types.ts'

test('refuses a table of effects that differs from the handlers', () => {
  const sources: { readonly [path: string]: string } = {
    'src/core/effects/effect-handlers.ts':
      "import './tools/run-tool.ts'\nimport './plugins/recall.ts'\n" +
      'interface Effects {\n  readonly runTool: [A]\n  readonly sleep: [B]\n  readonly recall: [C]\n}\n',
    'src/core/effects/tools/run-tool.ts': "    kind: 'recorded',",
    'src/core/effects/sleep.ts': "  kind: 'repeatable',",
    'src/core/effects/plugins/recall.ts': "    kind: 'local',",
  }
  const page = [
    '| Effect | `kind` | After the load |',
    '|---|---|---|',
    "| `runTool`, `effects: 'none'` | `recorded` | again |",
    '| `sleep`, `wait` | `local` | again |',
    '',
    '| `other` | `table` |',
  ]
  expect(checkEffects(page.join('\n'), (path) => sources[path] ?? '')).toEqual([
    'docs/architecture.md does not say what a crash means for the effect recall',
    'docs/architecture.md says that the effect sleep is local; its handler is repeatable',
    'docs/architecture.md says that the effect wait is local; its handler is not there',
  ])
})

test('refuses a table of spans that differs from the effects', () => {
  const page = [
    '| Span | For | Has |',
    '|---|---|---|',
    '| `invoke_agent {agent}` | a run | x |',
    '| `wait {tool}` | a wait | x |',
    '| `nap`, `chat` | x | y |',
    '',
  ]
  expect(checkSpans(page.join('\n'), { callModel: 'chat', sleep: null, recall: 'recall_memory' })).toEqual([
    'docs/guides/telemetry.md has no row for the span "recall_memory"',
    'docs/guides/telemetry.md has a row for "nap", which no effect has',
  ])
})

test('refuses a page of ends that lacks one, and a list of codes that differs from the sources', () => {
  const page =
    '## Stopped\n\n| `code` | What |\n|---|---|\n| `over` | x |\n| `gone` | x |\n\n## In an error\n\n| `code` |\n'
  const sources = new Map([
    ['a.ts', "made({ code: 'over' }); failed({ code: 'odd' }); refused({ code: 'bad_arguments' })"],
  ])
  const listed = { stopped: ['over'], error: ['lost'] }
  expect(checkEndings({ page, sources }, listed)).toEqual([
    'a.ts ends a run with the code odd, which src/core/domain/end-codes.ts does not list',
    'src/core/domain/end-codes.ts lists lost, with which nothing ends a run',
    'docs/guides/endings.md has a row for stopped with gone, which is no code of such an end',
    'docs/guides/endings.md has no row for error with lost',
  ])
})

test('refuses a public name that no page mentions, or that two entry points export', () => {
  const lines = ['statewright tool', 'statewright type Tool', 'statewright type Json', 'statewright/ports type Json']
  expect(checkSurface(lines.join('\n'), 'A `Tool` is made by tool(…).')).toEqual([
    '"statewright" exports Json, which no guide, README or example names; export it from statewright/ports.',
    'Json is exported by statewright and statewright/ports; export it once.',
  ])
  const many = Array.from({ length: 61 }, (_, index) => `name${index}`)
  expect(checkSurface(many.map((name) => `statewright ${name}`).join('\n'), many.join(' '))).toEqual([
    '"statewright" exports 61 names; it may export 60.',
  ])
})

test('refuses a reference entry that another page lists again', () => {
  const rows = Array.from({ length: 200 }, (_, index) => `| \`entry${index}\` | x |`).join('\n')
  const pages = new Map([
    ['docs/reference/events.md', `## \`run.started\`\n\n${rows}\n`],
    ['docs/reference/options.md', '| `maxTurns` | x |\n'],
    ['docs/guides/a.md', '| `run.started` | once |\n| `entry1` | a word of its own |\n'],
    ['docs/guides/b.md', '| `limits` | Means |\n|---|---|\n| `maxTurns` | x |\n'],
  ])
  expect(checkOnce(pages)).toEqual([
    'docs/guides/a.md lists `run.started` once more; link to docs/reference/events.md instead.',
    'docs/guides/b.md has a table of the options of `limits`; link to docs/reference/options.md instead.',
  ])
  expect(checkOnce(new Map())).toEqual(['docs/reference/ has 0 entries; expected 200 or more.'])
})

test("the reference reads a type's fields with their doc comments", () => {
  expect(readType('src/core/driving/run-options.ts', 'Missing')).toBe(undefined)
  const retry = readType('src/core/driving/run-options.ts', 'RetryOptions')
  expect(retry?.module).toBe('src/core/ports/retry-options.ts')
  expect(retry?.fields[1]).toEqual({
    name: 'initialDelayMs',
    isOptional: false,
    type: 'number',
    doc: 'Milliseconds before the first retry; default 1,000.',
  })
})
