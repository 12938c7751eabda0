import { describe, expect, test } from 'vitest'
import { sandboxSubjects } from '../../../proof/conformance/sandbox-subjects.ts'
import { sandboxSuite } from '../../../src/testing/index.ts'

for (const [name, make] of Object.entries(sandboxSubjects)) {
  const missing = await make().check()
  const cases = sandboxSuite(make(), async () => ({ sandbox: make(), dispose: async () => undefined }))
  describe.skipIf(missing !== undefined)(`${name}${missing === undefined ? '' : `, skipped: ${missing}`}`, () => {
    test.each(cases.map((one) => [one.name, one.run] as const))('TOOL-03 a sandbox %s', async (_name, run) => {
      await expect(run()).resolves.toBeUndefined()
    })
  })
}
