import { createAgent } from '../../../../src/index.ts'
import { openStore } from '../../../../proof/support/store-place.ts'
import { heldAnswer } from '../../../../proof/support/held-answer.ts'
import { createWorker } from '../../../../src/core/workers/worker.ts'

// A worker whose model gives each piece of its answer when the parent sends it, and ends the answer where that is empty.
const [address = ''] = process.argv.slice(2)
const answer = heldAnswer()
const agent = createAgent({ name: 'told', model: answer.model, store: openStore(address) })
createWorker({ agents: [agent] })
process.on('message', (piece) => answer.give(piece === '' ? undefined : String(piece)))
process.once('disconnect', () => process.exit())
await answer.asked
process.send?.('asked')
