import { describe, expect, test } from 'vitest'
import { readDeclarations } from './read-declarations.ts'
import { walkDoors } from './walk-doors.ts'

function libraryOf(texts: Record<string, string>) {
  return new Map(Object.entries(texts).map(([module, text]) => [module, readDeclarations(module, text)]))
}

function findingsIn(texts: Record<string, string>, doors: readonly string[] = ['src/index.ts']) {
  const { findings } = walkDoors(libraryOf(texts), doors)
  return findings.map(({ rule, module, way }) => `${rule}: ${way.join(' > ')} of ${module}`)
}

describe('walk through the public doors', () => {
  test('finds every way to name a type', () => {
    const text = [
      "import type { A, B as C } from './a.ts'",
      "import * as all from './d.ts'",
      'interface Own {}',
      'export declare class Whole<T> extends Own implements C {',
      '  plain: A; listed: readonly A[]; spelled: all.D; inline: import("./e.ts").E<Own>; asked: typeof own',
      '  platform: Promise<T>; foreign: import("xstate").Actor',
      '}',
      'declare const own: string',
    ].join('\n')
    const { declared, exports } = readDeclarations('src/x.ts', text)
    expect(exports).toEqual(new Map([['Whole', { module: 'src/x.ts', name: 'Whole' }]]))
    expect(declared.get('Whole')).toEqual([
      { module: 'src/x.ts', name: 'Own' },
      { module: 'src/a.ts', name: 'B' },
      { module: 'src/a.ts', name: 'A' },
      { module: 'src/a.ts', name: 'A' },
      { module: 'src/d.ts', name: 'D' },
      { module: 'src/e.ts', name: 'E' },
      { module: 'src/x.ts', name: 'Own' },
      { module: 'src/x.ts', name: 'own' },
    ])
  })

  test('finds every way to export a name', () => {
    const text = [
      "import type { A } from './a.ts'",
      'export interface B {}',
      'export declare const c: number, d: string',
      'export type { A }',
      "export { E as F } from './e.ts'",
      "export * from './g.ts'",
    ].join('\n')
    const { exports, passedOn } = readDeclarations('src/x.ts', text)
    expect([...exports].map(([name, place]) => `${name}: ${place.name} of ${place.module}`)).toEqual([
      'B: B of src/x.ts',
      'c: c of src/x.ts',
      'd: d of src/x.ts',
      'A: A of src/a.ts',
      'F: E of src/e.ts',
    ])
    expect(passedOn).toEqual(['src/g.ts'])
  })

  test('refuses declarations it cannot parse instead of skipping them', () => {
    expect(() => readDeclarations('src/x.ts', 'export interface {')).toThrow(/src\/x\.ts cannot be parsed/)
  })

  test('accepts a public name only if each name in its type is exported from some entry point', () => {
    const texts = {
      'src/index.ts': "export type { Run } from './core/agent/run.ts'",
      'src/core/agent/run.ts':
        "import type { Json } from '../domain/text/json.ts'\nexport interface Run { state: Json }",
      'src/core/domain/text/json.ts': 'export type Json = string | readonly Json[]',
      'src/adapters/tools/files.ts': "export type { Json } from '../../core/domain/text/json.ts'",
    }
    expect(findingsIn(texts, ['src/index.ts', 'src/adapters/tools/files.ts'])).toEqual([])
  })

  test('lists forgotten names, names of the engine and missing names, with the path to each', () => {
    const texts = {
      'src/index.ts': "export type { Run } from './core/agent/run.ts'",
      'src/core/agent/run.ts':
        "import type { Drive } from '../runtime/drive.ts'\n" +
        "import type { Gone } from './gone.ts'\n" +
        'interface Options { drive: Drive }\nexport interface Run { options: Options; gone: Gone }',
      'src/core/runtime/drive.ts': 'export declare class Drive {}',
    }
    expect(findingsIn(texts)).toEqual([
      'not exported: Run > Options of src/core/agent/run.ts',
      'missing: Run > Gone of src/core/agent/gone.ts',
      'engine internal: Run > Options > Drive of src/core/runtime/drive.ts',
    ])
  })

  test('refuses an engine name that an entry point exports itself', () => {
    const texts = {
      'src/index.ts': "export * from './core/runtime/drive.ts'",
      'src/core/runtime/drive.ts': 'export declare class Drive {}',
    }
    expect(findingsIn(texts)).toEqual(['engine internal: Drive of src/core/runtime/drive.ts'])
  })

  test('stops at the type of a chart and continues with the names that its module imports', () => {
    const texts = {
      'machines/index.ts': "export type { RunMachine } from './run/run.machine.ts'",
      'machines/run/run.machine.ts':
        "import type { RunInput } from './run.types.ts'\n" +
        "declare const machine: import('xstate').StateMachine<RunInput, import('../call/call.machine.ts').Call>\n" +
        'type RunLogic = typeof machine\nexport interface RunMachine extends RunLogic {}',
      'machines/run/run.types.ts': 'export interface RunInput {}',
      'machines/call/call.machine.ts': 'export interface Call {}',
    }
    expect(findingsIn(texts, ['machines/index.ts'])).toEqual([
      'not exported: RunMachine > RunInput of machines/run/run.types.ts',
    ])
  })
})
