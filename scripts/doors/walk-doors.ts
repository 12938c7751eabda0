import type { Declarations, Place } from './read-declarations.ts'

/** The declarations of modules, by source path. */
export type Library = ReadonlyMap<string, Declarations>

/** The result of a walk through the public entry points. */
export interface Walk {
  /** The number of exported names, each counted once. */
  readonly exported: number
  /** The number of reached names, including the exported ones. */
  readonly reached: number
  readonly findings: readonly Finding[]
}

/** A reached name that is forbidden, not exported or missing. */
export interface Finding extends Place {
  /** `missing` if no module declares the name, so that the walk cannot continue. */
  readonly rule: 'not exported' | 'engine internal' | 'missing'
  /** The names from an entry point to this one. */
  readonly way: readonly string[]
}

/** Rooms whose names must not be reached. */
const internalRooms = /^src\/core\/(runtime|effects)\//

/** Modules whose types are inferred from a chart. */
const charts = /^machines\/.+\.(machine|setup)\.ts$/

/** Modules of a chart whose names need no export: they are the chart's wiring, and its public types are elsewhere. */
const wiring = /^machines\/.+\/.+(?<!\.types)\.ts$/

/**
 * Walks from every exported name to the names that its type uses, and on. Each reached name must be exported by an
 * entry point, and none may be declared in the runtime or among the effect handlers.
 */
export function walkDoors(library: Library, doors: readonly string[]): Walk {
  const findings: Finding[] = []
  const exported = new Map<string, Step>()
  for (const door of doors) {
    for (const [name, place] of exportsOf(library, door)) {
      const step = { place: declarationOf(library, place), way: [name] }
      exported.set(keyOf(step.place), step)
    }
  }
  const open = [...exported.values()]
  const met = new Set(exported.keys())
  for (let step = open.shift(); step !== undefined; step = open.shift()) {
    const { place, way } = step
    const rule = ruleBrokenBy(place, library, exported)
    if (rule !== undefined) findings.push({ rule, ...place, way })
    for (const next of typesOf(place, library)) {
      const found = declarationOf(library, next)
      if (met.has(keyOf(found))) continue
      met.add(keyOf(found))
      open.push({ place: found, way: [...way, found.name] })
    }
  }
  return { exported: exported.size, reached: met.size, findings }
}

interface Step {
  readonly place: Place
  readonly way: readonly string[]
}

function ruleBrokenBy(
  place: Place,
  library: Library,
  exported: ReadonlyMap<string, unknown>,
): Finding['rule'] | undefined {
  if (library.get(place.module)?.declared.has(place.name) !== true) return 'missing'
  if (internalRooms.test(place.module)) return 'engine internal'
  return exported.has(keyOf(place)) || wiring.test(place.module) ? undefined : 'not exported'
}

/**
 * Returns the names that a declaration uses. `RunMachine` and similar names are types inferred from a chart, which
 * contain the names of all its actors. The walk stops there, and continues with every name that the chart's module
 * imports, such as the types of its context, events, input and output.
 */
function typesOf({ module, name }: Place, library: Library): readonly Place[] {
  const declared = library.get(module)?.declared
  if (declared === undefined) return []
  if (!charts.test(module)) return declared.get(name) ?? []
  return [...declared.values()].flat().filter((place) => place.module !== module)
}

/** Returns every name that an entry point exports, including whole re-exported modules. */
function exportsOf(library: Library, door: string): ReadonlyMap<string, Place> {
  const { exports = new Map<string, Place>(), passedOn = [] } = library.get(door) ?? {}
  return new Map([...passedOn.flatMap((module) => [...exportsOf(library, module)]), ...exports])
}

/** Returns the declaration of a name that is re-exported from module to module. */
function declarationOf(library: Library, place: Place): Place {
  const { module, name } = place
  if (library.get(module)?.declared.has(name) === true) return place
  const next = exportsOf(library, module).get(name)
  return next === undefined || keyOf(next) === keyOf(place) ? place : declarationOf(library, next)
}

function keyOf({ module, name }: Place): string {
  return `${module} ${name}`
}
