import { describe, expect, test } from 'vitest'
import { configurations } from '../../src/testing/charts/configurations.ts'
import { explore } from '../../src/testing/charts/explore.ts'

describe('TST-01 TC-01 RUN-01 RUN-03 DEC-04 every reachable state of the composed system keeps the rules', () => {
  test.each(configurations.map((configuration) => [configuration.name, configuration] as const))(
    '%s',
    { timeout: 30_000 },
    (_, configuration) => {
      const { findings, states } = explore({ configuration, isQuick: true })
      expect(findings).toEqual([])
      expect(states).toBeGreaterThan(3)
    },
  )
})
