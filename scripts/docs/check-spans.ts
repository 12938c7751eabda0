import type { EffectName } from '../../src/core/effects/effect-handlers.ts'

const guide = 'docs/guides/telemetry.md'

/** The span by which the guide of telemetry tells of each effect; null for an effect without one. A new effect does not compile without its line. */
const spans = {
  callModel: 'chat {model}',
  summarise: 'chat {model}',
  runTool: 'execute_tool {tool}',
  gateCall: 'permission {tool}',
  gateReplay: 'permission {tool}',
  reviewCall: 'review {tool}',
  runPhase: 'phase {phase}',
  buildContext: 'build_context',
  recall: 'recall_memory',
  refreshCredentials: null,
  compactPrompt: null,
  filterInput: null,
  holdRun: null,
  askManager: null,
  keepTime: null,
  sleep: null,
} satisfies Record<EffectName, string | null>

/** The span of each time that a process drives a run, which is of no effect. */
const ofRun = 'invoke_agent {agent}'

/** Returns the spans that the guide's table lacks, and those in it that no effect has. */
export function checkSpans(page: string, told: Readonly<Record<string, string | null>> = spans): readonly string[] {
  const wanted = new Set([ofRun, ...Object.values(told).filter((span) => span !== null)])
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
