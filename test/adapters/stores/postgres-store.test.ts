import { expect, test } from 'vitest'
import { storeSuite } from '../../../src/testing/stores/store-suite.ts'
import { hasPostgres, sayNoPostgres } from '../../../proof/support/postgres-server.ts'
import { postgresSubject } from '../../../proof/support/postgres-subject.ts'

sayNoPostgres('the store suite on Postgres is')

// Cases of hundreds of runs make thousands of round trips, which a busy machine is slow at.
const patienceMs = 240_000

for (const { name, run } of storeSuite(postgresSubject, patienceMs)) {
  test.skipIf(!hasPostgres)(`CKP-06 Postgres: ${name}`, () => expect(run()).resolves.toBeUndefined(), patienceMs)
}
