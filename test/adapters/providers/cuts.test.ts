import { describe, expect, test } from 'vitest'
import { sampled } from '../../../proof/support/sampled.ts'
import { cutSubjects, cutSuite } from '../../../proof/wires/cut-suite.ts'

// Of three bytes the gate cuts at one, and beside each event of a long answer; `npm run conformance` cuts at each byte.
const subjects = cutSubjects.map((subject, at) => ({
  name: subject.name,
  cases: cutSuite(subject, (bytes) => sampled(bytes, 3, at)),
}))

describe.each(subjects)('$name', ({ cases }) => {
  test.each(cases)(
    'PRV-01 $name',
    async ({ run }) => {
      await expect(run()).resolves.toBeUndefined()
    },
    60_000,
  )
})
