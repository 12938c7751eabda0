import type { ToolContext } from '../../src/core/ports/tool.ts'
import type { CrashEnvironment } from '../../src/testing/crash/crash-environment.ts'
import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { acting, call, idempotent, scenario } from './scenario-parts.ts'

/** Tools that do their work in parts: one that was finished before a crash is not done again after it. */
export const withSteps: readonly CrashScenario[] = [
  scenario('a call of three steps', [[call('a', 'steps')], 'Done.'], (environment) => [
    acting(environment, 'steps', { ...idempotent, execute: (_, context) => inSteps(environment, context) }),
  ]),
  scenario('a call tried again between its steps', [[call('a', 'steps')], 'Done.'], (environment) => [
    acting(environment, 'steps', {
      ...idempotent,
      retry: { attempts: 3, baseMs: 0 },
      execute: (_, context) => inSteps(environment, context, failOnce(environment)),
    }),
  ]),
]

/** Fails after the first step, in the first process of a trial that comes so far. */
function failOnce(environment: CrashEnvironment): () => void {
  return () => {
    if (finishedIn(environment).has('failing')) return
    finishedIn(environment).add('failing')
    throw new Error('Not now.')
  }
}

async function inSteps(
  environment: CrashEnvironment,
  context: ToolContext,
  between: () => void = () => {},
): Promise<string> {
  const results: string[] = []
  for (const name of ['reserve', 'charge', 'mail']) {
    results.push(await context.step(name, () => performStep(environment, context, name)))
    finishedIn(environment).add(name)
    between()
  }
  return results.join(', ')
}

/** Acts on the outside under a key of its own; a step that had returned before would change the call's result. */
function performStep(environment: CrashEnvironment, context: ToolContext, name: string): Promise<string> {
  if (finishedIn(environment).has(name)) throw new Error(`Step "${name}" was done before.`)
  const idempotencyKey = `${context.idempotencyKey}:${name}`
  return environment.perform({ ...context, idempotencyKey }, `${name} done`)
}

const finished = new WeakMap<object, Set<string>>()

/** Steps that have returned in any process of a trial; its processes share a clock. */
function finishedIn({ clock }: CrashEnvironment): Set<string> {
  const known = finished.get(clock) ?? new Set()
  finished.set(clock, known)
  return known
}
