import { describe, expect, test } from 'vitest'
import { judgeModules } from './judge-modules.ts'
import { plants } from './plants.ts'
import { folderOf, mayImport } from './folders.ts'
import { readImports } from './read-imports.ts'
import { roomNamed, roomOf, rooms } from './table.ts'
import { publicDoors } from '../rooms.ts'

const doors = new Set(['src/index.ts', 'src/adapters/stores/memory.ts'])

function judge(files: Record<string, string>) {
  const { violations } = judgeModules(new Map(Object.entries(files)), doors)
  return violations.map(({ rule, path, line }) => `${path}:${line} ${rule}`)
}

describe('room lint', () => {
  test('finds every way to write an import', () => {
    const text = [
      "import type { A } from './a.ts'",
      "import { type B } from './b.ts'",
      "import './c.ts'",
      "export * from './d.ts'",
      "export {} from './e.ts'",
      "export type { F } from './f.ts'",
      "const g = await import('./g.ts')",
      "type H = import('./h.ts').H",
      'const i = await import(g)',
      "const j = require('./j.ts')",
    ].join('\n')
    expect(readImports('x.ts', text).imports.map(({ specifier, runs, line }) => [line, specifier, runs])).toEqual([
      [1, './a.ts', false],
      [2, './b.ts', true],
      [3, './c.ts', true],
      [4, './d.ts', true],
      [5, './e.ts', true],
      [6, './f.ts', false],
      [7, './g.ts', true],
      [8, './h.ts', false],
      [9, null, true],
      [10, null, true],
    ])
  })

  test('refuses a file it cannot parse instead of skipping it', () => {
    expect(() => readImports('x.ts', 'import { from')).toThrow(/x\.ts cannot be parsed/)
  })

  test('lets a machine import its own folder, xstate, the machines it spawns and types of the domain', () => {
    expect(
      judge({
        'src/core/domain/call.ts': 'export type CallStatus = 1',
        'machines/tool-call/tool-call.machine.ts': 'export const toolCallMachine = 1',
        'machines/run/run.types.ts':
          "import type { CallStatus } from '../../src/core/domain/call.ts'\nexport type T = CallStatus",
        'machines/run/run.machine.ts':
          "import { setup } from 'xstate'\n" +
          "import { toolCallMachine } from '../tool-call/tool-call.machine.ts'\n" +
          "import './run.types.ts'\nexport const runMachine = [setup, toolCallMachine]",
      }),
    ).toEqual([])
  })

  test('lets the command line import only public entry points', () => {
    const cli = { 'src/adapters/stores/memory.ts': '', 'src/adapters/stores/sql.ts': '', 'src/index.ts': '' }
    expect(
      judge({ ...cli, 'src/apps/cli/main.ts': "import '../../index.ts'\nimport '../../adapters/stores/memory.ts'" }),
    ).toEqual([])
    expect(judge({ ...cli, 'src/apps/cli/main.ts': "import '../../adapters/stores/sql.ts'" })).toEqual([
      'src/apps/cli/main.ts:1 room',
    ])
  })

  test('lets no room import a room of a folder that its own folder may not import', () => {
    const wrong = rooms.flatMap((room) => {
      const folder = folderOf(room.path)
      if (folder === undefined) return []
      const named = [...room.rooms, ...(room.types ?? [])].map((name) => roomNamed(name)?.path ?? '')
      // Single files that a room may import are exceptions, each named in the table.
      const others = named.map(folderOf).filter((other) => other !== undefined)
      return others.filter((other) => !mayImport[folder].includes(other)).map((other) => `${room.name} ${other}`)
    })
    expect(wrong).toEqual([])
    expect(roomOf('src/core/domain/text/glob.ts')?.rooms).toEqual([])
  })

  test('reads the public entry points from package.json', () => {
    const json = '{ "exports": { ".": { "types": "./dist/src/index.d.ts", "default": "./dist/src/index.js" } } }'
    expect(publicDoors(json)).toEqual(new Set(['src/index.ts']))
  })

  // The gate's step checks the whole repository, and fails if one of these is not found.
  test('has a planted violation of every rule', () => {
    const rules = new Set(plants.map(({ rule }) => rule))
    expect(rules.size).toBe(11)
  })
})
