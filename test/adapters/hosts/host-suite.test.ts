import { afterAll, describe, expect, test } from 'vitest'
import { hostSuite } from '../../../proof/conformance/host-suite.ts'
import { closeHosts, hostSubjects } from '../../../proof/conformance/host-subjects.ts'

afterAll(closeHosts)

for (const { name, missing, open } of hostSubjects) {
  // Each case has an object of its own.
  describe.concurrent(`host ${name}`, () => {
    for (const { name: said, run } of hostSuite(open))
      test.skipIf(missing !== undefined)(
        `SCALE-02 CKP-05 DEC-07 RUN-10 ${name}: ${said}`,
        () => expect(run()).resolves.toBeUndefined(),
        120_000,
      )
  })
}
