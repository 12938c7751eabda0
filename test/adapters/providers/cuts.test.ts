import { describe, expect, test } from 'vitest'
import { cutSubjects, cutSuite } from '../../../proof/wires/cut-suite.ts'

describe.each(cutSubjects)('$name', (subject) => {
  test.each(cutSuite(subject))(
    'PRV-01 $name',
    async ({ run }) => {
      await expect(run()).resolves.toBeUndefined()
    },
    60_000,
  )
})
