import { expect, test } from 'vitest'
import { withoutPackage } from '../../proof/support/without-package.ts'

test.for([
  ['ai', 'ai-sdk', 'createChatHandlers'],
  ['@ag-ui/', 'ag-ui', 'createAgUiHandlers'],
] as const)('SRV-01 a server speaks its protocol even without the package %s', ([missing, file, name]) => {
  const said = withoutPackage(
    missing,
    `const { ${name} } = await import('./src/servers/${file}.ts')
    console.log(typeof ${name})`,
  )
  expect(said).toBe('function')
})
