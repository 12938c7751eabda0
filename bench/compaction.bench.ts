/**
 * Plants facts in a conversation that is compacted at each turn, without a model, and says what is left of them.
 *
 * npm run bench:compaction [-- --turns 500] [--facts 40] [--json]
 */
import { parseFlags } from '../proof/support/parse-flags.ts'
import { playPlanted } from '../proof/support/planted-facts.ts'

const { json, turns, facts } = parseFlags('bench:compaction', { turns: 500, facts: 40 })
const report = await playPlanted({ turns, facts })
if (json) console.log(JSON.stringify(report))
else {
  console.log(`${report.turns} turns, ${report.compactions} compactions, ${report.broken.length} broken rules`)
  for (const [kind, { planted, kept }] of Object.entries(report.kinds))
    console.log(`${kind}: ${kept} of ${planted} kept`)
  for (const rule of report.broken.slice(0, 20)) console.log(rule)
}
process.exitCode = report.broken.length === 0 ? 0 : 1
