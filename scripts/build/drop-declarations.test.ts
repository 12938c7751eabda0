import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dropDeclarations } from './drop-declarations.ts'

test('keeps only the declarations that a public entry point refers to', () => {
  const folder = mkdtempSync(join(tmpdir(), 'declarations-'))
  const write = (name: string, text: string) => writeFileSync(join(folder, `${name}.d.ts`), text)
  write('door', "export type { A } from './a.ts'\nexport declare const b: import('./b.js').B\n")
  write('a', "import type { Door } from './door.ts'\nexport type A = Door\n")
  write('b', 'export type B = 1\n')
  write('inner', "export type { B } from './b.ts'\n")
  try {
    expect(dropDeclarations(folder, '{ "types": "./dist/door.d.ts" }')).toEqual(['inner.d.ts'])
    expect(readdirSync(folder).toSorted((one, other) => one.localeCompare(other))).toEqual([
      'a.d.ts',
      'b.d.ts',
      'door.d.ts',
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
