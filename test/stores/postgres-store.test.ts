import { expect, test } from 'vitest'
import { storeSuite } from '../../src/testing/stores/store-suite.ts'
import { hasPostgres, sayNoPostgres } from '../../proof/support/postgres-server.ts'
import { postgresSubject } from '../../proof/support/postgres-subject.ts'

sayNoPostgres('the store suite on Postgres is')

for (const { name, run } of storeSuite(postgresSubject)) {
  test.skipIf(!hasPostgres)(`CKP-06 Postgres: ${name}`, () => expect(run()).resolves.toBeUndefined())
}
