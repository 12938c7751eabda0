import { registerHooks } from 'node:module'
import type { PlantedHole } from './planted-holes.ts'

const { file, from, to, agent, policy, bound, isPlanted } = JSON.parse(process.argv[2] ?? '') as PlantedHole & {
  readonly isPlanted: boolean
}
let isFound = false
registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    if (!url.endsWith(file)) return loaded
    const { source: given = '' } = loaded
    const source = typeof given === 'string' ? given : new TextDecoder().decode(given)
    if (!source.includes(from)) throw new Error(`${file} no longer has the line: ${from}`)
    isFound = true
    return { ...loaded, source: isPlanted ? source.replace(from, to) : source }
  },
})
const { prove } = await import('../../src/testing/index.ts')
const { provenAgents } = await import('./agents.ts')
const source = provenAgents[agent]?.source
if (source === undefined) throw new Error(`There is no agent ${agent}.`)
const { proofs } = await prove(source, policy, bound)
if (!isFound) throw new Error(`${file} is not loaded.`)
console.log(proofs[0]?.verdict)
