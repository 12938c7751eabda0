import { expect, test } from 'vitest'
import { memoryStore } from '../../src/stores/memory/memory-store.ts'
import { findingCases } from '../../src/testing/stores/store-suite-finding.ts'
import { ownerNamed } from '../../src/testing/stores/store-suite-fixtures.ts'
import { sessionRunCases } from '../../src/testing/stores/store-suite-session-runs.ts'
import { sessionCases } from '../../src/testing/stores/store-suite-sessions.ts'

for (const [name, run] of [...sessionCases, ...sessionRunCases, ...findingCases])
  test(`CKP-06 memory: ${name}`, async () => {
    const store = memoryStore()
    const under = { store, deadOwner: ownerNamed, dispose: () => store.close() }
    await expect(run(under)).resolves.toBeUndefined()
  })
