import { posix } from 'node:path'
import { judgeStoreWrites } from './judge-store-writes.ts'
import { type Import, readImports } from './read-imports.ts'
import type { Room } from './room.ts'
import { roomOf } from './table.ts'

export type Rule =
  | 'no room'
  | 'room'
  | 'types only'
  | 'package'
  | 'outside'
  | 'missing file'
  | 'extension'
  | 'not a literal'
  | 're-exports only'
  | 'vocabulary'
  | 'store write'

export interface Violation {
  readonly rule: Rule
  readonly path: string
  readonly line: number
  readonly message: string
}

export interface Judgement {
  readonly violations: readonly Violation[]
  readonly imports: number
  readonly rooms: readonly string[]
}

/** Source texts by path from the root of the repository (with `/`). */
export type Sources = ReadonlyMap<string, string>

/** Judges every module against the table of rooms; `doors` are the files of the public subpaths. */
export function judgeModules(sources: Sources, doors: ReadonlySet<string>): Judgement {
  const violations: Violation[] = []
  const rooms = new Set<string>()
  let count = 0
  for (const [path, text] of sources) {
    const report = (rule: Rule, line: number, message: string) => violations.push({ rule, path, line, message })
    const room = roomOf(path)
    if (room === undefined) {
      report('no room', 1, 'stands in no room; move it, or give its folder a row in scripts/rooms/table.ts')
      continue
    }
    rooms.add(room.name)
    const { imports, onlyReExports } = readImports(path, text)
    count += imports.length
    if (room.reExportsOnly === true && !onlyReExports) report('re-exports only', 1, 'may only hold `export … from`')
    if (room.name === 'runtime') judgeWords(text, report)
    for (const { line, message } of judgeStoreWrites(path, text)) report('store write', line, message)
    for (const one of imports) judgeImport(one, { path, room, sources, doors, report })
  }
  return { violations, imports: count, rooms: [...rooms] }
}

interface ImportSite {
  readonly path: string
  readonly room: Room
  readonly sources: Sources
  readonly doors: ReadonlySet<string>
  readonly report: (rule: Rule, line: number, message: string) => void
}

function judgeImport({ specifier, runs, line }: Import, { path, room, sources, doors, report }: ImportSite): void {
  if (specifier === null) {
    if (room.isBeside !== true && room.loads?.includes(path) !== true)
      report('not a literal', line, 'loads a module this lint cannot follow')
    return
  }
  if (!specifier.startsWith('.')) {
    if (!mayImportPackage(room, path, specifier)) {
      report('package', line, `room ${room.name} may not import the package "${specifier}" here`)
    }
    return
  }
  const target = posix.join(posix.dirname(path), specifier)
  if (target.startsWith('../')) return report('outside', line, `imports "${specifier}", outside the repository`)
  if (!target.endsWith('.ts')) return report('extension', line, `imports "${specifier}" without the .ts extension`)
  if (!sources.has(target)) return report('missing file', line, `imports "${specifier}", which does not exist`)
  const other = roomOf(target)
  if (other === undefined || other.name === room.name || includes(room.rooms, other)) return
  if (room.files?.includes(target) === true) return
  if (room.doors === true && doors.has(target)) return
  if (!includes(room.types ?? [], other)) {
    return report('room', line, `room ${room.name} may not import "${specifier}" of room ${other.name}`)
  }
  if (runs) report('types only', line, `room ${room.name} may take only types (import type) from room ${other.name}`)
}

function includes(names: readonly string[], { name }: Room): boolean {
  return names.includes(name) || (name.startsWith('machines/') && names.includes('machines'))
}

function mayImportPackage(room: Room, path: string, specifier: string): boolean {
  if (room.isBeside === true) return true
  const allowed = room.packages ?? {}
  const start = allowed[specifier.startsWith('node:') ? 'node:' : packageOf(specifier)]
  return start !== undefined && path.startsWith(start)
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function judgeWords(text: string, report: ImportSite['report']): void {
  for (const [index, line] of text.split('\n').entries()) {
    const word = /model|tool/i.exec(line)?.[0]
    if (word !== undefined) report('vocabulary', index + 1, `the runtime knows no "${word}": ${line.trim()}`)
  }
}
