import { describe, expect, test } from 'vitest'
import { sessionStoreSubjects } from '../../../proof/conformance/session-store-subjects.ts'
import { sessionStoreSuite } from '../../../src/testing/sessions/session-store-suite.ts'

for (const [subject, open] of Object.entries(sessionStoreSubjects)) {
  describe(`SES-03 ${subject}`, () => {
    for (const { name, run } of sessionStoreSuite(open))
      test(`SES-03 ${name}`, () => expect(run()).resolves.toBeUndefined())
  })
}
