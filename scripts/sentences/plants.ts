/** A module with one export that has no sentence, read in memory to prove that the check sees it. */
export interface Plant {
  readonly name: string
  readonly text: string
}

/** One for each kind of declaration, and one for each comment that is no sentence on it. */
export const plants: readonly Plant[] = [
  { name: 'plant', text: 'export const plant = 1' },
  { name: 'plant', text: '/** The first. */\nexport const first = 1\nexport function plant() {}' },
  { name: 'plant', text: '/** Two. */\nexport type Two = 2\n\nexport async function* plant() {}' },
  { name: 'Plant', text: 'export interface Plant {}' },
  { name: 'Plant', text: 'export type Plant = 1' },
  { name: 'Plant', text: 'export class Plant {}' },
  { name: 'Plant', text: 'export abstract class Plant {}' },
  { name: 'plant', text: '// Not for whoever uses it.\nexport const plant = 1' },
  { name: 'plant', text: '/* No doc comment. */\nexport const plant = 1' },
  { name: 'plant', text: '/** @example plant() */\nexport const plant = 1' },
  { name: 'plant', text: '/***/\nexport const plant = 1' },
  { name: 'plant', text: '/** The import. */\nimport "./other.ts"\nexport const plant = 1' },
  { name: 'plantedTwice', text: '/** plantedTwice */\nexport const plantedTwice = 1' },
  { name: 'PlantedTwice', text: '/** The planted twice. */\nexport interface PlantedTwice {}' },
]
