import { expect, test } from 'vitest'
import { checkSequences } from '../../proof/properties/check.ts'
import { replayOf } from '../../proof/properties/replay.ts'

const replay = replayOf(process.env, { runs: 1000, seed: 20 })

test('TST-04 RUN-03 RUN-07 TC-05 TC-08 DEC-04 DEC-06 CKP-01 keeps its promises in every sequence', async () => {
  const { failed, seed, counterexample } = await checkSequences(replay)
  const { path, sequence, fault } = counterexample ?? {}
  expect(failed, `PROPERTIES_SEED=${seed} PROPERTIES_PATH=${path}\n${sequence}\n${fault}`).toBe(false)
}, 300_000)
