import type { Rule } from './judge-modules.ts'

/** A file that breaks one rule, added in memory to prove that the lint finds it. */
export interface Plant {
  readonly rule: Rule
  readonly path: string
  readonly text: string
}

/** At least one plant per rule, and one for each way to write an import. */
export const plants: readonly Plant[] = [
  { rule: 'no room', path: 'src/utils/plant.ts', text: 'export const plant = 1' },
  {
    rule: 'room',
    path: 'src/core/domain/plant.ts',
    text: "import { tool } from '../ports/tool.ts'\nexport const plant = tool",
  },
  {
    rule: 'room',
    path: 'src/core/domain/plant.ts',
    text: "import type { Store } from '../ports/store.ts'\nexport type P = Store",
  },
  { rule: 'room', path: 'src/core/domain/plant.ts', text: "export type P = import('../ports/store.ts').Store" },
  {
    rule: 'room',
    path: 'src/core/domain/text/plant.ts',
    text: "import type { CallStatus } from '../call.ts'\nexport type P = CallStatus",
  },
  { rule: 'room', path: 'src/core/ports/plant.ts', text: "export * from '../stores/memory/memory-store.ts'" },
  { rule: 'room', path: 'src/core/ports/plant.ts', text: "export {} from '../stores/memory/memory-store.ts'" },
  {
    rule: 'room',
    path: 'src/adapters/stores/plant.ts',
    text: "export const plant = () => import('../tools/files.ts')",
  },
  { rule: 'room', path: 'src/core/agent/plant.ts', text: "export * from '../../adapters/stores/plant-store.ts'" },
  { rule: 'room', path: 'src/adapters/providers/plant.ts', text: "import '../../core/stores/memory/memory-store.ts'" },
  {
    rule: 'room',
    path: 'src/apps/cli/plant.ts',
    text: "import type { Json } from '../../core/domain/text/json.ts'\nexport type P = Json",
  },
  {
    rule: 'room',
    path: 'machines/tool-call/plant.ts',
    text: "import type * as run from '../run/run.types.ts'\nexport type P = typeof run",
  },
  {
    rule: 'types only',
    path: 'machines/run/plant.ts',
    text: "import { isTerminal } from '../../src/core/domain/call.ts'\nexport const plant = isTerminal",
  },
  {
    rule: 'types only',
    path: 'machines/run/plant.ts',
    text: "import { type CallStatus } from '../../src/core/domain/call.ts'\nexport type P = CallStatus",
  },
  { rule: 'types only', path: 'src/core/effects/plant.ts', text: "export * from '../../../machines/run/run.types.ts'" },
  {
    rule: 'package',
    path: 'src/core/agent/plant.ts',
    text: "import { assign } from 'xstate'\nexport const plant = assign",
  },
  {
    rule: 'package',
    path: 'src/core/domain/plant.ts',
    text: "import { readFileSync } from 'node:fs'\nexport const plant = readFileSync",
  },
  {
    rule: 'package',
    path: 'src/adapters/providers/plant.ts',
    text: "import type OpenAI from 'openai'\nexport type P = OpenAI",
  },
  { rule: 'package', path: 'machines/run/plant.ts', text: "import { z } from 'zod'\nexport const plant = z" },
  { rule: 'outside', path: 'src/apps/cli/plant.ts', text: "import '../../../../elsewhere/plant.ts'" },
  { rule: 'room', path: 'src/testing/plant.ts', text: "import '../../proof/mutants.ts'" },
  { rule: 'room', path: 'proof/plant.ts', text: "import '../scripts/rooms.ts'" },
  { rule: 'room', path: 'scripts/plant.ts', text: "import '../test/plant.test.ts'" },
  { rule: 'room', path: 'test/plant.test.ts', text: "import '../scripts/rooms.ts'" },
  { rule: 'missing file', path: 'src/core/ports/plant.ts', text: "import '../domain/nowhere.ts'" },
  { rule: 'extension', path: 'src/core/ports/plant.ts', text: "import '../domain/text/json.js'" },
  {
    rule: 'not a literal',
    path: 'src/core/ports/plant.ts',
    text: 'export const plant = (name: string) => import(name)',
  },
  {
    rule: 'not a literal',
    path: 'src/adapters/stores/plant.ts',
    text: "import { createRequire } from 'node:module'\nexport const plant = createRequire",
  },
  { rule: 're-exports only', path: 'src/index.ts', text: 'export const plant = 1' },
  { rule: 'vocabulary', path: 'src/core/runtime/plant.ts', text: '// asks the Model\nexport const plant = 1' },
  { rule: 'vocabulary', path: 'src/core/runtime/plant.ts', text: 'export const toolbox = 1' },
  {
    rule: 'package',
    path: 'src/core/runtime/plant.ts',
    text: "import { createActor } from 'xstate'\nexport const plant = createActor",
  },
  {
    rule: 'store write',
    path: 'src/core/driving/plant.ts',
    text: "import type { Commit, Store } from '../ports/store.ts'\nexport const plant = (store: Store, commit: Commit) => store.commit(commit)",
  },
  {
    rule: 'store write',
    path: 'src/core/agent/plant.ts',
    text: "import type { Store } from '../ports/store.ts'\nexport const plant = (store: Store) => {\n  const { post } = store\n  return post\n}",
  },
]
