import { describe, expect, test } from 'vitest'
import { brokerSubjects } from '../../../proof/conformance/broker-subjects.ts'
import { brokerSuite } from '../../../src/testing/index.ts'

describe.each(Object.entries(brokerSubjects))('SVC-04 the broker %s', (_, open) => {
  test.each(brokerSuite(open).map(({ name, run }) => [name, run] as const))('%s', async (_name, run) => {
    await expect(run()).resolves.toBeUndefined()
  })
})
