import type { EffectName } from '../../src/core/effects/effect-handlers.ts'

const guide = 'docs/guides/telemetry.md'

/** The names of an effect's spans; null for an effect without one. */
type Spans = string | readonly string[] | null

/** The spans of each effect in the guide of telemetry. A new effect does not compile without its line. */
const spans = {
  callModel: 'chat {model}',
  summarise: 'chat {model}',
  runTool: 'execute_tool {tool}',
  ask: ['permission {tool}', 'review {tool}', 'phase {phase}', 'build_context', 'recall_memory'],
  gateReplay: 'permission {tool}',
  refreshCredentials: null,
  compactPrompt: null,
  holdRun: null,
  askManager: null,
  keepTime: null,
  sleep: null,
} satisfies Record<EffectName, Spans>

/** The span of each time that a process drives a run, which belongs to no effect. */
const ofRun = 'invoke_agent {agent}'

/** The span of each wait on a person, which belongs to no effect. */
const ofWait = 'wait {tool}'

/** Returns the spans that the guide's table lacks, and the listed spans that no effect has. */
export function checkSpans(page: string, told: Readonly<Record<string, Spans>> = spans): readonly string[] {
  const wanted = new Set([ofRun, ofWait, ...Object.values(told).flatMap((span) => span ?? [])])
  const [, table = ''] = page.split('| Span | For | Has |\n')
  const [rows = ''] = table.split('\n\n')
  const listed = rows.split('\n').flatMap((row) => {
    const [, names = ''] = row.split('|')
    return [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  })
  return [
    ...[...wanted].filter((span) => !listed.includes(span)).map((span) => `${guide} has no row for the span "${span}"`),
    ...listed
      .filter((span) => !wanted.has(span))
      .map((span) => `${guide} has a row for "${span}", which no effect has`),
  ]
}
