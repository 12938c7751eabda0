import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { aimText } from '../../proof/support/limit-facts.ts'
import type { LimitResult } from '../limits.ts'
import { machineName } from '../machine-name.ts'
import type { SubjectProcess } from '../subject-process.ts'
import type { PeerMeasured } from './measure-peers.ts'
import type { Asked } from './play-subject.ts'
import { type Entry, entries } from './subject-table.ts'

/** Everything one run of the comparison found. */
export interface Found {
  readonly at: Date
  /** Load averages of the last minute, when it began. */
  readonly loadBefore: number
  readonly results: readonly PeerMeasured[]
  readonly limits: readonly LimitResult[]
  readonly subjects: readonly SubjectProcess<Asked>[]
}

/** The page that tells it. */
export function writeResults({ at, loadBefore, results, limits, subjects }: Found): string {
  const load = `${loadBefore.toFixed(1)} when it began, ${(loadavg()[0] ?? 0).toFixed(1)} when it ended`
  const names = [...new Set(results.map(({ workload }) => workload))]
  return [
    '# Beside other frameworks',
    '',
    `Written by \`npm run bench:peers\` on ${at.toISOString().slice(0, 10)}: ${machineName()}, load average ${load}.`,
    '',
    'The same conversation for everybody, models that answer at once from memory, no network; each framework in a process of its own, all of them in turns. Time is processor time: the median of the rounds, and in brackets what a tenth of them reached; ratios of medians are taken within a round, those of limits between the figures in brackets. They hold within one run of one machine. `durable`, `resume` and `freshProcess` of ours are in SQLite with `synchronous: normal`.',
    '',
    ...table(
      ['Subject', 'Versions', 'What it does not play'],
      entries.map((entry) => subjectRow(entry, subjects)),
    ),
    '',
    ...names.flatMap((name) => [
      `## ${name}`,
      '',
      `Floor: ${results.find(({ workload }) => workload === name)?.floor}`,
      '',
      ...workloadTable(results.filter(({ workload }) => workload === name)),
      '',
    ]),
    '## Limits',
    '',
    ...table(
      ['Of statewright', 'Found', 'Limit', 'Asked', 'Aim'],
      limits.map(({ name, value, bound, limit, asked, holds }) => [
        name,
        `${value}${holds ? '' : ' (missed)'}`,
        String(limit),
        String(asked),
        aimText(value, asked, bound) || 'reached',
      ]),
    ),
    '',
  ].join('\n')
}

function subjectRow(
  { name, packages, absent = '' }: Entry,
  subjects: readonly SubjectProcess<Asked>[],
): readonly string[] {
  const failure = subjects.find((subject) => subject.name === name)?.failure
  const failed = failure === undefined ? '' : ` It failed: ${failure.replaceAll(/\s+/g, ' ').replaceAll('|', '/')}`
  return [
    name,
    packages.map((each) => `${each} ${versionOf(each)}`).join(', ') || '–',
    `${absent}${failed}`.trim() || '–',
  ]
}

/** The version that is installed; packages of this repository stand above. */
export function versionOf(name: string): string {
  for (const folder of ['node_modules', '../../node_modules']) {
    try {
      const path = new URL(`${folder}/${name}/package.json`, import.meta.url)
      const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }
      return version
    } catch {
      continue
    }
  }
  return 'not installed'
}

function workloadTable(results: readonly PeerMeasured[]): readonly string[] {
  const sizes = [...new Set(results.map(({ size }) => size))]
  const [first] = results
  const cell = (subject: string, size: number) => {
    const one = results.find((each) => each.subject === subject && each.size === size)
    if (one === undefined) return '–'
    const ratio = Number.isNaN(one.peerRatio) ? '' : `, ${short(one.peerRatio)} × ai-sdk`
    return `${short(one.median)} (${short(one.quiet)})${ratio}`
  }
  const subjects = [...new Set(results.map(({ subject }) => subject))]
  return table(
    [first?.unit ?? '', ...sizes.map((size) => (first?.workload === 'import' ? 'a process' : `at ${size}`))],
    subjects.map((subject) => [subject, ...sizes.map((size) => cell(subject, size))]),
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)]
}

function short(figure: number): string {
  return figure >= 100 ? figure.toFixed(0) : figure >= 10 ? figure.toFixed(1) : figure.toFixed(2)
}
