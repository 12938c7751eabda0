/** A file that uses a retired word, read in memory to prove that the lint sees it. */
export interface Plant {
  readonly word: string
  readonly path: string
  readonly text: string
}

const clean = 'export const plant = 1'

/** One for each place a name can stand in, and for the forms a word takes. */
export const plants: readonly Plant[] = [
  { word: 'desk', path: 'src/runtime/plain-desk.ts', text: clean },
  { word: 'bench', path: 'src/benches/plant.ts', text: clean },
  { word: 'hand', path: 'src/runtime/handed-over.ts', text: clean },
  { word: 'stage', path: 'test/golden/stages.txt', text: clean },
  { word: 'ledger', path: 'src/plant.ts', text: 'export const ledger = 1' },
  { word: 'hand', path: 'src/plant.ts', text: 'export const plant = (handContext: string) => handContext' },
  { word: 'hand', path: 'src/plant.ts', text: 'export function handsOf() {}' },
  { word: 'offer', path: 'src/plant.ts', text: 'export interface PendingOffer {}' },
  { word: 'offer', path: 'src/plant.ts', text: 'export interface Plant { readonly offered: string }' },
  { word: 'stage', path: 'src/plant.ts', text: 'export type Plant<Staged> = Staged' },
  { word: 'keeper', path: 'src/plant.ts', text: 'export class LeaseKeeper {}' },
  { word: 'teller', path: 'src/plant.ts', text: 'export class Plant { readonly #teller = 1 }' },
  { word: 'passage', path: 'src/plant.ts', text: "export { plant as passage } from './other.ts'" },
  { word: 'turnstile', path: 'src/plant.ts', text: 'export const { plant: turnstile } = { plant: 1 }' },
  { word: 'scene', path: 'src/plant.ts', text: 'export const plant = { playScene: 1 }' },
  { word: 'world', path: 'src/plant.ts', text: 'export const plant = import.meta.env.CRASH_WORLD' },
  { word: 'board', path: 'src/plant.ts', text: 'export type Plant = import("./plant.ts").Boards' },
  { word: 'life', path: 'src/plant.ts', text: 'life: for (;;) break life' },
  { word: 'harmless', path: 'src/plant.ts', text: 'export declare function harmless(): void' },
]
