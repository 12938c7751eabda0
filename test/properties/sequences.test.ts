import { expect, test } from 'vitest'
import { checkSequences } from '../../proof/properties/check-sequences.ts'
import { readReplay } from '../../proof/properties/read-replay.ts'
import { runScript } from '../../proof/support/run-script.ts'

// `npm run properties` plays as many as it is told.
const replay = readReplay(process.env, { runs: 150, seed: 20 })

test('TST-04 RUN-03 RUN-07 TC-05 TC-08 DEC-04 DEC-06 CKP-01 AGT-02 AGT-03 AGT-08 PH-02 PH-03 PH-04 EVT-04 keeps its promises in every sequence', async () => {
  const { failed, seed, counterexample } = await checkSequences(replay)
  const { path, sequence, fault } = counterexample ?? {}
  expect(failed, `PROPERTIES_SEED=${seed} PROPERTIES_PATH=${path}\n${sequence}\n${fault}`).toBe(false)
}, 300_000)

test('TST-04 reports how many sequences it has played, from which seed', () => {
  const { status, figures } = runScript('properties', ['--runs', '20', '--seed', '4'])
  expect({ status, figures }).toEqual({
    status: 0,
    figures: { sequences: 20, failed: 0, seed: 4, seconds: expect.any(Number) },
  })
}, 60_000)
