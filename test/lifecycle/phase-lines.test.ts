import { expect, test } from 'vitest'
import { phaseNames, phaseRow } from '../../machines/run/run.phases.ts'
import { type Candidate, listsOf, nameOf, type StateConfig, statesOf } from '../../src/testing/charts/chart-config.ts'
import { configOf } from '../../src/testing/charts/machines-under-test.ts'

const states = statesOf(configOf('run'))
const rows = phaseNames.flatMap((name) => {
  const { line } = phaseRow(name)
  return line === null || line === 'toolCall' ? [] : [[name, line] as const]
})

/** The compound a line is, and the state of it that asks or passes. */
function placeOf(name: string, line: string): { readonly compound: StateConfig; readonly phase: StateConfig } {
  const found = states.filter(({ path }) => path.at(-2) === line && path.at(-1) === name)
  const compound = states.find(({ path }) => path.at(-1) === line)?.state
  if (found[0] === undefined || compound === undefined) throw new Error(`${line} has no state "${name}".`)
  expect(found).toHaveLength(1)
  return { compound, phase: found[0].state }
}

test.each(rows)(
  'PH-01 PH-02 %s is a state that asks or passes, and the asking state leads to the next one',
  (name, line) => {
    const { compound, phase } = placeOf(name, line)
    const [ask, pass, ...more] = phase.always ?? []
    const asking = compound.states?.[ask?.target ?? '']
    expect(more).toEqual([])
    expect(pass?.guard).toBeUndefined()
    const guard = name === 'onError' ? 'isErrorHeard' : `isWatched(${name})`
    expect(typeof ask?.guard === 'function' ? undefined : nameOf(ask?.guard ?? '')).toBe(guard)
    expect([ask?.actions, phase.entry, phase.invoke, phase.on]).toEqual([undefined, undefined, undefined, undefined])
    expect(asking?.invoke?.map(({ id }) => id)).toEqual([name])
    // The compound "closing" is more than a line: what a line hears stands on its one state that asks. In "opening" the end
    // of the time keeps the input in runStart alone.
    const hears = asking?.always !== undefined || asking?.on !== undefined
    expect(hears).toBe(line === 'closing' || name === 'runStart')
    const answered = asking?.invoke?.[0]?.onDone ?? []
    expect(answered.at(-1)).toMatchObject({ target: pass?.target })
    expect(answered.length).toBeLessThanOrEqual(2)
  },
)

test.each(rows)('PH-01 PH-02 no other state refers to %s, nor to the state that asks it', (name, line) => {
  const { compound, phase } = placeOf(name, line)
  const own = [name, phase.always?.[0]?.target ?? '']
  const inside = Object.values(compound.states ?? {})
  const strangers = states.filter(({ state }) => !inside.includes(state)).flatMap(({ state }) => listsOf(state))
  const targets = strangers.flatMap(({ candidates }) => candidates.flatMap(({ target }: Candidate) => target ?? []))
  expect(targets.filter((target) => own.includes(target.split('.').at(-1) ?? ''))).toEqual([])
})
