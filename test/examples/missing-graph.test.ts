import { expect, test } from 'vitest'
import { withoutPackage } from '../../proof/support/without-package.ts'

test('TST-02 describePaths names @xstate/graph if it is missing, and how to install it', () => {
  const program = `const { describePaths, storeSuite } = await import('./src/testing/index.ts')
    console.log(typeof storeSuite)
    await describePaths({ name: 'a' }, { describe() {}, test() {} }).catch(({ code, message }) => console.log(code, message))`
  const text =
    'The package @xstate/graph could not be loaded. It is an optional peer dependency: npm install @xstate/graph'
  expect(withoutPackage('@xstate/graph', program)).toBe(`function\npackage_missing ${text}`)
}, 20_000)
