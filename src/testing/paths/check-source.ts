import { nearestName } from '../../core/domain/text/nearest-name.ts'
import { badOption, callback } from '../../core/domain/text/option-shape.ts'
import type { AgentUnderTest } from './tested-options.ts'
import type { TestRunner } from './test-runner.ts'

/** Throws a `UsageError` if a function of a test runner is missing. */
export function checkRunner(runner: TestRunner): void {
  const given: unknown = runner
  const field = { field: 'runner', owner: 'describePaths' }
  const wish = 'Expected { describe, test } of vitest or node:test, as second argument.'
  if (typeof given !== 'object' || given === null) throw badOption(field, given, wish)
  for (const name of ['describe', 'test'] as const) callback(runner[name], { ...field, field: `runner.${name}` })
}

/** Throws a `UsageError` for a name that matches no tool or toolset, because it would test nothing. */
export function checkNames(
  { mustAsk = [], samples = {}, serviceSamples = {}, standIns = {}, services = [], tools: given = [] }: AgentUnderTest,
  tools: readonly { readonly name: string }[],
): void {
  const names = tools.map(({ name }) => name)
  const toolsets = given.flatMap((item) => ('execute' in item ? [] : item.name))
  for (const [index, name] of mustAsk.entries()) refuseUnknown(`mustAsk[${index}]`, name, 'tool', names)
  for (const name of Object.keys(samples)) refuseUnknown('samples', name, 'tool', names)
  const types = services.map(({ type }) => type)
  for (const type of Object.keys(serviceSamples)) refuseUnknown('serviceSamples', type, 'service', types)
  for (const name of Object.keys(standIns)) refuseUnknown('standIns', name, 'toolset', toolsets)
}

function refuseUnknown(field: string, name: string, what: string, known: readonly string[]): void {
  if (known.includes(name)) return
  const near = nearestName(name, known)
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`
  const wish = `No ${what} has this name.${hint} Known: ${known.join(', ') || 'none'}.`
  throw badOption({ field, owner: 'the agent under test' }, name, wish)
}
