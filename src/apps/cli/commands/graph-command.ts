import type { CheckpointInfo, RunState } from '../../../ports.ts'
import {
  type ChartMarks,
  drawMermaid,
  drawSvg,
  foldChart,
  machineConfig,
  markStates,
  modelCallMachine,
  readChart,
  runMachine,
  toolCallMachine,
} from '../../../../machines/index.ts'
import { exitCodes, knownWord, misuse } from '../terminal/cli-error.ts'
import type { CliIo } from '../terminal/cli-io.ts'
import { findRun } from '../runs/find-run.ts'
import type { Options } from '../setup/options.ts'
import type { CommandResult } from '../runs/run-report.ts'
import type { Session } from '../setup/session.ts'

/** A checkpoint with the states of the run's charts. */
export type PassedCheckpoint = Pick<CheckpointInfo, 'version' | 'names' | 'at'> &
  Pick<RunState, 'value'> & {
    /** The state of each call of the run. */
    readonly calls: { readonly [callId: string]: string }
  }

/**
 * Each chart, with a function that reads its states from a run's checkpoints. A model call never lasts across a
 * checkpoint, so its chart has no function.
 */
const charts = {
  run: { machine: runMachine, passed: ({ value }: PassedCheckpoint) => [value] },
  'tool-call': { machine: toolCallMachine, passed: ({ calls }: PassedCheckpoint) => Object.values(calls) },
  'model-call': { machine: modelCallMachine, passed: undefined },
} as const

type ChartName = keyof typeof charts

const formats = ['mermaid', 'svg', 'json'] as const

type Format = (typeof formats)[number]

/** `graph [chart]`: a chart of the engine as a drawing or as data, with the marked states of a run if one is given. */
export async function drawGraph(
  { stdout }: Pick<CliIo, 'stdout'>,
  options: Pick<Options, 'format' | 'overview' | 'json'>,
  given = 'run',
  checkpoints?: readonly PassedCheckpoint[],
): Promise<CommandResult> {
  const chart = chartOf(given)
  const format = knownWord('format', options.format ?? 'mermaid', formats)
  if (format === 'json' && options.overview)
    throw misuse('bad_option', '--overview is only for drawings.', 'json is the whole chart: leave --overview out.')
  const drawing = draw(chart, format, options.overview, checkpoints && marksOf(chart, checkpoints))
  if (!options.json) stdout.write(`${drawing.trimEnd()}\n`)
  const passed = checkpoints === undefined ? {} : { checkpoints }
  return { exitCode: exitCodes.success, report: { chart, format, drawing, ...passed } }
}

/** Returns the checkpoints of the run in `--run`. */
export async function passedBy(session: Session): Promise<readonly PassedCheckpoint[]> {
  const run = await session.storingAgent().load(await findRun(session.store, session.options.run))
  const passed: PassedCheckpoint[] = []
  for (const { version, names, at } of await run.history()) {
    const { value, calls } = await run.at(version)
    const states = Object.fromEntries(calls.map(({ callId, status }) => [callId, status]))
    passed.push({ version, names, at, value, calls: states })
  }
  return passed
}

function draw(name: ChartName, format: Format, isOverview: boolean, marks: ChartMarks | undefined): string {
  const { machine } = charts[name]
  const whole = readChart(machine)
  const chart = isOverview ? foldChart(whole) : whole
  switch (format) {
    case 'mermaid':
      return drawMermaid(chart, marks)
    case 'svg':
      return drawSvg(chart, marks === undefined ? {} : { marks })
    case 'json':
      return JSON.stringify(machineConfig(machine, marks), null, 2)
  }
}

function marksOf(name: ChartName, checkpoints: readonly PassedCheckpoint[]): ChartMarks {
  const { passed } = charts[name]
  if (passed === undefined)
    throw misuse(
      'bad_chart',
      'No checkpoint has the states of a model call, because it ends between two checkpoints.',
      'Use --run with: run, tool-call.',
    )
  return markStates(checkpoints.map(passed))
}

function chartOf(given: string): ChartName {
  if (isChart(given)) return given
  throw misuse('unknown_chart', `Unknown chart ${JSON.stringify(given)}.`, `Known: ${Object.keys(charts).join(', ')}.`)
}

function isChart(given: string): given is ChartName {
  return Object.hasOwn(charts, given)
}
