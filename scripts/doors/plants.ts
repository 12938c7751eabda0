import type { Finding } from './walk-doors.ts'

/** Declarations added to a module in memory, which prove that the walk reaches and judges a name. */
export interface Plant {
  readonly rule: Finding['rule']
  /** The name that the walk must find. */
  readonly name: string
  readonly module: string
  readonly text: string
}

const forgotten = 'interface Forgotten { readonly plant: true }'

/** At least one plant per rule, one for each way to name a type, and one for each kind of entry point. */
export const plants: readonly Plant[] = [
  {
    rule: 'not exported',
    name: 'Forgotten',
    module: 'src/core/agent/create-agent.ts',
    text: `${forgotten}\nexport interface Agent { readonly plant: Forgotten }`,
  },
  {
    rule: 'not exported',
    name: 'Forgotten',
    module: 'src/core/agent/run.ts',
    text: `${forgotten}\nexport interface Run extends Partial<Forgotten> {}`,
  },
  {
    rule: 'not exported',
    name: 'Forgotten',
    module: 'src/core/agent/run.ts',
    text: `${forgotten}\nexport interface Run extends Forgotten {}`,
  },
  {
    rule: 'not exported',
    name: 'Forgotten',
    module: 'src/core/domain/store-error.ts',
    text: `${forgotten}\nexport declare class StoreError implements Forgotten {}`,
  },
  {
    rule: 'not exported',
    name: 'Forgotten',
    module: 'src/core/domain/store-error.ts',
    text: 'declare class Forgotten {}\nexport declare class StoreError extends Forgotten {}',
  },
  {
    rule: 'not exported',
    name: 'forgotten',
    module: 'src/core/domain/usage.ts',
    text: 'declare const forgotten: number\nexport interface Usage { readonly plant: typeof forgotten }',
  },
  {
    rule: 'not exported',
    name: 'DecisionFacts',
    module: 'src/core/domain/decision.ts',
    text: "export interface Decision { readonly plant: import('./judge-decision.ts').DecisionFacts }",
  },
  {
    rule: 'not exported',
    name: 'DecisionFacts',
    module: 'src/core/domain/decision.ts',
    text: "import * as judge from './judge-decision.ts'\nexport interface Decision { plant: judge.DecisionFacts }",
  },
  {
    rule: 'not exported',
    name: 'Forgotten',
    module: 'src/core/stores/memory/memory-store.ts',
    text: `${forgotten}\nexport declare function memoryStore(plant: Forgotten): void`,
  },
  {
    rule: 'not exported',
    name: 'Forgotten',
    module: 'machines/run/run.types.ts',
    text: `${forgotten}\nexport interface RunInput { readonly plant: Forgotten }`,
  },
  {
    rule: 'not exported',
    name: 'Write',
    module: 'machines/run/run.machine.ts',
    text: "declare const plant: import('../../src/core/domain/log.ts').Write",
  },
  {
    rule: 'engine internal',
    name: 'Drive',
    module: 'src/core/agent/run.ts',
    text: "export interface Run { readonly plant: import('../runtime/drive.ts').Drive }",
  },
  {
    rule: 'engine internal',
    name: 'AgentParts',
    module: 'src/index.ts',
    text: "export type { AgentParts } from './core/effects/agent-parts.ts'",
  },
  {
    rule: 'missing',
    name: 'Nowhere',
    module: 'src/core/agent/run.ts',
    text: "export interface Run { readonly plant: import('./nowhere.ts').Nowhere }",
  },
]
