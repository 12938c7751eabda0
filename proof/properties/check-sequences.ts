import { asyncProperty, check, type IAsyncPropertyWithHooks, type RunDetails } from 'fast-check'
import { commandLists, type Command, describeCommand } from './commands.ts'
import { playSequence } from './play-sequence.ts'
import { describeSetup, type SequenceSetup, setups } from './sequence-setup.ts'
import type { Defect } from './sequence-harness.ts'

/** The result of a check of many sequences. */
export interface Checked {
  readonly runs: number
  readonly seed: number
  readonly failed: boolean
  readonly counterexample?: { readonly path: string; readonly sequence: string; readonly fault: string }
}

export interface CheckOptions {
  readonly runs: number
  readonly seed: number
  /** The starting point, as a counterexample names it. */
  readonly path?: string
  readonly defect?: Defect
  /** Default: a counterexample is made small. */
  readonly shrinks?: boolean
}

/** Plays sequences until one fails, and shrinks that one. */
export async function checkSequences({ runs, seed, path, defect, shrinks = true }: CheckOptions): Promise<Checked> {
  const from = path === undefined ? {} : { path }
  const details = await check(soundness(defect), { numRuns: runs, seed, endOnFailure: !shrinks, ...from })
  return { runs: details.numRuns, seed, failed: details.failed, ...counterexampleOf(details) }
}

function soundness(defect: Defect | undefined): IAsyncPropertyWithHooks<Played> {
  return asyncProperty(setups, commandLists, async (setup, commands) => {
    const played = await playSequence(setup, commands, defect)
    if (played.faults.length > 0) throw new Error(played.faults.join('\n'))
    if (!played.isComparable || !commands.some(isCrash)) return
    const calm = commands.map(withoutCrash)
    const { transcript } = await playSequence(setup, calm, defect)
    const differs = transcript.findIndex((line, at) => line !== played.transcript[at])
    if (differs < 0 && transcript.length === played.transcript.length) return
    const at = differs < 0 ? transcript.length : differs
    throw new Error(`with crashes the transcript has ${played.transcript[at]} instead of ${transcript[at]}`)
  })
}

function isCrash(one: Command): boolean {
  return one.do === 'crash' || (one.do === 'prompt' && one.dies !== 'never')
}

function withoutCrash(one: Command): Command {
  if (one.do === 'crash') return { do: 'drive' }
  return one.do === 'prompt' ? { ...one, dies: 'never' } : one
}

type Played = [SequenceSetup, readonly Command[]]

function counterexampleOf(details: RunDetails<Played>): Pick<Checked, 'counterexample'> {
  const { counterexample, counterexamplePath: path, errorInstance } = details
  if (counterexample === null || path === null) return {}
  const [setup, commands] = counterexample
  const sequence = `${describeSetup(setup)}then\n${commands.map((command) => `  ${describeCommand(command)}\n`).join('')}`
  const fault = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  return { counterexample: { path, sequence, fault } }
}
