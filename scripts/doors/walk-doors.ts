import type { Declarations, Place } from './read-declarations.ts'

/** Source path to what the compiler says of that module. */
export type Library = ReadonlyMap<string, Declarations>

/** What somebody who goes through the public doors comes by. */
export interface Walk {
  /** Names the doors let out, counted once. */
  readonly exported: number
  /** Names met on the way, the exported ones included. */
  readonly reached: number
  readonly findings: readonly Finding[]
}

/** A name that is reached and may not be, or is owed. */
export interface Finding extends Place {
  /** `missing` where no module declares the name, so that the walk cannot go on. */
  readonly rule: 'not exported' | 'engine internal' | 'missing'
  /** Names from a door to this one. */
  readonly way: readonly string[]
}

/** Rooms none of whose names may be reached. */
const internalRooms = /^src\/core\/(runtime|effects)\//

/** Modules whose types are inferred from a chart. */
const charts = /^machines\/.+\.(machine|setup)\.ts$/

/** Modules of a chart whose own names nobody owes: they are the chart's wiring, and what is public is in its types. */
const wiring = /^machines\/.+\/.+(?<!\.types)\.ts$/

/**
 * Goes from every name a door exports to the names its type is written with, and on. Each one met has to be exported
 * by some door, and none may be declared in the runtime or among the effect handlers.
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
 * The names a declaration is made of. `RunMachine` and its like stand for a type inferred from a chart, which spells
 * out the names of all its actors: the walk stops there, and goes on with every name the chart's module takes from
 * others, such as the types of its context, its events, its input and its output.
 */
function typesOf({ module, name }: Place, library: Library): readonly Place[] {
  const declared = library.get(module)?.declared
  if (declared === undefined) return []
  if (!charts.test(module)) return declared.get(name) ?? []
  return [...declared.values()].flat().filter((place) => place.module !== module)
}

/** Every name a door exports, those it passes on whole included. */
function exportsOf(library: Library, door: string): ReadonlyMap<string, Place> {
  const { exports = new Map<string, Place>(), passedOn = [] } = library.get(door) ?? {}
  return new Map([...passedOn.flatMap((module) => [...exportsOf(library, module)]), ...exports])
}

/** Where a name passed on from module to module is declared at last. */
function declarationOf(library: Library, place: Place): Place {
  const { module, name } = place
  if (library.get(module)?.declared.has(name) === true) return place
  const next = exportsOf(library, module).get(name)
  return next === undefined || keyOf(next) === keyOf(place) ? place : declarationOf(library, next)
}

function keyOf({ module, name }: Place): string {
  return `${module} ${name}`
}
