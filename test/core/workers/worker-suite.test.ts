import { expect, test } from 'vitest'
import { storeSubjects } from '../../../proof/conformance/store-subjects.ts'
import { workerSuite } from '../../../src/testing/workers/worker-suite.ts'

for (const [subject, open] of Object.entries(storeSubjects)) {
  for (const { name, run } of workerSuite(open)) {
    test(`SCALE-01 a worker on ${subject}: ${name}`, () => expect(run()).resolves.toBeUndefined())
  }
}
